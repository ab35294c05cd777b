"""Reports: whole without anything outside, honest in the first line, the same bytes every time."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

import pytest

from caspipe.pipeline.application.experiment import Table, read_plan, run_experiment
from caspipe.pipeline.application.experiment.report import inline, markdown_table
from caspipe.pipeline.application.experiment.result import plus_minus, shown, to_csv

Write = Callable[..., Path]
plots = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib")
KIND = "{sweep: {values: [1, 2]}}"


def reported(path: Path, folder: Path, *overrides: str) -> str:
    plan = read_plan(path, overrides)
    plan.given = "small"
    run_experiment(plan, folder)
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@plots
def test_the_same_run_gives_the_same_files(write: Write, tmp_path: Path) -> None:
    path = write(KIND)
    reported(path, tmp_path / "a")
    reported(path, tmp_path / "b")
    names = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.*") if "jobs" not in p.parts)
    assert len([n for n in names if n.suffix == ".png"]) == 3
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


@pytest.mark.slow
@plots
def test_the_page_needs_nothing_outside_and_forbids_it(write: Write, tmp_path: Path) -> None:
    html = reported(write("{comparison: {}}", "test: clinics"), tmp_path)
    policy = html.partition('content="')[2].partition('"')[0]
    assert policy.startswith("default-src 'none';") and policy.endswith("img-src data:")
    assert not re.search(r'(?:src|href)="(?!#|data:image/png)', html)
    body = html[html.index("<body>") :]
    assert "style=" not in body
    assert "<style" not in body
    ids = re.findall(r'\bid="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', body))
    assert references <= set(ids)


@pytest.mark.slow
@plots
def test_the_page_is_well_nested(write: Write, tmp_path: Path) -> None:
    class Nesting(HTMLParser):
        open: ClassVar[list[str]] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br", "rect", "col"):
                self.open.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None: ...

        def handle_endtag(self, tag: str) -> None:
            if tag != "rect":
                assert self.open.pop() == tag

    nesting = Nesting()
    nesting.feed(reported(write("comparison"), tmp_path))
    assert nesting.open == []


def test_a_full_run_says_so_and_a_short_one_what_is_missing(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None
    )  # no figures: they take long, and are tested above
    path = write("{learning_curve: {proportions: [1.0]}}", "test: clinics")
    html = reported(path, tmp_path / "full")
    assert "A full run: 24 documents of wards, 10 documents of clinics, 100 repetitions." in html
    html = reported(path, tmp_path / "short", "experiment.repetitions=2", "limit=8", "seed=3")
    assert "A short run: 2 of 100 repetitions, 8 of 24 documents of wards, 8 of 10 documents of clinics." in html
    assert "caspipe experiment small --set experiment.repetitions=2 --set limit=8 --set seed=3" in html
    assert "<pre>caspipe experiment small --set seed=3</pre>" in html
    page = (tmp_path / "short" / "report.md").read_text(encoding="utf-8").splitlines()
    assert page[0] == "# A small one"
    assert page[2].startswith("A short run: 2 of 100 repetitions")
    assert page[2].endswith("The full run: `caspipe experiment small --set seed=3`")


def test_fewer_folds_than_the_source_s_count_as_short(write: Write, tmp_path: Path) -> None:
    assert "A short run: 3 of 5 folds." in reported(write("cross_validation"), tmp_path)


def test_results_are_there_for_programs(write: Write, tmp_path: Path) -> None:
    reported(write("cross_validation"), tmp_path)
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert data["experiment"] == "cross_validation"
    assert data["corpora"] == {"wards": {"documents": 24, "of": 24}}
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(data["records"])
    assert {r["system"] for r in rows} == {"memory", "digits", "both"}
    assert float(rows[0]["precision"]) == data["records"][0]["precision"]
    assert any(r["kind"] == "PERSON" and r["precision"] == "" and r["recall"] == "0.0" for r in rows)


@pytest.mark.slow
def test_no_text_of_a_document_is_in_any_output(write: Write, tmp_path: Path) -> None:
    reported(write("comparison"), tmp_path)
    for path in tmp_path.rglob("*.*"):
        if path.suffix in (".json", ".csv", ".md", ".html"):
            text = path.read_text(encoding="utf-8")
            assert "mann" not in text
            assert "was filed" not in text


@pytest.mark.skipif(os.name == "nt", reason="POSIX file modes")
def test_a_report_that_quotes_features_is_for_its_owner_and_says_so(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"O": {"top": [["0:lower=the", 1.0]], "share": 1.0, "of": 1}}
    monkeypatch.setattr("caspipe.pipeline.application.experiment.job.rankings", lambda path, n: found)
    html = reported(write("ranking"), tmp_path)
    assert "as confidential as they are" in html
    assert "holds no text" not in html
    written = [p for p in tmp_path.rglob("*.*") if p.is_file() and p.name != "small.yaml"]
    assert len(written) >= 5
    assert {p.stat().st_mode & 0o077 for p in written} == {0}


def test_the_configuration_stands_in_the_page_as_it_was_written(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("X_PLACE", "somewhere-private")
    path = write("positions", 'note: "${X_PLACE:-nowhere}"')
    html = reported(path, tmp_path, "note=nothing")
    assert "${X_PLACE:-nowhere}" in html
    assert "somewhere-private" not in html


def test_without_matplotlib_tables_are_written_and_a_line_says_what_to_install(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    html = reported(write(KIND), tmp_path)
    assert "pip install &#39;caspipe[plots]&#39;" in html
    assert "<h3>memory: all kinds" in html
    assert not (tmp_path / "figures").exists()
    assert "caspipe[plots]" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_cells_for_people() -> None:
    assert [shown(c) for c in (None, 0.12345, 1234, "x", True)] == ["undefined", "0.123", "1,234", "x", "yes"]
    assert plus_minus(0.9, 0.0123) == "0.900 ± 0.012"
    assert plus_minus(0.9, None) == "0.900"
    assert plus_minus(None, 0.1) == "undefined"


def test_records_of_different_columns_make_one_csv() -> None:
    assert to_csv([{"a": 1, "b": None}, {"b": 0.1, "c": "x,y"}]) == 'a,b,c\n1,,\n,0.1,"x,y"\n'


def test_a_markdown_table_flattens_common_headings_and_escapes() -> None:
    table = Table("t", ["kind", "strict|P", "strict|R"], [["a|b", 0.5, None]])
    assert markdown_table(table) == [
        "| kind | strict P | strict R |",
        "| --- | ---: | ---: |",
        "| a\\|b | 0.500 | undefined |",
    ]


def test_style_attributes_of_a_drawing_become_presentation_attributes() -> None:
    svg = (
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><metadata>x</metadata><style>*{}</style>'
        '<path id="p1" style="fill: #fff; stroke-width: 2"/><use xlink:href="#p1" clip-path="url(#c)"/></svg>'
    )
    assert inline(svg, "f", 'a "b"') == (
        '<svg role="img" aria-label="a &quot;b&quot;" stroke-linejoin="round" stroke-linecap="butt" '
        'xmlns="http://www.w3.org/2000/svg"><path id="f-p1" fill="#fff" stroke-width="2"/>'
        '<use xlink:href="#f-p1" clip-path="url(#f-c)"/></svg>'
    )
