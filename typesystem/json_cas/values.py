"""Write values of JSON CAS: strings, floats that JSON lacks, and the compiled writer of each type."""

from __future__ import annotations

import base64
import keyword
import re
from collections.abc import Callable
from enum import Enum
from json.encoder import encode_basestring
from typing import Any

from ..arrays import ELEMENTS
from ..description import STRING, TOP
from ..markup.xml_text import SUBSTITUTE, Escaper
from ..phi import PhiKind
from ..typesystem import TypeSystem
from ..xmi.plan import Field, Plan
from ..xmi.values import LIMITS, boolean, byte_array, double, integer, number, single

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def replace_pairs(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Replace each pair of a high and a low surrogate. Return the text and (offset, code) of each replaced character.

    In JSON such a pair is one character, so the text would become shorter. Lone surrogates are kept.
    """
    lost = [(i, ord(text[i])) for m in _PAIR.finditer(text) for i in (m.start(), m.start() + 1)]
    return (_PAIR.sub(SUBSTITUTE * 2, text), lost) if lost else (text, lost)


class Strings(Escaper):
    """A cache from strings to quoted JSON strings. `lossy` collects the strings with a pair of surrogates."""

    __slots__ = ()

    def __missing__(self, text: str) -> str:
        if not isinstance(text, str):
            raise TypeError(f"expected str, got {type(text).__name__}")
        if text.isascii() or not _SURROGATE.search(text):
            quoted = encode_basestring(text)
        else:
            whole, lost = replace_pairs(text)
            if lost:
                self.lossy.add(text)
            quoted = _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", encode_basestring(whole))
        self[text] = quoted
        return quoted


def real(value: Any, name: str, range_: str) -> str:
    """Write a feature of range Float or Double with its key. Raises TypeError, OverflowError."""
    text = single(value) if range_ == "uima.cas.Float" else double(value)
    return f',"#{name}":"{text}"' if text[-1] in "Ny" else f',"{name}":{text}'


def elements(value: Any, range_: str, esc: Strings, ref: Callable[[Any], int]) -> str:
    """Write the elements of an array. Raises TypeError, OverflowError, ValueError for unsuitable elements."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    element = ELEMENTS[range_]
    if element == "uima.cas.Byte":
        return f'"{base64.b64encode(bytes.fromhex(byte_array(value))).decode()}"'
    if element == TOP:
        parts = ["null" if v is None else str(ref(v) or "null") for v in value]
    elif element == STRING:
        parts = ["null" if v is None else esc[v.name if isinstance(v, Enum | PhiKind) else v] for v in value]
    else:
        parts = [f'"{t}"' if t[-1] in "Ny" else t for t in (number(v, element) for v in value)]
    return f"[{','.join(parts)}]"


def writer_of(plan: Plan, types: TypeSystem) -> Callable[..., None]:
    """Return `write(out, sofa, rows, pos, esc, ref, put)` for the instances of a type, compiled once per type system.

    `rows` yields (id, feature structure, begin, end); `pos` yields the key and value that link each token's POS; `esc` quotes
    strings; `ref` returns the id of a feature structure, `put` that of an array or list that only one feature holds.
    """
    write: Callable[..., None] | None = types.plans.get(("jsoncas", plan.cls))
    if write is None:
        write = types.plans["jsoncas", plan.cls] = _compile(plan)
    return write


def _compile(plan: Plan) -> Callable[..., None]:
    scope: dict[str, Any] = {"integer": integer, "boolean": boolean, "real": real}
    body = ["def write(out, sofa, rows, pos, esc, ref, put):", "    for n, a, b, e in rows:"]
    parts: list[str] = []
    for i, f in enumerate(plan.fields):
        parts.append(f"{{s{i}}}")
        scope[f"f{i}"] = f
        if f.kind == "pos":
            body.append(f"        s{i} = next(pos)")
            continue
        get = f"getattr(a, {f.attribute!r})" if keyword.iskeyword(f.attribute) else f"a.{f.attribute}"
        test = "not v" if f.omit_empty else "v is None"
        body.append(f"        v = {get}")
        body.append(f"        s{i} = '' if {test} else {_value(i, f)}")
    place = ',"@sofa":{sofa},"begin":{b},"end":{e}' if plan.span else ',"@sofa":{sofa}' if plan.in_sofa else ""
    body.append(f"""        out(f'{{{{"%ID":{{n}},"%TYPE":"{plan.name}"{place}{"".join(parts)}}}}}')""")
    exec("\n".join(body), scope)
    compiled: Callable[..., None] = scope["write"]
    return compiled


def _value(i: int, f: Field) -> str:
    """Return the expression for key and value."""
    key = f"""',"{f.name}":'"""
    if f.kind == "text":
        if f.python is object or f.python is str:
            return f"{key} + esc[v]"
        if f.python is PhiKind or (isinstance(f.python, type) and issubclass(f.python, Enum)):
            return f"{key} + esc[v.name]"
        return f"{key} + esc[str(v)]"
    if f.kind == "array":
        return f"""f',"@{f.name}":{{put(v, f{i})}}'"""
    if f.kind != "number":
        return f"""f',"@{f.name}":{{r}}' if (r := ref(v)) else ''"""
    if f.range in LIMITS:
        low, high = LIMITS[f.range]
        return f"{key} + (str(v) if v.__class__ is int and {low} <= v <= {high} else integer(v, {f.range!r}))"
    if f.range == "uima.cas.Boolean":
        return f"{key} + ('true' if v is True else 'false' if v is False else boolean(v))"
    plain = "v.__class__ is float and v - v == 0.0" if f.range == "uima.cas.Double" else "False"
    return f"{key} + repr(v) if {plain} else real(v, {f.name!r}, {f.range!r})"
