"""UIMA's arrays and linked lists as feature structures: what a feature shares with others, or a view indexes, has identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from .annotation import TYPES, Feature, FeatureStructure

ELEMENTS: dict[str, str] = {
    "uima.cas.FSArray": "uima.cas.TOP",
    "uima.cas.StringArray": "uima.cas.String",
    "uima.cas.BooleanArray": "uima.cas.Boolean",
    "uima.cas.ByteArray": "uima.cas.Byte",
    "uima.cas.ShortArray": "uima.cas.Short",
    "uima.cas.IntegerArray": "uima.cas.Integer",
    "uima.cas.LongArray": "uima.cas.Long",
    "uima.cas.FloatArray": "uima.cas.Float",
    "uima.cas.DoubleArray": "uima.cas.Double",
    "uima.cas.FSList": "uima.cas.TOP",
    "uima.cas.StringList": "uima.cas.String",
    "uima.cas.IntegerList": "uima.cas.Integer",
    "uima.cas.FloatList": "uima.cas.Float",
}
"""What each array and list range holds."""


class ArrayBase(FeatureStructure):
    """`uima.cas.ArrayBase`: an array with identity.

    Features whose arrays are not shared hold plain lists (bytes for ByteArray); a shared array, or one that a view indexes,
    is one of the subclasses.
    """

    __slots__ = ()
    uima_name: ClassVar[str] = "uima.cas.ArrayBase"


class ListArray(list[Any], ArrayBase):  # type: ignore[misc]  # the list's own [...] is meant
    """An array that is a Python list too."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"  # not the elements: they can be text of the document


class ByteArray(bytearray, ArrayBase):  # type: ignore[misc]  # the bytes' own [...] is meant
    """`uima.cas.ByteArray`: the bytes, unsigned, as Python counts them."""

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
    """`uima.cas.ListBase`: a linked list, node by node; iterating gives what it holds.

    Features whose lists are not shared hold plain Python lists.
    """

    __slots__ = ()
    uima_name: ClassVar[str] = "uima.cas.ListBase"

    def __iter__(self) -> Iterator[Any]:
        """The heads in order. Raises ValueError for a list that runs in a circle."""
        seen: set[int] = set()
        node: Any = self
        while isinstance(node, ListNode):
            if id(node) in seen:
                raise ValueError(f"{self!r} is a list that runs in a circle")
            seen.add(id(node))
            yield node.head
            node = node.tail


class ListNode(ListBase):
    """A link of a list: its value and the rest."""

    __slots__ = ("head", "tail")

    def __init__(self, head: Any = None, tail: ListBase | None = None) -> None:
        self.head = head
        self.tail = tail


class FSList(ListBase):
    """`uima.cas.FSList`."""

    __slots__ = ()
    uima_name = "uima.cas.FSList"


class EmptyFSList(FSList):
    """`uima.cas.EmptyFSList`: the end of a list."""

    __slots__ = ()
    uima_name = "uima.cas.EmptyFSList"


class NonEmptyFSList(FSList, ListNode):
    """`uima.cas.NonEmptyFSList`: a link."""

    __slots__ = ()
    uima_name = "uima.cas.NonEmptyFSList"
    own_features = (Feature("head", "uima.cas.TOP"), Feature("tail", "uima.cas.FSList"))


class StringList(ListBase):
    """`uima.cas.StringList`."""

    __slots__ = ()
    uima_name = "uima.cas.StringList"


class EmptyStringList(StringList):
    """`uima.cas.EmptyStringList`: the end of a list."""

    __slots__ = ()
    uima_name = "uima.cas.EmptyStringList"


class NonEmptyStringList(StringList, ListNode):
    """`uima.cas.NonEmptyStringList`: a link."""

    __slots__ = ()
    uima_name = "uima.cas.NonEmptyStringList"
    own_features = (Feature("head", "uima.cas.String"), Feature("tail", "uima.cas.StringList"))


class IntegerList(ListBase):
    """`uima.cas.IntegerList`."""

    __slots__ = ()
    uima_name = "uima.cas.IntegerList"


class EmptyIntegerList(IntegerList):
    """`uima.cas.EmptyIntegerList`: the end of a list."""

    __slots__ = ()
    uima_name = "uima.cas.EmptyIntegerList"


class NonEmptyIntegerList(IntegerList, ListNode):
    """`uima.cas.NonEmptyIntegerList`: a link."""

    __slots__ = ()
    uima_name = "uima.cas.NonEmptyIntegerList"
    own_features = (Feature("head", "uima.cas.Integer"), Feature("tail", "uima.cas.IntegerList"))


class FloatList(ListBase):
    """`uima.cas.FloatList`."""

    __slots__ = ()
    uima_name = "uima.cas.FloatList"


class EmptyFloatList(FloatList):
    """`uima.cas.EmptyFloatList`: the end of a list."""

    __slots__ = ()
    uima_name = "uima.cas.EmptyFloatList"


class NonEmptyFloatList(FloatList, ListNode):
    """`uima.cas.NonEmptyFloatList`: a link."""

    __slots__ = ()
    uima_name = "uima.cas.NonEmptyFloatList"
    own_features = (Feature("head", "uima.cas.Float"), Feature("tail", "uima.cas.FloatList"))


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

LISTS: dict[str, tuple[type[ListBase], type[ListNode]]] = {
    "uima.cas.FSList": (EmptyFSList, NonEmptyFSList),
    "uima.cas.StringList": (EmptyStringList, NonEmptyStringList),
    "uima.cas.IntegerList": (EmptyIntegerList, NonEmptyIntegerList),
    "uima.cas.FloatList": (EmptyFloatList, NonEmptyFloatList),
}
"""The list types by UIMA name: the class of the end, the class of a link."""

TYPES.update(ARRAYS)
TYPES.update({cls.uima_name: cls for cls in (ArrayBase, ListBase, FSList, StringList, IntegerList, FloatList)})
for _end, _node in LISTS.values():
    TYPES[_end.uima_name] = _end
    TYPES[_node.uima_name] = _node
    _node.features = {f.name: f for f in _node.own_features}


def linked(range_: str, values: Iterable[Any]) -> ListBase:
    """A linked list of the given range (`uima.cas.FSList` ...) over `values`."""
    end, node = LISTS[range_]
    made: ListBase = end()
    for value in reversed(list(values)):
        made = node(value, made)
    return made
