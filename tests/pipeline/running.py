"""Runs for tests: small corpora, what became of each document, and all files but those that tell the time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.running.runners.events import DocumentEvent, Observer

TROUBLES = Path(__file__).with_name("troubles.py")
SECRET = "Featherstone"
"""What no message may hold."""
registry.load_file(str(TROUBLES))

ENGINES = "[trouble, resolver, masker]"


class Seen(Observer):
    """What became of each document."""

    def __init__(self) -> None:
        self.events: list[DocumentEvent] = []

    def document(self, event: DocumentEvent) -> None:
        self.events.append(event)

    def reused(self) -> list[int]:
        return sorted(e.number for e in self.events if e.reused)

    def done(self) -> list[int]:
        return sorted(e.number for e in self.events if not e.reused)

    def statuses(self) -> dict[int, str]:
        return {e.number: e.reason or e.status for e in self.events}


def notes(folder: Path, texts: dict[str, str]) -> Path:
    """A file for each text."""
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return folder


def records(file: Path, documents: Iterable[tuple[str, str]]) -> Path:
    """A line of JSON for each document."""
    file.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in documents), encoding="utf-8")
    return file


def texts_of(names: Iterable[str]) -> dict[str, str]:
    return {name: f"Patient {name} has number {1000 + n}." for n, name in enumerate(names)}


def pipeline(
    out: Path, reader: str, *overrides: str, engines: str = ENGINES, consumers: str = "[text, jsonl]"
) -> Pipeline:
    """A pipeline in this process unless the overrides say otherwise."""
    read = f"reader: {reader}\n" if reader else ""
    text = f"{read}engines: {engines}\nconsumers: {consumers}\n"
    return Pipeline.parse(text, [f"run.output={out}", "run.workers=0", "run.names=id", *overrides])


def run(out: Path, reader: str | Path, *overrides: str, **more: str) -> tuple[RunReport, Seen]:
    """A run, over a folder of texts where a path is given."""
    seen = Seen()
    given = f"{{text: {{folder: {json.dumps(os.fspath(reader))}}}}}" if isinstance(reader, Path) else reader
    return pipeline(out, given, *overrides, **more).run(observers=[seen]), seen


def files(out: Path) -> dict[str, bytes]:
    """Every file but the report, with its timings, the ledger, and the key of the release scanner."""
    other = ("report.html", "scan.key")
    found = [p for p in sorted(out.rglob("*")) if p.is_file() and p.name not in other and "ledger." not in p.name]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in found}


def plain(value: Any) -> Any:
    """A report without what tells the time."""
    kept = ("name", "documents", "kinds", "sources", "odd", "characters", "reasons")
    return {name: value.to_json()[name] for name in kept}
