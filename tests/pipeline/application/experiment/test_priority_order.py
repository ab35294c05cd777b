"""The order of priority is that of the covering precision, and its line is one that a resolver takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from caspipe.annotators.resolving.resolver import Resolver
from caspipe.pipeline.application.experiment import Result, read_plan
from caspipe.pipeline.contract import params
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]


def line_of(result: Result) -> dict[str, Any]:
    (finding,) = [f for f in result.findings if f.startswith("For the resolver: ")]
    data = yaml.safe_load(finding.removeprefix("For the resolver: "))
    return dict(data["resolver"])


def test_the_more_precise_member_comes_first(run: Callable[..., Result]) -> None:
    result = run("{priority_order: {least: 1}}", "test: clinics")
    # `digits` marks the ward too, and is right in one of two; `memory` marks only names that it has seen
    assert result.findings[0] == "Order by covering precision: memory > digits."
    rows = {row[0]: row[1:] for row in result.tables[0].rows}
    assert result.tables[0].columns == ["kind", "digits|P", "digits|spans", "memory|P", "memory|spans", "order"]
    assert rows["ID"][:2] == [0.5, 48]  # all 24 documents, each in one fold
    assert rows["PERSON"][0] is None
    assert rows["OVERALL"][2] == 1.0


def test_every_order_of_few_members_is_tested(run: Callable[..., Result]) -> None:
    result = run("priority_order", "test: clinics")
    table = result.tables[1]
    assert table.title == "both: orders of priority, on clinics"
    assert [row[0] for row in table.rows] == ["digits > memory (file)", "memory > digits (learned)"]
    assert {r["order"] for r in result.records if r["part"] == "orders"} == {row[0] for row in table.rows}


def test_the_line_is_one_that_a_resolver_takes(run: Callable[..., Result]) -> None:
    given = line_of(run("{priority_order: {least: 1}}"))
    assert given == {"priority": ["memory", "digits"]}
    faults: list[str] = []
    resolver = params.build(Resolver, given, lambda at, what: faults.append(what))
    assert faults == []
    assert resolver.priority == ["memory", "digits"]


RULES = """\
rules:
  - {{name: name, kind: PERSON, pattern: '{person}'}}
  - {{name: number, kind: ID, pattern: '{number}'}}
"""
PAIR = """\
  names: {engines: [{patterns: {rules: names.yaml}}]}
  numbers: {engines: [{patterns: {rules: numbers.yaml}}]}
  pair: {of: [numbers, names]}
test: clinics
"""


@pytest.fixture
def pair(tmp_path: Path) -> str:
    """Two members: one marks names well and the ward as a number, the other marks numbers well and two words as names."""
    names = RULES.format(person="[A-Z][a-z]+(mann|sen|ski|ton|well)", number="[0-9]+")
    numbers = RULES.format(person="[A-Z][a-z]+(mann|sen|ski|ton|well)|Record|filed", number="[0-9]{3}")
    (tmp_path / "names.yaml").write_text(names, encoding="utf-8")
    (tmp_path / "numbers.yaml").write_text(numbers, encoding="utf-8")
    return PAIR


def test_a_kind_in_which_the_order_differs_has_its_own(run: Callable[..., Result], pair: str) -> None:
    result = run("{priority_order: {system: pair}}", pair)
    rows = {row[0]: row[1:] for row in result.tables[0].rows}
    assert result.tables[0].columns[1::2] == ["numbers|P", "names|P", "order"]
    assert rows["ID"] == [1.0, 24, 0.5, 48, "numbers > names"]
    assert rows["PERSON"] == [0.5, 96, 1.0, 48, "names > numbers"]
    assert rows["OVERALL"] == [0.6, 120, 0.75, 96, "names > numbers"]
    assert line_of(result) == {"priority": ["names", "numbers"], "per_kind": {"ID": ["numbers", "names"]}}
    orders = result.tables[1].rows
    assert [row[0] for row in orders] == [
        "numbers > names (file)",
        "names > numbers (learned)",
        "learned, by kind",
    ]


def test_a_member_that_marks_few_spans_of_a_kind_has_no_precision_of_its_own_in_it(
    run: Callable[..., Result], pair: str
) -> None:
    result = run("{priority_order: {system: pair, least: 49}}", pair)
    assert line_of(result) == {"priority": ["names", "numbers"]}  # 24 and 48 numbers are too few: 0.6 and 0.75 decide


@pytest.mark.parametrize(
    ("kind", "extra", "message"),
    [
        (
            "{priority_order: {system: bot}}",
            "",
            "system: no model with two or more in `of` called 'bot'; did you mean both?",
        ),
        ("{priority_order: {system: memory}}", "", "system: no model with two or more in `of` called 'memory'"),
        (
            "priority_order",
            "  more: {of: [memory, digits]}",
            "system: expected one model with two or more in `of`, found 2: name one",
        ),
        (
            "{priority_order: {criterion: strict}}",
            "criteria: [covering]",
            "criterion: 'strict' is not among the criteria of the file",
        ),
        ("priority_order", "level: vigibase", "expected level kind or top, whose kinds a resolver knows, got vigibase"),
        ("{priority_order: {least: 0}}", "", "least: expected 1 or more, got 0"),
    ],
)
def test_what_cannot_be_ordered_is_told_before_any_document(write: Write, kind: str, extra: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_plan(write(kind, extra))
    assert any(str(f).endswith(message) for f in error.value.faults), error.value.faults
