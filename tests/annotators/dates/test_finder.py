"""Texts that end where a date might begin, and texts full of numbers that are not dates: no error, linear time."""

from __future__ import annotations

import pytest

from caspipe.annotators.dates.finder import find_dates


@pytest.mark.parametrize(
    "text", ["It was late ", "They came early ", "mid-", "Seen at the end of ", "on the ", "'", "(", "early"]
)
def test_a_text_may_end_where_a_date_might_begin(text: str) -> None:
    assert list(find_dates(text)) == []


def test_only_the_text_since_the_previous_date_is_examined() -> None:
    far = find_dates("On 3/4/2020 " + "x" * 50 + " and may 5")
    assert [(h.begin, h.end) for h in far][:1] == [(3, 11)]
