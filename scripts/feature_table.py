"""Writes the table of features in docs/features.md from the docstrings of the features.

python scripts/feature_table.py            write it
python scripts/feature_table.py --check    exit 1 where it is out of date
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

from caspipe.annotators.sequence import features
from caspipe.annotators.sequence.feature import Feature, FormFeature, ValueFeature
from caspipe.pipeline.contract import params

PAGE = Path(__file__).resolve().parent.parent / "docs" / "features.md"
BEGIN, END = "<!-- table: made by scripts/feature_table.py -->", "<!-- end of table -->"


def table() -> str:
    """One section for each module, one row for each feature."""
    lines: list[str] = []
    for name in features.__all__:
        module = importlib.import_module(f"{features.__name__}.{name}")
        found = [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, Feature) and c.name]
        found = [c for c in found if c.__module__ == module.__name__]
        if not found:
            continue
        lines += [f"### {inspect.cleandoc(module.__doc__ or '').splitlines()[0]}", ""]
        lines += ["| feature | of | what | parameters |", "|---|---|---|---|"]
        lines += [row(cls) for cls in found]
        lines.append("")
    return "\n".join(lines)


def row(cls: type[Feature]) -> str:
    sort = "form" if issubclass(cls, FormFeature) else "number" if issubclass(cls, ValueFeature) else "token"
    text = " ".join(" ".join(p.split()) for p in inspect.cleandoc(cls.__doc__ or "").split("\n\n"))
    given = "; ".join(f"`{p.name}`: {' '.join(p.doc.split())}" for p in params.parameters(cls) if p.name != "window")
    needs = [t.__name__ for t in cls.inputs] + list(cls.sets)
    if needs:
        text += f" Needs: {', '.join(f'`{n}`' for n in needs)}."
    cells = (text, given or "none")
    return f"| `{cls.name}` | {sort} | " + " | ".join(_escaped(c) for c in cells) + " |"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def page() -> str:
    """The page with its table as the code says."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    return f"{before}{BEGIN}\n\n{table()}\n{after}"


def main() -> int:
    fresh = page()
    if fresh == PAGE.read_text(encoding="utf-8"):
        return 0
    if "--check" in sys.argv:
        print(f"{PAGE.name} is out of date: run scripts/feature_table.py")
        return 1
    PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
