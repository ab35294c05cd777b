"""`majority`: sources vote; what too few of them say stays masked unless the vote is told to drop it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlap_cases import Case, candidates, made, read_cases, read_marked, show
from test_resolver_laws import documents, final

from caspipe.annotators.resolving.candidates import (
    REJECTED_BY_VOTE,
    CandidateSpan,
    SourceOrder,
    has_content,
    takes_part,
)
from caspipe.annotators.resolving.majority import Majority
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.resolving.spans import Remainder, Resolution, ResolvedSpan
from caspipe.annotators.resolving.strategies import Strategy
from caspipe.pipeline.contract.component import part
from caspipe.pipeline.errors import CasError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind


@pytest.mark.parametrize("case", read_cases("votes.txt"), ids=lambda case: f"line-{case.line}")
def test_votes_end_as_the_case_file_says(case: Case) -> None:
    marked = [(source, text) for source, text in case.values if source != "resolver"]
    cas = Cas(read_marked(marked[0][1])[0])
    for source, text in marked:
        candidates(cas, text, source)
    made(Resolver, case["resolver"]).process(cas)
    assert show(cas) == case.expected


def voted(minority: str, *marked: tuple[str, str]) -> tuple[Cas, list[PhiCandidate]]:
    cas = Cas(read_marked(marked[0][1])[0])
    found = [c for source, text in marked for c in candidates(cas, text, source)]
    made(Resolver, {"strategy": {"majority": {"voters": ["crf", "svm", "rules"], "minority": minority}}}).process(cas)
    return cas, found


TWO = (("crf", "by <PERSON>Anna Berg</PERSON> 12"), ("svm", "by <PERSON>Anna Berg</PERSON> 12"))
ONE = ("rules", "by Anna <PERSON>Berg 12</PERSON>")


def test_every_candidate_says_how_it_fared_and_the_outvoted_take_no_part() -> None:
    cas, (crf, svm, rules) = voted("drop", *TWO, ONE)
    (phi,) = cas.select(Phi)
    assert (crf.reason, svm.reason) == ("won: 2 of 3 votes", "joined in the vote: 2 of 3 votes")
    assert rules.reason == f"{REJECTED_BY_VOTE}: 1 of 3 votes"
    assert (crf.winner, svm.winner, rules.winner) == (phi, phi, phi)
    assert [takes_part(c) for c in (crf, svm, rules)] == [True, True, False]


def test_a_candidate_outvoted_where_nothing_else_stands_has_no_winner_but_stays() -> None:
    cas, (rules,) = voted("drop", ("rules", "ward <ID>12</ID>"))
    assert (cas.select(Phi), rules.winner, rules.reason) == ([], None, "outvoted: 1 of 3 votes")
    assert cas.select(PhiCandidate) == [rules]


def test_what_is_kept_says_that_it_had_too_few_votes() -> None:
    _, (rules,) = voted("keep", ("rules", "ward <ID>12</ID>"))
    assert rules.reason == "won: 1 of 3 votes, kept: nothing else here"
    _, (_, _, rules) = voted("keep", *TWO, ONE)
    assert rules.reason == "lost to crf: fewer votes"
    assert takes_part(rules)


def test_a_later_run_with_another_strategy_lets_the_outvoted_speak_again() -> None:
    cas, _ = voted("drop", ("rules", "ward <ID>12</ID>"))
    Resolver().process(cas)
    assert show(cas) == "ward <ID>12</ID>"


def test_a_value_of_another_kind_is_not_taken_over() -> None:
    cas = Cas("ward 12")
    (rules,) = candidates(cas, "ward <DATE>12</DATE>", "rules")
    rules.value = "2012"
    for source in ("crf", "svm"):
        candidates(cas, "ward <AGE>12</AGE>", source)
    made(Resolver, "{strategy: {majority: {voters: [crf, svm, rules], by: overlap}}, priority: [rules]}").process(cas)
    (phi,) = cas.select(Phi)
    assert (phi.kind, phi.value) == (PhiKind.AGE, "")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"voters": ["crf"]}, "voters: expected two or more different names, got 1"),
        ({"voters": ["crf", "crf"]}, "voters: expected two or more different names, got 2"),
        ({"voters": ["crf", "svm"], "votes": 3}, "votes: expected a number above 0 and up to 2, got 3"),
        ({"voters": ["crf", "svm"], "weights": {"swm": 2.0}}, "weights: swm is not a voter; expected one of crf, svm"),
        ({"voters": ["crf", "svm"], "weights": {"svm": 0.0}}, "weights: svm: expected a finite number above 0, got 0"),
    ],
)
def test_parameters_that_make_no_vote_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as fault:
        Majority(**parameters)
    assert str(fault.value) == message


def test_a_voter_that_is_no_component_is_told_when_the_pipeline_is_put_together() -> None:
    from caspipe.pipeline.errors import ConfigError

    with pytest.raises(ConfigError, match="no component or aggregate called 'agess'; did you mean ages"):
        Pipeline.parse(
            "engines: [segmenter, dates, ages, {resolver: {strategy: {majority: {voters: [dates, agess]}}}}]"
        )


@part("t_thief")
class Thief(Strategy):
    """Rejects candidates although its parameters do not allow it."""

    def resolve(self, items: Any, text: str, order: SourceOrder, remainder: Remainder) -> Resolution:
        first: CandidateSpan = items[0]
        span = ResolvedSpan(first.begin, first.end, first.kind, first.candidate, 0, "won: it came first")
        return Resolution([span], [(first, span, None)], [(b, span, f"{REJECTED_BY_VOTE}: by me") for b in items[1:]])


def test_only_a_strategy_that_was_asked_to_may_leave_candidates_out() -> None:
    cas = Cas("by Anna Berg")
    candidates(cas, "by <PERSON>Anna</PERSON> Berg", "crf")
    candidates(cas, "<PERSON>by Anna</PERSON> Berg", "svm")
    with pytest.raises(CasError) as refused:
        Resolver(strategy=Thief()).process(cas)
    assert str(refused.value) == "strategy t_thief rejects 3:7, which its parameters do not allow"


@st.composite
def votes(draw: st.DrawFn, minority: str) -> Resolver:
    voters = ["rules", "names", "models", "svm", "mystery"]
    given_: dict[str, Any] = {"by": draw(st.sampled_from(["span", "overlap", "token"])), "minority": minority}
    given_["votes"] = draw(st.sampled_from([None, 1.0, 2.0, 4.0]))
    given_["weights"] = draw(st.sampled_from([{}, {"svm": 2.0, "names": 0.5}]))
    remainder = draw(st.sampled_from(["auto", "extend", "keep"]))
    merge = draw(st.sampled_from([[], [PhiKind.PERSON]]))
    return Resolver(strategy=Majority(voters=voters, **given_), remainder=remainder, merge=merge)


@pytest.mark.slow
@given(documents(), votes("keep"))
@settings(max_examples=250, deadline=None)
def test_nothing_is_uncovered_where_the_minority_is_kept(cas: Cas, resolver: Resolver) -> None:
    resolver.process(cas)
    spans = cas.select(Phi)
    assert all(a.end <= b.begin for a, b in itertools.pairwise(spans))
    covered = {i for phi in spans for i in range(phi.begin, phi.end)}
    for c in cas.select(PhiCandidate):
        if not c.reason.startswith("vetoed"):
            assert not [i for i in range(c.begin, c.end) if i not in covered and has_content(cas.text[i])]
            assert c.reason and takes_part(c) == bool(c.covered_text.strip())


@pytest.mark.slow
@given(documents(), votes("drop"))
@settings(max_examples=250, deadline=None)
def test_only_the_outvoted_may_be_uncovered_and_never_one_without_a_vote(cas: Cas, resolver: Resolver) -> None:
    resolver.process(cas)
    spans = cas.select(Phi)
    assert all(a.end <= b.begin for a, b in itertools.pairwise(spans))
    covered = {i for phi in spans for i in range(phi.begin, phi.end)}
    for c in cas.select(PhiCandidate):
        if takes_part(c):
            assert not [i for i in range(c.begin, c.end) if i not in covered and has_content(cas.text[i])]
        if c.reason.startswith(REJECTED_BY_VOTE):
            assert c.source not in ("known_phi", "")


@pytest.mark.slow
@given(documents(), votes("drop"), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_order_of_adding_and_a_second_run_change_nothing(cas: Cas, resolver: Resolver, random: Any) -> None:
    shuffled = Cas(cas.text)
    items = cas.select(PhiCandidate)
    random.shuffle(items)
    for c in items:
        same = PhiCandidate(c.begin, c.end, kind=c.kind, confidence=c.confidence, value=c.value, reason=c.reason)
        same._source = c.source
        shuffled.add(same)
    resolver.process(cas)
    once = [repr(item) for item in final(cas)]
    resolver.process(shuffled)
    resolver.process(cas)
    assert [repr(item) for item in final(shuffled)] == once
    assert [repr(item) for item in final(cas)] == once


@pytest.mark.parametrize(("by_confidence", "kind"), [(False, "LOCATION"), (True, "PERSON")])
def test_by_confidence_one_who_is_sure_outweighs_two_who_waver(by_confidence: bool, kind: str) -> None:
    cas = Cas("Seen by Florence.")
    for source, of, confidence in (("a", "PERSON", 0.9), ("b", "LOCATION", 0.4), ("c", "LOCATION", 0.45)):
        candidate = PhiCandidate(8, 16, kind=PhiKind.of(of), confidence=confidence)
        candidate._source = source
        cas.add(candidate)
    vote = {"voters": ["a", "b", "c"], "votes": 0.5, "by_confidence": by_confidence}
    made(Resolver, {"strategy": {"majority": vote}}).process(cas)
    (phi,) = cas.select(Phi)
    assert phi.kind.name == kind
    assert ("0.9 of 3 votes" in phi.reason) is by_confidence
