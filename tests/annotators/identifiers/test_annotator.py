"""The component `identifiers`: marked-up lines, checksums, kinds, confidence."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_spans import Marked, cases, disagreement

from caspipe.annotators.identifiers import IdentifierAnnotator
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, Sentence

FINDER = IdentifierAnnotator()
FINDER.open()


def found(text: str, finder: IdentifierAnnotator = FINDER) -> list[PhiCandidate]:
    return [a for a in finder.annotate(Cas(text).view()) if isinstance(a, PhiCandidate)]


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("identifiers.txt"), ids=lambda case: case.name)
def test_the_marked_spans_and_no_others_are_found(case: Marked) -> None:
    assert disagreement(case, found(case.text)) == ""


def test_the_rules_do_what_their_examples_say() -> None:
    assert IdentifierAnnotator().check() == []


def test_every_rule_has_an_example_and_a_near_miss() -> None:
    assert [r.name for r in FINDER.rules.rules if not r.examples or not r.counter_examples] == []


NUMBERS = st.sampled_from(
    "4012888888881881|536-22-1234|GB33BUKB20201555555555|1M8GDM9AXKP042788|943 476 5919|378282246310005".split("|")
)


@given(NUMBERS, st.integers(0, 20), st.integers(1, 9))
@settings(max_examples=150, deadline=None)
def test_a_wrong_digit_fails_a_checksum_but_uncovers_nothing(number: str, place: int, more: int) -> None:
    places = [i for i, c in enumerate(number) if c.isdigit()]
    at = places[place % len(places)]
    spoilt = number[:at] + str((int(number[at]) + more) % 10) + number[at + 1 :]
    text = f"number {spoilt} was given"
    hidden = {i for c in found(text) for i in range(c.begin, c.end)}
    assert all(i in hidden for i in range(7, 7 + len(spoilt)) if text[i].isalnum())


@given(st.from_regex(r"[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}", fullmatch=True), st.sampled_from(["", " ", "(", ", "]))
@settings(max_examples=100, deadline=None)
def test_every_grouped_north_american_number_is_a_phone_number(number: str, before: str) -> None:
    text = f"reached at{before or ' '}{number}, then left"
    (candidate,) = found(text)
    assert candidate.kind.top is PhiKind.PHONE and text[candidate.begin : candidate.end] == number


@given(
    st.from_regex(r"[A-Z]{2}[0-9]{4}", fullmatch=True),
    st.sampled_from(["Lot ", "lot # ", "Lot number: ", "batch no. "]),
)
@settings(max_examples=100, deadline=None)
def test_lot_numbers_are_not_marked(number: str, cue: str) -> None:
    assert found(f"given 3/4/2021, {cue}{number}, left arm") == []


def test_a_checksum_and_a_cue_raise_confidence() -> None:
    (bare,) = found("4012888888881882")
    (sound,) = found("4012888888881881")
    (cued,) = found("my card 4012888888881881")
    assert bare.confidence < sound.confidence < cued.confidence


def test_candidates_have_the_rule_and_the_normalized_value() -> None:
    (phone,) = found("call (617) 555-0199 x12")
    assert (phone.rule, phone.value) == ("phone_nanp", "617555019912")
    (record,) = found("MRN: 12-34-56")
    assert (record.rule, record.value) == ("medical_record", "123456")


def test_only_the_requested_kinds_are_marked() -> None:
    finder = IdentifierAnnotator(kinds=(PhiKind.PHONE, PhiKind.ID_SSN))
    finder.open()
    text = "call 617-555-0199, pager 12345, SSN 536-22-1234, MRN 1234567, jane@example.org"
    assert [c.kind.name for c in found(text, finder)] == ["PHONE", "PHONE_PAGER", "ID_SSN"]


def test_uncertain_matches_can_be_dropped() -> None:
    finder = IdentifierAnnotator(min_confidence=0.5)
    finder.open()
    assert [c.kind.name for c in found("945456787 and SSN 536-22-1234", finder)] == ["ID_SSN"]
    with pytest.raises(ValueError, match=r"min_confidence: expected a number from 0 to 1, got -1"):
        IdentifierAnnotator(min_confidence=-1)


def test_registry_numbers_of_trials_need_a_subject_in_the_sentence() -> None:
    view = Cas("A subject fell.\nThe trial is\nNCT01234567.").view()
    assert list(FINDER.annotate(view)) == []
    view = Cas("A subject of\nNCT01234567 fell.").view()
    view.add(Sentence(0, 30))
    assert len(list(FINDER.annotate(view))) == 1


def test_the_component_pickles_before_it_is_opened_and_shares_its_rules() -> None:
    again = pickle.loads(pickle.dumps(IdentifierAnnotator(min_confidence=0.2)))
    again.open()
    assert again.min_confidence == 0.2 and again.rules is FINDER.rules


def test_time_for_one_long_line_is_linear() -> None:
    line = "Seen 3/4/2021 by the nurse, temperature 38.5 C, BP 120/80, no complaint at all; MRN 1234567 was called up. "
    text = line * (1_000_000 // len(line))
    assert len(found(text)) == text.count("MRN")
