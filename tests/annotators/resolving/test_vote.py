"""`vote`: sources vote with their confidence; a decision leaves whole spans and never pieces of losers."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlap_cases import Case, candidates, made, read_cases, read_marked, show
from test_resolver_laws import documents, final

from caspipe.annotators.resolving.candidates import REJECTED_BY_VOTE, has_content, takes_part, trim
from caspipe.annotators.resolving.confidence_vote import Vote
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind


def voted(resolver: str, *marked: tuple[str, str]) -> tuple[Cas, list[PhiCandidate]]:
    """A document with the marks of sources (`crf 0.9`) as candidates, resolved."""
    cas, found = Cas(read_marked(marked[0][1])[0]), []
    for key, text in marked:
        source, confidence = key.split()
        for candidate in candidates(cas, text, source):
            candidate.confidence = float(confidence)
            found.append(candidate)
    made(Resolver, resolver).process(cas)
    return cas, found


@pytest.mark.parametrize("case", read_cases("confidence_votes.txt"), ids=lambda case: f"line-{case.line}")
def test_votes_end_as_the_case_file_says(case: Case) -> None:
    cas, _ = voted(case["resolver"], *((key, text) for key, text in case.values if key != "resolver"))
    assert show(cas) == case.expected


def test_reasons_say_what_each_source_voted() -> None:
    vote = "{strategy: {vote: {voters: [crf, svm, rules], weights: {svm: 2}, minority: drop, threshold: 0.4}}}"
    cas, (crf, svm, rules) = voted(
        vote,
        ("crf 0.9", "by <PERSON>Anna Berg</PERSON> 12"),
        ("svm 0.4", "by Anna <PERSON>Berg</PERSON> 12"),
        ("rules 0.3", "by Anna <ID>Berg 12</ID>"),
    )
    (phi,) = cas.select(Phi)
    votes = "0.50, 0.40 asked: crf 0.90 PERSON, svm 0.40 x2 PERSON, rules 0.30 ID"
    assert (svm.reason, rules.reason) == (f"joined in the vote: {votes}", f"{REJECTED_BY_VOTE}: {votes}")
    assert crf.reason == phi.reason == f"won: {votes}"
    assert (crf.winner, svm.winner, rules.winner) == (phi, phi, phi)
    assert [takes_part(c) for c in (crf, svm, rules)] == [True, True, False]
    assert phi.confidence == pytest.approx(0.5)


def test_what_is_kept_or_rejected_says_by_which_vote() -> None:
    _, (kept,) = voted("{strategy: {vote: {voters: [crf, svm]}}}", ("crf 0.6", "ward <ID>12</ID>"))
    assert kept.reason == "won: 0.30, 0.50 asked: crf 0.60, svm silent; kept: nothing else here"
    _, (no,) = voted("{strategy: {vote: {voters: [crf, svm], minority: drop}}}", ("crf 0.6", "ward <ID>12</ID>"))
    assert (no.reason, no.winner) == ("outvoted: 0.30, 0.50 asked: crf 0.60, svm silent", None)


def test_a_confidence_that_is_no_number_counts_as_certain() -> None:
    cas, _ = voted("{strategy: {vote: {voters: [crf, svm], minority: drop}}}", ("crf nan", "ward <ID>12</ID>"))
    assert show(cas) == "ward <ID>12</ID>"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"voters": ["crf"]}, "voters: expected two or more different names, got 1"),
        ({"weights": {"swm": 2.0}}, "weights: swm is not a voter; expected one of crf, svm"),
        ({"alone": {"swm": 0.9}}, "alone: swm is not a voter; expected one of crf, svm"),
        ({"weights": {"svm": -1.0}}, "weights: svm: expected a finite number of 0 or more, got -1"),
        ({"weights": {"svm": 0.0, "crf": {PhiKind.AGE: 0.0}}}, "weights: all voters have 0 for AGE; expected one above 0"),
        ({"threshold": {PhiKind.AGE: 2.0}}, "threshold AGE: expected a number from 0 to 1, got 2"),
        ({"alone": {"svm": {PhiKind.AGE: 2.0}}}, "alone: svm AGE: expected a number from 0 to 1, got 2"),
        ({"recall": 2.0}, "recall: expected a number from 0 to 1, and no profile beside it, got 2"),
        (
            {"recall": 0.7, "profile": "recall"},
            "recall: expected a number from 0 to 1, and no profile beside it, got 0.7 and profile recall",
        ),
    ],
)  # fmt: skip
def test_parameters_that_make_no_vote_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as fault:
        Vote(**{"voters": ["crf", "svm"], **parameters})
    assert str(fault.value) == message


def test_a_voter_that_is_no_component_is_told_when_the_pipeline_is_put_together() -> None:
    with pytest.raises(ConfigError, match="no component or aggregate called 'agess'; did you mean ages"):
        Pipeline.parse("engines: [segmenter, dates, ages, {resolver: {strategy: {vote: {voters: [dates, agess]}}}}]")


@st.composite
def votes(draw: st.DrawFn) -> Resolver:
    strategy = Vote(
        voters=["rules", "names", "models", "svm", "mystery"],
        weights=draw(st.sampled_from([{}, {"svm": 2.0, "names": {PhiKind.DATE: 0.0, PhiKind.PERSON: 0.5}}])),
        threshold=draw(st.sampled_from([0.0, 0.1, 0.5, {PhiKind.DATE: 0.2}])),
        alone=draw(st.sampled_from([{}, {"names": 1.0, "svm": {PhiKind.ID: 0.5}}])),
        presence=draw(st.booleans()),
        extent=draw(st.sampled_from(["union", "winner"])),
        minority=draw(st.sampled_from(["keep", "drop"])),
        profile=draw(st.sampled_from(["recall", "balanced", "precision"])),
    )
    return Resolver(strategy=strategy, merge=draw(st.sampled_from([[], [PhiKind.PERSON]])), refine=draw(st.booleans()))


@given(documents(), votes())
@settings(max_examples=300, deadline=None)
def test_spans_are_disjoint_whole_and_cover_what_may_not_be_rejected(cas: Cas, resolver: Resolver) -> None:
    resolver.process(cas)
    spans, found = cas.select(Phi), cas.select(PhiCandidate)
    assert all(a.end <= b.begin for a, b in itertools.pairwise(spans))
    covered = {i for phi in spans for i in range(phi.begin, phi.end)}
    borders = [trim(cas.text, c.begin, c.end) for c in found]
    for phi in spans:  # spans begin and end at the bounds of candidates
        assert phi.begin in {b for b, _ in borders} and phi.end in {e for _, e in borders}
        assert phi.reason and 0 <= phi.confidence <= 1
    vote = resolver.strategy
    assert isinstance(vote, Vote)
    for c in found:
        bare = [i for i in range(c.begin, c.end) if i not in covered and has_content(cas.text[i])]
        if takes_part(c):
            assert not bare and c.reason
        if c.reason.startswith(REJECTED_BY_VOTE):
            assert vote.may_reject and c.source not in ("known_phi", "")


@given(documents(), votes(), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_order_of_adding_and_a_second_run_change_nothing(cas: Cas, resolver: Resolver, random: Any) -> None:
    shuffled, items = Cas(cas.text), cas.select(PhiCandidate)
    random.shuffle(items)
    for c in items:
        same = PhiCandidate(c.begin, c.end, kind=c.kind, confidence=c.confidence, value=c.value, reason=c.reason)
        shuffled.add(same.set_source(c.source))
    resolver.process(cas)
    once = [repr(item) for item in final(cas)]
    resolver.process(shuffled)
    resolver.process(cas)
    assert [repr(item) for item in final(shuffled)] == once
    assert [repr(item) for item in final(cas)] == once


@given(documents(), votes(), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=150, deadline=None)
def test_more_recall_never_uncovers_text(cas: Cas, resolver: Resolver, one: float, other: float) -> None:
    vote, shown = resolver.strategy, []
    assert isinstance(vote, Vote)
    for recall in sorted((one, other)):
        given_ = {f: getattr(vote, f) for f in ("voters", "weights", "threshold", "alone", "presence")}
        Resolver(strategy=Vote(**given_, minority="drop", recall=recall), merge=[]).process(cas)
        shown.append({i for phi in cas.select(Phi) for i in range(phi.begin, phi.end)})
    assert shown[0] <= shown[1]
