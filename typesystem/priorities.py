"""Merge several lists of type priorities into one order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from .description import TypeDescription, nearest
from .errors import TypeSystemError


def merged_order(lists: Iterable[Sequence[str]], types: dict[str, TypeDescription]) -> dict[str, int]:
    """Return the position of each named type in one order that agrees with every list; ties go to the type named first.

    Raises TypeSystemError for an unknown type and for lists that contradict each other.
    """
    after: dict[str, list[str]] = {}
    waiting: dict[str, int] = {}
    for order in lists:
        for name in order:
            if name not in types:
                raise TypeSystemError(f"type priorities: no type called {name}{nearest(name, types)}")
            after.setdefault(name, [])
            waiting.setdefault(name, 0)
        for first, second in pairwise(order):
            if second not in after[first]:
                after[first].append(second)
                waiting[second] += 1
    order_of: dict[str, int] = {}
    ready = [n for n in waiting if not waiting[n]]
    while ready:
        name = ready.pop(0)
        order_of[name] = len(order_of)
        for later in after[name]:
            waiting[later] -= 1
            if not waiting[later]:
                ready.append(later)
    if len(order_of) < len(waiting):
        circle = ", ".join(n for n in waiting if n not in order_of)
        raise TypeSystemError(f"type priorities contradict each other about {circle}")
    return order_of
