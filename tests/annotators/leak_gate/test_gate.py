"""The leak gate stops what still tells a masked value, and nothing that a policy lets stand."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_spans import Marked, cases
from masked_documents import document

from caspipe.annotators.leak_gate import LeakGate
from caspipe.annotators.masking import Context, Mention, Operator, Outcome
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operators.age import Age
from caspipe.annotators.masking.operators.placeholder import Keep
from caspipe.annotators.masking.operators.shift import Shift
from caspipe.annotators.masking.operators.surrogate import Surrogate
from caspipe.consumers.files.text import TextConsumer
from caspipe.pipeline.contract.component import part
from caspipe.pipeline.contract.leaks import leaks_of, refuse_leaks
from caspipe.pipeline.errors import CasError, ComponentError, ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import (
    DEIDENTIFIED_VIEW,
    Cas,
    KnownPhi,
    Leak,
    MaskedSpan,
    MedicalTerm,
    Phi,
    PhiCandidate,
    PhiKind,
    RecordField,
    TermGroup,
)

CASES = cases("leak_gate.txt")


def gate(**parameters: Any) -> LeakGate:
    made = LeakGate(**parameters)
    made.open()
    return made


@pytest.fixture(scope="module")
def default() -> LeakGate:
    return gate()


def masked(cas: Cas, **parameters: Any) -> Cas:
    Masker(**parameters).process(cas)
    return cas


def leaks(engine: LeakGate, cas: Cas) -> tuple[Leak, ...]:
    engine.process(cas)
    return tuple(leaks_of(cas))


def told(engine: LeakGate, cas: Cas) -> list[tuple[str, str, str]]:
    """Check, kind and masked text of every leak."""
    return [(x.check, x.kind.name, cas.deidentified[x.begin : x.end]) for x in leaks(engine, cas)]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_what_was_masked_is_found_elsewhere(case: Marked) -> None:
    cas = Cas(case.text)
    for begin, end, kind in case.spans:
        if kind != "LEAK":
            cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    masked(cas)
    offsets = cas.view(DEIDENTIFIED_VIEW).offset_map
    assert offsets is not None
    found = [offsets.to_old(x.begin, x.end) for x in leaks(gate(checks=("values",)), cas)]
    assert found == [(begin, end) for begin, end, kind in case.spans if kind == "LEAK"]


def test_the_message_counts_and_places_and_quotes_nothing(default: LeakGate) -> None:
    cas = masked(document("Okafor came. Okafor left. Okafor is well.", ("Okafor", "PERSON")))
    default.process(cas)
    with pytest.raises(ComponentError) as caught:
        refuse_leaks(cas)
    said = "2 leaks: values PERSON 2; in the original text at PERSON 13:19, PERSON 26:32"
    assert str(caught.value) == f"leak_gate: LeakError: {said}"
    assert caught.value.code == "leak"
    assert repr(leaks_of(cas)[0]) == "<Leak 15:21>"


def test_the_message_names_a_dozen_places_at_most(default: LeakGate) -> None:
    cas = masked(document("Okafor came. " + "Okafor left. " * 14, ("Okafor", "PERSON")))
    default.process(cas)
    with pytest.raises(ComponentError, match=r"14 leaks: values PERSON 14; .* and 2 more$"):
        refuse_leaks(cas)


def test_replacements_are_not_read(default: LeakGate) -> None:
    text = "Garrido came with Okafor. Garrido is her brother."
    cas = document(text, ("Garrido", "PERSON"), ("Okafor", "PERSON"))
    cas.add(Phi(26, 33, kind=PhiKind.PERSON))

    @part("swap_of_test")
    class Swap(Operator):
        """Writes the other name."""

        def mask(self, mention: Mention, context: Context) -> Outcome:
            return "Okafor" if mention.text == "Garrido" else "Garrido"

    assert leaks(default, masked(cas, default=Swap())) == ()


def test_a_surrogate_that_is_the_value_is_a_leak(default: LeakGate) -> None:
    @part("echo_of_test")
    class Echo(Operator):
        """Writes the value again."""

        def mask(self, mention: Mention, context: Context) -> Outcome:
            return mention.text.upper()

    cas = masked(document("Seen by Okafor today.", ("Okafor", "PERSON")), default=Echo())
    assert told(default, cas) == [("values", "PERSON", "OKAFOR")]


def test_a_year_that_a_shift_leaves_is_no_leak(default: LeakGate) -> None:
    cas = document("Ill since 2011.", ("2011", "DATE"))
    masked(cas, kinds={PhiKind.DATE: Shift(key="secret of the test", days=(1, 2))})
    assert cas.deidentified == "Ill since 2011."
    assert leaks(default, cas) == ()


def test_a_shifted_date_may_be_another_date_of_the_text(default: LeakGate) -> None:
    cas = document("Seen on 3 April 2020, then on 4 April 2020.", ("3 April 2020", "DATE"), ("4 April 2020", "DATE"))
    masked(cas, kinds={PhiKind.DATE: Shift(key="secret of the test", days=(1, 1), style="original")})
    assert "4 April 2020" in cas.deidentified
    assert leaks(default, cas) == ()


def test_surrogates_pass(default: LeakGate) -> None:
    text = "Mr. Adaeze Okafor, MRN 00417732, tel 617-555-0178, of Dunmere, came on 3 April 2020."
    spans = (("Adaeze Okafor", "PERSON"), ("00417732", "ID"), ("617-555-0178", "PHONE"), ("Dunmere", "LOCATION_CITY"))
    cas = document(text, *spans, ("3 April 2020", "DATE"))
    surrogate = Surrogate(key="secret of the test")
    surrogate.open()
    masked(cas, default=surrogate)
    assert leaks(default, cas) == ()


@pytest.mark.parametrize(
    ("parameters", "value", "kind"),
    [
        ({"kinds": {PhiKind.LOCATION: Keep()}}, "Washington", "LOCATION_STATE"),
        ({"policy": "hipaa-safe-harbor"}, "Washington", "LOCATION_STATE"),
        ({"policy": {"keep": [PhiKind.LOCATION]}}, "Washington", "LOCATION_CITY"),
    ],
    ids=("operator keep", "shipped policy", "own policy"),
)
def test_what_the_policy_lets_stand_is_no_leak(default: LeakGate, parameters: Any, value: str, kind: str) -> None:
    text = "Seen by Dr. Denzel Washington. Lives in Washington."
    cas = document(text, ("Denzel Washington", "PERSON"))
    begin = text.rindex(value)
    cas.add(Phi(begin, begin + len(value), kind=PhiKind.of(kind)))
    masked(cas, **parameters)
    assert cas.deidentified.endswith("Lives in Washington.")
    assert leaks(default, cas) == ()


def test_ages_up_to_the_threshold_are_no_leak(default: LeakGate) -> None:
    text = "A 45-year-old man, 45 years old; his mother is 93, a 93-year-old woman."
    cas = document(text, ("45-year-old", "AGE"), ("45 years old", "AGE"), ("93", "AGE"))
    cas.add(KnownPhi(kind=PhiKind.AGE, value="45", role="patient"))
    masked(cas, kinds={PhiKind.AGE: Age()})
    assert told(default, cas) == [("values", "AGE", "93-year-old")]


def test_a_part_of_a_medical_term_is_no_leak(default: LeakGate) -> None:
    text = "Seen by Dr. Kawasaki for Kawasaki disease; Kawasaki will call."
    cas = document(text, ("Kawasaki", "PERSON"))
    cas.add(MedicalTerm(25, 41, group=TermGroup.DISEASE_DISORDER))
    assert [leak.begin for leak in leaks(default, masked(cas))] == [43]


def test_what_the_record_knows_is_found_in_its_variants(default: LeakGate) -> None:
    cas = document("Seen on 3 April 2020. Bill Garrido left with his wife.", ("3 April 2020", "DATE"))
    cas.add(KnownPhi(kind=PhiKind.PERSON, value="William Garrido", role="patient"))
    assert told(default, masked(cas)) == [("known_phi", "PERSON_PATIENT", "Bill Garrido")]
    assert told(gate(checks=("values", "rules")), cas) == []


def test_hits_of_high_risk_rules_are_leaks_outside_replacements_only(default: LeakGate) -> None:
    text = "Call 617-555-0134. Mail j.doe@example.org or call 212-555-0178."
    cas = masked(document(text, ("617-555-0134", "PHONE")))
    assert told(default, cas) == [("rules", "EMAIL", "j.doe@example.org"), ("rules", "PHONE", "212-555-0178")]
    assert told(gate(rules=[PhiKind.EMAIL]), cas) == [("rules", "EMAIL", "j.doe@example.org")]
    assert told(gate(checks=("values", "known_phi")), cas) == []


def test_a_hit_that_the_pipeline_vetoed_is_no_leak(default: LeakGate) -> None:
    text = "Seen today. Call 212-555-0178."
    cas = document(text, ("today", "DATE"))
    begin = text.index("212")
    cas.add(PhiCandidate(begin, begin + 12, kind=PhiKind.PHONE, reason="vetoed: site rule"))
    assert leaks(default, masked(cas)) == ()


def test_an_address_that_policy_keeps_is_no_leak_of_the_rules(default: LeakGate) -> None:
    cas = document("See www.example.org for more.", ("www.example.org", "URL"))
    assert leaks(default, masked(cas, policy={"keep": [PhiKind.URL]})) == ()


def test_fields_of_the_record_are_checked(default: LeakGate) -> None:
    cas = document("Seen today, MRN on file.", ("today", "DATE"))
    number = RecordField(kind=PhiKind.ID_MEDICAL_RECORD, path="a", value="00417732")
    cas.add(number)
    masked(cas)
    assert leaks(default, cas) == ()
    number.masked = number.value
    assert [leak.check for leak in leaks(default, cas)] == ["fields"]
    number.operator = "keep"
    assert leaks(default, cas) == ()
    number.operator = ""
    assert [leak.check for leak in leaks(default, cas)] == ["fields"]


def test_a_masked_field_must_not_stand_in_the_text(default: LeakGate) -> None:
    cas = document("Seen today, chart 0041 7732 on file.", ("today", "DATE"))
    cas.add(RecordField(kind=PhiKind.ID_MEDICAL_RECORD, path="a", value="00417732"))
    assert told(gate(checks=("values",)), masked(cas)) == [("values", "ID_MEDICAL_RECORD", "0041 7732")]


def test_in_other_languages_only_capitals_count() -> None:
    cas = masked(
        document("Visto por Rosa Blanco. El esputo blanqueado, blanco. Blanco llamará.", ("Rosa Blanco", "PERSON"))
    )
    assert [x.begin for x in leaks(gate(case="capitals"), cas)] == [cas.deidentified.index("Blanco")]


def test_kinds_can_be_left_out() -> None:
    cas = masked(
        document("Okafor came from Dunmere. Okafor left Dunmere.", ("Okafor", "PERSON"), ("Dunmere", "LOCATION"))
    )
    assert [x.kind.name for x in leaks(gate(kinds=[PhiKind.LOCATION]), cas)] == ["LOCATION"]
    assert [x.kind.name for x in leaks(gate(without=[PhiKind.LOCATION]), cas)] == ["PERSON"]


def test_a_document_that_nobody_masked_is_left_to_the_consumers(default: LeakGate) -> None:
    default.process(Cas("Okafor came."))


def test_a_masked_text_without_its_original_is_refused(default: LeakGate) -> None:
    cas = masked(document("Okafor came.", ("Okafor", "PERSON")))
    cas.drop_view("_InitialView")
    with pytest.raises(CasError, match="no view _InitialView"):
        default.process(cas)


def test_the_offsets_of_a_document_read_again_are_those_of_its_spans(default: LeakGate) -> None:
    cas = masked(document("Okafor came. Denzel Okafor left.", ("Okafor", "PERSON")))
    cas.view(DEIDENTIFIED_VIEW).offset_map = None
    assert [leak.begin for leak in leaks(default, cas)] == [22]


def test_checks_can_be_switched_off() -> None:
    cas = masked(document("Okafor came. Okafor left.", ("Okafor", "PERSON")))
    assert leaks(gate(checks=()), cas) == ()


def test_parameters_are_checked() -> None:
    for wrong, message in (
        ({"shortest": 1}, "shortest: expected 2 or more, got 1"),
        ({"shortest_id": 0}, "shortest_id: expected 2 or more, got 0"),
        ({"rules_confidence": 1.5}, "rules_confidence: expected a number from 0 to 1, got 1.5"),
    ):
        with pytest.raises(ValueError, match=message):
            LeakGate(**wrong)


def test_the_gate_must_stand_behind_a_masker() -> None:
    with pytest.raises(ConfigError, match="MaskedSpan"):
        Pipeline.parse("engines: [segmenter, dates, leak_gate]")


def test_consumers_of_masked_text_refuse_the_document_and_a_pipeline_goes_on(tmp_path: Path) -> None:
    pipeline = Pipeline.parse("engines: [segmenter, dates, resolver, masker, leak_gate: {repair: false}]")
    consumer = TextConsumer()
    consumer.output = tmp_path
    with pipeline:
        consumer.process(pipeline.process(Cas("Seen on 3/4/2020.", id="good")))
        found = pipeline.process(Cas("Seen on 3/4/2020, call 617-555-0134.", id="bad"))
        assert [p.kind.name for p in found.select(Phi)] == ["DATE"]
        with pytest.raises(ComponentError) as caught:
            consumer.process(found)
    assert (caught.value.component, caught.value.code, caught.value.cause) == ("leak_gate", "leak", "LeakError")
    assert "0134" not in str(caught.value)
    assert [p.name for p in (tmp_path / "release/text").iterdir()] == ["good.txt"]


NAMES = ("Okafor", "Lindqvist", "Garrido-Wren", "Peñalver", "Weißenborn", "Krabwell")
NUMBERS = (("00417732", "ID_MEDICAL_RECORD"), ("617-555-0134", "PHONE"), ("QX-77-103", "ID"), ("078-05-1120", "ID_SSN"))
OTHERS = (("3 April 2020", "DATE"), ("12 Quillfen Street", "LOCATION_STREET"), ("a.okafor@example.org", "EMAIL"))
PROSE = (
    "The cough got better over the next week and the lungs were clear on both sides. Blood pressure was 128/76 and pulse 72. "
    "The wound is dry; haemoglobin 11.2, creatinine 0.9. She takes metformin 500 mg twice a day and sleeps well."
)


@given(
    value=st.sampled_from([*((n, "PERSON") for n in NAMES), *NUMBERS, *OTHERS]),
    at=st.integers(0, PROSE.count(" ") - 1),
    style=st.sampled_from(["same", "upper", "title"]),
    hidden=st.sampled_from(["", "\u00ad", "\u200b", "\u2060"]),
    where=st.integers(1, 4),
)
def test_a_value_put_back_anywhere_is_found(
    default: LeakGate, value: tuple[str, str], at: int, style: str, hidden: str, where: int
) -> None:
    text, kind = value
    plant = {"same": text, "upper": text.upper(), "title": text.title()}[style]
    plant = plant[:where] + hidden + plant[where:]
    words = PROSE.split(" ")
    words.insert(at + 1, plant)
    cas = masked(document(f"{text}. {' '.join(words)}", (text, kind)))
    begin = cas.deidentified.index(plant)
    assert any(x.begin < begin + len(plant) and begin < x.end for x in leaks(default, cas))


@given(seed=st.integers(0, 2**32))
def test_prose_without_the_value_passes(default: LeakGate, seed: int) -> None:
    draw = random.Random(seed)
    words = PROSE.split(" ")
    draw.shuffle(words)
    (name, number, other) = draw.choice(NAMES), draw.choice(NUMBERS), draw.choice(OTHERS)
    cas = masked(document(f"{name}, {number[0]}, {other[0]}; {' '.join(words)}", (name, "PERSON"), number, other))
    assert leaks(gate(checks=("values",)) if seed % 50 == 0 else default, cas) == ()


@given(text=st.text(max_size=200), spans=st.lists(st.integers(0, 200), max_size=8))
def test_any_text_passes_or_leaks_within_the_readable_text(default: LeakGate, text: str, spans: list[int]) -> None:
    cas = Cas(text)
    bounds = sorted({min(s, len(text)) for s in spans})
    for begin, end in zip(bounds[::2], bounds[1::2], strict=False):
        cas.add(Phi(begin, end, kind=PhiKind.PERSON))
    masked(cas)
    replaced = cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)
    first = leaks(default, cas)
    for leak in first:
        assert 0 <= leak.begin < leak.end <= len(cas.deidentified)
        if leak.check != "rules":
            assert not any(s.begin < leak.end and leak.begin < s.end for s in replaced)
    assert leaks(default, cas) == first
