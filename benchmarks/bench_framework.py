"""Measure the overhead of the framework and of workers: time for each component and document, scaling, worker memory.

    python -m benchmarks.bench_framework            everything
    python -m benchmarks.bench_framework overhead   components that do nothing, over tiny documents
    python -m benchmarks.bench_framework scaling    the default pipeline with no, one and two workers

Rounds are interleaved, and figures are medians. The time of a run is the wall-clock time from its first document to its last one.
Runs in one process are also measured by processor time, which depends little on other load of the machine.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import pickle
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.narratives import narratives
from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.contract.component import (
    Annotator,
    CollectionReader,
    Handle,
    Output,
    TwoPhaseConsumer,
    component,
)
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.runners.events import DocumentEvent, Observer
from caspipe.typesystem import Annotation, Cas, View

TEXT = "Seen on 3/4/2020 by Dr. Smith."
ROUNDS = 5
DOCUMENTS = 4_000
"""Tiny documents in one run: 20,000 in five rounds."""
COMPONENTS = (0, 10, 50)
NARRATIVES = 240
FEW = (10, 50)
"""Numbers of documents in runs that may be too short for workers to be faster."""
Rows = list[tuple[str, str]]


@component("idle")
class IdleAnnotator(Annotator):
    """Annotator that finds nothing."""

    def annotate(self, view: View) -> Iterable[Annotation]:
        return ()


@component("idle")
class IdleConsumer(TwoPhaseConsumer):
    """Consumer that writes nothing. It is needed because only runs that can be resumed keep a ledger."""

    def prepare(self, cas: Cas) -> Any:
        return None

    def commit(self, document_id: str, prepared: Any) -> list[Output]:
        return []


@component("tiny")
class TinyReader(CollectionReader):
    """Reader that yields the same short text for every document."""

    documents: int = DOCUMENTS
    named: bool = True
    """True if workers create the documents themselves, False if they receive them pickled."""

    def __iter__(self) -> Iterator[Cas]:
        for number in range(self.documents):
            yield Cas(TEXT, id=str(number))

    def __len__(self) -> int:
        return self.documents

    def handles(self) -> Iterator[Handle] | None:
        return (Handle(str(n), n) for n in range(self.documents)) if self.named else None

    def load(self, handle: int) -> Cas:
        return Cas(TEXT, id=str(handle))


class Stopwatch(Observer):
    """Records the times of the first and the last document, and the memory of the workers after half of them."""

    def __init__(self, half: int = 0) -> None:
        self.half = half
        self.first: tuple[float, ...] = ()
        self.last: tuple[float, ...] = ()
        self.workers: list[tuple[float, float]] = []
        """Resident and private memory of each worker, in MB."""

    def document(self, event: DocumentEvent) -> None:
        self.last = time.perf_counter(), time.process_time()
        if not self.first:
            self.first = self.last
        if self.half and event.number == self.half:
            self.workers = [memory(pid) for pid in children()]

    def ended(self, report: RunReport) -> None:
        self.documents = report.documents.read
        if report.documents.released < 0.9 * self.documents:
            raise RuntimeError(f"{report.documents.released} of {self.documents} documents released")

    def each(self, wall: bool = True) -> float:
        """Return the seconds per document."""
        which = 0 if wall else 1
        return (self.last[which] - self.first[which]) / (self.documents - 1)


def children() -> list[int]:
    """Return the ids of the child processes of this process."""
    return [int(n) for n in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()]


def memory(pid: int | str) -> tuple[float, float]:
    """Return the resident memory of a process and its private part, in MB."""
    rows = [r.split() for r in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]]
    sizes = {r[0]: int(r[1]) / 1024 for r in rows}
    return sizes["Rss:"], sizes["Private_Clean:"] + sizes["Private_Dirty:"]


# -- components that do nothing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mode:
    """Settings of a run."""

    told: str
    workers: int
    ledger: bool = False
    named: bool = True


MODES = (
    Mode("in this process", 0),
    Mode("in this process, ledger", 0, ledger=True),
    Mode("1 worker", 1),
    Mode("2 workers", 2),
    Mode("2 workers, ledger", 2, ledger=True),
    Mode("2 workers, documents pickled", 2, named=False),
)


def idle(mode: Mode, components: int, documents: int = DOCUMENTS) -> Stopwatch:
    """Run idle components over tiny documents."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        options = RunOptions(output=Path(folder), workers=mode.workers, ledger=mode.ledger)
        engines = [IdleAnnotator() for _ in range(components)]
        reader = TinyReader(documents=documents, named=mode.named)
        Pipeline(engines, reader=reader, consumers=[IdleConsumer()], options=options).run(observers=[watch])
    return watch


def overhead(rounds: int = ROUNDS) -> Rows:
    """Return the microseconds for a document without components, and for each component."""
    clock: dict[tuple[Mode, int], list[float]] = {(m, n): [] for m in MODES for n in COMPONENTS}
    processor: dict[tuple[Mode, int], list[float]] = {(m, n): [] for m in MODES for n in COMPONENTS}
    direct: dict[int, list[float]] = {n: [] for n in COMPONENTS}
    for _ in range(rounds):
        for components in COMPONENTS:
            direct[components].append(processed(components))
            for mode in MODES:
                watch = idle(mode, components)
                clock[mode, components].append(watch.each())
                processor[mode, components].append(watch.each(wall=False))
    rows = [("microseconds", "document  component (of 10, of 50)"), told("Pipeline.process, processor", direct)]
    for mode in MODES:
        if mode.workers == 0:
            rows.append(told(f"run {mode.told}, processor", {n: processor[mode, n] for n in COMPONENTS}))
        rows.append(told(f"run {mode.told}, clock", {n: clock[mode, n] for n in COMPONENTS}))
    cas = Cas(TEXT, id="1")
    packed = pickle.dumps(cas, protocol=5)
    rows.append(("a tiny document pickled", f"{timed(lambda: pickle.dumps(cas, protocol=5)):8.1f}"))
    rows.append(("and unpickled", f"{timed(lambda: pickle.loads(packed)):8.1f}"))
    slope = (statistics.median(processor[MODES[0], 50]) - statistics.median(processor[MODES[0], 0])) / 50 * 1e6
    rows.append(("goal: 5 microseconds for a component or less", f"{slope:8.1f} {verdict(slope <= 5)}"))
    return rows


