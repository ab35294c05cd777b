"""Merge definitions of types and type priorities by UIMA's rules, with errors that name both sides of a contradiction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from .annotation import Feature
from .arrays import ELEMENTS
from .description import ARRAYS, BUILTIN, DOCUMENT_ANNOTATION, FINAL, PRIMITIVES, STRING, TypeDescription, nearest
from .errors import TypeSystemError

Types = dict[str, TypeDescription]


def union(definitions: Iterable[tuple[TypeDescription, str]]) -> tuple[Types, dict[str, str]]:
    """Return the checked union of all definitions and UIMA's own types, and the place where each type was first defined.

    Features are united, and a supertype may be refined. Raises TypeSystemError for contradictions (with both definitions and
    both places), unknown supertypes and ranges, circular supertypes, and subtypes of final types.
    """
    merged: Types = dict(BUILTIN)
    where: dict[str, str] = {}
    supers: dict[str, list[tuple[str, str]]] = {}
    for new, place in definitions:
        if new.name in BUILTIN:
            _check_builtin(new, place)
            if new.name != DOCUMENT_ANNOTATION:
                continue
            merged[new.name] = _merge(merged[new.name], where.setdefault(new.name, place), new, place)
            continue
        if new.name in merged:
            merged[new.name] = _merge(merged[new.name], where[new.name], new, place)
        else:
            merged[new.name] = _merge(replace(new, features=()), place, new, place)
            where[new.name] = place
        supers.setdefault(new.name, []).append((new.supertype, place))
    for name, given in supers.items():
        merged[name] = replace(merged[name], supertype=_most_specific(name, given, merged, supers))
    for name, place in where.items():
        _check(merged, name, place, where)
    return merged, where


def ancestors(types: Types, name: str) -> list[str]:
    """Return the supertypes of a type, nearest first."""
    chain: list[str] = []
    parent = types[name].supertype
    while parent and parent not in chain:
        chain.append(parent)
        parent = types[parent].supertype if parent in types else ""
    return chain


def _check_builtin(new: TypeDescription, place: str) -> None:
    old = BUILTIN[new.name]
    known = {f.name: f for f in old.features}
    for f in new.features:
        if f.name in known and known[f.name].range != f.range:
            raise TypeSystemError(
                f"{place}: feature {new.name}:{f.name} has range {f.range}, in UIMA itself {known[f.name].range}"
            )
        if f.name not in known and new.name != DOCUMENT_ANNOTATION:
            raise TypeSystemError(f"{place}: {new.name} is UIMA's own type and takes no further feature ({f.name})")
    if new.supertype != old.supertype:
        raise TypeSystemError(f"{place}: {new.name} has supertype {new.supertype}, in UIMA itself {old.supertype}")


def _merge(old: TypeDescription, old_place: str, new: TypeDescription, place: str) -> TypeDescription:
    features = {f.name: f for f in old.features}
    for f in new.features:  # one definition may also repeat a feature
        features[f.name] = _same(old.name, features[f.name], old_place, f, place) if f.name in features else f
    allowed = old.allowed_values if old.allowed_values is not None else new.allowed_values
    if (
        old.allowed_values is not None
        and new.allowed_values is not None
        and {v for v, _ in old.allowed_values} != {v for v, _ in new.allowed_values}
    ):
        raise TypeSystemError(f"type {old.name}: allowed values differ between {old_place} and {place}")
    return replace(
        old, features=tuple(features.values()), allowed_values=allowed, description=old.description or new.description
    )


def _same(of: str, old: Feature, old_place: str, new: Feature, place: str) -> Feature:
    for what, a, b in (
        ("range", old.range, new.range),
        ("elementType", old.element, new.element),
        ("multipleReferencesAllowed", bool(old.multiple), bool(new.multiple)),
    ):
        if a != b and not (what == "elementType" and (a is None or b is None)):
            raise TypeSystemError(f"feature {of}:{old.name}: {what} is {a} in {old_place}, but {b} in {place}")
    return replace(
        old,
        element=old.element or new.element,
        multiple=old.multiple if old.multiple is not None else new.multiple,
        description=old.description or new.description,
    )


def _most_specific(
    name: str, given: list[tuple[str, str]], types: Types, supers: dict[str, list[tuple[str, str]]]
) -> str:
    best, best_place = given[0]
    for other, place in given[1:]:
        if other == best or other in _all_above(best, types, supers):
            continue
        if best in _all_above(other, types, supers):
            best, best_place = other, place
            continue
        raise TypeSystemError(
            f"type {name}: supertype is {best} in {best_place}, but {other} in {place}, and neither refines the other"
        )
    return best


def _all_above(name: str, types: Types, supers: dict[str, list[tuple[str, str]]]) -> set[str]:
    supertypes: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        parents = [s for s, _ in supers.get(current, ())] or (
            [types[current].supertype] if current in types and types[current].supertype else []
        )
        todo += [s for s in parents if s not in supertypes]
        supertypes.update(parents)
    return supertypes


def _check(types: Types, name: str, place: str, where: dict[str, str]) -> None:
    this = types[name]
    if this.supertype not in types:
        raise TypeSystemError(f"{place}: type {name}: no supertype {this.supertype}{nearest(this.supertype, types)}")
    above = ancestors(types, name)
    if above[-1] != "uima.cas.TOP" and name != "uima.cas.TOP":
        raise TypeSystemError(f"{place}: type {name} is its own ancestor: {' < '.join([name, *above])}")
    if this.supertype == STRING:
        if this.features:
            raise TypeSystemError(f"{place}: type {name}: a subtype of {STRING} has no features")
    elif this.supertype in FINAL or STRING in above:
        raise TypeSystemError(f"{place}: type {name}: nothing derives from {this.supertype}")
    elif this.allowed_values:
        raise TypeSystemError(f"{place}: type {name}: allowedValues belong to subtypes of {STRING} only")
    inherited = {f.name: (f, a) for a in reversed(above) for f in types[a].features}
    for f in this.features:
        if f.range not in types:
            hint = nearest(f.range, types)
            raise TypeSystemError(f"{place}: feature {name}:{f.name}: no type {f.range} for its range{hint}")
        if f.element and f.element not in types and f.range in ELEMENTS:  # UIMA ignores it elsewhere
            raise TypeSystemError(
                f"{place}: feature {name}:{f.name}: no type {f.element} for its elements{nearest(f.element, types)}"
            )
        if f.name in inherited and inherited[f.name][0].range != f.range:
            other, of = inherited[f.name]
            raise TypeSystemError(
                f"feature {name}:{f.name}: range is {f.range} in {place}, but {other.range} in the supertype {of} "
                f"({where.get(of, 'UIMA itself')})"
            )


def is_value(types: Types, range_: str) -> str:
    """Return the primitive of a range (String for its subtypes), or an empty string for feature structures."""
    if range_ in PRIMITIVES:
        return range_
    return STRING if range_ not in ARRAYS and STRING in ancestors(types, range_) else ""


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
