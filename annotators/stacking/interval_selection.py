"""The best disjoint set of spans: weighted interval scheduling by dynamic programming (Kleinberg & Tardos 2005, §6.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


def best_disjoint(spans: Sequence[tuple[int, int]], gains: Sequence[float]) -> list[int]:
    """Return the indexes, in text order, of the disjoint spans (begin, end) with the greatest sum of gains. O(n log n).

    Spans with a gain of 0 or less are never chosen. If sums are equal, earlier spans are preferred.
    """
    order = sorted((i for i in range(len(spans)) if gains[i] > 0), key=lambda i: (spans[i][1], spans[i][0], i))
    ends = [spans[i][1] for i in order]
    total, taken = [0.0], [False]
    for n, i in enumerate(order):
        before = bisect_right(ends, spans[i][0], 0, n)
        with_it = total[before] + gains[i]
        taken.append(with_it > total[n])
        total.append(max(with_it, total[n]))
    chosen = []
    n = len(order)
    while n:
        if taken[n]:
            i = order[n - 1]
            chosen.append(i)
            n = bisect_right(ends, spans[i][0], 0, n - 1)
        else:
            n -= 1
    return chosen[::-1]
