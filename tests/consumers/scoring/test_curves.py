"""Precision and recall over a threshold: against numbers counted by hand and against scoring what a threshold leaves."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring import score
from caspipe.consumers.scoring.curves import curve
from caspipe.consumers.scoring.document import Mark, Pair

EXAMPLE = Pair(
    "a",
    "x" * 80,
    [Mark(0, 4, "DATE"), Mark(10, 20, "PERSON"), Mark(30, 40, "PERSON"), Mark(50, 54, "ID")],
    [
        Mark(0, 4, "DATE", "regex", 1.0),
        Mark(10, 20, "PERSON", "models/crf", 0.9),
        Mark(60, 64, "DATE", "models/crf", 0.8),
        Mark(30, 40, "PERSON", "models/crf", 0.5),
        Mark(70, 74, "ID", "models/svm", 0.5),
    ],
    ([], []),
    [Mark(10, 20, "PERSON", "models/crf", 0.9), Mark(10, 20, "PERSON", "models/svm", 0.4)],
)
MARKS = st.lists(
    st.builds(
        lambda begin, length, kind, confidence: Mark(begin, begin + length, kind, "", confidence),
        st.integers(0, 40),
        st.integers(1, 12),
        st.sampled_from(["DATE", "PERSON", "ID"]),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    ),
    max_size=8,
)


def test_points_counted_by_hand() -> None:
    made = curve([EXAMPLE])
    assert [(p.threshold, p.kept, p.right, p.found) for p in made.points] == [
        (1.0, 1, 1, 1),
        (0.9, 2, 2, 2),
        (0.8, 3, 2, 2),
        (0.5, 5, 3, 3),
    ]
    assert made.drawn() == [(0.25, 1.0), (0.5, 1.0), (0.5, 2 / 3), (0.75, 0.6)]
    assert made.average_precision == 0.25 * 1 + 0.25 * 1 + 0 + 0.25 * 0.6


def test_best_point_and_threshold_for_a_recall() -> None:
    made = curve([EXAMPLE])
    assert made.best() == made.points[1]
    assert [p and p.threshold for p in map(made.for_recall, (0.0, 0.25, 0.5, 0.6, 0.75, 0.8))] == [
        1.0, 1.0, 0.9, 0.5, 0.5, None,
    ]  # fmt: skip


def test_one_component_and_one_kind_alone() -> None:
    assert [p.kept for p in curve([EXAMPLE], source="models").points] == [1, 2, 4]
    assert [p.kept for p in curve([EXAMPLE], source="models/svm").points] == [1]
    assert curve([EXAMPLE], source="model").points == []
    people = curve([EXAMPLE], kind="PERSON")
    assert (people.gold, people.average_precision) == (2, 1.0)


def test_candidates_at_one_place_count_once_with_the_greatest_confidence() -> None:
    assert [(p.threshold, p.kept, p.right) for p in curve([EXAMPLE], of="candidates").points] == [(0.9, 1, 1)]


def test_without_gold_recall_is_undefined_and_nothing_is_drawn() -> None:
    made = curve([dataclasses.replace(EXAMPLE, gold=[])])
    assert (made.average_precision, made.best(), made.for_recall(0.5), made.drawn()) == (None, None, None, [])
    assert (made.points[0].precision, made.points[0].recall, made.points[0].f1) == (0.0, None, None)
    assert next(csv.DictReader(io.StringIO(made.to_csv())))["recall"] == "undefined"


def test_without_system_spans_there_is_no_point() -> None:
    made = curve([dataclasses.replace(EXAMPLE, system=[])])
    assert (made.points, made.average_precision, made.best()) == ([], 0.0, None)


def test_csv_and_json_agree_with_the_points() -> None:
    made = curve([EXAMPLE])
    rows = list(csv.DictReader(io.StringIO(made.to_csv())))
    data = json.loads(made.to_json())
    assert [float(r["threshold"]) for r in rows] == [p["threshold"] for p in data["points"]]
    assert [int(r["right"]) for r in rows] == [p["right"] for p in data["points"]] == [1, 2, 2, 3]
    assert float(rows[2]["f1"]) == pytest.approx(data["points"][2]["f1"], abs=1e-6)
    assert (data["gold"], data["average_precision"]) == (4, 0.65)


@given(
    st.lists(st.tuples(MARKS, MARKS), min_size=1, max_size=3), st.sampled_from(["strict", "covering", "overlapping"])
)
def test_each_point_is_the_score_of_what_its_threshold_leaves(documents: list[Any], criterion: Any) -> None:
    pairs = [Pair(str(i), "x" * 60, g, s, ([], [])) for i, (g, s) in enumerate(documents)]
    for point in curve(pairs, criterion=criterion, level="kind").points:
        left = [dataclasses.replace(p, system=[m for m in p.system if m.confidence >= point.threshold]) for p in pairs]
        scores = score(left, criteria=(criterion,))
        for figure in ("precision", "recall", "f1"):
            value = getattr(point, figure)
            expected = scores.value(criterion, "micro", figure)
            assert value == (None if expected is None else pytest.approx(expected))
