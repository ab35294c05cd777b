"""From labels to candidates: separators at the ends of a span are none of it."""

from __future__ import annotations

import pytest

from caspipe.annotators.sequence.tagging import _within


@pytest.mark.parametrize(
    ("forms", "kept"),
    [
        ([",", "Helen", "Brandt"], ["Helen", "Brandt"]),
        (["Brandt", ",", "Helen", ";"], ["Brandt", ",", "Helen"]),
        (["Dr", "."], ["Dr", "."]),
        (["(", "Brandt", ")"], ["(", "Brandt", ")"]),
        ([",", ";"], [";"]),
        ([","], [","]),
    ],
)
def test_separators_at_the_ends_are_left_out_as_long_as_something_is_left(forms: list[str], kept: list[str]) -> None:
    first, last = _within(forms, 0, len(forms))
    assert forms[first:last] == kept
