"""Consumer of the run report: its numbers, and that it holds no text and no secret."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from caspipe.consumers.report import ReportConsumer, duration, without_secrets
from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.report import ComponentStats, Documents, Failure, RunReport
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
            Failure(2, "ward/Featherstone", "reader/text", "ReaderError", "notes/Featherstone.txt: neither UTF-8"),
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
    return (output / "release/report.html").read_text()


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
        "Documents a second": "2",
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
    assert rows(page, "What was found") == [
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
    assert rows(page, "Errors") == [["models/crf", "KeyError", "1"], ["reader/text", "ReaderError", "1"]]
    assert rows(page, "Versions") == [["caspipe", "0.1.0"], ["python", "3.11.7"]]
    assert "no key: &lt;dates&gt; become placeholders" in page


def test_document_ids_and_messages_are_there_only_where_asked_for(tmp_path: Path) -> None:
    page = written(tmp_path)
    assert rows(page, "Failed documents") == [["2", "reader/text", "ReaderError"], ["3", "models/crf", "KeyError"]]
    assert "Featherstone" not in page
    page = written(tmp_path, document_ids=True)
    assert rows(page, "Failed documents")[0] == [
        "2",
        "ward/Featherstone",
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


def test_a_retracted_document_does_not_count(tmp_path: Path, make: Make) -> None:
    c = ReportConsumer()
    c.output = tmp_path
    c.open()
    c.retract(make("never"))
    for name in ("a", "b"):
        c.process(make(name))
    c.retract(make("b"))
    c.process(make("c"))
    c.close()
    c.finish(run_report())
    assert rows((tmp_path / "release/report.html").read_text(), "What was found")[0][:2] == ["AGE", "2"]


def test_the_same_run_gives_the_same_report(tmp_path: Path, make: Make) -> None:
    assert written(tmp_path, make("a")) == written(tmp_path, make("a"))


def test_a_run_without_documents_has_a_report(tmp_path: Path) -> None:
    page = written(tmp_path, report=RunReport(), file=Path("release/report.html"))
    assert rows(page, "What was found") == [["none"]]
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
    (tmp_path / "release").write_text("")
    c = ReportConsumer()
    c.output = tmp_path
    with pytest.raises(ConsumerError, match="release is a file"):
        c.open()
