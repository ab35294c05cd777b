"""What hurts the users of other de-identifiers: detectors that do not work together, recall that drops unseen.

The numbers behind the tests are those of our list of 25 complaints, gathered from the issues of such programs.
Texts are synthetic.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_pipeline import lines, masked, process, shipped

from caspipe.annotators.patterns.rule import unmark
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.resolving.strategies import Confidence, Longest, Priority, Union
from caspipe.pipeline.contract import registry
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")

TEXT = "Dr Maria Lindqvist 3/4/2020, October-November 2013 in Boston."
SPANS = st.lists(
    st.tuples(
        st.integers(0, len(TEXT)),
        st.integers(0, 20),
        st.sampled_from(["DATE", "PERSON", "ID", "LOCATION"]),
        st.sampled_from(["crf", "rules/dates", "known_phi"]),
        st.sampled_from([0.2, 0.5, 1.0]),
    ),
    max_size=8,
)


def resolved(spans: list[tuple[int, int, str, str, float]], resolver: Resolver, text: str = TEXT) -> Cas:
    cas = Cas(text)
    for begin, length, kind, source, confidence in spans:
        made = PhiCandidate(begin, min(begin + length, len(text)), kind=PhiKind.of(kind), confidence=confidence)
        made._source = source
        cas.add(made)
    resolver.process(cas)
    registry.find("masker")().process(cas)
    return cas


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [Priority, Longest, Confidence, Union])
def test_overlapping_findings_never_corrupt_the_text(strategy: type[Any]) -> None:  # 8
    @given(SPANS)
    @settings(max_examples=200, deadline=None, derandomize=True)
    def holds(spans: list[tuple[int, int, str, str, float]]) -> None:
        cas = resolved(spans, Resolver(strategy=strategy()))
        expected, at = "", 0
        for phi in cas.select(Phi):
            assert phi.begin >= at
            expected += TEXT[at : phi.begin] + f"[{phi.kind.top.name}]"
            at = phi.end
        assert cas.deidentified == expected + TEXT[at:]
        left = {i for i, c in enumerate(TEXT) if c.isalnum()} - {
            i for p in cas.select(Phi) for i in range(p.begin, p.end)
        }
        assert not [c for c in cas.select(PhiCandidate) if left.intersection(range(c.begin, c.end))]

    holds()


def test_who_wins_an_overlap_is_a_parameter_and_no_low_score_swallows_a_better_one() -> None:  # 9
    spans = [(0, 27, "PERSON", "crf", 0.2), (19, 8, "DATE", "rules/dates", 1.0)]

    def kinds(resolver: Resolver) -> list[tuple[str, str]]:
        return [(p.covered_text, p.kind.name) for p in resolved(spans, resolver).select(Phi)]

    apart = [("Dr Maria Lindqvist", "PERSON"), ("3/4/2020", "DATE")]
    assert kinds(Resolver()) == kinds(Resolver(strategy=Confidence())) == apart
    assert kinds(Resolver(strategy=Longest())) == kinds(Resolver(priority=["crf"])) == [(TEXT[:27], "PERSON")]
    assert kinds(Resolver(strategy=Union())) == [(TEXT[:27], "DATE")]
    assert kinds(Resolver(threshold={PhiKind.PERSON: 0.5})) == [("3/4/2020", "DATE")]


def test_adjacent_tokens_of_one_name_become_one_span_and_two_names_stay_two() -> None:  # 10
    parts = [(3, 5, "PERSON", "crf", 1.0), (9, 9, "PERSON", "rules/names", 1.0)]
    assert [p.covered_text for p in resolved(parts, Resolver()).select(Phi)] == ["Maria Lindqvist"]
    assert masked("Seen by Dr. Maria Anna Lindqvist-Berg.") == "Seen by Dr. [PERSON]."
    assert re.fullmatch(r"\[\w+\], \[\w+\] and \[\w+\] came\.", masked("Mary Smith, John Jones and Anna Berg came."))
    for text in ("Dr. John Smith saw Mr. John Doe.", "JOHN A. SMITH", "Smith, John", "Mary  Anne\tSmith came"):
        assert not re.search(r"\[PERSON\]\s*\[PERSON\]", masked(text))


def test_several_detectors_speak_for_one_span_and_all_are_kept() -> None:  # 24
    spans = [(3, 15, "PERSON", source, 0.5) for source in ("crf", "rules/dates", "known_phi")]
    spans.append((9, 9, "LOCATION", "crf", 1.0))
    cas = resolved(spans, Resolver())
    (phi,) = cas.select(Phi)
    assert (phi.covered_text, phi.kind.name, phi.source) == ("Maria Lindqvist", "PERSON", "known_phi")
    assert [c.winner for c in cas.select(PhiCandidate)] == [phi] * 4


FLOORS = {
    "DATE": 0.99,
    "AGE": 0.99,
    "PERSON": 0.97,
    "LOCATION": 0.97,
    "ORGANIZATION": 0.95,
    "ID": 0.98,
    "PHONE": 0.98,
    "FAX": 0.99,
    "EMAIL": 0.99,
    "URL": 0.99,
    "IP": 0.99,
}
"""Least share of the marked spans of the finders' case files that the whole pipeline covers, every letter and digit."""


@pytest.fixture(scope="module")
def recall() -> tuple[Counter[str], Counter[str]]:
    """(marked spans, those of them that are covered by final spans) by kind."""
    wanted: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    for file in ("dates.txt", "ages.txt", "identifiers.txt", "names.txt"):
        for case in lines(file):
            text, marks = unmark(case.values[0])
            hit = {i for p in process(text).select(Phi) for i in range(p.begin, p.end)}
            for begin, end, name in marks:
                kind = PhiKind.of(name).top.name
                wanted[kind] += 1
                covered[kind] += hit.issuperset(i for i in range(begin, end) if text[i].isalnum())
    return wanted, covered


@pytest.mark.slow
@pytest.mark.parametrize("kind", FLOORS)
def test_recall_of_the_whole_pipeline_stays_above_its_floor(
    kind: str, recall: tuple[Counter[str], Counter[str]]
) -> None:
    wanted, covered = recall  # 25
    assert wanted[kind] >= 5
    assert covered[kind] / wanted[kind] >= FLOORS[kind]


@pytest.mark.slow
def test_a_batch_finds_what_single_documents_give() -> None:  # 25
    texts = [unmark(case.values[0])[0] for file in ("pains.txt", "dates.txt", "names.txt") for case in lines(file)]
    single = [[(p.begin, p.end, p.kind.name) for p in shipped().process(t).select(Phi)] for t in texts]
    batch = [[(p.begin, p.end, p.kind.name) for p in cas.select(Phi)] for cas in shipped().stream(texts)]
    assert batch == single
    assert sum(map(len, single)) > 400
