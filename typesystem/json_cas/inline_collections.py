"""Inline the arrays and lists that only one feature holds: they become plain Python lists and bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..annotation import TYPES
from ..arrays import ArrayBase, ByteArray, ListBase, ListNode
from ..description import LISTS
from ..xmi.plan import Field

Reference = tuple[Any, Field, int]


class CollectionInliner:
    """Sets the features that hold arrays and lists. Collections with other references to them stay objects."""

    def __init__(
        self,
        by_id: dict[int, Any],
        uses: Counter[int],
        kept: set[int],
        target: Callable[[int, Any, Field], Any],
        fault_or_note: Callable[[Any, str], None],
    ) -> None:
        """`uses`: the number of references by id; `kept`: ids that views or Sofas refer to."""
        self.by_id, self.uses, self.kept = by_id, uses, kept
        self.target, self.fault_or_note = target, fault_or_note
        self.inlined: set[int] = set()
        self.end_uses: Counter[int] = Counter()
        self.node_ids: dict[int, int] = {}
        """`id()` of list nodes to their ids in the file."""

    def set_features(self, references: Iterable[Reference]) -> None:
        """Set the features, and remove the inlined collections from `by_id`."""
        references = list(references)
        if any(f.range in LISTS for _, f, _ in references):
            self.node_ids = {id(x): n for n, x in self.by_id.items() if isinstance(x, ListBase)}
        for item, f, n in references:
            if n:
                setattr(item, f.attribute, self._value(item, f, n))
        self.inlined.update(n for n, times in self.end_uses.items() if times == self.uses[n])  # lists can share an end
        for n in self.inlined:
            del self.by_id[n]

    def _value(self, item: Any, f: Field, n: int) -> Any:
        value, expected = self.by_id.get(n), TYPES[f.range]
        if value is None or not isinstance(value, expected):
            return self.target(n, item, replace(f, kind="ref", target=expected))
        if not isinstance(value, ArrayBase):
            return self._list(value, item, f)
        if self.uses[n] > 1 or n in self.kept:
            return value
        self.inlined.add(n)
        return bytes(value) if isinstance(value, ByteArray) else list(value)  # type: ignore[call-overload]

    def _list(self, head: Any, item: Any, f: Field) -> Any:
        nodes = list(_nodes(head))
        if nodes and isinstance(nodes[-1].tail, ListNode):
            self.fault_or_note(item, f"{type(item).uima_name}: feature {f.name}: a circular list")
            return None
        end = self.node_ids.get(id(nodes[-1].tail if nodes else head))  # None if the last node has no end
        numbers = [self.node_ids[id(x)] for x in nodes]
        if any(self.uses[n] > 1 or n in self.kept for n in numbers) or end in self.kept:
            return head
        self.inlined.update(numbers)
        if end is not None:
            self.end_uses[end] += 1
        return [x.head for x in nodes]


def _nodes(head: Any) -> Iterator[Any]:
    """Iterate over the nodes of a list, each once."""
    seen: set[int] = set()
    while isinstance(head, ListNode) and id(head) not in seen:
        seen.add(id(head))
        yield head
        head = head.tail
