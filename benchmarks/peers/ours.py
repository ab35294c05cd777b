"""Run caspipe like every peer: engines alone, and whole runs with reader, consumers and workers."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .harness import Span, Work, cpu, each
from .patterns import PATTERNS

RULES = Path(__file__).parents[1] / "cold" / "rules.yaml"
DATES = "engines: [segmenter, dates, resolver, masker]"
SAME = "engines: [dates, {identifiers: {kinds: [PHONE, FAX, EMAIL, URL, IP, ID_SSN]}}, resolver, masker]"


def load(variant: str) -> Work:
    """Load a variant of caspipe.

    `patterns`: the shared patterns; `dates`; `same`: the kinds that Presidio's recognizers of the first row find; `rules`;
    `fast` and `full`: the engines of the shipped profiles `deidentify-fast` and `deidentify`; `run-N`: a whole
    run of the default pipeline, from a file of JSON lines to its four consumers, with N workers.
    """
    warnings.simplefilter("ignore")  # no key: dates become placeholders, as with every peer
    logging.disable(logging.WARNING)
    os.environ.pop("CASPIPE_KEY", None)
    if variant.startswith("run-"):
        return _whole(int(variant.removeprefix("run-")))
    from caspipe.pipeline.assembly.shipped import locate
    from caspipe.pipeline.errors import ComponentError
    from caspipe.pipeline.pipeline import Pipeline
    from caspipe.typesystem import DEIDENTIFIED_VIEW, Phi

    files = {"rules": RULES, "fast": locate("deidentify-fast"), "full": locate("deidentify")}
    if variant in files:
        pipeline = Pipeline.load(files[variant])
    elif variant == "patterns":
        pipeline = Pipeline.parse(_patterns())
    else:
        pipeline = Pipeline.parse({"same": SAME, "dates": DATES}[variant])
    pipeline.open()
    refused = 0

    def one(text: str) -> tuple[str, Sequence[Span]]:
        nonlocal refused
        try:
            cas = pipeline.process(text)
        except ComponentError:  # the leak gate quarantines a document
            refused += 1
            return "", []
        found = [(p.begin, p.end, p.kind.top.name) for p in cas.view().select(Phi)]
        return cas.view(DEIDENTIFIED_VIEW).text, found

    work = each(one)
    return Work(work.batch, refused=lambda: refused)


def _patterns() -> str:
    rules = [
        {"name": name, "kind": kind, "pattern": pattern, "case": "ignore", "boundary": "none"}
        for name, kind, pattern in PATTERNS
    ]
    file = Path(tempfile.mkdtemp(prefix="patterns")) / "patterns.yaml"
    file.write_text(json.dumps({"rules": rules}), encoding="utf-8")
    return f"engines: [{{patterns: {{rules: {file}}}}}, resolver, masker]"


def _whole(workers: int) -> Work:
    from caspipe.pipeline.assembly.shipped import locate
    from caspipe.pipeline.pipeline import Pipeline
    from caspipe.pipeline.running.runners.events import Observer

    refused = 0
    began = 0.0, 0.0

    class Watching(Observer):
        def __init__(self, sampling: bool) -> None:
            self.sampling = sampling
            self.highest = 0.0

        def started(self, report: object, total: int | None) -> None:
            nonlocal began
            began = time.perf_counter(), cpu()

        def tick(self, report: Any, total: int | None) -> None:
            if self.sampling and report.documents.read % 100 == 50:
                self.highest = max(self.highest, together())

    def run(texts: Sequence[str], sampling: bool = False) -> float:
        nonlocal refused
        watching = Watching(sampling)
        with tempfile.TemporaryDirectory() as folder:
            notes = Path(folder) / "notes.jsonl"
            lines = (json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts))
            notes.write_text("".join(lines), encoding="utf-8")
            settings = [f"reader.jsonl.files={notes}", f"run.output={folder}/out", f"run.workers={workers}"]
            report = Pipeline.load(locate("deidentify"), settings).run(observers=[watching])
            done = report.documents
            if done.released + done.quarantined != len(texts):
                raise RuntimeError(f"{done.released} released and {done.quarantined} quarantined of {len(texts)}")
            refused += done.quarantined
        return watching.highest

    def batch(texts: Sequence[str]) -> list[Sequence[Span]]:
        run(texts)
        return []

    return Work(batch, lambda texts: run(texts, True), lambda: refused, lambda: began)


def together() -> float:
    """Return the memory of this process and its children in MB, with shared pages counted once (`Pss`)."""
    total = 0
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    for pid in ("self", *children):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024
