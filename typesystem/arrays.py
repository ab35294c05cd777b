"""UIMA's arrays and linked lists as feature structures, for those that features share or views index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from .annotation import TYPES, Feature, FeatureStructure

_PRIMITIVES = ("String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double")
ELEMENTS: dict[str, str] = {
    "uima.cas.FSArray": "uima.cas.TOP",
    **{f"uima.cas.{name}Array": f"uima.cas.{name}" for name in _PRIMITIVES},
    "uima.cas.FSList": "uima.cas.TOP",
    **{f"uima.cas.{name}List": f"uima.cas.{name}" for name in ("String", "Integer", "Float")},
}
"""The range of the elements, by array or list range."""


class ArrayBase(FeatureStructure):
    """`uima.cas.ArrayBase`: an array with identity.

    A shared array, or one that a view indexes, is an instance of a subclass; others are plain lists (bytes for ByteArray).
    """

    __slots__ = ()
    uima_name: ClassVar[str] = "uima.cas.ArrayBase"


class ListArray(list[Any], ArrayBase):  # type: ignore[misc]  # the list's own [...] is meant
    """An array that is also a Python list."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"  # without the elements, which can be text of the document


class ByteArray(bytearray, ArrayBase):  # type: ignore[misc]  # the bytes' own [...] is meant
    """`uima.cas.ByteArray`: unsigned bytes, as in Python."""

    __slots__ = ()
    uima_name = "uima.cas.ByteArray"

    def __repr__(self) -> str:
        return f"<ByteArray of {len(self)}>"

    __str__ = __repr__


class FSArray(ListArray):
    """`uima.cas.FSArray`: feature structures, or None."""

    __slots__ = ()
    uima_name = "uima.cas.FSArray"


class StringArray(ListArray):
    """`uima.cas.StringArray`: str, or None."""

    __slots__ = ()
    uima_name = "uima.cas.StringArray"


class BooleanArray(ListArray):
    """`uima.cas.BooleanArray`: bool."""

    __slots__ = ()
    uima_name = "uima.cas.BooleanArray"


class ShortArray(ListArray):
    """`uima.cas.ShortArray`: int of 16 bits."""

    __slots__ = ()
    uima_name = "uima.cas.ShortArray"


class IntegerArray(ListArray):
    """`uima.cas.IntegerArray`: int of 32 bits."""

    __slots__ = ()
    uima_name = "uima.cas.IntegerArray"


class LongArray(ListArray):
    """`uima.cas.LongArray`: int of 64 bits."""

    __slots__ = ()
    uima_name = "uima.cas.LongArray"


class FloatArray(ListArray):
    """`uima.cas.FloatArray`: float of 32 bits."""

    __slots__ = ()
    uima_name = "uima.cas.FloatArray"


class DoubleArray(ListArray):
    """`uima.cas.DoubleArray`: float."""

    __slots__ = ()
    uima_name = "uima.cas.DoubleArray"


class ListBase(FeatureStructure):
    """`uima.cas.ListBase`: a linked list of nodes; iterating yields its elements.

    Features whose lists are not shared have plain Python lists.
    """

    __slots__ = ()
    uima_name: ClassVar[str] = "uima.cas.ListBase"

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements in order. Raises ValueError for a circular list."""
        seen: set[int] = set()
        node: Any = self
        while isinstance(node, ListNode):
            if id(node) in seen:
                raise ValueError(f"{self!r} is a circular list")
            seen.add(id(node))
            yield node.head
            node = node.tail


class ListNode(ListBase):
    """A node of a list: an element and the rest of the list."""

    __slots__ = ("head", "tail")

    def __init__(self, head: Any = None, tail: ListBase | None = None) -> None:
        self.head = head
        self.tail = tail


ARRAYS: dict[str, type[Any]] = {
    cls.uima_name: cls
    for cls in (
        FSArray,
        StringArray,
        BooleanArray,
        ByteArray,
        ShortArray,
        IntegerArray,
        LongArray,
        FloatArray,
        DoubleArray,
    )
}
"""The array types by UIMA name."""


def _list_classes(kind: str, element: str) -> tuple[type[ListBase], type[ListBase], type[ListNode]]:
    """Return the classes of a list type, of the end of such a list, and of a node."""

    def new(name: str, bases: tuple[type[Any], ...], features: tuple[Feature, ...] = ()) -> Any:
        by_name = {f.name: f for f in features}
        body = {"__slots__": (), "uima_name": f"uima.cas.{name}", "own_features": features, "features": by_name}
        return type(name, bases, body)

    base = new(f"{kind}List", (ListBase,))
    node_features = Feature("head", element), Feature("tail", base.uima_name)
    return base, new(f"Empty{kind}List", (base,)), new(f"NonEmpty{kind}List", (base, ListNode), node_features)


TYPES.update({cls.uima_name: cls for cls in (ArrayBase, ListBase)})
TYPES.update(ARRAYS)
LISTS: dict[str, tuple[type[ListBase], type[ListNode]]] = {}
"""The list types by UIMA name: the class of the end, the class of a node."""

for _kind in ("FS", "String", "Integer", "Float"):
    _base, _end, _node = _list_classes(_kind, ELEMENTS[f"uima.cas.{_kind}List"])
    LISTS[_base.uima_name] = _end, _node
    TYPES.update({cls.uima_name: cls for cls in (_base, _end, _node)})
    globals().update({cls.__name__: cls for cls in (_base, _end, _node)})  # pickle finds classes by module and name


def linked(range_: str, values: Iterable[Any]) -> ListBase:
    """Return a linked list of the given range (`uima.cas.FSList` ...) over `values`."""
    end, node = LISTS[range_]
    head: ListBase = end()
    for value in reversed(list(values)):
        head = node(value, head)
    return head
