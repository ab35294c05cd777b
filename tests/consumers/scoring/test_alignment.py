"""Which system span matches which gold span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring.alignment import Compared, Criterion, align, kind_at, matches, overlaps
from caspipe.consumers.scoring.document import Mark

SPANS = st.lists(
    st.builds(
        lambda begin, length, kind: Mark(begin, begin + length, kind),
        st.integers(0, 40),
        st.integers(1, 12),
        st.sampled_from(["DATE", "PERSON", "PERSON_DOCTOR"]),
    ),
    max_size=8,
)


def test_most_shared_comes_first() -> None:
    gold, long, short = Mark(0, 10, "DATE"), Mark(3, 12, "ID"), Mark(0, 2, "DATE")
    found = align([gold], [short, long])
    assert (found.matched, found.missed, found.spurious) == ([(gold, long)], [], [short])


def test_equal_bounds_come_before_a_longer_overlap() -> None:
    inner, outer = Mark(5, 8, "DATE"), Mark(0, 20, "ID")
    found = align([outer, inner], [Mark(5, 8, "AGE"), Mark(4, 19, "ID")])
    assert found.matched == [(outer, Mark(4, 19, "ID")), (inner, Mark(5, 8, "AGE"))]


def test_of_equal_overlaps_the_same_kind_comes_first() -> None:
    gold = Mark(0, 10, "PERSON_DOCTOR")
    wrong, right = Mark(0, 4, "DATE"), Mark(6, 10, "PERSON")
    assert align([gold], [wrong, right]).matched == [(gold, wrong)]
    assert align([gold], [wrong, right], "top").matched == [(gold, right)]


def test_spans_that_only_touch_do_not_match() -> None:
    found = align([Mark(0, 4, "DATE")], [Mark(4, 8, "DATE")])
    assert (found.matched, len(found.missed), len(found.spurious)) == ([], 1, 1)


@pytest.mark.parametrize(
    ("kind", "level", "expected"),
    [
        ("PERSON_DOCTOR", "kind", "PERSON_DOCTOR"),
        ("PERSON_DOCTOR", "top", "PERSON"),
        ("PERSON_DOCTOR", "any", "PHI"),
        ("PERSON_DOCTOR", "vigibase", "Person"),
        ("NOMBRE_PERSONAL_SANITARIO", "top", "NOMBRE_PERSONAL_SANITARIO"),
    ],
)
def test_kinds_are_compared_at_a_level(kind: str, level: Compared, expected: str) -> None:
    assert kind_at(kind, level) == expected


@pytest.mark.parametrize(
    ("system", "criteria"),
    [
        (Mark(5, 9, "AGE"), ["strict", "covering", "overlapping"]),
        (Mark(4, 9, "AGE"), ["covering", "overlapping"]),
        (Mark(5, 8, "AGE"), ["overlapping"]),
        (Mark(5, 9, "DATE"), []),
    ],
)
def test_criteria_of_one_span(system: Mark, criteria: list[Criterion]) -> None:
    every: list[Criterion] = ["strict", "covering", "overlapping"]
    assert [c for c in every if matches(system, Mark(5, 9, "AGE"), c, "kind")] == criteria


@given(SPANS, SPANS)
def test_every_span_is_in_exactly_one_place(gold: list[Mark], system: list[Mark]) -> None:
    found = align(gold, system)
    key = str
    assert sorted([g for g, _ in found.matched] + found.missed, key=key) == sorted(gold, key=key)
    assert sorted([s for _, s in found.matched] + found.spurious, key=key) == sorted(system, key=key)
    assert all(g.begin < s.end and s.begin < g.end for g, s in found.matched)


@given(SPANS, SPANS)
def test_nothing_is_left_over_that_could_have_been_matched(gold: list[Mark], system: list[Mark]) -> None:
    found = align(gold, system)
    assert not list(overlaps(found.missed, sorted(found.spurious, key=lambda m: m.begin)))


@given(SPANS, SPANS)
def test_overlaps_are_those_of_every_pair(left: list[Mark], right: list[Mark]) -> None:
    left.sort(key=lambda m: m.begin)
    right.sort(key=lambda m: m.begin)
    expected = [
        (i, j)
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if set(range(a.begin, a.end)) & set(range(b.begin, b.end))
    ]
    assert list(overlaps(left, right)) == expected
