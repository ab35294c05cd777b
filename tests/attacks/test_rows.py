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


def test_marked_tests_belong_to_a_row() -> None:
    assert set(marked()) <= set(ROWS)
