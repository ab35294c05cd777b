"""The component `known_phi` on marked-up lines with what the record says before them, and what it promises besides."""

from __future__ import annotations

import datetime
import pickle
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_spans import Marked, disagreement, lines, unmark

from caspipe.annotators.known_phi import KnownPhiAnnotator
from caspipe.typesystem import Cas, KnownPhi, PhiCandidate, PhiKind

Fact = tuple[str, str, str]


def read(name: str, line: str) -> tuple[list[Fact], Marked]:
    """`PERSON/patient: Brian White; AGE: 58 | text` as facts (kind, role, value) and a marked text."""
    record, _, text = line.partition(" | ")
    facts = []
    for fact in record.split("; "):
        match = re.fullmatch(r"([A-Z_]+)(?:/(\w+))?: (.+)", fact)
        assert match, f"expected `KIND/role: value`, got {fact!r}"
        facts.append((match[1], match[2] or "", match[3]))
    return facts, unmark(text, name)


CASES = [read(name, line) for name, line in lines("known_phi.txt")]


@pytest.fixture(scope="session")
def known_phi() -> KnownPhiAnnotator:
    annotator = KnownPhiAnnotator()
    annotator.open()
    return annotator


def found(annotator: KnownPhiAnnotator, facts: list[Fact], text: str) -> list[PhiCandidate]:
    cas = Cas(text)
    for kind, role, value in facts:
        cas.add(KnownPhi(kind=PhiKind.of(kind), value=value, role=role))
    return list(annotator.annotate(cas.view()))


@pytest.mark.parametrize(("facts", "case"), CASES, ids=[case.name for _, case in CASES])
def test_the_marked_spans_and_no_others_are_found(
    facts: list[Fact], case: Marked, known_phi: KnownPhiAnnotator
) -> None:
    assert disagreement(case, found(known_phi, facts, case.text)) == ""


def test_without_a_record_nothing_is_found(known_phi: KnownPhiAnnotator) -> None:
    assert found(known_phi, [], "Brian White is 58 years old.") == []


def test_the_value_is_the_record_s_own_so_that_one_person_gets_one_surrogate(known_phi: KnownPhiAnnotator) -> None:
    facts = [
        ("PERSON", "patient", "White, Brian"),
        ("DATE_BIRTH", "", "19600414"),
        ("AGE", "", "58.0"),
        ("PHONE", "", "617 555-0134"),
    ]
    text = "brian , Mr. White; Brain White; 4/14/60; 58 yo; (617) 555 0134"
    values = [(c.kind.name, c.value) for c in found(known_phi, facts, text)]
    assert values == [("PERSON_PATIENT", "Brian White")] * 3 + [
        ("DATE_BIRTH", "1960-04-14"),
        ("AGE", "58 years"),
        ("PHONE", "6175550134"),
    ]


@pytest.mark.parametrize(
    ("role", "kind"),
    [
        ("patient", "PERSON_PATIENT"),
        ("Doctor", "PERSON_DOCTOR"),
        ("physician", "PERSON_DOCTOR"),
        ("reporter", "PERSON_REPORTER"),
        ("sender", "PERSON_REPORTER"),
        ("relative", "PERSON_RELATIVE"),
        ("parent", "PERSON_RELATIVE"),
        ("", "PERSON"),
        ("chairman", "PERSON"),
    ],
)
def test_the_role_chooses_the_kind(known_phi: KnownPhiAnnotator, role: str, kind: str) -> None:
    (hit,) = found(known_phi, [("PERSON", role, "Zbigniew Qwertz")], "Then Zbigniew Qwertz came.")
    assert hit.kind.name == kind


def test_two_people_of_one_record_stay_two(known_phi: KnownPhiAnnotator) -> None:
    facts = [("PERSON", "patient", "Carol Miller"), ("PERSON", "relative", "Greg Miller")]
    text = "Carol Miller and Greg Miller; Greg; Carol"
    kinds = [(text[c.begin : c.end], c.kind.name) for c in found(known_phi, facts, text)]
    assert [k for k in kinds if k[0] != "Miller"] == [
        ("Carol Miller", "PERSON_PATIENT"),
        ("Greg Miller", "PERSON_RELATIVE"),
        ("Greg", "PERSON_RELATIVE"),
        ("Carol", "PERSON_PATIENT"),
    ]


def test_short_forms_can_be_switched_off(known_phi: KnownPhiAnnotator) -> None:
    plain = KnownPhiAnnotator(nicknames=False, words=known_phi.words)
    facts = [("PERSON", "patient", "William Turner")]
    assert [(c.begin, c.end) for c in found(known_phi, facts, "Then Billy came.")] == [(5, 10)]
    assert found(plain, facts, "Then Billy came.") == []


