"""Readers and consumers together in a run: every document is accounted for, and a failed one leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.pages import html
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.pipeline import Pipeline

CONFIG = """
reader:
  text: {{folder: {folder}}}
engines: [segmenter, dates, resolver, masker]
consumers: [text, jsonl, csv, xmi, html, report]
run: {{output: {output}, names: id}}
"""


def run(tmp_path: Path) -> RunReport:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"Featherstone {name} on 3/4/2020.")
    (folder / "d.txt").write_bytes(b"Featherstone \x81\xff")
    return Pipeline.parse(CONFIG.format(folder=folder, output=tmp_path / "out")).run()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_was_written_of_a_failed_document_is_taken_back_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listing: Callable[[Path], list[str]]
) -> None:
    page = html.document_page

    def failing(cas: Any, *rest: Any) -> bytes:
        if cas.id == "b":
            raise ValueError(cas.text)
        return page(cas, *rest)

    monkeypatch.setattr(html, "document_page", failing)
    report = run(tmp_path)
    d = report.documents
    assert (d.read, d.released, d.quarantined, d.skipped) == (4, 2, 2, 0)
    assert [(f.document, f.cause) for f in report.failures] == [("b", "ValueError"), ("d", "ReaderError")]
    out = tmp_path / "out"
    assert [name for name in listing(out) if not name.startswith(("restricted/quarantine/", "restricted/ledger."))] == [
        "release/documents.jsonl",
        "release/manifest.json",
        "release/spans.csv",
        "release/text/a.txt",
        "release/text/c.txt",
        "restricted/html/a.html",
        "restricted/html/c.html",
        "restricted/html/index.html",
        "restricted/report.html",
        "restricted/xmi/TypeSystem.xml",
        "restricted/xmi/a.xmi",
        "restricted/xmi/c.xmi",
    ]
    lines = (out / "release/documents.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "c"]
    assert [row.partition(",")[0] for row in (out / "release/spans.csv").read_text().splitlines()] == [
        "document",
        "a",
        "c",
    ]
    shown = (out / "restricted/report.html").read_text()
    assert "2 of 4 documents were not released" in shown
    assert "Featherstone" not in shown
    assert "Featherstone" not in json.dumps(report.to_json())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_second_run_over_the_same_documents_writes_the_same_files(tmp_path: Path) -> None:
    run(tmp_path)
    files = [
        p for p in (tmp_path / "out").rglob("*") if p.is_file() and p.name != "report.html" and "ledger" not in p.name
    ]
    before = {p: p.read_bytes() for p in files}
    Pipeline.parse(CONFIG.format(folder=tmp_path / "notes", output=tmp_path / "out")).run()
    assert {p: p.read_bytes() for p in files} == before
