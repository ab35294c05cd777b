"""Intervals and tests between systems: against closed forms, other ways to compute them, and what they must keep."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from caspipe.consumers.scoring import (
    Mark,
    Pair,
    Scores,
    bootstrap_interval,
    bootstrap_intervals,
    compare,
    score,
    wilson,
    wilson_intervals,
)
from caspipe.pipeline.errors import ConsumerError

MakePair = Callable[..., Pair]


def corpus(share: float, documents: int = 80, seed: int = 1, group: int = 0) -> list[Pair]:
    """Documents of five ages, each found with a probability."""
    draw = random.Random(seed)
    made = []
    for n in range(documents):
        gold = [Mark(3 * i, 3 * i + 1, "AGE") for i in range(5)]
        found = [m for m in gold if draw.random() < share] + [Mark(1, 2, "AGE")] * (draw.random() < 0.3)
        made.append(Pair(f"d{n}", "x" * 20, gold, found, ([0], [20]), group=f"p{n // group}" if group else ""))
    return made


@pytest.mark.parametrize(
    ("hits", "total", "expected"),
    [(8, 10, (0.4902, 0.9433)), (0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0)), (81, 263, (0.2553, 0.3662))],
)
def test_wilson_intervals_are_those_of_the_literature(hits: int, total: int, expected: tuple[float, float]) -> None:
    """The last: Newcombe 1998, Stat Med 17:857, table I."""
    assert wilson(hits, total) == pytest.approx(expected, abs=5e-5)


def test_wilson_of_nothing_is_undefined_and_of_impossible_counts_an_error() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ConsumerError, match="expected hits from 0 to 3, got 4"):
        wilson(4, 3)
    with pytest.raises(ConsumerError, match="level: expected a number between 0 and 1, got 95"):
        wilson(1, 3, 95)


def test_intervals_hold_the_figure_and_come_from_the_seed_alone() -> None:
    scores = score(corpus(0.7))
    drawn = bootstrap_intervals(scores, 400, seed=5)
    assert drawn == bootstrap_intervals(scores, 400, seed=5)
    assert drawn != bootstrap_intervals(scores, 400, seed=6)
    for (criterion, kind, figure), (low, high) in drawn.items():
        value = scores.value(criterion, kind, figure)
        assert value is not None
        assert low <= value <= high
        assert bootstrap_interval(scores, criterion, kind, figure, draws=400, seed=5) == (low, high)


def test_the_interval_is_that_of_resampled_documents_scored_anew() -> None:
    from caspipe.consumers.scoring.bootstrap import weights

    documents = corpus(0.6, 12)
    draws = []
    for batch in weights(12, 100, seed=3):
        for row in batch:
            again = [d for d, n in zip(documents, row, strict=True) for _ in range(int(n))]
            draws.append(score(again, ["strict"]).value("strict", "micro", "recall"))
    low, high = bootstrap_interval(score(documents), "strict", "micro", "recall", draws=100, seed=3, level=0.9) or (
        0,
        0,
    )
    inside = sum(low <= d <= high for d in draws if d is not None)
    assert 88 <= inside <= 92
    assert min(d for d in draws if d is not None) < low


def test_the_interval_of_a_share_of_independent_documents_is_close_to_wilsons() -> None:
    documents = [
        Pair(f"d{n}", "x", [Mark(0, 1, "AGE")], [Mark(0, 1, "AGE")] * (n < 70), ([0], [1])) for n in range(100)
    ]
    drawn = bootstrap_interval(score(documents), "strict", "micro", "recall", draws=4000)
    assert drawn == pytest.approx(wilson(70, 100), abs=0.02)


def test_documents_of_one_patient_drawn_together_widen_the_interval() -> None:
    alike = [
        Pair(f"d{n}", "x", [Mark(0, 1, "AGE")], [Mark(0, 1, "AGE")] * (n % 20 < 10), ([0], [1]), group=f"p{n // 10}")
        for n in range(200)
    ]
    scores = score(alike)
    one = bootstrap_interval(scores, "strict", "micro", "recall", draws=500) or (0, 0)
    together = bootstrap_interval(scores, "strict", "micro", "recall", draws=500, by="group") or (0, 0)
    assert together[1] - together[0] > 2 * (one[1] - one[0])


def test_documents_without_a_known_patient_are_drawn_one_by_one() -> None:
    scores = score(corpus(0.7))
    assert bootstrap_intervals(scores, 50, by="group") == bootstrap_intervals(scores, 50)


def test_undefined_figures_have_no_interval() -> None:
    scores = score([Pair("d", "xx", [Mark(0, 1, "AGE")], [], ([0], [2]))])
    assert bootstrap_interval(scores, "strict", "micro", "precision") is None
    assert ("strict", "micro", "precision") not in bootstrap_intervals(scores, 10)
    assert bootstrap_intervals(score([]), 10) == {}


@pytest.mark.parametrize(("draws", "level"), [(0, 0.95), (-1, 0.95), (10, 0.0), (10, 1.0), (10, float("nan"))])
def test_draws_and_level_must_make_sense(draws: int, level: float) -> None:
    with pytest.raises(ConsumerError, match=r"draws: expected 1 or more|level: expected a number between 0 and 1"):
        bootstrap_intervals(score(corpus(0.5, 3)), draws, level=level)


def test_a_clearly_better_system_is_told_from_a_worse_one() -> None:
    found = compare(score(corpus(0.5)), score(corpus(0.8, seed=2)), "strict", "micro", "recall", draws=500)
    assert found.difference is not None
    assert found.low is not None and found.p is not None and found.p_bootstrap is not None
    assert found.difference > 0.2 > 0 < found.low
    assert found.p == found.p_bootstrap / 2 == 1 / 501


def test_a_system_does_not_differ_from_itself() -> None:
    scores = score(corpus(0.5))
    found = compare(scores, scores, "strict", draws=200)
    assert (found.difference, found.low, found.high, found.p, found.p_bootstrap) == (0, 0, 0, 1, 1)


@pytest.mark.slow
def test_p_of_systems_that_differ_by_chance_is_uniform_enough() -> None:
    ps = [
        compare(score(corpus(0.6, 40, s)), score(corpus(0.6, 40, 99 + s)), "strict", draws=99).p or 0 for s in range(60)
    ]
    assert sum(p <= 0.05 for p in ps) <= 8
    assert 0.35 < sum(ps) / len(ps) < 0.65


def test_documents_are_matched_by_id_in_whatever_order() -> None:
    first, second = corpus(0.5), corpus(0.8, seed=2)
    shuffled = score(random.Random(3).sample(second, len(second)))
    assert compare(score(first), score(second), "strict") == compare(score(first), shuffled, "strict")


def test_systems_scored_on_other_documents_cannot_be_compared() -> None:
    with pytest.raises(ConsumerError, match="2 of 5 are missing in the second, which has 3"):
        compare(score(corpus(0.5, 5)), score(corpus(0.5, 3)), "strict")


def test_a_comparison_with_an_undefined_figure_is_undefined(pair: MakePair) -> None:
    some, none = pair("<AGE>5</AGE>", "<AGE>5</AGE>"), pair("<AGE>5</AGE>")
    found = compare(score([some]), score([none]), "strict", "micro", "precision")
    assert (found.first, found.second, found.difference, found.p) == (1, None, None, None)


def test_a_kind_that_only_one_system_has_counts_for_both(pair: MakePair) -> None:
    gold = "<AGE>5</AGE> of <DATE>May</DATE>"
    one: Scores = score([pair(gold, "<AGE>5</AGE> of May")])
    other: Scores = score([pair(gold, "<AGE>5</AGE> <ID>of</ID> <DATE>May</DATE>")])
    found = compare(one, other, "strict", "micro", "f1", draws=10)
    assert found.difference == pytest.approx(4 / 5 - 2 / 3)


def test_wilson_intervals_are_given_for_every_quotient_of_counts(pair: MakePair) -> None:
    perfect = "<AGE>5</AGE> <AGE>6</AGE> <AGE>7</AGE>"
    found = wilson_intervals(score([pair(perfect, perfect)], ["strict", "documents", "characters"]))
    assert found["strict", "AGE", "recall"] == found["strict", "micro", "precision"] == wilson(3, 3)
    assert found["documents", "micro", "score"] == wilson(1, 1)
    assert ("strict", "micro", "f1") not in found
    assert ("strict", "macro", "recall") not in found
    assert ("characters", "AGE", "precision") not in found
    nothing = wilson_intervals(score([pair(perfect)], ["strict"]))
    assert ("strict", "AGE", "precision") not in nothing
    assert nothing["strict", "AGE", "recall"] == wilson(0, 3)
