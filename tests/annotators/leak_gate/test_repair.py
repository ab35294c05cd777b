"""The leak gate masks what still stands, with the masker of its pipeline, and refuses only what it cannot mask."""

from __future__ import annotations

import itertools
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_spans import Marked, cases
from masked_documents import document

from caspipe.annotators.leak_gate import LeakGate
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operators.age import Age
from caspipe.annotators.masking.operators.placeholder import Keep
from caspipe.annotators.masking.operators.shift import Shift
from caspipe.annotators.masking.operators.surrogate import Surrogate
from caspipe.pipeline.contract.component import AnalysisEngine, Component, component
from caspipe.pipeline.contract.leaks import leaks_of, repaired
from caspipe.pipeline.contract.report import Found, RunReport
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import (
    DEIDENTIFIED_VIEW,
    Cas,
    KnownPhi,
    MaskedSpan,
    Phi,
    PhiCandidate,
    PhiKind,
    RecordField,
    read_xmi,
    write_xmi,
)

CASES = cases("leak_gate.txt")


def engines(gate: dict[str, Any] | None = None, **parameters: Any) -> tuple[Masker, LeakGate]:
    """An opened masker, and a gate that is bound to it."""
    masker, bound = Masker(**parameters), LeakGate(**(gate or {}))
    assert bound.bind([masker]) == ""
    masker.open()
    bound.open()
    return masker, bound


@pytest.fixture(scope="module")
def default() -> tuple[Masker, LeakGate]:
    return engines()


def repair(used: tuple[Masker, LeakGate], cas: Cas) -> str:
    """Mask a document and let the gate repair it. Returns the masked text."""
    for engine in used:
        engine.process(cas)
    assert_consistent(cas)
    return cas.deidentified


def assert_consistent(cas: Cas) -> None:
    """Phi are disjoint, and every replacement is of one Phi."""
    spans = [(p.begin, p.end) for p in cas.select(Phi)]
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    places = [(s.original_begin, s.original_end) for s in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)]
    assert set(places) <= set(spans)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_what_still_stands_is_masked(default: tuple[Masker, LeakGate], case: Marked) -> None:
    cas = Cas(case.text)
    for begin, end, kind in case.spans:
        if kind != "LEAK":
            cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    gate = LeakGate(checks=("values",))
    gate.bind([default[0]])
    gate.open()
    repair((default[0], gate), cas)
    assert leaks_of(cas) == []
    assert [(p.begin, p.end) for p in repaired(cas)] == [(b, e) for b, e, kind in case.spans if kind == "LEAK"]


def test_a_repaired_span_names_the_gate_and_why(default: tuple[Masker, LeakGate]) -> None:
    text = "Okafor came. Call 617-555-0134. Okafor left with Bill Garrido."
    cas = document(text, ("Okafor", "PERSON_DOCTOR"))
    cas.add(KnownPhi(kind=PhiKind.PERSON, value="William Garrido", role="patient"))
    assert repair(default, cas) == "[PERSON] came. Call [PHONE]. [PERSON] left with [PERSON]."
    assert [(p.kind.name, p.covered_text, p.source, p.reason) for p in repaired(cas)] == [
        ("PHONE", "617-555-0134", "leak_gate", "repaired: a match of a rule"),
        ("PERSON_DOCTOR", "Okafor", "leak_gate", "repaired: a value masked elsewhere"),
        ("PERSON_PATIENT", "Bill Garrido", "leak_gate", "repaired: known PHI of the record"),
    ]


def test_keys_surrogates_and_shifts_agree_with_those_of_the_masker() -> None:
    surrogate = Surrogate(key="secret of the test")
    used = engines(default=surrogate, kinds={PhiKind.DATE: Shift(key="secret of the test", style="iso")})
    text = "Adaeze Okafor came on 3 April 2020. The note of Okafor of 2020-04-03 and of Adaeze Okafor."
    cas = document(text, ("Adaeze Okafor", "PERSON"), ("3 April 2020", "DATE"))
    found = repair(used, cas)
    given, family = found.split(" came")[0].split()
    day = found.split(" on ")[1].split(".")[0]
    assert found == f"{given} {family} came on {day}. The note of {family} of {day} and of {given} {family}."
    assert "Okafor" not in found
    assert "2020-04-03" not in found


def test_a_second_run_changes_nothing(default: tuple[Masker, LeakGate]) -> None:
    cas = document("Okafor came. Okafor left.", ("Okafor", "PERSON"))
    first = repair(default, cas)
    assert repair(default, cas) == first
    assert len(repaired(cas)) == 1


