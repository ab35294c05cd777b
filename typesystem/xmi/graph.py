"""The content of a document to write, and the ids that it is written with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..cas import Cas
from ..origin import Origin
from ..view import View
from .plan import Plan

NO_VIEW = -1
MAX_ID = 2**31 - 1


@dataclass(slots=True)
class Batch:
    """Instances of one type over one Sofa, written together."""

    plan: Plan
    view: int
    """The index of the written view; NO_VIEW for feature structures without a Sofa."""
    items: list[Any]
    numbers: Sequence[int] = ()
    begins: Sequence[int] | None = None
    """The spans, if they are columns: `items` is then one instance that stands for all."""
    ends: Sequence[int] = ()


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
    members: list[list[int]] = field(default_factory=list)
    metadata_number: int = 0

    def typed_arrays(self) -> list[tuple[Any, str]]:
        """Return all arrays with their types."""
        return [a if isinstance(a, tuple) else (a, a.uima_name) for a in self.arrays]

    def assign_ids(
        self, origin: Origin | None, alias: dict[int, Any], members: list[list[Any]], has_references: bool
    ) -> None:
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
                batch.numbers = list(islice(fresh, len(batch.begins)))
                continue
            if old:
                batch.numbers = [old.get(id(item)) or next(fresh) for item in batch.items]
            else:
                batch.numbers = list(islice(fresh, len(batch.items)))
            if has_references:
                number.update(zip(map(id, batch.items), batch.numbers, strict=True))
        for value, _ in self.typed_arrays():
            number[id(value)] = old.get(id(value)) or next(fresh)
        for before, after in alias.items():
            while id(after) in alias:
                after = alias[id(after)]
            if id(after) in number:
                number[before] = number[id(after)]
                if before in old and id(after) not in old:  # the substitute takes over the old id
                    self._renumber(after, old[before])
                    number[id(after)] = number[before] = old[before]
        self.members = [
            [n for m in several for n in (m.numbers if isinstance(m, Batch) else (number[id(m)],))]
            for several in members
        ]
        self.metadata_number = next(fresh)

    def _renumber(self, item: Any, number: int) -> None:
        for batch in [b for b in self.batches if b.begins is None]:
            if any(x is item for x in batch.items):
                batch.numbers = [number if x is item else n for x, n in zip(batch.items, batch.numbers, strict=True)]


def unused_ids(used: set[int]) -> Iterator[int]:
    """Return new ids above the used ones, or those between them if the highest is too high."""
    first = max(used, default=0) + 1
    if first < MAX_ID // 2:
        return iter(range(first, MAX_ID + 1))
    return (n for n in range(1, MAX_ID + 1) if n not in used)


def document_name(cas: Cas) -> str:
    """Return the name of a document for messages."""
    return f"document {cas.id}" if cas.id else "document without id"
