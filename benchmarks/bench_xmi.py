"""Compare XMI with dkpro-cassis: writing and reading 500 and 200,000 annotations, growth of the time, and memory.

python -m benchmarks.bench_xmi
"""

from __future__ import annotations

import gc
import io
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import cassis

from benchmarks.compared import Row, Shared, in_turn, show
from caspipe.typesystem import Annotation, read_xmi, write_xmi


def growth(pages: int = 420) -> list[Row]:
    """Compare the time for `pages` times 500 annotations with `pages` times the time for 500: 1.0 means linear growth."""
    rows: list[Row] = []
    small, large = Shared().objects(), Shared(pages).objects()
    small_xmi, large_xmi = write_xmi(small), write_xmi(large)
    n = large.view().count(Annotation)
    for name, one, many in (
        ("write", lambda: write_xmi(small), lambda: write_xmi(large)),
        ("read", lambda: read_xmi(small_xmi), lambda: read_xmi(large_xmi)),
    ):
        for call in (one, many):
            call()
        started = time.perf_counter()
        for _ in range(40):
            one()
        short = (time.perf_counter() - started) / 40
        started = time.perf_counter()
        many()
        long = time.perf_counter() - started
        rows.append(
            (
                f"{name} {n:,} annotations, against {pages} times 500",
                long * 1e6,
                short * pages * 1e6,
                short * pages / long,
            )
        )
    return rows


def large(pages: int = 400, rounds: int = 3) -> list[Row]:
    """Compare caspipe and cassis on 200,000 annotations: medians of `rounds`, and the peak memory of one call (in kB)."""
    shared = Shared(pages)
    ours, theirs = shared.objects(), shared.theirs()
    ours_xmi, theirs_xmi = write_xmi(ours), theirs.to_xmi().encode()
    n = ours.view().count(Annotation)
    pairs: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        ("write", lambda: write_xmi(ours), theirs.to_xmi),
        ("read", lambda: read_xmi(ours_xmi), lambda: cassis.load_cas_from_xmi(io.BytesIO(theirs_xmi), shared.types)),
        (
            "read cassis's file:",
            lambda: read_xmi(theirs_xmi),
            lambda: cassis.load_cas_from_xmi(io.BytesIO(theirs_xmi), shared.types),
        ),
    ]
    rows: list[Row] = []
    for name, *sides in pairs:
        seconds: list[list[float]] = [[], []]
        for _ in range(rounds):
            for side, call in enumerate(sides):
                gc.collect()
                started = time.perf_counter()
                call()
                seconds[side].append(time.perf_counter() - started)
        mine, other = (statistics.median(s) * 1e6 for s in seconds)
        rows.append((f"{name} {n:,} annotations", mine, other, other / mine))
    for name, *sides in pairs[:2]:
        mine, other = (_peak(call) / 1024 for call in sides)
        rows.append((f"{name} {n:,} annotations: peak kB (no µs)", mine, other, other / mine))
    return rows


def _peak(call: Callable[[], Any]) -> int:
    """Return the peak number of bytes that Python allocates while `call` runs, beyond those allocated before."""
    gc.collect()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main() -> list[Row]:
    small = Shared()
    columns, objects, theirs = small.ours(), small.objects(), small.theirs()
    ours_xmi, theirs_xmi = write_xmi(objects), theirs.to_xmi().encode()
    rows = in_turn(
        [
            ("write 500 annotations", lambda: write_xmi(columns), theirs.to_xmi),
            ("write 500 annotations, all as objects", lambda: write_xmi(objects), theirs.to_xmi),
            (
                "read 500 annotations (each its own file)",
                lambda: read_xmi(ours_xmi),
                lambda: cassis.load_cas_from_xmi(io.BytesIO(theirs_xmi), small.types),
            ),
            (
                "read 500 annotations (cassis's file)",
                lambda: read_xmi(theirs_xmi),
                lambda: cassis.load_cas_from_xmi(io.BytesIO(theirs_xmi), small.types),
            ),
            (
                "build, write, read",
                lambda: read_xmi(write_xmi(small.ours())),
                lambda: cassis.load_cas_from_xmi(io.BytesIO(small.theirs().to_xmi().encode()), small.types),
            ),
        ]
    )
    return rows + large() + growth()


if __name__ == "__main__":
    show(main())
