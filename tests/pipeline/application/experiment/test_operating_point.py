"""The operating point: which value to set, what it promises on documents it was not chosen on, and what cannot be had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caspipe.pipeline.application.experiment import Result, read_plan
from caspipe.pipeline.application.experiment.studies.operating_point import (
    ALL,
    UnitCounts,
    choose_settings,
    unit_counts,
)
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]


def table(result: Result, title: str) -> list[list[Any]]:
    return next(t.rows for t in result.tables if title in t.title)


OF_MEMORY = (
    "{operating_point: {target_recall: %s, parameter: least, values: [0, 5, 6, 7], models: [memory], draws: 50}}"
)


def test_the_value_is_told_as_a_command_and_as_yaml(run: Callable[..., Result]) -> None:
    result = run(OF_MEMORY % 0.4, "test: clinics\ncriteria: [token-binary]")
    rows = table(result, "What to set for a token-binary recall of 0.4")
    assert rows == [["memory", "yes", "0", "--set x_memory.least=0", "x_memory: {least: 0}"]]
    assert result.findings[0].startswith("memory: least = 0 for a token-binary recall of 0.4; on documents not used")
    assert result.findings[1] == "memory: caspipe run PIPELINE --set x_memory.least=0"
    expect = table(result, "memory: what to expect")
    assert [row[0] for row in expect] == [
        "chosen on all documents, measured on the same",
        "chosen without part 1, measured on it",
        "chosen without part 2, measured on it",
        "all parts together",
    ]
    assert len(table(result, "memory: every value")) == 4
    (figure,) = result.figures
    assert figure.options["chosen"]["memory"] in figure.data[0]["memory"]


def test_a_target_out_of_reach_is_told_and_no_command_given(run: Callable[..., Result]) -> None:
    result = run(OF_MEMORY % 0.999, "test: clinics\ncriteria: [token-binary]")
    assert len(result.findings) == 1
    assert "none of the values reaches a token-binary recall of 0.999; the highest is 0." in result.findings[0]
    assert table(result, "What to set")[0][1] == "no"


def test_a_threshold_is_chosen_for_each_kind_and_tried_in_the_resolver(run: Callable[..., Result]) -> None:
    kind = "{operating_point: {target_recall: 0.3, parameter: threshold, per_kind: true, criterion: strict, "
    result = run(kind + "values: [0.3, 0.5, 0.6, 0.99], models: [both], draws: 50}}", "criteria: [strict]")
    (row,) = table(result, "What to set")
    assert row[3].startswith("--set 'resolver.threshold={ID: ") and "PERSON: " in row[3]
    assert row[4].startswith("resolver: {threshold: {ID: ")
    (configured,) = table(result, "a pipeline with this threshold")
    assert configured[1] == table(result, "both: what to expect")[0][2]  # nothing overlaps here: both ways agree


def test_the_bias_of_a_part_of_a_system_is_tuned_by_name(run: Callable[..., Result]) -> None:
    kind = OF_MEMORY.replace("[memory]", "[both], tune: memory") % 0.4
    result = run(kind, "test: clinics\ncriteria: [token-binary]")
    assert table(result, "What to set")[0][3].startswith("--set x_memory.least=")
    recalls = [row[2] for row in table(result, "both: every value")]
    assert recalls == sorted(recalls, reverse=True) and recalls[0] > recalls[-1]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (
            "{operating_point: {parameter: lest, models: [memory]}}",
            "x_memory has no parameter 'lest'; did you mean least",
        ),
        (
            "{operating_point: {parameter: least, models: [both], tune: memry}}",
            "both has no model or component called 'memry'; did you mean memory",
        ),
        (
            "{operating_point: {parameter: least, per_kind: true}}",
            "per_kind: expected the parameter threshold, got least",
        ),
        ("{operating_point: {parameter: threshold, values: [2]}}", "values: expected confidences from 0 to 1"),
        ("{operating_point: {target_recall: 0}}", "target_recall: expected a share above 0 and up to 1, got 0"),
        (
            "{operating_point: {parameter: threshold, per_kind: true, values: [0.5]}}",
            "token-binary does not distinguish kinds",
        ),
    ],
)
def test_faults_are_told_before_any_document_is_read(write: Write, kind: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        read_plan(write(kind, "criteria: [token-binary, strict]"))


def test_documents_of_one_group_are_one_unit_and_counts_add_up() -> None:
    first = [[[0, "ID", 4, 4, 5, 4], [1, "AGE", 2, 1, 1, 1]], [[0, "ID", 4, 2, 2, 2]]]
    second = [[[0, "ID", 1, 1, 1, 1]], []]
    made = unit_counts([(2, first), (1, second)], ["a", "b", "a"])
    assert (made.kinds, made.units) == (["AGE", "ID"], 2)
    assert made.overall.tolist() == [[[5, 5, 6, 5], [2, 1, 1, 1]], [[4, 2, 2, 2], [0, 0, 0, 0]]]
    blind = unit_counts([(1, [[[0, "micro", 3, 2, 2, 2], [0, "ID", 9, 9, 9, 9]]])], ["a"])
    assert blind.overall.tolist() == [[[3, 2, 2, 2]]]


def test_each_part_is_measured_at_what_the_others_chose() -> None:
    """Setting 0 suffices on units 0 and 1, setting 1 is needed on 2 and 3: chosen without them, it is not found."""
    overall = np.zeros((2, 4, 4))
    overall[0, :2], overall[0, 2:] = (10, 10, 10, 10), (10, 5, 5, 5)
    overall[1] = (10, 10, 20, 10)
    point = choose_settings(UnitCounts([], overall[:, :, None], overall), [[0, 1], [2, 3]], 0.9, False, 0.0, 10)
    assert point is not None
    assert (point.settings, point.reached) == ({ALL: 1}, True)
    assert [chosen for chosen, _ in point.by_part] == [{ALL: 1}, {ALL: 0}]
    assert point.held_out.tolist() == [[10, 10, 20, 10]] * 2 + [[10, 5, 5, 5]] * 2
