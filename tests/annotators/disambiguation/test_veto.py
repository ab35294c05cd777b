"""Vetoes: which candidates a medical term or an eponym takes away, and which nothing can."""

from __future__ import annotations

import re

import pytest

from caspipe.annotators.disambiguation.veto import Veto
from caspipe.typesystem import Cas, MedicalTerm, PhiCandidate, PhiKind, TermGroup


@pytest.fixture(scope="module")
def veto() -> Veto:
    engine = Veto(sources=["names", "models/crf"])
    engine.open()
    return engine


def document(text: str, source: str = "rules/names", confidence: float = 0.5, kind: PhiKind = PhiKind.PERSON) -> Cas:
    """`[...]` marks the candidate, `{...}` a medical term, possibly around it."""
    plain = re.sub(r"[\[\]{}]", "", text)
    cas = Cas(plain)

    def offset(at: int) -> int:
        return len(re.sub(r"[\[\]{}]", "", text[:at]))

    for mark in re.finditer(r"\{[^}]*\}", text):
        cas.add(MedicalTerm(offset(mark.start()), offset(mark.end()), group=TermGroup.DISEASE_DISORDER))
    for mark in re.finditer(r"\[[^\]]*\]", text):
        candidate = PhiCandidate(offset(mark.start()), offset(mark.end()), kind=kind, confidence=confidence)
        candidate._source = source
        cas.add(candidate)
    return cas


def reason(engine: Veto, cas: Cas) -> str:
    engine.process(cas)
    (candidate,) = cas.select(PhiCandidate)
    return str(candidate.reason)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("He has {[Parkinson]'s disease}.", "vetoed: medical term"),
        ("He took {[Zofran]}.", "vetoed: medical term"),
        ("He took [{Zofran} {Benadryl}].", "vetoed: medical terms"),
        ("He took [{Zofran}, {Benadryl}].", "vetoed: medical terms"),
        ("A [Foley] catheter was placed.", "vetoed: eponym"),
        ("[Hashimoto]'s thyroiditis was known.", "vetoed: eponym"),
        ("[Bence Jones] protein was found.", "vetoed: eponym"),
        ("[Bence Jones] albumin and proteinuria.", "vetoed: eponym"),
        ("[Glasgow] Coma Scale 15.", "vetoed: eponym"),
        ("[GLASGOW] COMA SCALE 15.", "vetoed: eponym"),
        ("Closed with 4-0 [Monocryl].", "vetoed: product"),
        ("Wrapped in [Steri-Strips].", "vetoed: product"),
        ("Seen by [Kelly].", ""),
        ("Dr. [Vicryl] signed.", ""),
        ("An 18 Fr [Foley] was placed.", "vetoed: eponym"),
        ("An 18 Fr. [Foley] was placed.", "vetoed: eponym"),
        ("An 18 [F Foley] was placed.", "vetoed: eponym"),
        ("A 14F [Foley] was placed.", "vetoed: eponym"),
        ("A 20 [French Foley] was placed.", "vetoed: eponym"),
        ("He is 18. Fr. [Foley] came.", ""),
        ("[F Foley] came.", ""),
        ("[Mary Foley] came.", ""),
        ("[Mary {Zofran}] came.", ""),
        ("[Smith] had {fever}.", ""),
        ("[Foley] came.", ""),
        ("Seen by Dr. {[Parkinson]}.", ""),
        ("Seen by Mrs {[Hope]}.", ""),
        ("It was {[MI]}.", ""),
    ],
)
def test_a_medical_term_around_a_candidate_vetoes_it(veto: Veto, text: str, why: str) -> None:
    assert reason(veto, document(text)) == why


@pytest.mark.parametrize(
    ("source", "vetoed"),
    [
        ("names", True),
        ("rules/names", True),
        ("models/crf", True),
        ("all/models/crf", True),
        ("crf", False),
        ("rules/names2", False),
        ("known_phi", False),
        ("dates", False),
        ("", False),
    ],
)
def test_only_the_sources_named_are_vetoed(veto: Veto, source: str, vetoed: bool) -> None:
    assert bool(reason(veto, document("He took {[Zofran]}.", source))) is vetoed


def test_only_the_kinds_named_are_vetoed(veto: Veto) -> None:
    assert reason(veto, document("He took {[Zofran]}.", kind=PhiKind.LOCATION_CITY))
    assert not reason(veto, document("He took {[Zofran]}.", kind=PhiKind.ID))


def test_sure_candidates_stay_unless_the_limit_is_lifted(veto: Veto) -> None:
    assert not reason(veto, document("He took {[Zofran]}.", confidence=0.95))
    lifted = Veto(sources=["names"], keep_above=1, eponyms=veto.eponyms)
    assert reason(lifted, document("He took {[Zofran]}.", confidence=1.0))


def test_a_fuzzy_term_vetoes_nothing(veto: Veto) -> None:
    cas = document("He took [Zofrann].")
    cas.add(MedicalTerm(8, 15, group=TermGroup.MEDICATION, confidence=0.7))
    assert reason(veto, cas) == ""


