"""Measure one process and print the result as JSON.

    python -m benchmarks.cold.work engines CONFIG FOLDER     new notes (cold), then the same notes three times more
    python -m benchmarks.cold.work once CONFIG FOLDER        new notes, once
    python -m benchmarks.cold.work whole CONFIG FOLDER WORKERS   a run: JSON lines in; masked text, XMI and ledger out
    python -m benchmarks.cold.work memory CONFIG FOLDER      the same run in one process, with its memory on the way
    python -m benchmarks.cold.work training CONFIG FOLDER [NAME.PARAM=VALUE ...]   a training

CONFIG is a shipped name or a YAML file; FOLDER holds `warm.jsonl` and `new.jsonl` (benchmarks/cold/texts.py).
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.errors import ComponentError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.runners.events import Observer

from ..peers.harness import cpu, memory
from ..peers.ours import together
from .texts import read

KEY = "masker.DATE.shift.key=benchmark"
PASSES = ("cold", "second", "third", "fourth")
STEPS = {n * 10**k for k in range(2, 7) for n in (1, 2, 5)}
"""Numbers of documents after which the memory is read."""


def engines(config: str, folder: Path, passes: Iterable[str] = PASSES) -> dict[str, Any]:
    """Return seconds, times of documents and of components for each pass over the same notes."""
    pipeline = Pipeline.load(locate(config), [KEY]).open()
    for text in read(folder / "warm.jsonl"):
        _processed(pipeline, text)
    texts = list(read(folder / "new.jsonl"))
    gc.collect()
    gc.freeze()  # as a run does
    found: dict[str, Any] = {}
    for name in passes:
        for stats in pipeline.stats.values():
            stats.timings = type(stats.timings)()
        refused = 0
        took = []
        wall, used = time.perf_counter(), time.process_time()
        for text in texts:
            began = time.process_time()
            refused += not _processed(pipeline, text)
            took.append(time.process_time() - began)
        used, wall = time.process_time() - used, time.perf_counter() - wall
        busy = used / wall  # components are timed by the clock, which other load makes slower
        found[name] = {
            "cpu": used,
            "wall": wall,
            "p50": _quantile(took, 0.5),
            "p95": _quantile(took, 0.95),
            "components": {
                stats.id: stats.timings.total * busy / len(texts)
                for stats in pipeline.stats.values()
                if stats.timings.count
            },
            "refused": refused,
        }
    return {"passes": found, "documents": len(texts), "bytes": sum(len(text.encode()) for text in texts)}


def _processed(pipeline: Pipeline, text: str) -> bool:
    try:
        pipeline.process(text)
    except ComponentError:  # the leak gate refuses a document
        return False
    return True


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def configuration(config: str, notes: Path, output: Path, workers: int) -> dict[str, Any]:
    """Return a configuration with the same engines that reads JSON lines and writes masked texts and XMI."""
    found: dict[str, Any] = yaml.safe_load(locate(config).read_text(encoding="utf-8"))
    return {
        "name": found["name"],
        "reader": {"jsonl": {"files": str(notes)}},
        "engines": found["engines"],
        "consumers": [{"text": {"folder": "release/text"}}, {"xmi": {"folder": "restricted/xmi"}}],
        "run": {**found.get("run", {}), "output": str(output), "on_error": "quarantine", "workers": workers},
    }


class _Watching(Observer):
    """Notes when the run began, and calls `each` with the number of documents."""

    def __init__(self, each: Callable[[int], None]) -> None:
        self.each = each
        self.began = 0.0, 0.0

    def started(self, report: Any, total: int | None) -> None:
        self.began = time.perf_counter(), cpu()

    def tick(self, report: Any, total: int | None) -> None:
        self.each(report.documents.read)


def whole(config: str, folder: Path, workers: str) -> dict[str, Any]:
    """Return the seconds of a run from its start to its end, and the peak memory of all its processes together in MB."""
    highest = 0.0

    def sample(read: int) -> None:
        nonlocal highest
        if read % 100 == 50:
            highest = max(highest, together())

    return {**_run(config, folder, int(workers), sample), "peak": highest}


def memory_of(config: str, folder: Path) -> dict[str, Any]:
    """Return the resident and the peak memory of a run in one process, in MB, after each number of documents in `STEPS`."""
    curve: dict[int, tuple[float, float]] = {}

    def sample(read: int) -> None:
        if read in STEPS:
            curve[read] = memory("VmRSS"), memory("VmHWM")
            print(f"{Path(config).stem}: {read:,} notes, {curve[read][1]:.0f} MB", file=sys.stderr, flush=True)

    found = _run(config, folder, 0, sample)
    return {**found, "curve": curve, "peak": memory("VmHWM")}


def training(config: str, folder: Path, *settings: str) -> dict[str, Any]:
    """Return seconds, number of documents with their copies, and peak memory in MB of a training."""
    began, used = time.perf_counter(), cpu()
    report = Pipeline.load(locate(config), settings).run()
    if report.stopped not in (None, "", "limit") or report.documents.quarantined:
        raise RuntimeError(f"{report.documents.quarantined} documents failed: {report.stopped}")
    seconds = {"wall": time.perf_counter() - began, "cpu": cpu() - used}
    return {**seconds, "documents": report.documents.read, "peak": memory("VmHWM")}


def _run(config: str, folder: Path, workers: int, each: Callable[[int], None]) -> dict[str, Any]:
    place = Path(
        tempfile.mkdtemp(dir=folder)
    )  # kept until the end: ext4 creates files slowly for a while after others were deleted
    count = 0
    with (place / "notes.jsonl").open("w", encoding="ascii") as out:
        for count, text in enumerate(read(folder / "new.jsonl"), 1):
            out.write(json.dumps({"id": f"note-{count:06}", "text": text}) + "\n")
    file = place / "whole.yaml"
    told = configuration(config, place / "notes.jsonl", place / "out", workers)
    file.write_text(yaml.safe_dump(told, sort_keys=False), encoding="utf-8")
    watching = _Watching(each)
    report = Pipeline.load(file, [KEY]).run(observers=[watching])
    ended = time.perf_counter(), cpu()
    if report.documents.released + report.documents.quarantined != count or report.stopped:
        raise RuntimeError(f"expected {count} documents, got {report.documents.read}: {report.stopped}")
    return {
        "wall": ended[0] - watching.began[0],
        "cpu": ended[1] - watching.began[1],
        "documents": count,
        "refused": report.documents.quarantined,
    }


def main(what: str, config: str, folder: str, *rest: str) -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    works: dict[str, Callable[..., dict[str, Any]]] = {
        "engines": engines,
        "once": lambda c, f: engines(c, f, PASSES[:1]),
        "whole": whole,
        "memory": memory_of,
        "training": training,
    }
    print(json.dumps(works[what](config, Path(folder), *rest)), file=told, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
