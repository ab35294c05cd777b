"""A text is searched for rare notations only if it contains their letters: no text with the notation lacks them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.ages import foreign_ages, misread


@pytest.mark.parametrize("ages", [ages for ages in foreign_ages.FOREIGN if ages.hint], ids=lambda ages: ages.letters[0])
@given(data=st.data())
def test_a_text_with_the_hint_has_its_letters(ages: foreign_ages.ForeignAges, data: st.DataObject) -> None:
    assert ages.hint is not None
    low = data.draw(st.from_regex(ages.hint.pattern)).lower()
    assert ages.may_occur(low) == bool(ages.hint.search(low))


@given(st.text("09OlIgSz|! a", max_size=6))
def test_a_digit_beside_a_letter_like_a_digit_is_found(text: str) -> None:
    beside = re.search(r"\d[OoQlI|!ZzSBGgq]|[lIZzSBGgq]\d", text) is not None
    assert (misread._HINT.search(text) is not None) == beside
