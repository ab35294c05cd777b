"""Strict, covering, overlapping: Example 5.2 of the source, and what it leaves open."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring import CRITERIA, Mark, Pair, score
from caspipe.consumers.scoring.spans import Spans

MakePair = Callable[..., Pair]
GOLD = "Patient has been sore since the age of <AGE>91 years</AGE>, when she tripped and fell."
EXAMPLE = [
    ("strict", True, "Patient has been sore since the age of <AGE>91 years</AGE>, when she tripped and fell."),
    ("strict", False, "Patient has been sore since the age of <AGE>91 years,</AGE> when she tripped and fell."),
    ("covering", True, "Patient has been sore since the <AGE>age of 91 years,</AGE> when she tripped and fell."),
    ("covering", False, "Patient has been sore since the age of <AGE>91</AGE> years, when she tripped and fell."),
    ("overlapping", True, "Patient has been sore since the <AGE>age of 91</AGE> years, when she tripped and fell."),
    ("overlapping", False, "Patient has been sore since the <AGE>age of</AGE> 91 years, when she tripped and fell."),
]


@pytest.mark.parametrize(("criterion", "hit", "system"), EXAMPLE, ids=[f"{c}-{h}" for c, h, _ in EXAMPLE])
@pytest.mark.parametrize("suffix", ["", "-binary"])
def test_example_5_2(criterion: str, hit: bool, system: str, suffix: str, pair: MakePair) -> None:
    scores = score([pair(GOLD, system)], [criterion + suffix])
    row = next(r for r in scores.table if r.kind == "micro")
    assert (row.gold, row.system, row.tp, row.fp, row.fn) == ((1, 1, 1, 0, 0) if hit else (1, 1, 0, 1, 1))
    assert (row.precision, row.recall, row.f1) == ((1, 1, 1) if hit else (0, 0, 0))


def counted(scored: Pair, criterion: str) -> tuple[int | None, ...]:
    row = next(r for r in score([scored], [criterion]).table if r.kind == "micro")
    return row.gold, row.tp, row.fn, row.system, row.fp


def test_a_name_split_in_two_is_found_once_and_both_halves_are_right_where_they_overlap(pair: MakePair) -> None:
    split = pair("by <PERSON>Ann Lee</PERSON> today", "by <PERSON>Ann</PERSON> <PERSON>Lee</PERSON> today")
    assert counted(split, "overlapping") == (1, 1, 0, 2, 0)
    assert counted(split, "covering") == (1, 0, 1, 2, 2)  # neither half covers it alone
    assert counted(split, "strict") == (1, 0, 1, 2, 2)


def test_one_span_over_two_names_finds_both_and_is_right_once(pair: MakePair) -> None:
    joined = pair("by <PERSON>Ann</PERSON> <PERSON>Lee</PERSON> today", "by <PERSON>Ann Lee</PERSON> today")
    assert counted(joined, "overlapping") == (2, 2, 0, 1, 0)
    assert counted(joined, "covering") == (2, 2, 0, 1, 0)
    assert counted(joined, "strict") == (2, 0, 2, 1, 1)


def test_spans_that_only_touch_do_not_overlap(pair: MakePair) -> None:
    assert counted(pair("<ID>AB</ID>12", "AB<ID>12</ID>"), "overlapping") == (1, 0, 1, 1, 1)


def test_kinds_must_agree_unless_the_criterion_is_binary(pair: MakePair) -> None:
    other = pair("born <DATE>1980</DATE>", "born <AGE>1980</AGE>")
    scores = score([other], ["strict", "strict-binary"])
    assert scores.value("strict") == 0
    assert scores.value("strict-binary") == 1
    assert (scores.value("strict", "DATE", "recall"), scores.value("strict", "DATE", "precision")) == (0, None)
    assert (scores.value("strict", "AGE", "recall"), scores.value("strict", "AGE", "precision")) == (None, 0)


def test_a_span_given_twice_counts_once(pair: MakePair) -> None:
    twice = pair("born <DATE>1980</DATE>", "born <DATE>1980</DATE>")
    twice.gold *= 2
    twice.system *= 3
    assert counted(twice, "strict") == (1, 1, 0, 1, 0)


def test_micro_sums_and_macro_averages_over_kinds(pair: MakePair) -> None:
    scores = score(
        [
            pair(
                "<DATE>1/2/20</DATE> <DATE>2/2/20</DATE> <DATE>3/2/20</DATE> <AGE>5</AGE> <ID>77</ID>",
                "<DATE>1/2/20</DATE> <DATE>2/2/20</DATE> <DATE>3/2/20</DATE> <AGE>5 77</AGE>",
            )
        ]
    )
    assert scores.value("strict", "micro", "precision") == 3 / 4
    assert scores.value("strict", "micro", "recall") == 3 / 5
    assert scores.value("strict", "micro", "f1") == pytest.approx(2 * 3 / (4 + 5))
    assert scores.value("strict", "macro", "precision") == (1 + 0) / 2  # nothing was called ID: no precision to average
    assert scores.value("strict", "macro", "recall") == (1 + 0 + 0) / 3
    assert scores.value("strict", "macro", "f1") == (1 + 0) / 2  # and no F1
    assert scores.value("covering", "micro", "recall") == 4 / 5


SPAN = st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda s: (s[0], s[0] + s[1]))


@given(st.lists(SPAN), SPAN)
def test_sorted_spans_answer_as_a_look_at_each_of_them_would(
    spans: list[tuple[int, int]], asked: tuple[int, int]
) -> None:
    answers = Spans(sorted(spans))
    begin, end = asked
    assert answers.cover(asked) == any(b <= begin and end <= e for b, e in spans)
    assert answers.overlap(asked) == any(b < end and begin < e for b, e in spans)
    assert answers.inside(asked) == any(begin <= b and e <= end for b, e in spans)


@given(st.lists(SPAN, max_size=12), st.lists(SPAN, max_size=12))
def test_each_criterion_is_no_stricter_than_the_one_before(
    gold: list[tuple[int, int]], system: list[tuple[int, int]]
) -> None:
    made = Pair("d", "x" * 40, [Mark(b, e, "ID") for b, e in gold], [Mark(b, e, "ID") for b, e in system], ([0], [40]))
    scores = score([made], ["strict", "covering", "overlapping"])
    for figure in ("precision", "recall"):
        values = [scores.value(c, "micro", figure) for c in scores.criteria]
        assert None in values or values == sorted(values)  # type: ignore[type-var]
    assert {n for n in CRITERIA if n.endswith("-binary")} == {
        "strict-binary",
        "covering-binary",
        "overlapping-binary",
        "token-binary",
    }
