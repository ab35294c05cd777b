"""Disambiguation: which candidates a medical word takes away, for which reason, and what no dictionary can take."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.disambiguation import Disambiguation
from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

_SHARED = Disambiguation(sources=["names"])
_SHARED.open()
EXACT, FUZZY = "vetoed: exact medical term", "vetoed: fuzzy medical term"


@pytest.fixture(scope="module")
def engine() -> Disambiguation:
    return opened()


def opened(**parameters: object) -> Disambiguation:
    made = Disambiguation(**{"sources": ["names", "models/crf"], **parameters})  # type: ignore[arg-type]
    made.open()
    return made


def segment(cas: Cas) -> None:
    for spans in Segmenter().annotate(cas.view()):
        cas.view().add_spans(spans.type, spans.begins, spans.ends)


def document(text: str, kind: PhiKind = PhiKind.PERSON, source: str = "models/crf", confidence: float = 0.5) -> Cas:
    """`[...]` marks each candidate."""
    cas = Cas(re.sub(r"[\[\]]", "", text))
    segment(cas)
    for n, mark in enumerate(re.finditer(r"\[[^\]]*\]", text)):
        begin = mark.start() - 2 * n
        candidate = PhiCandidate(begin, begin + len(mark[0]) - 2, kind=kind, confidence=confidence)
        candidate._source = source
        cas.add(candidate)
    return cas


def reason(engine: Disambiguation, text: str, kind: PhiKind = PhiKind.PERSON, **more: object) -> str:
    cas = document(text, kind, **more)  # type: ignore[arg-type]
    engine.process(cas)
    (candidate,) = cas.select(PhiCandidate)
    return str(candidate.reason)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("He took [Zofran].", EXACT),
        ("He took [Zofran Benadryl].", EXACT),
        ("He took [Zofran, Benadryl] at noon.", EXACT),
        ("No [Appendicitis] was seen.", EXACT),
        ("Pain in the [Left Femur].", EXACT),
        ("She has [Parkinson]'s disease.", EXACT),
        ("She has [Parkinson's disease].", EXACT),
        ("The [Guillain]-Barre syndrome was known.", EXACT),
        ("An [MRI] was done.", EXACT),
        ("No [Kidney] was seen.", EXACT),
        ("Signs [of psoriasis] were seen.", EXACT),
        ("Both [Palms] were red.", EXACT),
        ("The [Kidney] hospital ward.", EXACT),
        ("an [appendicitis] was seen", EXACT),
        ("Took [Atorvastatim] daily.", FUZZY),
        ("No [Apendicitis] was seen.", FUZZY),
        ("Took [Zofran Atorvastatim] daily.", FUZZY),
        ("She has [Parkinsn]'s disease.", FUZZY),
        ("Took [Brandexolol] daily.", "vetoed: drug stem -olol"),
        ("Took [Fenudralazine] daily.", "vetoed: drug stem -dralazine"),
        ("Took [Quelepristone] daily.", "vetoed: drug stem -pristone"),
        ("Took [Zofran Brandexolol] daily.", "vetoed: drug stem -olol"),
        ("Took [Xisulfamol] daily.", "vetoed: drug stem -sulfa-"),
    ],
)
def test_a_candidate_that_medicine_explains_is_vetoed(engine: Disambiguation, text: str, why: str) -> None:
    assert reason(engine, text) == why


@pytest.mark.parametrize(
    "text",
    [
        "Seen by [Baker] today.",
        "Seen by [Mary Zofran] today.",
        "Seen by [Zofran Smith] today.",
        "Seen by [Burns] today.",
        "Seen by [Head] today.",
        "Seen by [Chin] today.",
        "Seen by [Kendrick] today.",
        "Seen by [Manus] today.",
        "Seen by [Chins] today.",
        "Seen in Twentynine [Palms] today.",
        "Seen at [Kidney] Hospital today.",
        "Seen at [Femur] Street today.",
        "Told by @[zofran] today.",
        "Told by [@zofran] today.",
        "Told by [zofran_x] today.",
        "Seen by [Heard] today.",
        "Seen by [Parkinson] today.",
        "Seen by [Kowalczyk] today.",
        "[Costa Chin] came.",
        "Seen in [April] again.",
        "Seen by Dr. [Zofran].",
        "Seen by Dr [Zofran].",
        "Seen by [Dr. Zofran].",
        "Seen by Mrs [Appendicitis].",
        "Seen by [Zofran], MD.",
        "Seen by [Zofran] PharmD.",
        "It was [MI].",
        "ANNA SEEN BY [ANA] TODAY",
        "SEEN IN [OCT] 2020",
        "[Left Right] came.",
        "[-] came.",
        "Seen by [Zofran 12].",
        "Seen at [St. Joseph] today.",
        "took\n\n[Parkinson]\n\n's disease",
        "Seen by [Zofran]-Smith.",
    ],
)
def test_a_name_stays(engine: Disambiguation, text: str) -> None:
    assert reason(engine, text) == ""


@pytest.mark.parametrize(
    ("text", "vetoed"),
    [
        ("Her [ANA] was negative.", True),
        ("HER [ANA] WAS NEGATIVE.", False),
        ("A [TIA] last year.", True),
        ("Called [Tia] last year.", False),
        ("A [MRJ] last year.", False),
        ("his [burns] healed. He left.", True),
        ("his [burns] healed, he left", False),
        ("The [kendrick] reference.", False),
        ("The [zofran] reference.", True),
    ],
)
def test_case_decides_between_an_abbreviation_or_a_word_and_a_name(
    engine: Disambiguation, text: str, vetoed: bool
) -> None:
    assert bool(reason(engine, text)) is vetoed


@pytest.mark.parametrize(
    ("text", "vetoed"),
    [("The [Appe]ndicitis", True), ("on [May 3]", False), ("on [March]", False), ("on [Sat]", False), ("[B12]", False)],
)
def test_a_date_with_a_digit_or_a_month_stays(engine: Disambiguation, text: str, vetoed: bool) -> None:
    assert bool(reason(engine, text, PhiKind.DATE)) is vetoed


@pytest.mark.parametrize(("metric", "why"), [("levenshtein", ""), ("osa", FUZZY)])
def test_two_swapped_letters_are_one_edit_with_osa_only(metric: str, why: str) -> None:
    assert reason(opened(metric=metric), "No [Appednicitis] was seen.") == why


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
        ("names/known_phi", False),
        ("", False),
    ],
)
def test_only_the_sources_named_are_judged(engine: Disambiguation, source: str, vetoed: bool) -> None:
    assert bool(reason(engine, "He took [Zofran].", source=source)) is vetoed


@pytest.mark.parametrize(
    ("kind", "vetoed"),
    [
        (PhiKind.LOCATION_CITY, True),
        (PhiKind.PERSON_PATIENT, True),
        (PhiKind.DATE, True),
        (PhiKind.ID, False),
        (PhiKind.ORGANIZATION, False),
    ],
)
def test_only_the_kinds_named_are_judged(engine: Disambiguation, kind: PhiKind, vetoed: bool) -> None:
    assert bool(reason(engine, "He took [Zofran].", kind)) is vetoed


def test_sure_candidates_stay_unless_the_limit_is_lifted(engine: Disambiguation) -> None:
    assert not reason(engine, "He took [Zofran].", confidence=0.95)
    assert reason(opened(keep_above=1), "He took [Zofran].", confidence=1.0)


def test_a_stem_needs_the_precision_asked_for() -> None:
    assert reason(opened(min_precision=0.95), "Took [Brandexine] daily.") == ""
    assert reason(opened(min_precision=0.5), "Took [Brandexine] daily.") == "vetoed: drug stem -ine"
    assert reason(opened(min_precision=1.01), "Took [Brandexolol] daily.") == ""


def test_entries_and_near_misses_need_their_length() -> None:
    assert reason(opened(min_length=7), "He took [Zofran].") == ""
    assert reason(opened(fuzzy_length=12), "No [Apendicitis] was seen.") == ""
    assert reason(opened(fuzzy_length_drugs=14), "Took [Atorvastatim] daily.") == ""


def test_names_of_your_own_are_protected_in_any_way_of_writing() -> None:
    own = Lexicon.of(TermSource("staff", iter([Term("Zofran"), Term("Atorvastatix")])))
    engine = opened(protect=[own])
    assert not reason(engine, "He saw [Zofran] there.")
    assert not reason(engine, "He saw [zofran] there.")
    assert not reason(engine, "He saw [Atorvastatim] there."), "one edit from a name"
    assert reason(engine, "He took [Benadryl] there.") == EXACT


def test_a_dictionary_of_your_own_takes_the_place_of_the_shipped_one() -> None:
    own = Lexicon.of(TermSource("ward", iter([Term("Blorptonia", "DISEASE_DISORDER")])))
    engine = opened(dictionary=[own])
    assert reason(engine, "A [Blorptonia] was seen.") == EXACT
    assert reason(engine, "A [Blorptonja] was seen.") == FUZZY
    assert reason(engine, "A [Appendicitis] was seen.") == ""


def test_a_second_run_judges_anew(engine: Disambiguation) -> None:
    cas = document("He took [Zofran].")
    engine.process(cas)
    engine.process(cas)
    (candidate,) = cas.select(PhiCandidate)
    assert candidate.reason == EXACT
    opened(min_length=9).process(cas)
    assert candidate.reason == ""


def test_the_veto_of_another_component_is_left_as_it_is(engine: Disambiguation) -> None:
    cas = document("He took [Zofran].")
    (candidate,) = cas.select(PhiCandidate)
    candidate.reason = "vetoed: filter"
    engine.process(cas)
    assert candidate.reason == "vetoed: filter"


def test_the_resolver_leaves_what_is_vetoed(engine: Disambiguation) -> None:
    cas = document("Seen by [Baker]; she took [Zofran].")
    engine.process(cas)
    resolver = Resolver()
    resolver.open()
    resolver.process(cas)
    assert [(p.begin, p.end) for p in cas.select(Phi)] == [(8, 13)]
    assert len(cas.select(PhiCandidate)) == 2


def test_a_document_without_text_is_left_alone(engine: Disambiguation) -> None:
    engine.process(Cas())


def test_it_travels_before_it_is_opened() -> None:
    assert pickle.loads(pickle.dumps(Disambiguation(sources=["names"]))).sources == ["names"]


@given(st.text(alphabet="aZé-’'. \n1", max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_any_span_of_any_text_is_survived_and_no_text_told(text: str, a: int, b: int) -> None:
    begin, end = sorted((min(a, len(text)), min(b, len(text))))
    cas = Cas(text)
    segment(cas)
    candidate = PhiCandidate(begin, end, kind=PhiKind.PERSON, confidence=0.5)
    candidate._source = "names"
    cas.add(candidate)
    _SHARED.process(cas)
    assert re.fullmatch(r"(vetoed: (exact|fuzzy) medical term|vetoed: drug stem -?[a-z]+-?)?", candidate.reason)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sources": []}, "sources: expected at least one component or aggregate whose candidates may be vetoed"),
        (
            {"sources": ["rules/known_phi"]},
            "sources: known_phi is never vetoed, what the record says about a person stays PHI",
        ),
        ({"sources": ["names"], "keep_above": 2}, "keep_above: expected a number from 0 to 1, got 2"),
        ({"sources": ["names"], "min_precision": -1}, "min_precision: expected a number of at least 0, got -1"),
        ({"sources": ["names"], "min_length": -1}, "min_length: expected a number of at least 0, got -1"),
    ],
)
def test_wrong_parameters_are_told(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Disambiguation(**parameters)  # type: ignore[arg-type]
