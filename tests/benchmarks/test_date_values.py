"""The measurement of date values: dates whose truth is known, and values that are no dates."""

from __future__ import annotations

import pytest

pytest.importorskip("benchmarks.bench_date_values", reason="needs the folder benchmarks, beside a checkout only")
from benchmarks.bench_date_values import MADE, NO_DATES, made, row, shape
from caspipe.annotators.dates import parse_date


def test_no_date_in_a_notation_of_another_program_is_read_wrongly() -> None:
    pairs = list(made())[:: len(MADE)]
    result = row("made", [text for text, _ in pairs], ("en",), [iso for _, iso in pairs])
    assert result.values == 200
    assert result.counts["other"] == result.counts["open"] == 0
    assert result.counts["added"] + result.counts["fuller"] == result.counts["same"] > 100


@pytest.mark.parametrize("text", NO_DATES)
def test_what_is_no_date_is_no_day_of_a_month(text: str) -> None:
    assert [d for d in parse_date(text) if d.begin.day and d.begin.month] == []


def test_a_shape_has_no_content() -> None:
    assert shape("Thu 05 déc. 2023 SMITH") == "Day 99 Mon. 9999 aaaaa"
