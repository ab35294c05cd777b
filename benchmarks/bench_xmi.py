"""XMI against dkpro-cassis: writing and reading, and how the time grows to 210,000 annotations.

python -m benchmarks.bench_xmi
"""

from __future__ import annotations

import io
import time

import cassis

from benchmarks.compared import Row, Shared, in_turn, show
from caspipe.typesystem import Annotation, read_xmi, write_xmi


def growth(pages: int = 420) -> list[Row]:
    """Seconds for `pages` times 500 annotations against `pages` times the seconds for 500: 1.0 is linear."""
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
    return rows + growth()


if __name__ == "__main__":
    show(main())
