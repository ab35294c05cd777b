"""Compare JSON CAS with dkpro-cassis: writing and reading small and large CASes, and the growth of the time.

The large CAS has 200,000 annotations.

python -m benchmarks.bench_jsoncas
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cassis

from benchmarks.compared import Row, Shared, in_turn, show
from caspipe.typesystem import Annotation, read_jsoncas, write_jsoncas


def large(pages: int = 400) -> list[Row]:
    """Compare caspipe and cassis on `pages` times 500 annotations, and caspipe with `pages` times its time for 500.

    A ratio of 1.0 means linear growth.
    """
    one, many = Shared(), Shared(pages)
    small, ours, theirs = one.objects(), many.objects(), many.theirs()
    small_json, ours_json, theirs_json = write_jsoncas(small), write_jsoncas(ours), theirs.to_json()
    n = ours.view().count(Annotation)
    rows: list[Row] = []
    for name, call, other, short in (
        ("write", lambda: write_jsoncas(ours), theirs.to_json, lambda: write_jsoncas(small)),
        (
            "read",
            lambda: read_jsoncas(ours_json),
            lambda: cassis.load_cas_from_json(theirs_json),
            lambda: read_jsoncas(small_json),
        ),
    ):
        mine = min(_seconds(call) for _ in range(3))
        rows.append((f"{name} {n:,} annotations", mine * 1e6, _seconds(other) * 1e6, 0.0))
        times = sorted(_seconds(short) for _ in range(40))
        rows.append((f"{name} {n:,} annotations, against {pages} times 500", mine * 1e6, times[20] * pages * 1e6, 0.0))
    return [(what, mine, other, other / mine) for what, mine, other, _ in rows]


def _seconds(call: Callable[[], Any]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def main() -> list[Row]:
    small = Shared()
    columns, objects, theirs = small.ours(), small.objects(), small.theirs()
    ours_json, theirs_json = write_jsoncas(objects), theirs.to_json()
    rows = in_turn(
        [
            ("write 500 annotations", lambda: write_jsoncas(columns), theirs.to_json),
            ("write 500 annotations, all as objects", lambda: write_jsoncas(objects), theirs.to_json),
            (
                "read 500 annotations (each its own file)",
                lambda: read_jsoncas(ours_json),
                lambda: cassis.load_cas_from_json(theirs_json),
            ),
            (
                "read 500 annotations (cassis's file)",
                lambda: read_jsoncas(theirs_json.encode()),
                lambda: cassis.load_cas_from_json(theirs_json),
            ),
        ]
    )
    return rows + large()


if __name__ == "__main__":
    show(main())
