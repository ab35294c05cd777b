"""`runner: spark`: the same bytes as workers on this machine make, whatever befalls a document or a worker."""

from __future__ import annotations

import json
import os
import pickle
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline import Pipeline, TwoPhaseConsumer
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.running.ledger import Ledger
from caspipe.pipeline.running.quarantine import Quarantine
from caspipe.pipeline.running.runners.spark import runner
from caspipe.pipeline.running.runners.spark.runner import SparkRunner
from caspipe.pipeline.running.runners.work import Item, Result
from caspipe.pipeline.storage.spark_session import SparkError
from caspipe.typesystem import Cas

from .conftest import KEY

pytestmark = pytest.mark.spark

ENGINES = """\
engines:
  - segmenter
  - dates
  - identifiers
  - names
  - resolver
  - masker: {DATE: {shift: {days: [-365, 365], key: "${CASPIPE_KEY:-}"}}, default: placeholder}
  - leak_gate
"""
TROUBLE = """\
reader: {text: {folder: notes}}
engines: [segmenter, dates, names, t_spark_trouble, resolver, masker]
consumers: [text, jsonl, {jsonl: {id: records, folder: release/records}}]
run: {names: id, limits: {seconds: 60}}
"""


def notes(folder: Path, count: int) -> None:
    """Made-up notes, one of them empty, with letters and signs of many sorts."""
    drawn = random.Random("spark")
    folder.mkdir(exist_ok=True)
    names = ("Featherstone", "Okafor", "\u00c5ngstr\u00f6m")
    for n in range(count):
        said = " ".join(
            f"Dr. {drawn.choice(names)} saw her on {drawn.randint(1, 12)}/{drawn.randint(1, 28)}/2015: \u00e9puis\u00e9e "
            f"\U0001f600. Call 617-555-0{drawn.randint(100, 199)}."
            for _ in range(drawn.randint(0, 4))
        )
        (folder / f"note{n:03}.txt").write_text(said, encoding="utf-8")


def ran(config: Path, which: str, *overrides: str) -> tuple[RunReport, Path]:
    out = config.parent / which
    options = [f"run.output={out}", f"run.runner={which.partition('-')[0]}", *overrides]
    with Pipeline.load(config, options) as pipeline:
        return pipeline.run(), out


def released(out: Path) -> dict[str, bytes]:
    """Every file but the report, with its timings, and the ledger."""
    files = [p for p in out.rglob("*") if p.is_file() and p.name != "report.html" and "ledger." not in p.name]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(files)}


def rows(out: Path) -> list[tuple[Any, ...]]:
    """What the ledger says, without timings and without hashes, which are salted."""
    with Ledger.read(out) as ledger:
        kept = [(r.number, r.id, r.status, r.reason, r.component, r.cause, r.outputs) for r in ledger.rows()]
        states = [{**(r.states or {}), "": (r.states or {}).get("", [])[:-1]} for r in ledger.rows()]
    return [(*row, state) for row, state in zip(kept, states, strict=True)]


def troubled(folder: Path, *whats: str, good: int = 20) -> Path:
    """A corpus with documents that make trouble, and its configuration."""
    notes(folder / "notes", good)
    for what in whats:
        (folder / "notes" / f"note005-{what}.txt").write_text(f"Dr. Okafor, trouble={what}.", encoding="utf-8")
    config = folder / "trouble.yaml"
    config.write_text(TROUBLE)
    return config


def reasons(report: RunReport) -> dict[str, tuple[str, str]]:
    return {f.document.partition("-")[2]: (f.reason, f.cause) for f in report.failures}


