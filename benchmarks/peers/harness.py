"""Run a peer in its own environment and report times, memory and spans as JSON.

    python -m benchmarks.peers.harness MODULE VARIANT FOLDER [WHAT ...]

FOLDER contains `warm.jsonl` and, for each WHAT, `WHAT.jsonl` with a JSON string per line; `WHAT-again` reads the same file again.
Standard output is a line `first` when the first text is done, then one JSON object. The harness needs only the standard library,
because the environment of a peer does not contain caspipe.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Span = tuple[int, int, str]
"""Begin, end (code points), first-level kind of caspipe."""
_AGAIN = "-again"
One = Callable[[str], tuple[str, Sequence[Span]]]
"""Function of a text that returns the masked text and the spans."""


@dataclass(frozen=True)
class Work:
    """The functions of a peer, as returned by `load(variant)` of its module."""

    batch: Callable[[Sequence[str]], list[Sequence[Span]]]
    """Processes texts one after the other; returns the spans of each."""
    peak: Callable[[Sequence[str]], float] | None = None
    """Processes texts and returns the memory of all its processes in MB, for peers with several. Not timed; called if a set is
    requested a second time."""
    refused: Callable[[], int] = lambda: 0
    """Returns the number of texts that were not released."""
    began: Callable[[], tuple[float, float]] | None = None
    """Returns wall-clock and processor seconds at the start of the first text of the latest batch, for peers that load first."""


def each(one: One) -> Work:
    """Return the work of a peer that takes one text at a time."""
    return Work(lambda texts: [one(text)[1] for text in texts])


def masked(text: str, spans: Iterable[Span]) -> str:
    """Replace each span with `[KIND]`, for peers without a masker; of overlapping spans, take the first and longest."""
    parts = []
    at = 0
    for begin, end, kind in sorted(spans, key=lambda s: (s[0], -s[1])):
        if begin >= at:
            parts += [text[at:begin], f"[{kind}]"]
            at = end
    return "".join([*parts, text[at:]])


def read(file: Path) -> list[str]:
    """Return the texts of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def cpu() -> float:
    """Return the processor seconds of this process, its threads, and its finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def memory(what: str) -> float:
    """Return `VmRSS` (resident now) or `VmHWM` (peak) of this process in MB. Linux only: ru_maxrss includes the parent."""
    with Path("/proc/self/status").open(encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def timed(work: Work, texts: Sequence[str]) -> tuple[dict[str, float], list[Sequence[Span]]]:
    """Return wall-clock seconds, processor seconds and the spans."""
    gc.collect()
    wall, used = time.perf_counter(), cpu()
    found = work.batch(texts)
    ended = time.perf_counter(), cpu()
    if work.began is not None:
        wall, used = work.began()
    return {"wall": ended[0] - wall, "cpu": ended[1] - used}, found


def main(module: str, variant: str, folder: str, *wanted: str) -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # discard what a peer prints
    work: Work = importlib.import_module(f"benchmarks.peers.{module}").load(variant)
    warm = read(Path(folder) / "warm.jsonl")
    work.batch(warm[:1])
    print("first", file=told, flush=True)
    first = cpu()
    resident = memory("VmRSS")
    work.batch(warm)
    gc.collect()
    gc.freeze()  # as caspipe's runs do after loading, for every peer
    passes: dict[str, Any] = {}
    found: dict[str, Any] = {}
    refused: dict[str, int] = {}
    peak: float | None = None
    for what in wanted:
        texts = read(Path(folder) / f"{what.partition('-')[0]}.jsonl")
        before = work.refused()
        passes[what], found[what] = timed(work, texts)
        refused[what] = work.refused() - before
    if work.peak is None:
        peak = memory("VmHWM")
    elif any(what.endswith(_AGAIN) for what in wanted):
        peak = work.peak(read(Path(folder) / f"{wanted[0]}.jsonl"))
    result = {
        "passes": passes,
        "found": found,
        "refused": refused,
        "first_cpu": first,
        "resident_mb": resident,
        "peak_mb": peak,
    }
    print(json.dumps(result), file=told, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
