"""Pace: every document is counted once, in bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.running.observing import Pace


def test_documents_are_counted_by_slice() -> None:
    pace = Pace(seconds=1.0)
    for at in (0.0, 0.2, 1.0, 3.9):
        pace.add(at)
    assert (pace.counts, pace.seconds) == ([2, 1, 0, 1], 1.0)


def test_slices_double_when_there_would_be_too_many() -> None:
    pace = Pace(slices=4, seconds=1.0)
    for second in range(4):
        pace.add(second, second + 1)
    assert (pace.counts, pace.seconds) == ([1, 2, 3, 4], 1.0)
    pace.add(4.5, 7)
    assert (pace.counts, pace.seconds) == ([3, 7, 7], 2.0)
    pace.add(1000.0)
    assert pace.seconds == 256.0
    assert pace.counts == [17, 0, 0, 1]


@given(st.lists(st.floats(0, 1e6), max_size=200), st.integers(2, 9))
def test_no_document_is_lost_and_each_is_in_its_slice(times: list[float], slices: int) -> None:
    pace = Pace(slices=slices, seconds=0.5)
    for at in times:
        pace.add(at)
    assert sum(pace.counts) == len(times)
    assert len(pace.counts) <= slices
    expected = [0] * len(pace.counts)
    for at in times:
        expected[int(at / pace.seconds)] += 1
    assert pace.counts == expected


@pytest.mark.parametrize(("slices", "seconds"), [(1, 1.0), (2, 0.0)])
def test_a_pace_needs_slices_of_some_length(slices: int, seconds: float) -> None:
    with pytest.raises(ValueError, match="expected 2 slices or more of more than 0 seconds"):
        Pace(slices, seconds)
