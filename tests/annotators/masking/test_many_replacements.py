"""Many replacements take little memory: their spans are columns. The result is the same."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from caspipe.annotators.consistency import repetition
from caspipe.annotators.consistency.repetition import index_words
from caspipe.annotators.leak_gate import LeakGate, visible_text
from caspipe.annotators.leak_gate.visible_text import VisibleText
from caspipe.annotators.masking import masker
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.names.words import Words
from caspipe.pipeline.contract.apply import apply
from caspipe.typesystem import Cas, MaskedSpan, OffsetMap, Phi, PhiKind, Replacement, Token, replace_spans, text
from caspipe.typesystem.tokenize import token_spans
from caspipe.typesystem.xmi.writer import write_xmi


def document() -> Cas:
    cas = Cas("Ann Lee saw Bob on 4 May 2020. " * 20, id="one")
    cas.view().add_spans(Token, *token_spans(cas.text))
    for begin in range(0, len(cas.text), 31):
        cas.add(Phi(begin, begin + 7, kind=PhiKind.PERSON))
        cas.add(Phi(begin + 12, begin + 15, kind=PhiKind.PERSON))
        cas.add(Phi(begin + 19, begin + 29, kind=PhiKind.DATE))
    return cas


def masked(many: int) -> Cas:
    cas = document()
    with patch.object(masker, "MANY", many), patch.object(text, "MANY", many), patch.object(visible_text, "MANY", many):
        apply(Masker(), cas)
        apply(LeakGate(repair=False, words=Words.load("english")), cas)
    return cas


@pytest.mark.attack("cost")
@pytest.mark.parametrize("many", [1, 7, 59])
def test_many_replacements_have_the_same_xmi(many: int) -> None:
    few = masked(10_000)
    assert isinstance(few.view("deidentified").rows(MaskedSpan), list)
    cas = masked(many)
    assert not isinstance(cas.view("deidentified").rows(MaskedSpan), list)
    assert write_xmi(cas, offset_map=True) == write_xmi(few, offset_map=True)


def test_an_empty_replacement_is_no_column() -> None:
    cas = document()
    with patch.object(masker, "MANY", 1), patch.object(Masker, "_replacement", _emptied(Masker._replacement)):
        apply(Masker(), cas)
    assert isinstance(cas.view("deidentified").rows(MaskedSpan), list)


def _emptied(make: object) -> object:
    def emptied(*given: object) -> object:
        return masker.replace(make(*given), text="")  # type: ignore[operator]

    return emptied


@pytest.mark.parametrize("many", [1, 2, 100])
def test_text_in_parts_is_the_same(many: int) -> None:
    original = "one two three four"
    with patch.object(text, "MANY", many), patch.object(visible_text, "MANY", many):
        new, offsets = replace_spans(original, [Replacement(0, 3, "1"), Replacement(4, 4, "x"), Replacement(8, 13, "")])
        assert new == "1 xtwo  four"
        assert offsets.segments() == list(offsets) == [(0, 3, 0, 1), (4, 4, 2, 3), (8, 13, 7, 7)]
        assert [offsets.to_new(4, 7), offsets.to_old(3, 6)] == [(3, 6), (4, 7)]
        assert VisibleText(original, [0, 8], [3, 13]).text == "||| two ||||| four"
        with pytest.raises(ValueError, match="sorted and disjoint"):
            OffsetMap([(4, 7, 1), (0, 3, 1)])


def test_many_words_have_the_same_index() -> None:
    few = document().view().tokens
    index, lowers = {k: list(v) for k, v in index_words(few).items()}, few.lowers
    with patch.object(repetition, "MANY", 1):
        many = document().view().tokens
        assert many.lowers == lowers
        assert {k: list(v) for k, v in index_words(many).items()} == index