def test_the_least_length_for_slips_of_the_pen_is_a_parameter(known_phi: KnownPhiAnnotator) -> None:
    strict = KnownPhiAnnotator(shortest_fuzzy=8, words=known_phi.words)
    facts = [("PERSON", "patient", "Okafor")]
    assert found(known_phi, facts, "then okafro came")
    assert not found(strict, facts, "then okafro came")
    with pytest.raises(ValueError, match=r"^shortest_fuzzy: expected a whole number of at least 3, got 2$"):
        KnownPhiAnnotator(shortest_fuzzy=2)


def test_it_can_be_pickled_before_and_after_it_is_opened(known_phi: KnownPhiAnnotator) -> None:
    for annotator in (KnownPhiAnnotator(), known_phi):
        again = pickle.loads(pickle.dumps(annotator))
        if annotator is not known_phi:
            again.open()
        assert len(found(again, [("PERSON", "patient", "Brian White")], "Brian White")) == 1


def test_a_candidate_says_by_which_rule_it_was_found(known_phi: KnownPhiAnnotator) -> None:
    text = "Martha Collins; Ms. Colins; Martha; M.C."
    hits = found(known_phi, [("PERSON", "patient", "Martha Collins")], text)
    assert [c.rule for c in hits] == [
        "known full name",
        "known surname, one edit",
        "known given name",
        "known initials",
    ]
    assert hits[0].confidence == 1.0 > hits[2].confidence > hits[1].confidence


NAMES = [
    "Martha Collins",
    "Stephanie Diaz",
    "Zbigniew Okafor",
    "Krisztián Szöllősy",
    "Mary-Ann O'Leary",
    "Pieter van Dijk",
]
FRAMES = ["The patient {} felt ill.", "{} denies pain.", "seen: {}", "({})", "It was {}'s wish.", "to {}, again"]


@given(st.sampled_from(NAMES), st.sampled_from(FRAMES), st.sampled_from([str, str.upper, str.lower, str.title]))
@settings(max_examples=150, deadline=None)
def test_a_full_name_is_found_in_any_case_and_frame(
    known_phi: KnownPhiAnnotator, name: str, frame: str, case: Callable[[str], str]
) -> None:
    shown = case(name)
    text = frame.format(shown)
    begin = text.index(shown)
    hits = [(c.begin, c.end) for c in found(known_phi, [("PERSON", "patient", name)], text)]
    assert hits == [(begin, begin + len(shown))]


@given(
    st.sampled_from("Collins Stephanie Zbigniew Hernandez Castellanos".split()),
    st.integers(0, 3),
    st.integers(0, 20),
    st.sampled_from("bcdfgkmpqvwxz"),
)
@settings(max_examples=200, deadline=None)
def test_one_slip_in_a_long_name_hides_nothing(
    known_phi: KnownPhiAnnotator, name: str, kind: int, at: int, letter: str
) -> None:
    at %= len(name)
    wrong = (
        name[:at] + letter + name[at + 1 :],
        name[:at] + letter + name[at:],
        name[:at] + name[at + 1 :],
        name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
    )[kind]
    text = f"then {wrong.lower()} left with her bag"
    hits = [(c.begin, c.end) for c in found(known_phi, [("PERSON", "patient", name)], text)]
    if wrong.lower() not in ("rollins",):
        assert hits == [(5, 5 + len(wrong))]


@given(st.dates(datetime.date(1905, 1, 1), datetime.date(2035, 12, 31)))
@settings(max_examples=150, deadline=None)
def test_a_birth_date_is_found_in_every_rendering(known_phi: KnownPhiAnnotator, day: datetime.date) -> None:
    fact = [("DATE_BIRTH", "patient", day.isoformat())]
    for layout in (
        "%m/%d/%Y",
        "%d.%m.%Y",
        "%Y-%m-%d",
        "%B %d, %Y",
        "%d %b %Y",
        "%d%b%Y",
        "%Y%m%d",
        "%m/%d/%y",
        "%b %d %Y",
    ):
        shown = day.strftime(layout)
        text = f"the form says {shown} there"
        assert [(c.begin, c.end) for c in found(known_phi, fact, text)] == [(14, 14 + len(shown))], layout


@pytest.mark.parametrize(
    "value", ["Thu Apr 14 00:00:00 EST 1960", "14-APR-60", "14/avril/1960", "14APR1960:00:00:00", "4_14_1960"]
)
def test_a_birth_date_of_the_record_may_have_any_notation(known_phi: KnownPhiAnnotator, value: str) -> None:
    text = "the form says 4/14/1960 there"
    assert [(c.begin, c.end) for c in found(known_phi, [("DATE_BIRTH", "patient", value)], text)] == [(14, 23)]


@given(st.text(max_size=120), st.text(max_size=20), st.sampled_from(sorted(k.name for k in PhiKind)))
@settings(max_examples=300, deadline=None)
def test_any_record_and_any_text_survive(known_phi: KnownPhiAnnotator, text: str, value: str, kind: str) -> None:
    hits = found(known_phi, [(kind, "patient", value)], f"{text} {value} {text}")
    assert all(0 <= c.begin < c.end <= 2 * len(text) + len(value) + 2 for c in hits)