def test_annotations_are_copied_to_the_text_that_was_masked_again() -> None:
    with Pipeline.parse("engines: [segmenter, dates, resolver, masker, leak_gate]") as pipeline:
        cas = pipeline.process(Cas("Seen on 3/4/2020. Call 617-555-0134. He left."))
    view = cas.view(DEIDENTIFIED_VIEW)
    assert view.text == "Seen on [DATE]. Call [PHONE]. He left."
    sentences = [view.covered_text(s) for s in view.select(next(t for t in view.types() if t.__name__ == "Sentence"))]
    assert sentences == ["Seen on [DATE].", "Call [PHONE].", "He left."]


def test_a_readable_span_under_a_leak_is_masked_with_it() -> None:
    used = engines(kinds={PhiKind.LOCATION: Keep()})
    text = "Dr. Denzel Washington came. Denzel Washington Smith left."
    cas = document(text, ("Denzel Washington", "PERSON"))
    begin = text.index("Washington Smith")
    state = PhiCandidate(begin, begin + 10, kind=PhiKind.LOCATION_STATE)
    state.winner = Phi(begin, begin + 10, kind=PhiKind.LOCATION_STATE)
    cas.view().add_all([state, state.winner])
    assert repair(used, cas) == "Dr. [PERSON] came. [PERSON] Smith left."
    (phi,) = repaired(cas)
    assert state.winner is phi


def test_the_replaced_part_of_a_match_is_not_masked_twice(default: tuple[Masker, LeakGate]) -> None:
    text = "Born 3 April 2020. Seen on 4/3/2020."
    cas = document(text, ("3 April 2020", "DATE"))
    cas.add(Phi(text.index("4/3"), text.index("/2020."), kind=PhiKind.DATE))
    assert repair(default, cas) == "Born [DATE]. Seen on [DATE]/2020."


def test_what_cannot_be_repaired_is_refused(default: tuple[Masker, LeakGate]) -> None:
    cas = document("Okafor came. Okafor left.", ("Okafor", "PERSON"))
    cas.add(RecordField(kind=PhiKind.ID_MEDICAL_RECORD, path="a", value="00417732"))
    default[0].process(cas)
    for item in cas.select(RecordField):
        item.masked = item.value

    @component("t_masker_of_text", inputs=[Phi], outputs=[MaskedSpan])
    class TextMasker(Masker):
        """A masker that forgets the fields."""

        def process(self, cas: Cas) -> None:
            super().process(cas)
            for item in cas.select(RecordField):
                item.masked = item.value

    repair(engines_of(TextMasker()), cas)
    assert [(x.check, x.original_begin) for x in leaks_of(cas)] == [("fields", -1)]
    assert cas.deidentified == "[PERSON] came. [PERSON] left."


def engines_of(masker: Masker) -> tuple[Masker, LeakGate]:
    gate = LeakGate()
    assert gate.bind([masker]) == ""
    masker.open()
    gate.open()
    return masker, gate


def test_a_repaired_span_that_the_masker_leaves_readable_is_refused() -> None:
    used = engines(policy={"keep": [PhiKind.LOCATION_STATE]})
    cas = document("Seen today. Lives in Vermont.", ("today", "DATE"))
    cas.add(KnownPhi(kind=PhiKind.LOCATION_STATE, value="Vermont", role="patient"))
    repair(used, cas)
    (leak,) = leaks_of(cas)
    assert (leak.check, leak.kind.name) == ("known_phi", "LOCATION_STATE")
    assert cas.text[leak.original_begin : leak.original_end] == "Vermont"


def test_repair_can_be_switched_off() -> None:
    masker, gate = engines(gate={"repair": False})
    cas = document("Okafor came. Okafor left.", ("Okafor", "PERSON"))
    assert repair((masker, gate), cas) == "[PERSON] came. Okafor left."
    assert len(leaks_of(cas)) == 1


def test_a_gate_that_no_pipeline_bound_only_checks(default: tuple[Masker, LeakGate]) -> None:
    gate = LeakGate()
    gate.open()
    cas = document("Okafor came. Okafor left.", ("Okafor", "PERSON"))
    assert repair((default[0], gate), cas) == "[PERSON] came. Okafor left."
    assert len(leaks_of(cas)) == 1


@component("t_reads_masked_text", inputs=[MaskedSpan], outputs=[])
class MaskedTextEngine(AnalysisEngine):
    """An engine behind the masker, as a test needs one."""

    def process(self, cas: Cas) -> None:
        """Do nothing."""


