"""What runs in a peer's own environment: starts it, lets it work, and tells times, memory and spans as JSON.

    python -m benchmarks.peers.harness MODULE VARIANT FOLDER [WHAT ...]

Of FOLDER come `warm.jsonl` and, for each WHAT, `WHAT.jsonl`: one JSON string a line; `WHAT-again` is the same file once more.
Standard output: a line `first` when the
first text is done, then one JSON object. Only the standard library is needed, since a peer's environment has not caspipe.
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
"""Begin, end (code points), kind as in caspipe's first level."""
_AGAIN = "-again"
One = Callable[[str], tuple[str, Sequence[Span]]]
"""Of a text: the masked text and what was found."""


@dataclass(frozen=True)
class Work:
    """What a peer module's `load(variant)` gives."""

    batch: Callable[[Sequence[str]], list[Sequence[Span]]]
    """Works on texts, one after the other; the spans of each."""
    peak: Callable[[Sequence[str]], float] | None = None
    """Works on texts and tells the memory of all its processes together, in MB, where there are several. Not timed; done where
    a set is wanted a second time."""
    refused: Callable[[], int] = lambda: 0
    """Texts that were not released."""
    began: Callable[[], tuple[float, float]] | None = None
    """Clock and processor seconds at which the first text of the latest batch was begun, where loading comes before it."""


def each(one: One) -> Work:
    """The work of a peer that takes one text at a time."""
    return Work(lambda texts: [one(text)[1] for text in texts])


def masked(text: str, spans: Iterable[Span]) -> str:
    """The text with `[KIND]` for each span, for peers without a masker; where spans overlap, the longer of those first."""
    parts = []
    at = 0
    for begin, end, kind in sorted(spans, key=lambda s: (s[0], -s[1])):
        if begin >= at:
            parts += [text[at:begin], f"[{kind}]"]
            at = end
    return "".join([*parts, text[at:]])


def read(file: Path) -> list[str]:
    """The texts of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def cpu() -> float:
    """Processor seconds of this process, its threads, and those of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def memory(what: str) -> float:
    """`VmRSS` (resident now) or `VmHWM` (its peak) of this process in MB. Linux only: ru_maxrss counts the parent's, too."""
    with Path("/proc/self/status").open(encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024


def timed(work: Work, texts: Sequence[str]) -> tuple[dict[str, float], list[Sequence[Span]]]:
    """Seconds on the clock and of the processor, and what was found."""
    gc.collect()
    wall, used = time.perf_counter(), cpu()
    found = work.batch(texts)
    ended = time.perf_counter(), cpu()
    if work.began is not None:
        wall, used = work.began()
    return {"wall": ended[0] - wall, "cpu": ended[1] - used}, found


def main(module: str, variant: str, folder: str, *wanted: str) -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a peer prints is none of ours
    work: Work = importlib.import_module(f"benchmarks.peers.{module}").load(variant)
    warm = read(Path(folder) / "warm.jsonl")
    work.batch(warm[:1])
    print("first", file=told, flush=True)
    first = cpu()
    resident = memory("VmRSS")
    work.batch(warm)
    gc.collect()
    gc.freeze()  # what our runs do after loading, granted to every peer
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
