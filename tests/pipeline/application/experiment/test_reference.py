"""A published table beside our own figures: which row is which, what is missing on either side, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.pipeline.application.experiment import (
    Counts,
    ExperimentRunner,
    JobOutcome,
    Result,
    Scores,
    Table,
    experiment_of,
    read_plan,
    run_experiment,
)
from caspipe.pipeline.application.experiment.reference import Reference
from caspipe.pipeline.application.experiment.report import table_data
from caspipe.pipeline.errors import ConfigError

Write = Callable[..., Path]
TABLE_2 = """{comparison: {reference: [{title: "Table 2", criterion: token-binary,
  rows: {memory: [99, 98.5, 98.7], digits alone: [50.25, null, 33], another system: [1, 2, 3]},
  ours: {digits alone: digits}}]}}"""
TABLE_3 = """{comparison: {reference: [{title: "Table 3", criterion: token, system: digits, scale: 1,
  measures: [recall, precision], rows: {Record: [0.25, 0.5], All of them: [0.1, 0.2], Fax: [0, 1]},
  ours: {Record: ID, All of them: [ID, PERSON], Fax: FAX}, note: Other documents.}]}}"""


@pytest.fixture
def run(write: Write, tmp_path: Path) -> Callable[[str, str], Result]:
    def done(kind: str, criteria: str) -> Result:
        plan = read_plan(write(kind, f"test: clinics\ncriteria: [{criteria}]"))
        return experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out"))

    return done


def outcome(**counts: Counts) -> JobOutcome:
    job: object = None
    return JobOutcome(job, "", {"scores": Scores({("token", kind): c for kind, c in counts.items()}).to_json()})  # type: ignore[arg-type]


def test_rows_over_systems_stand_beside_our_own_on_the_source_s_scale(run: Callable[[str, str], Result]) -> None:
    result = run(TABLE_2, "token-binary, strict")
    table = next(t for t in result.tables if t.title == "Table 2")
    assert table.columns == ["system", "here|P", "here|R", "here|F1", "source|P", "source|R", "source|F1"]
    memory, digits, other = table.rows
    assert [memory[0], *memory[4:]] == ["memory", 99, 98.5, 98.7]
    # each document: 4 or so gold tokens (two mentions of a name and a number); the digits rule finds the number and the ward
    assert digits[1] == 50.0
    assert isinstance(digits[2], float)
    assert 0 < digits[2] < 50
    assert digits[4:] == [50.25, "", 33]
    assert other == ["another system", "", "", "", 1, 2, 3]


def test_rows_over_kinds_add_up_the_kinds_they_stand_for(run: Callable[[str, str], Result]) -> None:
    result = run(TABLE_3, "token")
    table = next(t for t in result.tables if t.title == "Table 3")
    assert table.columns == ["kind", "here|R", "here|P", "source|R", "source|P"]
    assert table.note == "Other documents."
    record, both, fax = table.rows
    assert record == ["Record", 1.0, 0.5, 0.25, 0.5]
    assert 0 < both[1] < 1  # type: ignore[operator]  # names are missed
    assert both[2] == 0.5
    assert fax == ["Fax", "", "", 0, 1]


def test_folds_are_averaged_and_a_figure_without_denominator_is_undefined() -> None:
    reference = Reference(title="", criterion="token", system="s", rows={"AGE": [90, 90, 90], "ID": [1, 1, 1]})
    many = [outcome(AGE=Counts(4, 1, 4, 1), ID=Counts(2, 0, 0, 0)), outcome(AGE=Counts(4, 3, 4, 3))]
    age, number = reference.table({"s": many}).rows
    assert age[1:4] == [50.0, 50.0, 50.0]
    assert number[1:4] == [None, 0.0, None]


def test_a_criterion_that_knows_no_kinds_has_no_tables_of_kinds(run: Callable[[str, str], Result]) -> None:
    result = run("comparison", "token-binary, strict")
    assert [t.title for t in result.tables] == [
        "All kinds together, on clinics",
        "F1 by kind and system, strict",
        *(f"{s} on clinics" for s in ("memory", "digits", "both")),
    ]
    assert result.tables[-1].columns == ["kind", "strict|P", "strict|R", "strict|F1", "spans"]
    assert {f.split()[1] for f in result.findings} == {"token-binary", "strict"}
    alone = run("comparison", "token-binary")
    assert [row[0] for row in alone.tables[-1].rows] == ["OVERALL"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("criterion: tokens, rows: {}", "expected one of the criteria of this file (strict, token), got 'tokens'"),
        ("criterion: token, rows: {a: [1]}", "rows.a: expected 3 numbers (precision, recall, f1), got 1"),
        ("criterion: token, rows: {a: [1, 2, 101]}", "rows.a: expected numbers from 0 to 100 (scale)"),
        ("criterion: token, scale: 0, rows: {}", "scale: expected a number above 0, got 0"),
        ("criterion: token, measures: [], rows: {}", "measures: expected at least one"),
        ("criterion: token, rows: {a: [1, 2, 3]}, ours: {a: memry}", "no system called 'memry'; did you mean memory?"),
        ("criterion: token, rows: {abc: [1, 2, 3]}, ours: {abd: memory}", "ours.abd: no such row; did you mean abc?"),
        ("criterion: token, rows: {a: [1, 2, 3]}, ours: {a: [memory, digits]}", "ours.a: expected one system, got 2"),
        ("criterion: token, rows: {a: [1, 2, 3]}, ours: {a: NAYM}, system: both", "no kind called 'NAYM'"),
        ("criterion: token, rows: {}, system: bth", "no system called 'bth'; did you mean both?"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(write: Write, given: str, told: str) -> None:
    path = write(f"{{comparison: {{reference: [{{title: T, {given}}}]}}}}", "criteria: [strict, token]")
    with pytest.raises(ConfigError) as caught:
        read_plan(path)
    (fault,) = caught.value.faults
    assert told in str(fault)
    assert "small.yaml:2: experiment.comparison.reference.0" in str(fault)


def test_the_table_is_in_every_form_of_the_report(write: Write, tmp_path: Path) -> None:
    plan = read_plan(write(TABLE_2, "test: clinics\ncriteria: [token-binary]"))
    run_experiment(plan, tmp_path / "out")
    markdown = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| system | here P | here R | here F1 | source P | source R | source F1 |" in markdown
    assert "| another system |  |  |  | 1.000 | 2.000 | 3.000 |" in markdown
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '<th scope="colgroup" colspan="3" class="group">source</th>' in page


def test_cells_that_one_side_lacks_do_not_make_a_column_text() -> None:
    table = Table("T", ["system", "here|P", "source|P"], [["a", "", 1.0], ["b", 0.5, ""]])
    cells = [cell for row in table_data(table)["rows"] for cell in row["cells"]]
    assert cells.count({"css": "n start", "text": ""}) == 2
