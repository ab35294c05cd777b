"""Decode rows of JSON CAS to instances, with one function compiled per type; and the values of JSON CAS."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from ..description import STRING
from ..phi import PhiKind
from ..xmi.decode import KINDS, UnknownFeature, ValueFault, compile_decoder, enumeration, single, store
from ..xmi.plan import Field, Plan
from ..xmi.values import LIMITS

Row = dict[str, Any]
"""`%ID`, `%TYPE`, then features: `name`, `@name` for references, `#name` for NaN and infinities."""

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "Inf": math.inf, "-Infinity": -math.inf, "-Inf": -math.inf}
_REFERENCES = ("ref", "pos", "shared", "array")
"""The kinds of fields whose values are ids."""


def split(key: str) -> tuple[str, str]:
    """Return the mark of a key (`@` reference, `#` float, `^` anchor, or nothing) and the name of the feature."""
    return (key[0], key[1:]) if key[:1] in ("@", "#", "^") else ("", key)


def wrong(f: Field, value: Any) -> ValueFault:
    """Return the fault of a value that does not fit its feature."""
    if f.kind in _REFERENCES:
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


def named(f: Field, value: str) -> Any:
    """Return a kind of PHI, or a value of another type that is constructed from its `str`. Raises ValueFault."""
    try:
        return KINDS[value] if f.python is PhiKind else enumeration(f.python, value)
    except ValueFault as e:
        raise ValueFault(f"feature {f.name}: {e}") from None


def offset(name: str, value: Any) -> int:
    """Return a begin or end; null is 0. Raises ValueFault."""
    if value is None:
        return 0
    if value.__class__ is not int:
        raise ValueFault(f"feature {name}: expected a whole number, got {kind_of(value)}")
    return int(value)


def decoder(plan: Plan, lenient: bool) -> Callable[..., int]:
    """Return the function `decode(rows, i, stop, by_id, sofas, refer)` for rows of a type, cached in the plan.

    It adds the instances of the rows from `i` on to `by_id`, as long as they have the same type, and returns the first row
    that it did not decode. `refer` takes (instance, field, id) of references. It raises RowFault, whose cause is a ValueFault,
    UnknownFeature, MissingId, IdInUse, or a KeyError for an unknown Sofa.
    """
    decode: Callable[..., int] | None = plan.decoders.get(lenient)
    if decode is not None:
        return decode
    known = {"%ID", "%TYPE", "%FLAGS", *(["@sofa"] if plan.in_sofa else []), *(["begin", "end"] if plan.span else [])}
    known.update(f.name if f.kind in ("text", "number") else f"@{f.name}" for f in plan.fields)
    scope: dict[str, Any] = {
        "single": single, "kinds": KINDS, "named": named, "wrong": wrong, "special": special, "offset": offset,
        "known": known, "check_keys": lambda row: _check_keys(plan, row, lenient), "type_": plan.name, "reference": reference,
    }  # fmt: skip
    checks = [
        "x = rows[i]",
        "if x['%TYPE'] != type_:",
        "    break",
        "if not known.issuperset(x):",
        "    check_keys(x)",
        "n = x.get('%ID')",
        "if n.__class__ is not int:",
        "    if '%ID' not in x:",
        "        raise MissingId",
        "    raise ValueFault('expected a whole number as %ID')",
    ]
    offsets = [f"{edge} = x.get({edge!r}, x.get('^{edge}', 0))" for edge in ("begin", "end")]
    offsets += ["if begin.__class__ is not int or end.__class__ is not int:"]
    offsets += ["    begin, end = offset('begin', begin), offset('end', end)"]
    signature, sofa = "rows, i, stop, by_id, sofas, refer", "sofas[reference(x.get('@sofa'))]"
    decode = plan.decoders[lenient] = compile_decoder(plan, scope, signature, checks, sofa, offsets, _feature, lenient)
    return decode


def _check_keys(plan: Plan, row: Row, lenient: bool) -> None:
    """Check the keys of a row that is not in the usual form. Raises UnknownFeature, ValueFault."""
    references = {f.name: f.kind in _REFERENCES for f in plan.fields}
    place = {"sofa": "@", "begin": "", "end": ""} if plan.span else {"sofa": "@"} if plan.in_sofa else {}
    seen: set[str] = set()
    for key in row:
        mark, name = split(key)
        if name in seen:
            raise ValueFault("a feature is given twice")
        seen.add(name)
        if name in references and references[name] != (mark == "@"):
            expected = f"@{name}, the number of a feature structure" if references[name] else f"{name}, a value"
            raise ValueFault(f"expected {expected}")
        if name in place and mark not in (place[name], "^"):
            raise ValueFault(f"expected {place[name]}{name}")
        if name.startswith("%"):
            if key not in ("%ID", "%TYPE", "%FLAGS") and not lenient:
                raise ValueFault("a keyword that JSON CAS does not have")
        elif name not in references and name not in place and not lenient:
            raise UnknownFeature(name)


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
    refers = f.kind in _REFERENCES
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


def reference(value: Any) -> int | None:
    """Return the id of a Sofa, or None. Raises ValueFault."""
    if value is None or value.__class__ is int:
        return value
    raise ValueFault(f"feature sofa: expected the number of a Sofa, got {kind_of(value)}")


def _feature(i: int, f: Field, absent: str) -> list[str]:
    """Return the statements that set a feature; `absent` is the one for null."""
    if f.kind in _REFERENCES:
        default = store(f, "''" if f.kind == "pos" else "None")
        lines = [f"v = x.get('@{f.name}')", "if v.__class__ is int:", f"    {default}", f"    refer((a, f{i}, v))"]
        return [*lines, "elif v is None:", f"    {absent}", f"else: raise wrong(f{i}, v)"]
    test, lines = "v.__class__ is str", [f"v = x.get({f.name!r})"]
    if f.kind == "text":
        is_plain = f.python is str or f.python is object
        value = "v" if is_plain else f"kinds.get(v) or named(f{i}, v)" if f.python is PhiKind else f"named(f{i}, v)"
    elif f.range in LIMITS:
        low, high = LIMITS[f.range]
        test, value = f"v.__class__ is int and {low} <= v <= {high}", "v"
    elif f.range == "uima.cas.Boolean":
        test, value = "v is True or v is False", "v"
    else:
        test = "v.__class__ is float or v.__class__ is int"
        value = "single(float(v))" if f.range == "uima.cas.Float" else "float(v)"
        special_value = store(f, f"special(f{i}, x['#{f.name}'])")
        lines += [
            f"if v is None and x.get('#{f.name}') is not None: {special_value}",
            f"elif {test}: {store(f, value)}",
        ]
        return [*lines, "elif v is None:", f"    {absent}", f"else: raise wrong(f{i}, v)"]
    return [*lines, f"if {test}: {store(f, value)}", "elif v is None:", f"    {absent}", f"else: raise wrong(f{i}, v)"]


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
