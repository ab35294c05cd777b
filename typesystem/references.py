"""Follow and redirect the references between feature structures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from .annotation import FeatureStructure
from .arrays import FSArray
from .description import ARRAYS, PRIMITIVES

_VALUES = PRIMITIVES | (ARRAYS - {"uima.cas.FSArray"})
_ATTRIBUTES: WeakKeyDictionary[type[Any], tuple[str, ...]] = WeakKeyDictionary()


def reference_attributes(cls: type[FeatureStructure]) -> tuple[str, ...]:
    """Return the attributes of a class that may hold feature structures or lists of them."""
    attributes = _ATTRIBUTES.get(cls)
    if attributes is None:
        names = [f.attribute or f.name for f in cls.features.values() if f.range not in _VALUES]
        link = ["_pos_link"] if hasattr(cls, "_pos_link") else []
        attributes = _ATTRIBUTES[cls] = (*names, *link)
    return attributes


def may_refer(cls: type[FeatureStructure]) -> bool:
    """Return whether instances of a class may refer to feature structures."""
    return issubclass(cls, FSArray) or bool(reference_attributes(cls))


def reachable(roots: Iterable[Any]) -> Iterator[Any]:
    """Yield each feature structure among the roots, and each that these lead to, once."""
    todo = list(roots)
    seen: dict[int, Any] = {}  # keeps them alive, so that their `id()` stays unique
    while todo:
        item = todo.pop()
        if id(item) in seen or not isinstance(item, FeatureStructure | list):
            continue
        seen[id(item)] = item
        if isinstance(item, FeatureStructure):
            yield item
            todo += [getattr(item, name, None) for name in reference_attributes(type(item))]
        if isinstance(item, list) and not (isinstance(item, FeatureStructure) and not isinstance(item, FSArray)):
            todo += item


def redirect(roots: Iterable[Any], old: FeatureStructure, new: FeatureStructure) -> None:
    """Let everything that the roots lead to refer to `new` instead of `old`, except `new` itself."""
    for item in reachable(roots):
        if item is new:
            continue
        if isinstance(item, FSArray):
            _redirect_elements(item, old, new)
        for name in reference_attributes(type(item)):
            value = getattr(item, name, None)
            if value is old:
                setattr(item, name, new)
            elif type(value) is list:
                _redirect_elements(value, old, new)


def _redirect_elements(values: list[Any], old: FeatureStructure, new: FeatureStructure) -> None:
    for i, value in enumerate(values):
        if value is old:
            values[i] = new
