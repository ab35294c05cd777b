"""Verdicts and scores of each token, from annotations that may cover several tokens or a part of one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from ...typesystem import Annotation, TokenScore, TokenVerdict
from .decision import VERDICTS


def strictest(begins: list[int], ends: list[int], verdicts: Iterable[TokenVerdict]) -> dict[int, str]:
    """Return the strictest verdict on each token, by index. Verdicts on a part of a token are ignored."""
    found: dict[int, str] = {}
    for item in verdicts:
        for i in _inside(begins, ends, item):
            rank = VERDICTS.index(item.verdict) if item.verdict in VERDICTS else len(VERDICTS)
            if i not in found or found[i] in VERDICTS[:rank]:
                found[i] = item.verdict
    return found


def highest(begins: list[int], ends: list[int], scores: Iterable[TokenScore]) -> dict[int, TokenScore]:
    """Return the highest score of each token, by index; NaN counts as highest. Scores of a part of a token are ignored."""
    found: dict[int, TokenScore] = {}
    for item in scores:
        for i in _inside(begins, ends, item):
            if i not in found or not item.score <= found[i].score:
                found[i] = item
    return found


def _inside(begins: list[int], ends: list[int], item: Annotation) -> Iterator[int]:
    index = bisect_left(begins, item.begin)
    while index < len(ends) and ends[index] <= item.end:
        yield index
        index += 1