def test_all_consumers_write_the_same_bytes_as_with_workers_here(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASPIPE_KEY", KEY)
    notes(tmp_path / "notes", 200)
    split = sorted(c.name for c in registry.components() if issubclass(c, TwoPhaseConsumer))
    more = ["{jsonl: {id: records, folder: release/records}}", "{sql: {url: 'sqlite:///release/notes.db'}}"]
    assert {"text", "xmi", "html", "brat", "jsonl", "parquet", "inception"} <= set(split)
    other = ("t_", "sql", "fhir", "e2b")  # the last two write back what their readers read
    config = tmp_path / "all.yaml"
    consumers = ", ".join([*(name for name in split if not name.startswith(other)), *more])
    config.write_text(f"reader: {{text: {{folder: notes}}}}\n{ENGINES}consumers: [{consumers}]\n")
    here, expected = ran(config, "local", "run.workers=2")
    there, out = ran(config, "spark")
    assert (here.documents.released, here.exit_code) == (200, 0)
    assert there.documents == here.documents
    assert (there.kinds, there.sources, there.characters) == (here.kinds, here.sources, here.characters)
    assert there.workers == 2
    assert released(out) == released(expected)
    assert len(released(out)) > 1_000
    assert rows(out) == rows(expected)
    assert {s.id: (s.documents, s.annotations) for s in there.components} == {
        s.id: (s.documents, s.annotations) for s in here.components
    }


def test_documents_that_fail_are_kept_aside_and_the_others_are_released(
    spark: Any, tmp_path: Path, trouble: Path
) -> None:
    config = troubled(tmp_path, "raises", "recurses", "hogs", "exits")
    (tmp_path / "notes" / "note006-encoding.txt").write_bytes(b"Dr. Okafor \xff")
    report, out = ran(config, "spark", "reader.text.encoding=utf-8")
    assert reasons(report) == {
        "raises": ("error", "KeyError"),
        "recurses": ("error", "RecursionError"),
        "hogs": ("memory", "MemoryError"),
        "exits": ("crash", "SystemExit"),
        "encoding": ("unreadable", "ReaderError"),
    }
    assert (report.documents.read, report.documents.released, report.exit_code) == (25, 20, 3)
    assert {f.component for f in report.failures} == {"t_spark_trouble", "reader/text"}
    assert len(list((out / "release/text").iterdir())) == 20
    assert not [name for name, data in released(out).items() if name.startswith("release/") and b"Okafor" in data]
    kept = [json.loads(p.read_text())["document"] for p in (out / "restricted/quarantine").glob("*.json")]
    assert sorted(kept) == sorted(f.document for f in report.failures)
    texts = {f.document.partition("-")[2]: Quarantine(out).text(f.number) for f in report.failures}
    assert texts == {what: f"Dr. Okafor, trouble={what}." for what in texts if what != "encoding"} | {"encoding": None}


def test_the_document_that_kills_its_worker_is_found(spark: Any, tmp_path: Path, trouble: Path) -> None:
    config = troubled(tmp_path, "dies")
    report, out = ran(config, "spark")
    assert reasons(report) == {"dies": ("crash", "Crash")}
    assert (report.documents.read, report.documents.released) == (21, 20)
    assert report.attempts == 1
    assert Quarantine(out).text(report.failures[0].number) == "Dr. Okafor, trouble=dies."
    (tmp_path / "notes" / "note005-dies.txt").unlink()
    _, expected = ran(config, "local", "run.workers=0")
    found, expected_files = released(out), released(expected)
    found.pop("release/manifest.json"), expected_files.pop("release/manifest.json")  # which count the lost document
    assert {k: v for k, v in found.items() if k.startswith("release/")} == expected_files


def test_a_run_goes_on_where_an_earlier_one_ended(spark: Any, tmp_path: Path, trouble: Path) -> None:
    config = troubled(tmp_path, "raises")
    first, out = ran(config, "spark", "run.limit=12")
    before = released(out)
    assert first.documents.read == 12
    again, _ = ran(config, "spark", "run.resume=true")
    assert (again.documents.read, again.reused) == (21, 12)
    for name, data in before.items():
        if "documents.jsonl" not in name and "manifest.json" not in name:
            assert released(out)[name] == data
    whole, expected = ran(config, "local", "run.workers=0")
    assert released(out) == released(expected)
    assert whole.documents == again.documents


def test_a_reader_without_handles_and_a_consumer_that_is_not_split(spark: Any, tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"r{n}", "text": f"Dr. Okafor \U0001f600 {n}"}) for n in range(10)]
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "a.jsonl").write_text("\n".join([*lines, '{"id": "r11"']), encoding="utf-8")
    config = tmp_path / "records.yaml"
    config.write_text("reader: {jsonl: {folder: records}}\nengines: [segmenter, names, masker]\nconsumers: [parquet]\n")
    report, out = ran(config, "spark")
    _, expected = ran(config, "local", "run.workers=0")
    assert (report.documents.released, report.documents.quarantined) == (10, 1)
    assert released(out) == released(expected)


def test_a_worker_that_cannot_begin_ends_the_run_and_says_why(spark: Any, tmp_path: Path, trouble: Path) -> None:
    config = troubled(tmp_path)
    closed = f"t_spark_trouble: {{opens: false, packer: {os.getpid()}}}"
    config.write_text(TROUBLE.replace("t_spark_trouble", f"{{{closed}}}"))
    with pytest.raises(SparkError, match="t_spark_trouble: KeyError"):
        ran(config, "spark")


def test_an_executor_that_would_do_something_else_is_refused(
    spark: Any, tmp_path: Path, trouble: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = troubled(tmp_path)
    monkeypatch.setattr(runner, "identity_of", lambda pipeline, salt: "0" * 64)
    with pytest.raises(SparkError, match="a plug-in, the version of a library or whether a key is set"):
        ran(config, "spark")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "code_version", lambda: "9.9+sha256.0")
    with pytest.raises(SparkError, match=r"an executor has caspipe .*, this machine 9\.9"):
        ran(config, "spark")


def test_a_pipeline_that_a_program_made_cannot_travel() -> None:
    with pytest.raises(ConfigError, match=r"runner: spark: expected a pipeline of a YAML file"):
        SparkRunner(Pipeline([]), b"")


def results(made: SparkRunner, items: Iterator[Item]) -> list[Result]:
    try:
        return [result for _, result in made.results(items)]
    finally:
        made.kill()


def test_no_document_is_blamed_for_a_cluster_that_does_not_work(
    spark: Any, tmp_path: Path, trouble: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = SparkRunner(Pipeline.load(troubled(tmp_path, good=1)), b"")

    def broken(rows: object, parts: int) -> list[Result]:
        raise RuntimeError("no executors")

    monkeypatch.setattr(made, "_rows", broken)
    items = [Item(1, "a", packed=b"")]
    with pytest.raises(
        SparkError, match="Spark does not run jobs: RuntimeError; can its Python workers import caspipe"
    ):
        made._tried(items)
    made._works = True
    with pytest.raises(SparkError, match="Spark does not run jobs: RuntimeError; the run can be resumed"):
        results(made, iter(items))


def test_items_are_taken_only_as_fast_as_they_are_worked_on(spark: Any, tmp_path: Path, trouble: Path) -> None:
    made = SparkRunner(Pipeline.load(troubled(tmp_path, good=1)), b"")
    made._size = 5
    taken: list[int] = []

    def items() -> Iterator[Item]:
        for n in range(1, 101):
            taken.append(n)
            yield Item(n, f"d{n}", packed=pickle.dumps(Cas("Dr. Okafor", id=f"d{n}")))

    found = made.results(items())
    assert next(found)[1].number == 1
    assert len(taken) <= 5 * 3
    found.close()  # type: ignore[attr-defined]
    assert made._ended
