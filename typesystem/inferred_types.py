"""What all readers need that make up types from what occurs: ranges of values, whose a feature is, one type system for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .annotation import TYPES, Feature
from .description import INTEGER, STRING, TypeDescription, check_feature_name, check_type_name
from .errors import TypeSystemError
from .typesystem import TypeSystem

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,9})\Z", re.ASCII)
_DECIMAL = re.compile(
    r"-?(0|[1-9][0-9]*)\.(0|[0-9]*[1-9])(E-?[0-9]+)?\Z", re.ASCII
)  # 1.50 is rather a version or a code
_KEPT = 32
_JOINED: dict[tuple[object, ...], tuple[TypeSystem, TypeSystem, int]] = {}


def value_range(texts: list[str], *, always: bool) -> str:
    """The range of a feature with these values in XML: String unless all of them clearly are something else.

    `always`: every instance has the feature, as is so of numbers and truth values.
    """
    if always and all(_WHOLE.match(v) and -(2**31) <= int(v) < 2**31 for v in texts):
        return INTEGER
    if always and all(v in ("true", "false") for v in texts):
        return "uima.cas.Boolean"
    return "uima.cas.Double" if always and all(map(_DECIMAL.match, texts)) else STRING


def legal(name: str, where: str, feature: str = "") -> bool:
    """Whether UIMA takes the name of a type, or of a feature of it."""
    try:
        if feature:
            check_feature_name(feature, name, where)
        else:
            check_type_name(name, where)
    except TypeSystemError:
        return False
    return True


def owner(name: str, feature: str, new: dict[str, set[str]], above: Callable[[str], list[str]]) -> str:
    """The uppermost type that gets a feature together with `name`: one below it that has it too means the same.

    `new`: features by the type that has them in the document; `above`: the types above one, nearest first.
    """
    return next((t for t in reversed(above(name)) if feature in new.get(t, ())), name)


def known_below(types: TypeSystem, name: str, feature: str) -> Feature | None:
    """A feature that a known type below `name` has already, so that it cannot get another range here."""
    below = types.subtypes(name) if name in types else []
    return next((f for t in below for f in types.describe(t).features if f.name == feature), None)


def joined(base: TypeSystem, beyond: Iterable[TypeDescription], where: str) -> TypeSystem:
    """The known types with more; the same object for the same types, since most documents of a run bring the same.

    Raises TypeSystemError where they contradict.
    """
    beyond = tuple(beyond)
    if not beyond:
        return base
    made_up = where.endswith("(inferred)")
    key = id(base), len(base.foreign()), base.priorities, len(TYPES), made_up, beyond
    found = _JOINED.get(key)
    if found is None or found[2] != len(found[1].foreign()):
        made = TypeSystem([*base.foreign(), *((t, where) for t in beyond)], base.priorities)
        while len(_JOINED) >= _KEPT:
            del _JOINED[next(iter(_JOINED))]
        found = _JOINED[key] = base, made, len(made.foreign())  # `base` is held so that its id() stays its own
    return found[1]