def processed(components: int) -> float:
    """Return the processor seconds per document in `Pipeline.process`."""
    with Pipeline([IdleAnnotator() for _ in range(components)]) as pipeline:
        gc.collect()
        began = time.process_time()
        for _ in range(DOCUMENTS):
            pipeline.process(Cas(TEXT))
        return (time.process_time() - began) / DOCUMENTS


def told(what: str, seconds: dict[int, list[float]]) -> tuple[str, str]:
    """Return a row: microseconds for a document without components, and for each of ten and of fifty components."""
    none, *others = (statistics.median(seconds[n]) for n in COMPONENTS)
    slopes = [(some - none) / n * 1e6 for some, n in zip(others, COMPONENTS[1:], strict=True)]
    return what, f"{none * 1e6:8.1f}  {'  '.join(f'{s:8.2f}' for s in slopes)}"


def timed(call: Callable[[], Any], times: int = 5_000) -> float:
    """Return the processor microseconds per call."""
    began = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - began) / times * 1e6


def verdict(met: bool) -> str:
    return "met" if met else "missed"


# -- the default pipeline ------------------------------------------------------------------------------------------


def whole(notes: Path, workers: int | str, limit: int, half: int = 0) -> tuple[Stopwatch, float]:
    """Run the default pipeline with its consumers over narratives; also return the seconds of the run including loading."""
    watch = Stopwatch(half)
    with tempfile.TemporaryDirectory() as folder:
        settings = [
            f"reader.jsonl.files={notes}",
            f"run.output={folder}",
            f"run.workers={workers}",
            f"run.limit={limit}",
            "masker.DATE.shift.key=benchmark",
        ]
        began = time.perf_counter()
        Pipeline.load(locate("deidentify"), settings).run(observers=[watch])
        return watch, time.perf_counter() - began


def scaling(rounds: int = 3) -> Rows:
    """Return the documents per second with no, one and two workers, the times of short runs, and memory."""
    rows: Rows = []
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes.jsonl"
        lines = (json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(narratives(NARRATIVES)))
        notes.write_text("".join(lines), encoding="utf-8")
        whole(notes, 0, 40)  # imports and compiled patterns, needed once
        rates: dict[int, list[float]] = {n: [] for n in (0, 1, 2)}
        short: dict[tuple[int, int | str], list[float]] = {(f, w): [] for f in FEW for w in (0, 2, "auto")}
        memories: dict[int, list[tuple[float, float]]] = {}
        for _ in range(rounds):
            for workers in rates:
                watch, _seconds = whole(notes, workers, NARRATIVES)
                rates[workers].append(1 / watch.each())
            for few, chosen in short:
                short[few, chosen].append(whole(notes, chosen, few)[1])
        for workers in (1, 2):
            memories[workers] = whole(notes, workers, NARRATIVES, NARRATIVES // 2)[0].workers
        own = memory("self")[0]
    for workers, found in rates.items():
        rows.append((f"documents of 2 kB per second, {workers} workers", f"{statistics.median(found):8.0f}"))
    gains = {w: statistics.median(b / a for a, b in zip(rates[0], rates[w], strict=True)) for w in (1, 2)}
    rows.append(("1 worker, speed relative to no workers", f"{gains[1]:8.2f}"))
    rows.append(
        ("2 workers, speed relative to no workers; goal: 1.7 or more", f"{gains[2]:8.2f} {verdict(gains[2] >= 1.7)}")
    )
    for few in FEW:
        base = statistics.median(short[few, 0])
        rows.append((f"seconds of a whole run over {few} documents, 0 workers", f"{base:8.2f}"))
        for chosen in (2, "auto"):
            value = statistics.median(short[few, chosen])
            rows.append((f"  {chosen} workers", f"{value:8.2f}"))
    ratio = statistics.median(a / b for a, b in zip(short[FEW[-1], "auto"], short[FEW[-1], 0], strict=True))
    goal = f"  auto relative to 0 workers, {FEW[-1]} documents; goal: not slower (1.1 at most, for noise)"
    rows.append((goal, f"{ratio:8.2f} {verdict(ratio <= 1.1)}"))
    for workers, found_ in memories.items():
        for resident, private in found_:
            rows.append((f"MB of a worker of {workers}: resident; private", f"{resident:8.0f}  {private:8.0f}"))
    rows.append(("MB of the main process", f"{own:8.0f}"))
    return rows


def main(wanted: list[str]) -> Rows:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    parts = {"overhead": overhead, "scaling": scaling}
    return [row for name, part in parts.items() if not wanted or name in wanted for row in part()]


if __name__ == "__main__":
    if set(sys.argv[1:]) - {"overhead", "scaling"}:
        raise SystemExit("expected overhead, scaling, or nothing for both")
    for what, figure in main(sys.argv[1:]):
        print(f"{what:82} {figure}")
