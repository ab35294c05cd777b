"""Count the tests of each part and each row of the attack suite, and write the counts into TESTING.md.

python scripts/count_tests.py            print the tables
python scripts/count_tests.py --write    put them into TESTING.md
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "TESTING.md"
sys.path.insert(0, str(ROOT / "tests"))

from attacks.rows import ROWS  # noqa: E402

MARKS = ("slow", "server", "browser", "java", "spark", "neural")


class Collector:
    """Keeps the items that pytest collects."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def collected() -> list[pytest.Item]:
    """Return all tests. Exits if collecting fails."""
    collector = Collector()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = pytest.main(["--collect-only", "-q", str(ROOT / "tests")], plugins=[collector])
    if code:
        sys.exit(said.getvalue())
    return collector.items


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in [head, tuple("---" for _ in head), *rows]]
    return "\n".join(lines)


def tables(items: list[pytest.Item]) -> dict[str, str]:
    """Return the tables by name."""
    folders: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    attacks: Counter[str] = Counter()
    for item in items:
        folders[Path(item.path).relative_to(ROOT / "tests").parts[0]] += 1
        marks.update(mark for mark in MARKS if item.get_closest_marker(mark))
        attacks.update({str(mark.args[0]) for mark in item.iter_markers("attack")})
    parts = [(f"`tests/{name}`", f"{count:,}") for name, count in sorted(folders.items())]
    parts.append(("all", f"{len(items):,}"))
    return {
        "parts": table(("part", "tests"), parts),
        "marks": table(("marker", "tests"), [(f"`{mark}`", f"{marks[mark]:,}") for mark in MARKS]),
        "attacks": table(
            ("row", "what it shows", "tests"), [(f"`{row}`", what, f"{attacks[row]:,}") for row, what in ROWS.items()]
        ),
    }


def written(page: str, found: dict[str, str]) -> str:
    """Return the page with the tables between their comments."""
    for name, text in found.items():
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
            lambda match, text=text: f"{match[1]}{text}\n{match[2]}",
            page,
            flags=re.DOTALL,
        )
    return page


if __name__ == "__main__":
    found = tables(collected())
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(PAGE.read_text(), found))
    else:
        print("\n\n".join(found.values()))
