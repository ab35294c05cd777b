"""Many words are searched for together in the letters of a long text: the time does not grow with text times words."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.known_phi.searchable_text import SearchableText, offsets_of
from caspipe.annotators.leak_gate import letters as module
from caspipe.annotators.leak_gate.letters import Letters, occurrences

short = st.text("ab\xfc\U0001d41a", min_size=1, max_size=5)


@given(
    st.text("ab\xfc\U0001d41a", max_size=60), st.lists(short, min_size=1, max_size=6, unique=True), st.integers(1, 9)
)
def test_the_occurrences_are_those_of_each_word(text: str, words: list[str], block: int) -> None:
    with patch.object(module, "_BLOCK", block), patch.object(module, "_LONGEST", 3):
        found = list(occurrences(text, words))
    assert sorted(found) == sorted((begin, len(word)) for word in words for begin in offsets_of(text, word))


SYLLABLES = "ba ke li mo nu ra si to ve za dor fen gar hul jin kal".split()
NAMES = [one + two + three for one in SYLLABLES[:8] for two in SYLLABLES[:10] for three in SYLLABLES[:10]]


@pytest.mark.attack("cost")
def test_many_words_are_not_searched_for_one_by_one() -> None:
    text = "seen by the doctor today " * 2_000
    with patch.object(module, "offsets_of", side_effect=AssertionError("a search for one word")):
        assert not Letters(SearchableText(text)).contain(NAMES)
        assert not Letters(SearchableText(text)).contain_divided(NAMES)
        assert Letters(SearchableText(f"{text} {NAMES[-1]}")).contain(NAMES)
        assert not Letters(SearchableText(f"{text} {NAMES[-1]}")).contain_divided(NAMES)  # whole, not divided
        assert Letters(SearchableText(f"{text} {NAMES[-1][:3]} {NAMES[-1][3:]}")).contain_divided(NAMES)
        assert Letters(SearchableText(text)).contain_divided([*NAMES, "o'neil"])
