"""Each marked test belongs to a row that exists."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from attacks.rows import ROWS

TESTS = Path(__file__).resolve().parent.parent


def marked() -> Counter[str]:
    """Return how many tests each row has, by the markers in the sources."""
    found: Counter[str] = Counter()
    for path in TESTS.rglob("*.py"):
        source = path.read_text()
        if "mark.attack(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.attack":
                found[str(ast.literal_eval(node.args[0]))] += 1
    return found


def test_every_row_has_tests_and_every_marked_test_a_row() -> None:
    assert set(marked()) == set(ROWS)


def test_the_page_on_testing_has_every_row() -> None:
    page = (TESTS.parent / "TESTING.md").read_text()
    assert [row for row in ROWS if f"| `{row}` |" not in page] == []