def test_a_second_run_judges_anew(veto: Veto) -> None:
    cas = document("He took {[Qulofen]}.")
    assert reason(veto, cas) == reason(veto, cas) == "vetoed: medical term"
    cas.remove(cas.select(MedicalTerm)[0])
    assert reason(veto, cas) == ""


def test_the_candidate_stays_in_the_document(veto: Veto) -> None:
    cas = document("He took {[Zofran]}.")
    veto.process(cas)
    assert [(c.begin, c.end) for c in cas.select(PhiCandidate)] == [(8, 14)]


def test_the_resolver_leaves_vetoed_candidates_alone(veto: Veto) -> None:
    from caspipe.annotators.resolving.resolver import Resolver
    from caspipe.typesystem import Phi

    cas = document("Seen by Dr. {[Parkinson]}; he has {[Parkinson]'s disease}.")
    veto.process(cas)
    resolver = Resolver()
    resolver.open()
    resolver.process(cas)
    assert [(p.begin, p.end) for p in cas.select(Phi)] == [(12, 21)]


def test_a_document_without_text_is_left_alone(veto: Veto) -> None:
    veto.process(Cas())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sources": []}, "sources: expected at least one component or aggregate whose candidates may be vetoed"),
        (
            {"sources": ["rules/known_phi"]},
            "sources: known_phi is never vetoed, what the record says about a person stays PHI",
        ),
        ({"sources": ["names"], "keep_above": 2}, "keep_above: expected a number from 0 to 1, got 2"),
        ({"sources": ["names"], "term_confidence": -1}, "term_confidence: expected a number from 0 to 1, got -1"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Veto(**parameters)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(("text", "vetoed"), [("seen [@] noon", True), ("[...]", True), ("[J.] came", False)])
def test_punctuation_alone_is_no_name(veto: Veto, text: str, vetoed: bool) -> None:
    assert reason(veto, document(text)) == ("vetoed: punctuation" if vetoed else "")


@pytest.mark.parametrize(
    ("text", "confidence", "vetoed"),
    [
        ("It rose. [Price] was high.", 0.6, True),
        ("[Price] was high.", 0.6, True),
        ("It rose. [Price] was high.", 0.7, False),
        ("Seen with [Price] again.", 0.6, False),
        ("[Lindqvist] was high.", 0.6, False),
        ("Seen by Dr. [Price] again.", 0.6, False),
        ("It rose. [Price Young] was high.", 0.6, False),
    ],
)
def test_a_common_word_that_begins_a_sentence_needs_more_confidence(text: str, confidence: float, vetoed: bool) -> None:
    engine = Veto(sources=["names"], common_below=0.7)
    engine.open()
    assert reason(engine, document(text, confidence=confidence)) == ("vetoed: common word" if vetoed else "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("at [188]", "vetoed: bare number"),
        ("exit 12 at [99999] of 4", "vetoed: bare number"),
        ("heap at [512M]", "vetoed: bare number"),
        ("He lives at [B188] now.", ""),
    ],
)
def test_a_bare_number_is_no_place(veto: Veto, text: str, why: str) -> None:
    assert reason(veto, document(text, source="models/crf", kind=PhiKind.LOCATION)) == why


def test_a_number_beside_a_place_may_be_its_post_code(veto: Veto) -> None:
    cas = document("He moved to [Boston], [02115].", source="models/crf", kind=PhiKind.LOCATION)
    veto.process(cas)
    assert [c.reason for c in cas.select(PhiCandidate)] == ["", ""]


def test_a_bare_number_that_is_an_id_is_no_matter_of_this_veto(veto: Veto) -> None:
    assert reason(veto, document("at [188]", source="models/crf", kind=PhiKind.ID)) == ""


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("Seen by [PERSON] today.", "PERSON", "vetoed: placeholder"),
        ("Seen by [PERSON] today.", "[PERSON]", "vetoed: placeholder"),
        ("The [AGE > 89] came.", "AGE", "vetoed: placeholder"),
        ("Seen by [PERSON Smith] today.", "Smith", ""),
        ("Seen by [PERSON] Smith today.", "Smith", ""),
        ("Seen by PERSON today.", "PERSON", ""),
    ],
)
def test_placeholders_of_an_earlier_run_are_no_names(veto: Veto, text: str, word: str, why: str) -> None:
    cas = Cas(text)
    begin = text.index(word)
    candidate = PhiCandidate(begin, begin + len(word), kind=PhiKind.PERSON, confidence=0.5)
    candidate._source = "rules/names"
    cas.add(candidate)
    assert reason(veto, cas) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("it took 1024 [ms] to answer", "vetoed: unit"),
        ("took 40[ms] to answer", "vetoed: unit"),
        ("seen by [ms] at 9", ""),
        ("at 12 [ms jones] called", ""),
        ("room 12 [mg] called", "vetoed: unit"),
        ("at 12 [Min] called", ""),
    ],
)
def test_a_unit_after_a_number_is_no_name(veto: Veto, text: str, why: str) -> None:
    assert reason(veto, document(text, source="models/crf", kind=PhiKind.PERSON)) == why
