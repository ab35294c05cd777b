"""A text is searched for divided words only if it may contain one: the result is that of the whole search."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from caspipe.annotators.known_phi.searchable_text import SearchableText
from caspipe.annotators.leak_gate import divided_words
from caspipe.annotators.leak_gate.divided_words import ValueWords, find_divided_words
from caspipe.annotators.leak_gate.masked_values import MaskedValue
from caspipe.annotators.names.words import Words
from caspipe.typesystem import PhiKind

WORDS = Words.load("english")
NAMES = ["Zorblatt", "Jane Zorblatt", "Quellmore", "Ann", "Müller", "Jo Li", "O'Neil"]
VALUES = [MaskedValue(PhiKind.LOCATION if name == "Quellmore" else PhiKind.PERSON, name) for name in NAMES]
TABLE = ValueWords(VALUES, WORDS)
PIECES = [
    *"zorb latt Zorblatt JaneZorblatt Quell more mul ler Mü ann an n Z o r b li Jo - * . | 1 <b> ʼ O Neil &nbsp;".split(),
    *(" ", "  ", "\n> ", "\n12: ", "\xa0"),
]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)


@given(texts)
@example("Seen: Z o r b l a t t, and Zorb latt.")
@example("Zorb-\nlatt and JaneZorblatt, Mül-ler")
@example("O ʼ Neil")
def test_the_result_is_that_of_the_whole_search(text: str) -> None:
    short = list(find_divided_words(SearchableText(text), TABLE))
    letters = divided_words.Letters
    with patch.object(letters, "contain_divided", lambda *_: True), patch.object(letters, "contain", lambda *_: True):
        assert list(find_divided_words(SearchableText(text), TABLE)) == short
