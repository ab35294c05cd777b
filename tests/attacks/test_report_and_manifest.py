"""Reports stay restricted, and a release has a manifest with counts only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.audit.manifest import FORMAT, make_manifest
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.contract import registry
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.running.ledger import LedgerReader
from caspipe.typesystem import Cas, PhiCandidate, PhiKind
from caspipe.typesystem.xmi.writer import write_xmi

registry.load_file(str(Path(__file__).with_name("leaking.py")))
SECRET = "Quellmore"


def run(tmp_path: Path, reader: str, engines: str, consumers: str) -> Path:
    out = tmp_path / "out"
    text = f"name: release of {SECRET}\nreader: {reader}\nengines: {engines}\nconsumers: {consumers}\n"
    Pipeline.parse(text, [f"run.output={out}", "run.workers=0"]).run()
    return out


def released(out: Path) -> str:
    files = [p for p in sorted((out / "release").rglob("*")) if p.is_file()]
    return "".join(f"{p.relative_to(out)} {p.read_bytes().decode('utf-8', 'replace')}" for p in files)


@pytest.mark.attack("report")
def test_no_path_rule_or_name_reaches_the_release(tmp_path: Path) -> None:
    notes = tmp_path / f"notes of {SECRET}"
    notes.mkdir()
    cas = Cas("Seen by Ann Bell today.", id="a")
    candidate = PhiCandidate(
        8, 16, kind=PhiKind.PERSON, confidence=1.0, rule=f"rule of {SECRET}", reason=f"why {SECRET}"
    )
    cas.add(candidate.set_source(f"source of {SECRET}"))
    (notes / "a.xmi").write_bytes(write_xmi(cas))
    reader = f"{{xmi: {{folder: {json.dumps(str(notes))}}}}}"
    consumers = "[text, jsonl, csv, report]"
    out = run(tmp_path, reader, "[resolver, masker, leak_gate]", consumers)
    assert "Seen by [PERSON] today." in released(out)
    assert SECRET not in released(out) and str(tmp_path) not in released(out)
    assert SECRET in (out / "restricted/report.html").read_text()  # the page for people who may read originals
    assert (out / "restricted/report.html").stat().st_mode & 0o777 == 0o600


@pytest.mark.attack("report")
def test_a_report_below_release_is_a_fault_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("engines: [masker]\nconsumers:\n  - report: {file: release/report.html}\n")
    with pytest.raises(ConfigError, match=r"a.yaml:3: report.file: release/report.html is in release/"):
        Pipeline.load(tmp_path / "a.yaml")


@pytest.mark.attack("report")
def test_no_shipped_configuration_writes_its_report_below_release() -> None:
    configs = [path.read_text() for path in sorted(folder().rglob("*.yaml"))]
    assert sum("restricted/report.html" in text for text in configs) >= 5
    assert not any("release/report.html" in text for text in configs)


@pytest.mark.attack("gate-mends")
def test_manifest_and_report_count_what_the_gate_repaired_and_refused(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("{PERSON:Quellmore} was seen. The note of Quellmore was lost.")
    (notes / "b.txt").write_text("Nothing here.")
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    out = run(tmp_path, reader, "[leaking_marks, resolver, masker, leak_gate]", "[text, report]")
    data = json.loads((out / "release/manifest.json").read_text())
    assert data["gate"] == {"repaired_spans": 1, "repaired_documents": 1, "refused_documents": 0}
    assert data["documents"] == {"read": 2, "released": 2, "quarantined": 0, "skipped": 0}
    assert (data["format"], data["kinds"], data["scan"]["state"]) == (FORMAT, {"PERSON": 2}, "done")
    page = (out / "restricted/report.html").read_text()
    assert "Documents repaired by the leak gate" in page and "Release scanner" in page


@pytest.mark.attack("report")
def test_the_manifest_of_an_audit_keeps_what_the_run_wrote(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("{PERSON:Quellmore} was seen.")
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    out = run(tmp_path, reader, "[leaking_marks, resolver, masker]", "[text]")
    written = json.loads((out / "release/manifest.json").read_text())
    with LedgerReader.read(out) as ledger:
        data = make_manifest(out, ledger).data
        (out / "release/manifest.json").write_text(json.dumps(data))
        assert make_manifest(out, ledger).data == data  # also from its own result
    assert {name: data[name] for name in ("gate", "kinds", "scan", "names", "versions")} == {
        name: written[name] for name in ("gate", "kinds", "scan", "names", "versions")
    }
    assert [f["path"] for f in data["files"]] == ["text/000001.txt"]
