"""Turns a row of JSON CAS into an instance: one function compiled per type and set of keys."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from ..description import STRING, nearest
from ..phi import PhiKind
from ..xmi.decode import KINDS, RowFault, Taken, UnknownFeature, ValueFault, enumeration, missing, single, store
from ..xmi.plan import Field, Plan
from ..xmi.values import LIMITS

Row = dict[str, Any]
"""`%ID`, `%TYPE`, then features: `name`, `@name` for references, `#name` for what is no number in JSON."""

SPECIAL = {
    "NaN": math.nan,
    "Infinity": math.inf,
    "Inf": math.inf,
    "-Infinity": -math.inf,
    "-Inf": -math.inf,
}
_MANY = 256
"""Sets of keys of one type that get a function each; beyond them rows are brought into one order first."""


def _unknown(name: str) -> Exception:
    return ValueFault("a keyword that is none of JSON CAS") if name.startswith("%") else UnknownFeature(name)


def split(key: str) -> tuple[str, str]:
    """The mark of a key (`@` reference, `#` float, `^` anchor, or nothing) and the name of the feature."""
    return (key[0], key[1:]) if key[:1] in ("@", "#", "^") else ("", key)


class BareRow(Exception):
    """A row without id."""


def wrong(f: Field, value: Any) -> ValueFault:
    """What is said of a value that does not fit its feature."""
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
    """What a JSON value is, without showing it."""
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
    """A float that JSON has no number for, spelt as a string. Raises ValueFault."""
    if isinstance(value, str) and value in SPECIAL:
        return SPECIAL[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueFault(f"feature {f.name}: expected NaN, Infinity or -Infinity")


def kind(f: Field, value: str) -> PhiKind:
    """A kind of PHI. Raises ValueFault that names the nearest."""
    try:
        return KINDS[value]
    except ValueFault as e:
        raise ValueFault(f"feature {f.name}: {e}") from None


def named(f: Field, value: str) -> Any:
    """A value of an enumeration or of another type that is made from its `str`. Raises ValueFault."""
    try:
        return enumeration(f.python, value)
    except ValueFault as e:
        raise ValueFault(f"feature {f.name}: {e}") from None


def offset(name: str, value: Any) -> int:
    """A begin or end; null is 0. Raises ValueFault."""
    if value is None:
        return 0
    if value.__class__ is not int:
        raise ValueFault(f"feature {name}: expected a whole number, got {kind_of(value)}")
    number: int = value
    return number


def decoder(plan: Plan, keys: tuple[str, ...], lenient: bool) -> Callable[..., int] | None:
    """The function `make(rows, i, stop, by_id, sofas, fix)` for rows with these keys; cached in the plan.

    It makes instances from row `i` on, as long as type and keys are these, puts them in `by_id`, and returns the row it did
    not do. `fix` takes (instance, field, number) of references. None where the plan has too many of them: `tidied` then.
    Raises UnknownFeature, ValueFault and BareRow; the function raises RowFault, whose cause is a ValueFault, Taken, or a
    KeyError for an unknown Sofa.
    """
    found: Callable[..., int] | None = plan.decoders.get((keys, lenient))
    if found is None and len(plan.decoders) < _MANY:
        found = plan.decoders[keys, lenient] = _compile(plan, keys, lenient)
    return found


def tidied(plan: Plan, row: Row, lenient: bool) -> Row:
    """The row with every key there can be, in one order. Raises UnknownFeature, ValueFault."""
    names = {"%ID": "%ID", "%TYPE": "%TYPE", **({"sofa": "@sofa"} if plan.in_sofa else {})}
    names |= {"begin": "begin", "end": "end"} if plan.span else {}
    names |= {f.name: f.name if f.kind in ("text", "number") else f"@{f.name}" for f in plan.fields}
    made: Row = dict.fromkeys(names.values())
    for key, value in row.items():
        prefix, name = split(key)
        if name in names and value is not None:
            made[names[name]] = SPECIAL.get(value, value) if prefix == "#" and isinstance(value, str) else value
        elif name not in names and not lenient and key != "%FLAGS":
            raise _unknown(name)
    return made


def mended(plan: Plan, row: Row) -> list[str]:
    """Drops from a row what its features cannot hold; the names of those. A number for a string becomes one."""
    fields = {f.name: f for f in plan.fields}
    place = {"sofa": "@", "begin": "", "end": ""} if plan.span else {"sofa": "@"} if plan.in_sofa else {}
    seen: set[str] = set()
    found: list[str] = []
    for key, value in list(row.items()):
        mark, name = split(key)
        if key.startswith("%") or (name not in fields and name not in place):
            continue
        f = fields.get(name)
        fits = value is None or value.__class__ is int if f is None else _fits(f, mark, value)
        if name in seen or not fits or (f is None and mark != place[name]):
            found.append(name)
            if f is not None and f.kind == "text" and isinstance(value, int | float) and not mark and name not in seen:
                row[key] = json.dumps(value)
            else:
                del row[key]
        seen.add(name)
    return found


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


def tidy_decoder(plan: Plan, lenient: bool) -> Callable[..., int]:
    """The function for rows that are `tidied`."""
    found: Callable[..., int] | None = plan.decoders.get(("tidied", lenient))
    if found is None:
        keys = tuple(tidied(plan, {}, lenient))
        found = plan.decoders["tidied", lenient] = _compile(plan, keys, lenient)
    return found


def _compile(plan: Plan, keys: tuple[str, ...], lenient: bool) -> Callable[..., int]:
    if "%ID" not in keys:
        raise BareRow
    at: dict[str, tuple[str, str]] = {}
    for i, key in enumerate(keys):
        prefix, name = split(key)
        if name in at:
            raise ValueFault("a feature is given twice")
        at[name] = prefix, f"v{i}"
    scope: dict[str, Any] = {
        "new": plan.cls.__new__, "cls": plan.cls, "single": single, "kinds": KINDS, "kind": kind, "named": named,
        "wrong": wrong, "special": special, "offset": offset, "ValueFault": ValueFault, "RowFault": RowFault,
        "Taken": Taken, "keys": keys, "type_": plan.name, "reference": reference,
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
        "def make(rows, i, stop, by_id, sofas, fix):",
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
        "                raise Taken(n)",
    ]
    tail = ["            by_id[n] = a", "            i += 1", "        return i"]
    tail += ["    except (ValueError, KeyError, OverflowError, Taken) as e:", "        raise RowFault(i) from e"]
    exec("\n".join([*head, *(f"            {line}" for line in body), *tail]), scope)
    made: Callable[..., int] = scope["make"]
    return made


def reference(value: Any) -> int | None:
    """The number of a Sofa, or None. Raises ValueFault."""
    if value is None or (value.__class__ is int):
        number: int | None = value
        return number
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
    """The statements that set a feature from the variable `v`; `absent` is the one for null."""
    refers = f.kind in ("ref", "pos", "shared", "array")
    if refers != (prefix == "@"):
        how = f"@{f.name}, the number of a feature structure" if refers else f"{f.name}, a value"
        return [f"raise ValueFault({f'expected {how}'!r})"]
    if refers:
        default = store(f, "''" if f.kind == "pos" else "None")
        return [
            f"if {v}.__class__ is int:",
            f"    {default}",
            f"    fix((a, f{i}, {v}))",
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
    """An element of an array of values. null counts as 0 or false, as UIMA for Java has no other. Raises ValueFault."""
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
    """`; did you mean ...?` for a feature that the type does not have."""
    return nearest(name, [f.name for f in plan.fields])
