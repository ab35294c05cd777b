"""The resolver: disjoint spans, nothing uncovered, every decision explained."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest
from overlap_cases import Case, candidates, document, made, read_cases, read_marked, show

from caspipe.annotators.resolving.candidates import DEFAULT_PRIORITY, CandidateSpan, SourceOrder
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.resolving.spans import Remainder, Resolution, ResolvedSpan
from caspipe.annotators.resolving.strategies import Strategy
from caspipe.pipeline.contract.component import part
from caspipe.pipeline.errors import CasError
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind, Sentence


@pytest.mark.parametrize("case", read_cases("overlaps.txt"), ids=lambda case: f"line-{case.line}")
def test_overlaps_are_settled_as_the_case_file_says(case: Case) -> None:
    marked = [(source, text) for source, text in case.values if source != "resolver"]
    cas = Cas(read_marked(marked[0][1])[0])
    for source, text in marked:
        candidates(cas, text, source)
    made(Resolver, case["resolver"] or {}).process(cas)
    assert show(cas) == case.expected


def test_candidates_and_spans_say_why() -> None:
    cas = Cas("Dr Lindqvist 3/4/2020 at Lund")
    (date,) = candidates(cas, "Dr Lindqvist <DATE>3/4/2020</DATE> at Lund", "regex/dates")
    (same,) = candidates(cas, "Dr Lindqvist <DATE>3/4/2020</DATE> at Lund", "svm")
    (name,) = candidates(cas, "<PERSON>Dr Lindqvist 3/4/2020</PERSON> at Lund", "crf")
    (town,) = candidates(cas, "Dr Lindqvist 3/4/2020 at <LOCATION>Lund</LOCATION>", "lists")
    Resolver().process(cas)
    person, day, place = cas.select(Phi)
    assert (date.winner, same.winner, name.winner, town.winner) == (day, day, day, place)
    assert date.reason == day.reason == "won over crf: higher priority"
    assert same.reason == "same span as regex/dates, lower priority"
    assert name.reason == "lost to regex/dates: lower priority"
    assert person.reason == "rest of crf beside regex/dates"
    assert town.reason == place.reason == "won: no other candidate here"
    assert [phi.source for phi in (person, day, place)] == ["crf", "regex/dates", "lists"]


def test_extension_and_joining_are_told() -> None:
    cas = Cas("October-November 2013")
    candidates(cas, "October-<DATE>November 2013</DATE>", "dates")
    candidates(cas, "<DATE>October-November 2013</DATE>", "crf")
    Resolver().process(cas)
    assert [phi.reason for phi in cas.select(Phi)] == ["won over crf: higher priority; extended over crf"]
    cas = document("<PERSON>Anna</PERSON> <PERSON>Berg</PERSON>", "names")
    first, second = cas.select(PhiCandidate)
    first.confidence, second.confidence = 0.9, 0.4
    Resolver().process(cas)
    (phi,) = cas.select(Phi)
    assert phi.reason == "won: no other candidate here; joined with its neighbor"
    assert first.winner is second.winner is phi
    assert phi.confidence == 0.4


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"strategy": "longest"}, "longer"),
        ({"strategy": "confidence"}, "more confident"),
        ({"strategy": "priority"}, "higher priority"),
    ],
)
def test_the_reason_names_the_criterion_that_decided(parameters: dict[str, str], expected: str) -> None:
    cas = Cas("Berg Lund")
    (long,) = candidates(cas, "<PERSON>Berg Lund</PERSON>", "known_phi")
    (short,) = candidates(cas, "Berg <LOCATION>Lund</LOCATION>", "svm")
    short.confidence = 0.5
    made(Resolver, parameters).process(cas)
    assert long.reason == f"won over svm: {expected}"


def test_ties_are_broken_by_source_name_whatever_the_order_of_adding() -> None:
    for sources in (("beta", "alpha"), ("alpha", "beta")):
        cas = Cas("12345")
        for source in sources:
            candidates(cas, "<ID>12345</ID>" if source == "alpha" else "<PHONE>12345</PHONE>", source)
        Resolver().process(cas)
        assert [(phi.source, phi.kind) for phi in cas.select(Phi)] == [("alpha", PhiKind.ID)]


def test_vetoed_candidates_are_left_alone() -> None:
    cas = document("<PERSON>Parkinson</PERSON> came")
    (candidate,) = cas.select(PhiCandidate)
    candidate.reason = "vetoed: a disease"
    Resolver().process(cas)
    assert (candidate.reason, candidate.winner, cas.select(Phi)) == ("vetoed: a disease", None, [])


def test_a_later_veto_takes_the_span_away_again() -> None:
    cas = document("<PERSON>Parkinson</PERSON> came")
    Resolver().process(cas)
    (candidate,) = cas.select(PhiCandidate)
    candidate.reason = "vetoed: a disease"
    Resolver().process(cas)
    assert (candidate.winner, cas.select(Phi)) == (None, [])


def test_thresholds_leave_out_what_is_not_sure_enough() -> None:
    cas = document("<PERSON_DOCTOR>Berg</PERSON_DOCTOR> <DATE>2020</DATE>")
    doctor, date = cas.select(PhiCandidate)
    doctor.confidence, date.confidence = 0.3, 0.1
    made(Resolver, "{threshold: {PERSON: 0.5}}").process(cas)
    assert [phi.kind for phi in cas.select(Phi)] == [PhiKind.DATE]
    assert (doctor.reason, doctor.winner) == ("below threshold 0.5", None)
    Resolver().process(cas)
    assert len(cas.select(Phi)) == 2


def test_a_confidence_that_is_no_number_counts_as_phi() -> None:
    cas = document("<PERSON>Berg</PERSON>")
    cas.select(PhiCandidate)[0].confidence = float("nan")
    made(Resolver, "{threshold: {PERSON: 0.5}}").process(cas)
    assert len(cas.select(Phi)) == 1


def test_empty_candidates_make_no_span() -> None:
    cas = Cas("a  b")
    blank = cas.add(PhiCandidate(1, 3, kind=PhiKind.ID))
    Resolver().process(cas)
    assert (cas.select(Phi), blank.winner, blank.reason) == ([], None, "nothing but white space")


def test_running_again_replaces_what_was_made() -> None:
    cas = Cas("Dr Lindqvist 3/4/2020")
    candidates(cas, "<PERSON>Dr Lindqvist 3/4/2020</PERSON>", "crf")
    candidates(cas, "Dr Lindqvist <DATE>3/4/2020</DATE>", "dates")
    Resolver().process(cas)
    once, reasons = show(cas), [c.reason for c in cas.select(PhiCandidate)]
    again = pickle.loads(pickle.dumps(cas))
    for document_ in (cas, again):
        Resolver().process(document_)
        assert show(document_) == once
        assert [c.reason for c in document_.select(PhiCandidate)] == reasons


def test_a_span_from_elsewhere_is_kept_and_becomes_a_candidate() -> None:
    cas = Cas("Berg 2020")
    given = Phi(0, 4, kind=PhiKind.PERSON, value="berg")
    given._source = "reviewer"
    cas.add(given)
    for _ in range(2):
        Resolver().process(cas)
        (phi,) = cas.select(Phi)
        (candidate,) = cas.select(PhiCandidate)
        assert (phi.begin, phi.end, phi.kind, phi.value, phi.source) == (0, 4, PhiKind.PERSON, "berg", "reviewer")
        assert (candidate.rule, candidate.winner) == ("given as Phi", phi)


def test_the_value_belongs_to_the_final_span() -> None:
    cas = Cas("October-November 2013")
    (short,) = candidates(cas, "October-<DATE>November 2013</DATE>", "dates")
    (whole,) = candidates(cas, "<DATE>October-November 2013</DATE>", "crf")
    short.value = "2013-11"
    Resolver().process(cas)
    assert cas.select(Phi)[0].value == ""
    whole.value = "2013-10/2013-11"
    Resolver().process(cas)
    assert cas.select(Phi)[0].value == "2013-10/2013-11"


def test_names_are_not_joined_across_sentences() -> None:
    cas = document("Asked J. <PERSON>Lindqvist</PERSON> <PERSON>Berg</PERSON> came")
    cas.view().add_spans(Sentence, [0, 19], [18, 28])
    Resolver().process(cas)
    assert len(cas.select(Phi)) == 2


def test_the_default_order_puts_the_record_before_rules_before_models() -> None:
    order = SourceOrder()
    sources = ["known_phi", "rules/dates", "identifiers", "names", "regex/ours", "models/crf", "svm", "neural", "x"]
    ranks = [order.rank(source, PhiKind.ID) for source in sources]
    assert ranks == sorted(ranks)
    assert ranks[-1] == len(DEFAULT_PRIORITY)


@part("t_careless")
class Careless(Strategy):
    """Takes the first candidate and forgets what the others cover."""

    def resolve(
        self, items: Sequence[CandidateSpan], text: str, order: SourceOrder, remainder: Remainder
    ) -> Resolution:
        first = items[0]
        span = ResolvedSpan(first.begin, first.end, first.candidate.kind, first.candidate, 0, "won: it came first")
        return Resolution([span], [(bid, span, None) for bid in items])


@part("t_double")
class Double(Careless):
    """Gives every candidate what it wants."""

    def resolve(
        self, items: Sequence[CandidateSpan], text: str, order: SourceOrder, remainder: Remainder
    ) -> Resolution:
        spans = [ResolvedSpan(b.begin, b.end, b.candidate.kind, b.candidate, 0, "won: why not") for b in items]
        return Resolution(spans, [(bid, span, None) for bid, span in zip(items, spans, strict=True)])


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("t_careless", "strategy t_careless uncovers 4:9"),
        ("t_double", "strategy t_double made overlapping or empty spans at 2:9"),
    ],
)
def test_a_strategy_that_breaks_the_law_is_refused(strategy: str, message: str) -> None:
    cas = document("<PERSON>Berg</PERSON> Lund")
    candidates(cas, "Be<LOCATION>rg Lund</LOCATION>", "crf")
    with pytest.raises(CasError) as refused:
        made(Resolver, {"strategy": strategy}).process(cas)
    assert str(refused.value) == message


def test_a_threshold_outside_0_to_1_is_a_fault() -> None:
    with pytest.raises(ValueError) as fault:
        Resolver(threshold={PhiKind.AGE: 2})
    assert str(fault.value) == "threshold AGE: expected a number from 0 to 1, got 2"
