"""List hits, terms, candidates and known PHI as features."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.annotators.sequence.features.candidates import Candidate
from caspipe.annotators.sequence.features.known import InRecord
from caspipe.annotators.sequence.features.lists import InList
from caspipe.annotators.sequence.features.terms import InTerm
from caspipe.typesystem import KnownPhi, ListHit, MedicalTerm, PhiCandidate, PhiKind, TermGroup

TEXT = "From New York , Jordan"


def hits() -> list[ListHit]:
    return [
        ListHit(5, 13, list="cities"),
        ListHit(16, 22, list="given_names"),
        ListHit(16, 22, list="countries"),
        ListHit(16, 22, list="countries"),
        ListHit(0, 4, list="stop_words"),
        ListHit(4, 4, list="nothing"),
        ListHit(4, 5, list="blank"),
    ]


def test_without_names_every_list_is_a_value(column: Any) -> None:
    assert column(InList(), TEXT, *hits()) == [
        ("From", "stop_words"),
        ("New", "cities"),
        ("York", "cities"),
        ("Jordan", ("given_names", "countries")),
    ]


def test_one_list_needs_no_value_and_several_do(column: Any) -> None:
    assert column(InList(names="countries"), TEXT, *hits()) == [("Jordan", "")]
    assert column(InList(names=["countries"]), TEXT, *hits()) == [("Jordan", "")]
    both = InList(names=["countries", "cities"])
    assert column(both, TEXT, *hits()) == [("New", "cities"), ("York", "cities"), ("Jordan", "countries")]
    assert column(InList(names="surnames"), TEXT, *hits()) == []


def test_borders_tell_the_first_token_of_an_entry(column: Any) -> None:
    assert column(InList(names="cities", borders=True), TEXT, *hits()) == [("New", "B"), ("York", "I")]
    assert column(InList(borders=True), TEXT, *hits())[1:3] == [("New", "B-cities"), ("York", "I-cities")]


def test_labels_of_lists_tell_which_and_hold_no_equals_sign() -> None:
    assert InList().label == "list"
    assert InList(names="countries").label == "list:countries"
    assert InList(names=["a", "b"], borders=True).label == "list:a+b:borders"
    assert "=" not in InList(names="a=b").label
    with pytest.raises(ValueError, match=r"^names: expected names of lists, got an empty one$"):
        InList(names=["a", " "])


def test_a_hit_inside_a_token_marks_the_token(column: Any) -> None:
    assert column(InList(), "Smith-Jones", ListHit(6, 11, list="surnames")) == [("Smith-Jones", "surnames")]
    assert column(InList(), "Smith-Jones", ListHit(6, 6, list="surnames")) == []


def test_terms_by_group(column: Any) -> None:
    text = "aspirin for chest pain"

    def terms() -> list[MedicalTerm]:
        return [
            MedicalTerm(0, 7, group=TermGroup.MEDICATION),
            MedicalTerm(12, 22, group=TermGroup.SIGN_SYMPTOM),
            MedicalTerm(12, 17, group=TermGroup.ANATOMICAL_SITE),
        ]

    assert column(InTerm(), text, *terms()) == [
        ("aspirin", "MEDICATION"),
        ("chest", ("SIGN_SYMPTOM", "ANATOMICAL_SITE")),
        ("pain", "SIGN_SYMPTOM"),
    ]
    assert column(InTerm(groups=TermGroup.MEDICATION), text, *terms()) == [("aspirin", "")]
    two = InTerm(groups=[TermGroup.MEDICATION, TermGroup.SIGN_SYMPTOM], borders=True)
    assert column(two, text, *terms()) == [
        ("aspirin", "B-MEDICATION"),
        ("chest", "B-SIGN_SYMPTOM"),
        ("pain", "I-SIGN_SYMPTOM"),
    ]
    assert column(InTerm(groups=TermGroup.SIGN_SYMPTOM, borders=True), text, *terms()) == [
        ("chest", "B"),
        ("pain", "I"),
    ]
    assert [InTerm().label, two.label] == ["term", "term:MEDICATION+SIGN_SYMPTOM:borders"]


def candidate(begin: int, end: int, kind: PhiKind, source: str, confidence: float = 1.0) -> PhiCandidate:
    made = PhiCandidate(begin, end, kind=kind, confidence=confidence)
    made._source = source  # what the engine stamps
    return made


def test_candidates_by_kind_source_and_confidence(column: Any) -> None:
    text = "born 4 May by Ann"

    def there() -> list[PhiCandidate]:
        return [
            candidate(5, 10, PhiKind.DATE_BIRTH, "rules/dates"),
            candidate(5, 10, PhiKind.DATE_BIRTH, "crf"),
            candidate(14, 17, PhiKind.PERSON, "crf", 0.25),
        ]

    every = [("4", "B-DATE_BIRTH"), ("May", "I-DATE_BIRTH"), ("Ann", "B-PERSON")]
    assert column(Candidate(), text, *there()) == every
    assert column(Candidate(sources="rules"), text, *there()) == every[:2]
    assert column(Candidate(sources="rules/dates"), text, *there()) == every[:2]
    assert column(Candidate(sources="rule"), text, *there()) == []
    assert column(Candidate(sources=["svm", "crf"]), text, *there()) == every
    assert column(Candidate(min_confidence=0.5), text, *there()) == every[:2]
    assert column(Candidate(top=True), text, *there())[:2] == [("4", "B-DATE"), ("May", "I-DATE")]
    assert Candidate(sources="rules", top=True, min_confidence=0.5).label == "candidate:rules:top:0.5"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sources": ""}, "sources: expected ids of components, got an empty one"),
        ({"min_confidence": 1.5}, "min_confidence: expected a number from 0 to 1, got 1.5"),
    ],
)
def test_candidate_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as told:
        Candidate(**parameters)
    assert str(told.value) == message


def known(kind: PhiKind, value: str) -> KnownPhi:
    return KnownPhi(kind=kind, value=value)


def test_words_of_the_record_are_found_in_any_case_and_without_diacritics(column: Any) -> None:
    record = [known(PhiKind.PERSON_PATIENT, "Núñez, Ana-Sofía B"), known(PhiKind.PERSON_RELATIVE, "Lea Nunez")]
    assert column(InRecord(), "NUN\u0303EZ saw ANA , sofia and Ana-Sofía , B and Anna", *record) == [
        ("NUN\u0303EZ", ("PERSON_PATIENT", "PERSON_RELATIVE")),
        ("ANA", ("PERSON_PATIENT",)),
        ("sofia", ("PERSON_PATIENT",)),
        ("Ana-Sofía", ("PERSON_PATIENT",)),
    ]


def test_short_words_and_numbers_of_the_record_do_not_count(column: Any) -> None:
    record = [known(PhiKind.DATE_BIRTH, "12/03/1970")]
    assert column(InRecord(), "on 12 in 1970", *record) == [("1970", ("DATE_BIRTH",))]
    assert column(InRecord(shortest_number=2), "on 12 in 1970", *record)[0] == ("12", ("DATE_BIRTH",))
    assert column(InRecord(), "no record in 1970") == []
    assert (InRecord().label, InRecord(shortest=3).label) == ("known_phi", "known_phi:3-3")


@pytest.mark.parametrize("name", ["shortest", "shortest_number"])
def test_lengths_for_the_record_are_checked(name: str) -> None:
    with pytest.raises(ValueError) as told:
        InRecord(**{name: 0})
    assert str(told.value) == f"{name}: expected a whole number of at least 1, got 0"


def test_a_source_may_be_any_part_of_a_path(words: Any) -> None:
    name = PhiCandidate(16, 22, kind=PhiKind.PERSON, confidence=0.9)
    name._source = "hospital/rules/names"
    made = words(TEXT, name)
    for sources, found in (("names", True), ("rules", True), ("rules/names", True), ("name", False), ("rule", False)):
        assert any(Candidate(sources=sources).column(made)) is found
