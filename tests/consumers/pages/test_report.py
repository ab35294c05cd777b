"""Consumer of the run report: its numbers, and that it holds no text and no secret."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from caspipe.consumers.pages.report import ReportConsumer
from caspipe.consumers.pages.report_run import (
    duration,
    may_name_a_document,
    megabytes,
    pace_chart,
    rate,
    without_secrets,
)
from caspipe.consumers.pages.tally import Tally
from caspipe.pipeline.contract.report import ComponentStats, Documents, Failure, RunReport
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import Cas

Make = Callable[..., Cas]


def run_report(**changes: Any) -> RunReport:
    stats = ComponentStats("regex/names", "Annotator")
    stats.add(0.25, 3)
    stats.add(0.75, 5)
    stats.settle()
    report = RunReport(
        name="deidentify",
        started="2025-01-02T03:04:05Z",
        seconds=2.0,
        documents=Documents(4, 2, 2, 0),
        failures=[
            Failure(
                2,
                "ward/Featherstone",
                "reader/text",
                "ReaderError",
                "notes/Featherstone.txt: neither UTF-8",
                "unreadable",
            ),
            Failure(3, "ward/b", "models/crf", "KeyError", "models/crf: KeyError"),
        ],
        components=[stats],
        warnings=["no key: <dates> become placeholders"],
        config={"engines": [{"id": "masker", "parameters": {"DATE": {"shift": {"days": 365, "key": "hunter2"}}}}]},
        versions={"python": "3.11.7", "caspipe": "0.1.0"},
        characters=140,
    )
    for name, value in changes.items():
        setattr(report, name, value)
    return report


def written(output: Path, *documents: Cas, report: RunReport | None = None, **parameters: Any) -> str:
    c = ReportConsumer(**parameters)
    c.output = output
    c.open()
    for cas in documents:
        c.process(cas)
    c.close()
    c.finish(report or run_report())
    return (output / "restricted/report.html").read_text()


def rows(page: str, heading: str) -> list[list[str]]:
    found = html.fromstring(page).xpath(f"//h2[.='{heading}']/following-sibling::*[1]//tbody/tr")
    return [[cell.text_content() for cell in row] for row in found]


def test_documents_are_counted(tmp_path: Path, make: Make) -> None:
    parsed = html.fromstring(written(tmp_path, make("a"), make("b")))
    cards = dict(zip(parsed.xpath("//dt/text()"), parsed.xpath("//dd/text()"), strict=True))
    assert cards == {
        "Documents read": "4",
        "Released": "2",
        "Quarantined": "2",
        "Skipped": "0",
        "Characters released": "140",
        "Duration": "2.0 s",
        "Documents per second": "2",
    }
    assert parsed.xpath("//*[contains(@class, 'status')]/text()") == ["2 of 4 documents were not released"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"documents": Documents(2, 2)}, "All documents were released"),
        ({"stopped": "interrupted"}, "Stopped early: interrupted"),
        ({"documents": Documents(2, 2), "stopped": "limit"}, "All documents were released"),
    ],
)
def test_the_status_says_how_the_run_ended(tmp_path: Path, changes: dict[str, Any], status: str) -> None:
    parsed = html.fromstring(written(tmp_path, report=run_report(**changes)))
    assert parsed.xpath("//*[contains(@class, 'status')]/text()") == [status]


def test_kinds_rules_and_operators_are_counted(tmp_path: Path, make: Make) -> None:
    page = written(tmp_path, make("a"), make("b"))
    assert rows(page, "Detected spans") == [
        ["AGE", "2", "33.3 %", "2", ""],
        ["DATE", "2", "33.3 %", "2", ""],
        ["PERSON_DOCTOR", "2", "33.3 %", "2", ""],
    ]
    assert rows(page, "Who found it") == [
        ["regex/ages", "2", "2", "0", ""],
        ["regex/dates", "2", "2", "0", ""],
        ["regex/names", "2", "2", "0", ""],
        ["models/crf", "4", "0", "2", ""],
    ]
    found = html.fromstring(page).xpath("//details[summary='By rule']//tbody/tr")
    assert [[c.text_content() for c in row] for row in found] == [
        ["regex/ages", "aged", "2", "2", "0", ""],
        ["regex/dates", "numeric", "2", "2", "0", ""],
        ["regex/names", "title_name", "2", "2", "0", ""],
        ["models/crf", "NAME", "4", "0", "2", ""],
    ]
    assert rows(page, "How it was masked") == [["DATE", "shift", "2"], ["PERSON_DOCTOR", "placeholder", "2"]]
    assert rows(page, "Placeholders instead of surrogates") == [["shift", "no key", "2"]]


def test_timings_and_errors_are_listed(tmp_path: Path) -> None:
    page = written(tmp_path)
    (row,) = rows(page, "Where the time went")
    assert row[:6] == ["regex/names", "Annotator", "2", "8", "1.0 s", "500.00"]
    assert row[8:] == ["750.00", "0", ""]
    assert rows(page, "Errors") == [
        ["error", "a component raised an error", "1"],
        ["unreadable", "it could not be read", "1"],
    ]
    assert rows(page, "Failures by component") == [
        ["models/crf", "KeyError", "error", "1"],
        ["reader/text", "ReaderError", "unreadable", "1"],
    ]
    assert rows(page, "Versions") == [["caspipe", "0.1.0"], ["python", "3.11.7"]]
    assert "no key: &lt;dates&gt; become placeholders" in page


def test_document_ids_and_messages_are_there_only_where_asked_for(tmp_path: Path) -> None:
    page = written(tmp_path)
    assert rows(page, "Failed documents") == [
        ["2", "unreadable", "reader/text", "ReaderError"],
        ["3", "error", "models/crf", "KeyError"],
    ]
    assert "Featherstone" not in page
    page = written(tmp_path, document_ids=True)
    assert rows(page, "Failed documents")[0] == [
        "2",
        "ward/Featherstone",
        "unreadable",
        "reader/text",
        "ReaderError",
        "notes/Featherstone.txt: neither UTF-8",
    ]
    page = written(tmp_path, max_failures=1)
    assert len(rows(page, "Failed documents")) == 1
    assert "1 more are not listed" in page
    assert "Failed documents" not in written(tmp_path, max_failures=0)


def test_the_report_holds_no_text_and_no_secret(tmp_path: Path, make: Make) -> None:
    page = written(tmp_path, make("Featherstone"))
    for word in ("Featherstone", "Ivy", "3/4/2020", "Parkinson", "hunter2"):
        assert word not in page
    assert "(secret)" in page
    page = written(tmp_path, configuration=False)
    assert "Configuration" not in page
    assert rows(page, "Versions")


def test_secrets_are_hidden_by_name_at_any_depth() -> None:
    given = {"a": [{"api_Key": "x", "Password": "y", "days": 3}], "token": "", "n": ("z",)}
    assert without_secrets(given) == {
        "a": [{"api_Key": "(secret)", "Password": "(secret)", "days": 3}],
        "token": "",
        "n": ["z"],
    }


def test_a_rolled_back_document_does_not_count(tmp_path: Path, make: Make) -> None:
    c = ReportConsumer()
    c.output = tmp_path
    c.open()
    c.rollback("never")
    for name in ("a", "b"):
        c.process(make(name))
    c.rollback("b")
    c.process(make("c"))
    c.close()
    c.finish(run_report())
    assert rows((tmp_path / "restricted/report.html").read_text(), "Detected spans")[0][:2] == ["AGE", "2"]


def test_both_halves_give_the_page_that_the_whole_gives(tmp_path: Path, make: Make) -> None:
    whole = written(tmp_path / "whole", make("a"), make("b"))
    worker, c = ReportConsumer(), ReportConsumer()
    c.output = tmp_path
    c.open()
    travelled = [json.loads(json.dumps(worker.prepare(make(name)))) for name in ("a", "b")]
    assert c.commit("a", travelled[0]) == []
    assert c.adopt_previous("b", [], c.resume_state(travelled[1]), lambda output: tmp_path) == []
    c.finish(run_report())
    assert (tmp_path / "restricted/report.html").read_text() == whole


@pytest.mark.parametrize("memo", [None, {}, {"documents": "Featherstone"}, {"documents": 1, "won": [["a", 2]]}, [1]])
def test_a_document_whose_counts_are_lost_is_not_reused(memo: object) -> None:
    assert ReportConsumer().adopt_previous("a", [], memo, lambda output: Path()) is None


def test_counts_come_back_from_plain_data(make: Make) -> None:
    tally = Tally.of(make("a"))
    tally.add(Tally.of(make("b", mask=False)))
    assert Tally.from_plain(json.loads(json.dumps(tally.to_plain()))) == tally
    assert Tally().to_plain() == {"documents": 0}


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        (Documents(4, 2, 1, 1), "✓ 4 read = 2 released + 1 quarantined + 1 skipped: every document is accounted for"),
        (
            Documents(1004, 1002, 1, 0),
            "✗ 1,004 read ≠ 1,002 released + 1 quarantined + 0 skipped: "
            "documents are missing from the account: release nothing",
        ),
    ],
)
def test_the_page_shows_whether_every_document_is_accounted_for(
    tmp_path: Path, documents: Documents, told: str
) -> None:
    page = html.fromstring(written(tmp_path, report=run_report(documents=documents)))
    (account,) = page.xpath("//*[contains(@class, 'account')]")
    assert account.text_content() == told
    assert ("bad" in account.get("class")) == ("✗" in told)


def test_workers_memory_retries_and_reuse_are_shown_where_there_were_any(tmp_path: Path) -> None:
    report = run_report(
        workers=2,
        attempts=3,
        reused=1500,
        repaired=1200,
        resident={"run": 90_000_000, "worker 1": 245_400_000},
        shard="3/64",
        fingerprint="0123456789abcdef0123",
        reasons={"leak": 2, "odd": 12_000},
        slowest=[(0.5, 7), (0.25, 2)],
    )
    page = written(tmp_path, report=report)
    parsed = html.fromstring(page)
    cards = dict(zip(parsed.xpath("//dt/text()"), parsed.xpath("//dd/text()"), strict=True))
    assert cards["Workers"] == "2"
    assert cards["Retries"] == "3"
    assert cards["Reused from an earlier run"] == "1,500"
    assert cards["Spans added by the leak gate"] == "1,200"
    assert cards["Peak memory of a process"] == "245 MB"
    assert rows(page, "Memory") == [["run", "90 MB", ""], ["worker 1", "245 MB", ""]]
    assert rows(page, "Slowest documents") == [["7", "500.0", ""], ["2", "250.0", ""]]
    assert rows(page, "Errors") == [
        ["odd", "", "12,000"],
        ["leak", "the leak gate found masked or known values in the masked text", "2"],
    ]
    assert "The first 2 of 12,002" in page
    assert "shard 3/64" in page
    assert "0123456789abcdef<" in page


def test_a_warning_or_an_error_that_may_name_a_document_is_only_counted(tmp_path: Path) -> None:
    report = run_report(
        warnings=["document Featherstone: left out: 1 relation", "regex/names: nothing found", "notes/b.ann: left out"],
        stopped="reader/text: ReaderError: notes/Featherstone.txt: damaged",
        failures=[],
    )
    page = written(tmp_path, report=report)
    assert "Featherstone" not in page
    assert "notes/b" not in page
    assert "regex/names: nothing found" in page
    assert "2 warnings that may name documents or files" in page
    assert "Stopped early: reader/text: ReaderError<" in page
    page = written(tmp_path, report=report, document_ids=True)
    assert "document Featherstone: left out: 1 relation" in page
    assert "Stopped early: reader/text: ReaderError: notes/Featherstone.txt: damaged<" in page


@pytest.mark.parametrize(
    ("warning", "named"),
    [
        ("document a b: left out: 1 relation", True),
        ("notes/a.ann: left out", True),
        ("C:\\notes\\a.ann: left out", True),
        ("Featherstone.txt: left out", True),
        ("masker: no key: dates become placeholders", False),
        ("UserWarning from parse.py:12", False),
        ("text: metadata author may not be written", False),
        ("models/crf: 3 spans", False),
    ],
)
def test_warnings_that_may_name_a_document_are_known(warning: str, named: bool) -> None:
    assert may_name_a_document(warning, ["models/crf"]) == named


def test_the_chart_shows_documents_a_second(tmp_path: Path) -> None:
    page = written(tmp_path, report=run_report(pace=[4, 8, 1], pace_seconds=2.0, seconds=4.5))
    bars = html.fromstring(page).xpath("//figure//rect")
    assert [float(b.get("height")) for b in bars] == [60.0, 120.0, 60.0]  # 2, 4 and 2 a second: the last slice is short
    assert [float(b.get("x")) for b in bars] == [0.0, 320.0, 640.0]
    assert "2.9 documents per second on average, 4 at most, over 4.5 s" in page
    assert not pace_chart([5], 1.0, 1.0)
    assert not pace_chart([], 0.0, 0.0)
    assert "<rect" not in pace_chart([0, 0], 1.0, 2.0)


@pytest.mark.parametrize(("value", "told"), [(1234.5, "1,234"), (10, "10"), (7.46, "7.5"), (0.044, "0.044")])
def test_rates_are_for_people(value: float, told: str) -> None:
    assert rate(value) == told


@pytest.mark.parametrize(
    ("size", "told"), [(245_400_000, "245 MB"), (3_140_000, "3.1 MB"), (1_245_000_000, "1,245 MB")]
)
def test_sizes_are_for_people(size: int, told: str) -> None:
    assert megabytes(size) == told


def test_the_same_run_gives_the_same_report(tmp_path: Path, make: Make) -> None:
    assert written(tmp_path, make("a")) == written(tmp_path, make("a"))


def test_a_run_without_documents_has_a_report(tmp_path: Path) -> None:
    page = written(tmp_path, report=RunReport(), file=Path("restricted/report.html"))
    assert rows(page, "Detected spans") == [["none"]]
    assert "Start not recorded" in page


def test_the_report_needs_nothing_from_outside(tmp_path: Path, make: Make) -> None:
    page = written(tmp_path, make("a"))
    parsed = html.fromstring(page)
    assert not parsed.xpath("//script | //link | //img | //*[@src] | //*[@style]")
    assert "http" not in page.replace("http-equiv", "")
    assert parsed.xpath("//html/@lang") == ["en"]
    assert all(t.xpath(".//th[@scope='col']") for t in parsed.xpath("//table"))


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 ms"), (0.0123, "12.3 ms"), (1, "1.0 s"), (59.94, "59.9 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations_are_for_people(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_faults(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_failures: expected 0 or more, got -1"):
        ReportConsumer(max_failures=-1)
    with pytest.raises(
        ValueError, match=r"file: expected a place outside of release/, because .*; try restricted/report.html"
    ):
        ReportConsumer(file=Path("release/report.html"))
    (tmp_path / "restricted").write_text("")
    c = ReportConsumer()
    c.output = tmp_path
    with pytest.raises(ConsumerError, match="restricted is a file"):
        c.open()
