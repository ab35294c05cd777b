"""The parts of a document that are written: batches of feature structures, and the ids of all."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import Any

from ..index import Rows
from ..origin import Origin
from ..view import View
from .plan import Plan

MAX_ID = 2**31 - 1


@dataclass(slots=True)
class Batch:
    """Instances of one type over one Sofa, written together."""

    plan: Plan
    view: int
    """The index of the written view; NO_VIEW for feature structures without a Sofa."""
    items: Sequence[Any]
    numbers: Sequence[int] = ()
    begins: Sequence[int] | None = None
    """The spans, if they are columns: `items` is then one instance that represents all."""
    ends: Sequence[int] = ()
    is_registered: bool = False
    """True if the ids of its instances can be looked up by `id()`."""


class Registry(dict[int, int]):
    """The ids in the file by `id()` of what something refers to; 0 until `Graph.assign_ids` sets them.

    The instances of a type are added when something first refers to one: those of all types would take much memory.
    """

    def __init__(self, batches: Sequence[Batch]) -> None:
        super().__init__()
        self._batches = batches
        self._types: set[type[Any]] = set()

    def add_type(self, cls: type[Any]) -> None:
        """Add the indexed instances of a type, without its subtypes."""
        if cls not in self._types:
            self._types.add(cls)
            for batch in self._batches:
                if batch.plan.name == getattr(cls, "uima_name", None):
                    self.add_batch(batch)

    def add_batch(self, batch: Batch) -> None:
        """Add the instances of a batch, unless they are columns."""
        if batch.begins is None and not batch.is_registered and not isinstance(batch.items, Rows):
            batch.is_registered = True
            self.update(zip(map(id, batch.items), repeat(0)))

    def has(self, item: Any) -> bool:
        """Return whether something is written already."""
        if id(item) not in self:
            self.add_type(type(item))
        return id(item) in self


@dataclass(slots=True)
class Graph:
    """Everything that is written, with ids."""

    views: list[View]
    batches: list[Batch]
    arrays: list[Any]
    """Arrays that are elements of their own, and shared plain lists as `(list, array type)`."""
    metadata: dict[str, str]
    tag_of: dict[int, Any]
    """`id()` of a token to the POS annotation made for it."""
    keep: list[Any]
    """Made for this file only; kept alive so that their `id()` stays unique."""
    number: dict[int, int] = field(default_factory=dict)
    """`id()` of a feature structure or shared list to its id in the file."""
    sofa_numbers: list[int] = field(default_factory=list)
    members: list[list[Sequence[int]]] = field(default_factory=list)
    """The ids of what each view has indexed, in pieces."""
    metadata_number: int = 0

    def typed_arrays(self) -> list[tuple[Any, str]]:
        """Return all arrays with their types."""
        return [a if isinstance(a, tuple) else (a, a.uima_name) for a in self.arrays]

    def assign_ids(self, origin: Origin | None, alias: dict[int, Any], members: list[list[Any]]) -> None:
        """Assign an id to everything: the one it was read with, or a new one.

        `alias`: `id()` of a feature structure to the one that is written in its place; `members`: batches and feature
        structures by view.
        """
        old = {id(fs): n for n, fs in origin.items.items()} if origin is not None else {}
        sofas = origin.sofas if origin is not None else {}
        fresh = unused_ids({*(origin.items if origin is not None else ()), *sofas.values()})
        self.sofa_numbers = [sofas.get(v.name) or next(fresh) for v in self.views]
        number = self.number
        for batch in self.batches:
            if batch.begins is not None:
                batch.numbers = _next(fresh, len(batch.begins))
                continue
            if old and not isinstance(batch.items, Rows):
                batch.numbers = [old.get(id(item)) or next(fresh) for item in batch.items]
            else:
                batch.numbers = _next(fresh, len(batch.items))
            if batch.is_registered:
                number.update(zip(map(id, batch.items), batch.numbers, strict=True))
        for value, _ in self.typed_arrays():
            number[id(value)] = old.get(id(value)) or next(fresh)
        for before, after in alias.items():
            while id(after) in alias:
                after = alias[id(after)]
            if id(after) in number:
                number[before] = number[id(after)]
                if before in old and id(after) not in old:  # the substitute gets the old id
                    self._renumber(after, old[before])
                    number[id(after)] = number[before] = old[before]
        self.members = []
        for several in members:
            self.members.append([m.numbers if isinstance(m, Batch) else (number[id(m)],) for m in several])
        self.metadata_number = next(fresh)

    def _renumber(self, item: Any, number: int) -> None:
        for batch in [b for b in self.batches if b.begins is None]:
            if any(x is item for x in batch.items):
                batch.numbers = [number if x is item else n for x, n in zip(batch.items, batch.numbers, strict=True)]


def _next(fresh: Iterator[int], count: int) -> Sequence[int]:
    """Return the next ids; as a range, which takes no memory, if they are consecutive."""
    ids = array("q", islice(fresh, count))
    return range(ids[0], ids[-1] + 1) if ids and ids[-1] - ids[0] == count - 1 else ids


def unused_ids(used: set[int]) -> Iterator[int]:
    """Return new ids above the used ones, or those between them if the highest is too high."""
    first = max(used, default=0) + 1
    if first < MAX_ID // 2:
        return iter(range(first, MAX_ID + 1))
    return (n for n in range(1, MAX_ID + 1) if n not in used)
