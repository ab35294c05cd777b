"""From CASes to documents to score."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from caspipe.consumers.scoring import Pair, pair_of, pair_of_two
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import Cas, CasError, Phi, PhiCandidate, PhiKind, Sentence, Token

TEXT = "Seen on 3/4/2020 by Dr. Featherstone."


def annotated(gold_text: str = TEXT) -> Cas:
    cas = Cas(TEXT, id="ward/7")
    cas.metadata["patient"] = "p12"
    cas.add(Phi(8, 16, kind=PhiKind.DATE, confidence=0.5))
    cas.add(PhiCandidate(20, 36, kind=PhiKind.PERSON))
    cas.create_view("gold", gold_text).add(Phi(24, 36, kind=PhiKind.PERSON_DOCTOR))
    return cas


def test_gold_system_candidates_and_patient_are_taken() -> None:
    pair = pair_of(annotated())
    assert (pair.id, pair.text, pair.group) == ("ward/7", TEXT, "p12")
    assert [(m.begin, m.end, m.kind) for m in pair.gold] == [(24, 36, "PERSON_DOCTOR")]
    assert [(m.begin, m.end, m.kind, m.confidence) for m in pair.system] == [(8, 16, "DATE", 0.5)]
    assert [(m.begin, m.kind) for m in pair.candidates] == [(20, "PERSON")]


def test_tokens_and_sentences_are_the_documents_own_where_it_has_any() -> None:
    cas = annotated()
    without = pair_of(cas)
    assert without.sentences is None
    assert TEXT[without.tokens[0][0] : without.tokens[1][0]] == "Seen"
    cas.view().add_spans(Token, [0, 8], [7, 37])
    cas.view().add_spans(Sentence, [0], [37])
    with_tokens = pair_of(cas)
    assert with_tokens.tokens == ([0, 8], [7, 37])
    assert with_tokens.sentences == 1


def test_two_documents_of_the_same_text_make_a_pair() -> None:
    other = Cas(TEXT, id="elsewhere")
    other.create_view("gold", TEXT).add(Phi(8, 16, kind=PhiKind.DATE))
    pair = pair_of_two(annotated(), other)
    assert pair.id == "ward/7"
    assert [m.kind for m in pair.system] == ["DATE"]


def test_views_of_different_texts_are_refused_without_quoting_them() -> None:
    with pytest.raises(ConsumerError) as error:
        pair_of(annotated(TEXT.replace("Dr.", "Mr.")))
    assert str(error.value) == (
        "document ward/7: views gold and _InitialView differ in text from offset 20 on (37 and 37 code points): spans can be "
        "compared over the same text only"
    )
    with pytest.raises(ConsumerError, match=r"from offset 37 on \(38 and 37 code points\)"):
        pair_of(annotated(TEXT + " "))


def test_texts_that_differ_in_line_ends_alone_are_told_so() -> None:
    cas = Cas("one\r\ntwo", id="d")
    cas.create_view("gold", "one\ntwo")
    with pytest.raises(ConsumerError, match="document d: views gold and _InitialView differ in their line ends"):
        pair_of(cas)


def test_what_measures_share_is_made_once_for_a_document_and_not_handed_on(pair: Callable[..., Pair]) -> None:
    document = pair("<AGE>5</AGE>")
    assert document.once("x", lambda: "first") == "first"
    assert document.once("x", lambda: "second") == "first"
    assert dataclasses.replace(document).once("x", lambda: "second") == "second"


def test_a_document_without_reference_is_refused() -> None:
    with pytest.raises(CasError, match="document x has no view gold; views: _InitialView"):
        pair_of(Cas(TEXT, id="x"))


def test_a_confidence_that_is_no_number_is_refused() -> None:
    cas = annotated()
    cas.add(Phi(0, 4, kind=PhiKind.ID, confidence=float("nan")))
    with pytest.raises(
        ConsumerError, match="document ward/7: system span 1: expected a confidence from 0 to 1, got nan"
    ):
        pair_of(cas)


def test_a_pair_shows_no_text() -> None:
    assert "Featherstone" not in repr(pair_of(annotated()))
