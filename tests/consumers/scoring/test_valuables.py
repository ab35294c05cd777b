"""Doses, lab values and durations: marked-up cases, and time that grows with the text only."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from caspipe.consumers.scoring.valuables import doses, durations, lab_values

CASES = Path(__file__).parents[2] / "cases" / "valuables.txt"
FINDERS = {"DOSE": doses, "LAB": lab_values, "TIME": durations}
_MARK = re.compile(r"</?(DOSE|LAB|TIME)>")


def cases() -> list[object]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [pytest.param(line, id=f"line {n}") for n, line in enumerate(lines, 1) if line and not line.startswith("#")]


@pytest.mark.parametrize("line", cases())
def test_a_marked_line_gives_exactly_its_marks(line: str) -> None:
    marked = {name: [m[1] for m in re.finditer(f"<{name}>(.*?)</{name}>", line)] for name in FINDERS}
    text = _MARK.sub("", line)
    assert {name: [text[b:e] for b, e in find(text)] for name, find in FINDERS.items()} == marked


def test_names_of_analytes_can_be_given() -> None:
    text = "Zorbin level was 17 at noon."
    assert lab_values(text) == []
    assert lab_values(text, [(0, 6)]) == [(17, 19)]


@pytest.mark.slow
@pytest.mark.parametrize("find", FINDERS.values(), ids=FINDERS)
@pytest.mark.parametrize("unit", ["1", "1 ", "1.1,", "1-", "<", "1 x ", "INR was ", " ", "a ", "1/"], ids=range(10))
def test_no_text_takes_long(find: object, unit: str) -> None:
    text = unit * (100_000 // len(unit))
    before = time.process_time()
    find(text)  # type: ignore[operator]
    assert time.process_time() - before < 2
