"""Properties of the resolver over all documents: disjoint, nothing uncovered, the same every time."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.resolving.candidates import has_content
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.resolving.strategies import Confidence, Longest, Priority, Union
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

KINDS = [PhiKind.DATE, PhiKind.PERSON, PhiKind.PERSON_PATIENT, PhiKind.PERSON_INITIALS, PhiKind.ID, PhiKind.AGE]
SOURCES = ["known_phi", "rules/dates", "names", "models/crf", "svm", "mystery", ""]


@st.composite
def documents(draw: st.DrawFn) -> Cas:
    text = draw(st.text("ab1 .,-\n+\u00e9\U0001f600\u0301", min_size=1, max_size=30))
    cas = Cas(text)
    for _ in range(draw(st.integers(0, 8))):
        begin = draw(st.integers(0, len(text)))
        end = draw(st.integers(begin, len(text)))
        candidate = PhiCandidate(
            begin,
            end,
            kind=draw(st.sampled_from(KINDS)),
            confidence=draw(st.sampled_from([0.0, 0.5, 1.0, float("nan")])),
            value=draw(st.sampled_from(["", "v"])),
            reason=draw(st.sampled_from(["", "", "", "vetoed: no"])),
        )
        candidate._source = draw(st.sampled_from(SOURCES))
        cas.add(candidate)
    return cas


@st.composite
def resolvers(draw: st.DrawFn) -> Resolver:
    given_: dict[str, Any] = {
        "strategy": draw(st.sampled_from([Priority, Longest, Confidence, Union]))(),
        "remainder": draw(st.sampled_from(["auto", "extend", "keep"])),
        "merge": draw(st.sampled_from([[], [PhiKind.PERSON], [PhiKind.PERSON, PhiKind.DATE]])),
        "priority": draw(st.sampled_from([[], ["models", "rules"]])),
    }
    return Resolver(**given_)


def final(cas: Cas) -> list[tuple[Any, ...]]:
    return [(p.begin, p.end, p.kind, p.confidence, p.value, p.reason, p.source) for p in cas.select(Phi)]


@pytest.mark.slow
@given(documents(), resolvers())
@settings(max_examples=400, deadline=None)
def test_final_spans_are_disjoint_and_uncover_nothing(cas: Cas, resolver: Resolver) -> None:
    resolver.process(cas)
    spans = cas.select(Phi)
    assert all(a.end <= b.begin for a, b in itertools.pairwise(spans))
    covered = {i for phi in spans for i in range(phi.begin, phi.end)}
    for candidate in cas.select(PhiCandidate):
        if not candidate.reason.startswith("vetoed"):
            left = [i for i in range(candidate.begin, candidate.end) if i not in covered and has_content(cas.text[i])]
            assert not left
            assert candidate.reason
            assert (candidate.winner is None) == (not candidate.covered_text.strip())
    for phi in spans:
        assert not phi.covered_text[0].isspace() and not phi.covered_text[-1].isspace()
        assert phi.reason


@pytest.mark.slow
@given(documents(), resolvers())
@settings(max_examples=200, deadline=None)
def test_running_again_gives_the_same(cas: Cas, resolver: Resolver) -> None:
    resolver.process(cas)
    once, count = [repr(item) for item in final(cas)], cas.view().count(PhiCandidate)
    resolver.process(cas)
    assert [repr(item) for item in final(cas)] == once
    assert cas.view().count(PhiCandidate) == count


@given(documents(), resolvers(), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_order_of_adding_does_not_matter(cas: Cas, resolver: Resolver, random: Any) -> None:
    shuffled = Cas(cas.text)
    items = cas.select(PhiCandidate)
    random.shuffle(items)
    for c in items:
        same = PhiCandidate(c.begin, c.end, kind=c.kind, confidence=c.confidence, value=c.value, reason=c.reason)
        same._source = c.source
        shuffled.add(same)
    resolver.process(cas)
    resolver.process(shuffled)
    assert [repr(item) for item in final(shuffled)] == [repr(item) for item in final(cas)]


def decided(cas: Cas) -> list[tuple[Any, ...]]:
    winners = ((c, c.winner) for c in cas.select(PhiCandidate))
    return [(c.begin, c.end, c.source, c.reason, w and (w.begin, w.end, w.kind)) for c, w in winners]


@given(documents(), resolvers(), st.sampled_from([True, False, "evidence"]), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_windows_change_nothing(cas: Cas, resolver: Resolver, refine: Any, window: int) -> None:
    resolver.refine = refine
    other = cas.copy()
    resolver.process(cas)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caspipe.annotators.resolving.resolver.WINDOW", window)
        resolver.process(other)
    assert (repr(final(other)), repr(decided(other))) == (repr(final(cas)), repr(decided(cas)))
