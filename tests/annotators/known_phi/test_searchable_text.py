"""The index of words of a long text gives the same offsets as a search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.known_phi.searchable_text import SearchableText, whole_word_offsets

PIECES = ["ab", "a", "b", "ab-a", "_", " ", "\n", ".", "1", "é", "a_b", "\u0301", "²"]


@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=40),
    phrase=st.lists(st.sampled_from(PIECES), min_size=1, max_size=3),
)
def test_word_offsets_are_those_of_a_search(pieces: list[str], phrase: list[str]) -> None:
    word = "".join(phrase)
    document = SearchableText("".join(pieces) + " ." * 5_000)
    assert list(document.word_offsets(word)) == list(whole_word_offsets(document.folded, word))
