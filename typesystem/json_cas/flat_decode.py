"""Decode rows of JSON CAS to instances, with one function compiled per type and set of keys."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from ..description import STRING, nearest
from ..phi import PhiKind
from ..xmi.decode import KINDS, IdInUse, RowFault, UnknownFeature, ValueFault, enumeration, missing, single, store
from ..xmi.plan import Field, Plan
from ..xmi.values import LIMITS

Row = dict[str, Any]
"""`%ID`, `%TYPE`, then features: `name`, `@name` for references, `#name` for NaN and infinities."""

SPECIAL = {
    "NaN": math.nan,
    "Infinity": math.inf,
    "Inf": math.inf,
    "-Infinity": -math.inf,
    "-Inf": -math.inf,
}
_MOST_DECODERS = 256
"""The number of key sets per type with a function each; all other rows are normalized first."""


def _unknown(name: str) -> Exception:
    return ValueFault("a keyword that JSON CAS does not have") if name.startswith("%") else UnknownFeature(name)


def split(key: str) -> tuple[str, str]:
    """Return the mark of a key (`@` reference, `#` float, `^` anchor, or nothing) and the name of the feature."""
    return (key[0], key[1:]) if key[:1] in ("@", "#", "^") else ("", key)


class MissingId(Exception):
    """A row has no id."""


def wrong(f: Field, value: Any) -> ValueFault:
    """Return the fault of a value that does not fit its feature."""
    if f.kind in ("ref", "pos", "shared", "array"):
        expected = "the number of a feature structure"
    elif f.kind == "text":
        expected = "a string"
    elif f.range == "uima.cas.Boolean":
        expected = "true or false"
    elif f.range in LIMITS:
        low, high = LIMITS[f.range]
        expected = f"a whole number from {low} to {high}"
    else:
        expected = "a number"
    return ValueFault(f"feature {f.name}: expected {expected}, got {kind_of(value)}")


def kind_of(value: Any) -> str:
    """Describe the type of a JSON value."""
    names = {
        str: "a string",
        bool: "a truth value",
        int: "a number",
        float: "a number",
        list: "an array",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), "something else")


def special(f: Field, value: Any) -> float:
    """Return a float that JSON has no number for and that is written as a string. Raises ValueFault."""
    if isinstance(value, str) and value in SPECIAL:
        return SPECIAL[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueFault(f"feature {f.name}: expected NaN, Infinity or -Infinity")


def kind(f: Field, value: str) -> PhiKind:
    """Return a kind of PHI. Raises ValueFault, which suggests the nearest name."""
    try:
        return KINDS[value]
    except ValueFault as e:
        raise ValueFault(f"feature {f.name}: {e}") from None


def named(f: Field, value: str) -> Any:
    """Return a value of an enumeration, or of another type that is constructed from its `str`. Raises ValueFault."""
    try:
        return enumeration(f.python, value)
    except ValueFault as e:
        raise ValueFault(f"feature {f.name}: {e}") from None


def offset(name: str, value: Any) -> int:
    """Return a begin or end; null is 0. Raises ValueFault."""
    if value is None:
        return 0
    if value.__class__ is not int:
        raise ValueFault(f"feature {name}: expected a whole number, got {kind_of(value)}")
    return int(value)


def decoder(plan: Plan, keys: tuple[str, ...], lenient: bool) -> Callable[..., int] | None:
    """Return the function `decode(rows, i, stop, by_id, sofas, refer)` for rows with these keys.

    It adds the instances of the rows from `i` on to `by_id`, as long as type and keys are the same, and returns the first row
    that it did not decode. `refer` takes (instance, field, id) of references. Functions are cached in the plan; None if it has
    too many: `normalize` the rows then. Raises UnknownFeature, ValueFault and MissingId; the function raises RowFault, whose
    cause is a ValueFault, IdInUse, or a KeyError for an unknown Sofa.
    """
    decode: Callable[..., int] | None = plan.decoders.get((keys, lenient))
    if decode is None and len(plan.decoders) < _MOST_DECODERS:
        decode = plan.decoders[keys, lenient] = _compile(plan, keys, lenient)
    return decode


def normalize(plan: Plan, row: Row, lenient: bool) -> Row:
    """Return the row with all keys of the type, in one order. Raises UnknownFeature, ValueFault."""
    names = {"%ID": "%ID", "%TYPE": "%TYPE", **({"sofa": "@sofa"} if plan.in_sofa else {})}
    names |= {"begin": "begin", "end": "end"} if plan.span else {}
    names |= {f.name: f.name if f.kind in ("text", "number") else f"@{f.name}" for f in plan.fields}
    normalized: Row = dict.fromkeys(names.values())
    for key, value in row.items():
        prefix, name = split(key)
        if name in names and value is not None:
            normalized[names[name]] = SPECIAL.get(value, value) if prefix == "#" and isinstance(value, str) else value
        elif name not in names and not lenient and key != "%FLAGS":
            raise _unknown(name)
    return normalized


def repair_values(plan: Plan, row: Row) -> list[str]:
    """Drop the values of a row that do not fit, or convert numbers to strings. Return the names of their features."""
    fields = {f.name: f for f in plan.fields}
    place = {"sofa": "@", "begin": "", "end": ""} if plan.span else {"sofa": "@"} if plan.in_sofa else {}
    seen: set[str] = set()
    dropped: list[str] = []
    for key, value in list(row.items()):
        mark, name = split(key)
        if key.startswith("%") or (name not in fields and name not in place):
            continue
        f = fields.get(name)
        fits = value is None or value.__class__ is int if f is None else _fits(f, mark, value)
        if name in seen or not fits or (f is None and mark != place[name]):
            dropped.append(name)
            if f is not None and f.kind == "text" and isinstance(value, int | float) and not mark and name not in seen:
                row[key] = json.dumps(value)
            else:
                del row[key]
        seen.add(name)
    return dropped


def _fits(f: Field, mark: str, value: Any) -> bool:
    refers = f.kind in ("ref", "pos", "shared", "array")
    if refers or mark == "@" or value is None:
        return refers == (mark == "@") and (value is None or value.__class__ is int)
    try:
        if f.kind == "text":
            return value.__class__ is str and (f.python in (str, object) or named(f, value) is not None)
        if f.range in LIMITS:
            low, high = LIMITS[f.range]
            return value.__class__ is int and low <= value <= high
        if f.range == "uima.cas.Boolean":
            return value.__class__ is bool
        return math.isfinite(special(f, value)) or mark == "#"
    except (ValueFault, OverflowError):
        return False


def normalized_decoder(plan: Plan, lenient: bool) -> Callable[..., int]:
    """Return the function for normalized rows."""
    decode: Callable[..., int] | None = plan.decoders.get(("normalized", lenient))
    if decode is None:
        decode = plan.decoders["normalized", lenient] = _compile(plan, tuple(normalize(plan, {}, lenient)), lenient)
    return decode


def _compile(plan: Plan, keys: tuple[str, ...], lenient: bool) -> Callable[..., int]:
    if "%ID" not in keys:
        raise MissingId
    at: dict[str, tuple[str, str]] = {}
    for i, key in enumerate(keys):
        prefix, name = split(key)
        if name in at:
            raise ValueFault("a feature is given twice")
        at[name] = prefix, f"v{i}"
    scope: dict[str, Any] = {
        "new": plan.cls.__new__, "cls": plan.cls, "single": single, "kinds": KINDS, "kind": kind, "named": named,
        "wrong": wrong, "special": special, "offset": offset, "ValueFault": ValueFault, "RowFault": RowFault,
        "IdInUse": IdInUse, "keys": keys, "type_": plan.name, "reference": reference,
    }  # fmt: skip
    body = ["a = new(cls)"]
    used = {"%ID", "%TYPE", "%FLAGS"}
    if plan.span:
        body += _span(at)
        used |= {"sofa", "begin", "end"}
        if not any(f.attribute == "_source" for f in plan.fields):
            body.append("a._source = ''")
    elif plan.in_sofa:
        body.append(f"a._sofa = {_sofa(at)}[0]")
        used.add("sofa")
    for i, f in enumerate(plan.fields):
        scope[f"f{i}"], scope[f"p{i}"] = f, f.python
        used.add(f.name)
        absent = missing(i, f, scope, lenient)
        if f.name in at:
            body += _feature(i, f, *at[f.name], absent)
        else:
            body.append(absent)
    if hasattr(plan.cls, "_pos_link"):
        body.append("a._pos_link = None")
    for name in at:
        if name not in used and not lenient:
            raise _unknown(name)
    variables = ", ".join(f"v{i}" for i in range(len(keys)))
    head = [
        "def decode(rows, i, stop, by_id, sofas, refer):",
        "    try:",
        "        while i < stop:",
        "            x = rows[i]",
        "            if tuple(x) != keys or x['%TYPE'] != type_:",
        "                break",
        f"            {variables}, = x.values()",
        f"            n = {at['%ID'][1]}",
        "            if n.__class__ is not int:",
        "                raise ValueFault('expected a whole number as %ID')",
        "            if n in by_id:",
        "                raise IdInUse(n)",
    ]
    tail = ["            by_id[n] = a", "            i += 1", "        return i"]
    tail += ["    except (ValueError, KeyError, OverflowError, IdInUse) as e:", "        raise RowFault(i) from e"]
    exec("\n".join([*head, *(f"            {line}" for line in body), *tail]), scope)
    compiled: Callable[..., int] = scope["decode"]
    return compiled


def reference(value: Any) -> int | None:
    """Return the id of a Sofa, or None. Raises ValueFault."""
    if value is None or value.__class__ is int:
        return value  # type: ignore[no-any-return]
    raise ValueFault(f"feature sofa: expected the number of a Sofa, got {kind_of(value)}")


def _sofa(at: dict[str, tuple[str, str]]) -> str:
    return f"sofas[reference({at['sofa'][1]})]" if "sofa" in at else "sofas[None]"


def _span(at: dict[str, tuple[str, str]]) -> list[str]:
    lines = [f"s, limit, convert = {_sofa(at)}"]
    begin, end = (at[edge][1] if edge in at else "0" for edge in ("begin", "end"))
    lines += [f"begin, end = {begin}, {end}", "if begin.__class__ is not int or end.__class__ is not int:"]
    lines += ["    begin, end = offset('begin', begin), offset('end', end)"]
    lines += ["if convert is not None:", "    begin, end = convert(begin, end)"]
    lines += ["elif not 0 <= begin <= end <= limit:"]
    lines += ["    raise ValueFault(f'offsets {begin}:{end} lie outside the text (0:{limit})')"]
    return [*lines, "a._sofa = s", "a._begin = begin", "a._end = end"]


def _feature(i: int, f: Field, prefix: str, v: str, absent: str) -> list[str]:
    """Return the statements that set a feature from the variable `v`; `absent` is the one for null."""
    refers = f.kind in ("ref", "pos", "shared", "array")
    if refers != (prefix == "@"):
        how = f"@{f.name}, the number of a feature structure" if refers else f"{f.name}, a value"
        return [f"raise ValueFault({f'expected {how}'!r})"]
    if refers:
        default = store(f, "''" if f.kind == "pos" else "None")
        return [
            f"if {v}.__class__ is int:",
            f"    {default}",
            f"    refer((a, f{i}, {v}))",
            f"elif {v} is None:",
            f"    {absent}",
            f"else: raise wrong(f{i}, {v})",
        ]
    test = f"{v}.__class__ is str"
    if f.kind == "text":
        plain = f.python is str or f.python is object
        value = v if plain else f"kinds.get({v}) or kind(f{i}, {v})" if f.python is PhiKind else f"named(f{i}, {v})"
    elif f.range in LIMITS:
        low, high = LIMITS[f.range]
        test, value = f"{v}.__class__ is int and {low} <= {v} <= {high}", v
    elif f.range == "uima.cas.Boolean":
        test, value = f"{v} is True or {v} is False", v
    elif prefix == "#":
        test, value = f"{v} is not None", f"special(f{i}, {v})"
    else:
        test = f"{v}.__class__ is float or {v}.__class__ is int"
        value = f"single(float({v}))" if f.range == "uima.cas.Float" else f"float({v})"
    lines = [f"if {test}: {store(f, value)}", f"elif {v} is None:", f"    {absent}"]
    return [*lines, f"else: raise wrong(f{i}, {v})"]


def element_of(v: Any, element: str) -> Any:
    """Return an element of an array of values; null is 0 or false, as in UIMA for Java. Raises ValueFault."""
    if element == STRING:
        if v is None or v.__class__ is str:
            return v
    elif element == "uima.cas.Boolean":
        if v is None or v.__class__ is bool:
            return bool(v)
    elif element in LIMITS:
        low, high = LIMITS[element]
        if v is None or (v.__class__ is int and low <= v <= high):
            return v or 0
    elif v is None or v.__class__ is float or v.__class__ is int:
        try:
            return float(v or 0)
        except OverflowError:
            pass
    elif v.__class__ is str and v in SPECIAL:
        return SPECIAL[v]
    raise ValueFault(f"expected %ELEMENTS of range {element}, got {kind_of(v)}")


def hint(name: str, plan: Plan) -> str:
    """Return `; did you mean ...?` for a feature that the type does not have."""
    return nearest(name, [f.name for f in plan.fields])