def test_a_gate_with_repair_needs_a_masker_directly_before_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        Pipeline.parse("reader: {xmi: {folder: x}}\nengines:\n  - segmenter\n  - leak_gate\n")
    assert str(caught.value).endswith(
        "leak_gate: repair needs a masker before it, found none; add one, or set repair: false"
    )
    Pipeline.parse("reader: {xmi: {folder: x}}\nengines: [segmenter, leak_gate: {repair: false}]")
    between: list[Component] = [Masker(), MaskedTextEngine(), LeakGate()]
    with pytest.raises(ConfigError) as caught:
        Pipeline(between)
    assert str(caught.value) == (
        "leak_gate: repair needs the masker directly before it, found t_reads_masked_text between; set repair: false, "
        "or move it"
    )


def test_two_gates_share_a_masker() -> None:
    first, second = LeakGate(checks=("values",)), LeakGate(checks=("rules",))
    with Pipeline([Masker(), first, second]) as pipeline:
        cas = pipeline.process(document("Okafor came. Okafor called 617-555-0134.", ("Okafor", "PERSON")))
    assert cas.deidentified == "[PERSON] came. [PERSON] called [PHONE]."
    assert [p.source for p in repaired(cas)] == ["leak_gate", "leak_gate-2"]


def test_a_copy_for_a_worker_uses_its_own_masker() -> None:
    pipeline = Pipeline.parse("engines: [segmenter, dates, resolver, masker, leak_gate]")
    copied = pickle.loads(pickle.dumps(pipeline.for_worker()))
    with copied:
        cas = copied.process(Cas("Seen on 3/4/2020, call 617-555-0134."))
    assert cas.deidentified == "Seen on [DATE], call [PHONE]."
    assert vars(copied.engines[-1])["_masker"] is copied.engines[-2]


def test_a_run_counts_what_was_repaired() -> None:
    report = RunReport()
    with Pipeline.parse("engines: [segmenter, dates, resolver, masker, leak_gate]") as pipeline:
        for text in ("Seen on 3/4/2020, call 617-555-0134 or 617-555-0135.", "Seen on 3/4/2020."):
            found = Found.of(pipeline.process(Cas(text)))
            assert Found(*found.to_plain()) == found
            report.add(found)
    assert (report.repaired, report.repaired_documents) == (2, 1)
    assert report.sources["leak_gate"] == {"PHONE": 2}


def test_repaired_spans_and_refusals_survive_a_file(default: tuple[Masker, LeakGate]) -> None:
    cas = document("Okafor came. Okafor left.", ("Okafor", "PERSON"))
    repair(default, cas)
    again = read_xmi(write_xmi(cas))
    assert [(p.begin, p.end, p.source) for p in repaired(again)] == [(13, 19, "leak_gate")]
    gate = LeakGate()
    gate.open()
    gate.process(again)
    assert leaks_of(again) == []


WORDS = "Okafor Adaeze okafor ADAEZE the May may Brown brown rose Rose 617-555-0134 93 3/4/2020 2020 A. Z0rb1att Zorblatt".split()


@given(seed=st.integers(0, 2**32))
def test_any_document_is_repaired_or_refused(default: tuple[Masker, LeakGate], seed: int) -> None:
    draw = random.Random(seed)
    words = draw.choices(WORDS, k=30)
    text = "".join(w + draw.choice([" ", " ", ", ", ". ", "\n"]) for w in words)
    cas = Cas(text)
    offset = 0
    for word in words:
        offset = text.index(word, offset)
        kind = {"6": "PHONE", "9": "AGE_OVER_89", "3": "DATE", "2": "DATE"}.get(word[0], "PERSON")
        if draw.random() < 0.3 and word not in ("the", "may", "A."):
            cas.add(Phi(offset, offset + len(word), kind=PhiKind.of(kind)))
        offset += len(word)
    before = [(p.begin, p.end, p.kind) for p in cas.select(Phi)]
    repair(default, cas)
    assert cas.text == text
    assert {(p.begin, p.end, p.kind) for p in cas.select(Phi)} >= set(before)
    assert leaks_of(cas) == []
    checked = LeakGate(repair=False)
    checked.open()
    checked.process(cas)
    assert leaks_of(cas) == []


def test_ages_up_to_the_threshold_stay() -> None:
    used = engines(kinds={PhiKind.AGE: Age()})
    text = "A 45-year-old man, 45 years old; his mother is 93, a 93-year-old woman of ninety-three."
    cas = document(text, ("45-year-old", "AGE"), ("45 years old", "AGE"), ("93", "AGE"))
    said = repair(used, cas)
    assert said == "A 45-year-old man, 45 years old; his mother is [AGE > 89], a [AGE > 89] woman of [AGE > 89]."
