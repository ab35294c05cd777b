"""Decode rows to instances, with one function compiled per type; and the values of XMI."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

from ..annotation import REQUIRED
from ..builtin_mapping import from_text
from ..description import STRING, TOP, nearest
from ..foreign import ZERO
from ..phi import PhiKind
from ..text import Sofa
from ..types import DocumentAnnotation
from .plan import Field, Plan
from .values import LIMITS

_INTEGER = re.compile(r"[+-]?\d{1,40}\Z")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?\Z", re.ASCII)
_HEXADECIMAL = re.compile(
    r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]{1,9}[fFdD]?\Z", re.ASCII
)
_TRIMMED = "".join(map(chr, range(33)))
"""The characters that Java trims from a floating-point number."""
_BEYOND_SINGLE = 2.0**128 - 2.0**103
"""The smallest number that rounds to infinity as a float of 32 bits."""
_SPECIAL = {
    **dict.fromkeys(("NaN", "+NaN", "-NaN"), math.nan),
    **dict.fromkeys(("Infinity", "+Infinity"), math.inf),
    "-Infinity": -math.inf,
}


class ValueFault(ValueError):
    """A value does not fit its feature. The message contains what was expected, never the value."""


class UnknownFeature(Exception):
    """A row has an attribute that the type does not declare."""

    def __init__(self, feature: str) -> None:
        super().__init__(feature)
        self.feature = feature


class MissingId(Exception):
    """A row has no id."""


class IdInUse(Exception):
    """The id of a row is 0 or belongs to another element."""


class RowFault(Exception):
    """A row cannot be decoded; `__cause__` is the reason."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def integer(text: str, range_: str) -> int:
    """Return an integer as Java reads it: digits with an optional sign; an empty string is 0. Raises ValueFault."""
    if not text:
        return 0
    if not _INTEGER.match(text):
        raise ValueFault(f"expected a whole number ({range_})")
    number = int(text)
    low, high = LIMITS[range_]
    if not low <= number <= high:
        raise ValueFault(f"expected a number from {low} to {high}")
    return number


class FloatCache(dict[str, float]):
    """A cache from text to float as Java reads it. Raises ValueFault."""

    def __missing__(self, text: str) -> float:
        number = text.strip(_TRIMMED)
        if number in _SPECIAL:
            value = _SPECIAL[number]
        elif not text:
            value = 0.0
        elif _FLOAT.match(number):
            value = float(number.rstrip("fFdD"))
        elif _HEXADECIMAL.match(number):
            value = _from_hexadecimal(number)
        else:
            raise ValueFault("expected a number, NaN, Infinity or -Infinity")
        self[text] = value
        return value


def _from_hexadecimal(number: str) -> float:
    mantissa, _, exponent = number.lower().partition("p")
    try:
        return float.fromhex(f"{mantissa}p{exponent.rstrip('fd')}")
    except OverflowError:
        return -math.inf if number.startswith("-") else math.inf


def boolean(text: str) -> bool:
    """Return a boolean as Java reads it: `true` in any case is true, everything else false."""
    return text.lower() == "true"


def single(number: float) -> float:
    """Return a float of 32 bits as Java reads it: infinite beyond its range."""
    return math.copysign(math.inf, number) if abs(number) >= _BEYOND_SINGLE else number


def list_of(text: str, element: str, floats: FloatCache) -> Any:
    """Return an inline array or list: values separated by spaces, or bytes as hexadecimal pairs."""
    if element == "uima.cas.Byte":
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise ValueFault("expected pairs of hexadecimal digits") from None
    return [one(t, element, floats) for t in text.split()]


def one(text: str, element: str, floats: FloatCache) -> Any:
    """Return a value of a primitive type."""
    if element == STRING:
        return text
    if element in LIMITS:
        return integer(text, element)
    if element == "uima.cas.Boolean":
        return boolean(text)
    return single(floats[text]) if element == "uima.cas.Float" else floats[text]


class KindCache(dict[str, PhiKind]):
    """PHI kinds by name. Raises ValueFault, which suggests the nearest name."""

    def __missing__(self, name: str) -> PhiKind:
        try:
            return PhiKind.of(name)
        except ValueError:  # its message repeats the value, which may be text of the document
            raise ValueFault(f"expected a kind of PHI{nearest(name, [k.name for k in PhiKind])}") from None


def enumeration(python: Any, text: str) -> Any:
    """Return a value of an enumeration, or of another type that is constructed from its `str`. Raises ValueFault."""
    try:
        return from_text(python, text)
    except (KeyError, ValueError, TypeError):
        if isinstance(python, type) and issubclass(python, Enum):
            raise ValueFault(f"expected one of {', '.join(m.name for m in python)}") from None
        raise ValueFault(f"expected a {getattr(python, '__name__', python)}") from None


KINDS = KindCache()


def decoder(plan: Plan, id_name: str, lenient: bool) -> Callable[..., int]:
    """Return the function `decode(rows, i, stop, name, by_id, sofas, floats, refer)` for rows of a type, cached in the plan.

    It adds the instances of the rows from `i` on to `by_id`, as long as the name of the element is the same, and returns the
    first row that it did not decode. `sofas` maps a Sofa's id to (Sofa, length, converter); `refer` takes (instance, field,
    text) of references. It raises RowFault, whose cause is a ValueFault, UnknownFeature, MissingId, IdInUse, or a KeyError for
    an unknown Sofa.
    """
    decode: Callable[..., int] | None = plan.decoders.get((id_name, lenient))
    if decode is not None:
        return decode
    scope: dict[str, Any] = {
        "integer": integer, "boolean": boolean, "list_of": list_of, "single": single, "of_document": _of_document,
        "kinds": KINDS, "enumeration": enumeration, "known": {id_name, *plan.names()}, "id_name": id_name,
    }  # fmt: skip

    def feature(i: int, f: Field, absent: str) -> list[str]:
        if f.kind in ("ref", "shared", "pos") or f.element == TOP:
            given = [store(f, "''" if f.kind == "pos" else "None"), f"refer((a, f{i}, v))"]
        else:
            given = [store(f, _value(i, f))]
        return [f"v = x.get({f.name!r})", "if v is None:", f"    {absent}", "else:", *(f"    {line}" for line in given)]

    checks = [
        "element, x = rows[i]",
        "if element != name:",
        "    break",
        "if not known.issuperset(x):",
        "    raise UnknownFeature(next(k for k in x if k not in known))",
        "v = x.get(id_name)",
        "if v is None:",
        "    raise MissingId",
        "n = int(v) if v.isdecimal() else integer(v, 'uima.cas.Integer')",
    ]
    offsets: list[str] = []
    for edge in ("begin", "end"):
        offsets += [
            f"v = x.get({edge!r}, '0')",
            f"{edge} = int(v) if v.isdecimal() else integer(v, 'uima.cas.Integer')",
        ]
    if issubclass(plan.cls, DocumentAnnotation):
        offsets.append("begin, end = of_document(begin, end, s, limit)")
    signature = "rows, i, stop, name, by_id, sofas, floats, refer"
    decode = compile_decoder(plan, scope, signature, checks, "sofas[x.get('sofa', '')]", offsets, feature, lenient)
    plan.decoders[id_name, lenient] = decode
    return decode


def compile_decoder(
    plan: Plan,
    scope: dict[str, Any],
    signature: str,
    checks: list[str],
    sofa: str,
    offsets: list[str],
    feature: Callable[[int, Field, str], list[str]],
    lenient: bool,
) -> Callable[..., int]:
    """Compile the function that decodes rows of a type.

    The statements of a format: `checks` set `x` to the row and `n` to its id; `sofa` is the expression for (Sofa, length,
    converter); `offsets` set `begin` and `end`; `feature` returns those that set a feature, given the one for its absence.
    """
    scope |= {
        "new": plan.cls.__new__, "cls": plan.cls, "ValueFault": ValueFault, "UnknownFeature": UnknownFeature,
        "MissingId": MissingId, "IdInUse": IdInUse, "RowFault": RowFault,
    }  # fmt: skip
    body = [*checks, "if n in by_id:", "    raise IdInUse(n)", "a = new(cls)"]
    if plan.span:
        body += [f"s, limit, convert = {sofa}", *offsets]
        body += ["if convert is not None:", "    begin, end = convert(begin, end)"]
        body += ["elif not 0 <= begin <= end <= limit:"]
        body += ["    raise ValueFault(f'offsets {begin}:{end} lie outside the text (0:{limit})')"]
        body += ["a._sofa = s", "a._begin = begin", "a._end = end"]
        if not any(f.attribute == "_source" for f in plan.fields):
            body.append("a._source = ''")
    elif plan.in_sofa:
        body.append(f"a._sofa = {sofa}[0]")
    for i, f in enumerate(plan.fields):
        scope[f"f{i}"], scope[f"p{i}"] = f, f.python
        body += feature(i, f, missing(i, f, scope, lenient))
    if hasattr(plan.cls, "_pos_link"):
        body.append("a._pos_link = None")
    lines = [f"def decode({signature}):", "    try:", "        while i < stop:"]
    lines += [f"            {line}" for line in [*body, "by_id[n] = a", "i += 1"]]
    lines += [
        "        return i",
        "    except (ValueError, KeyError, OverflowError, UnknownFeature, MissingId, IdInUse) as e:",
    ]
    exec("\n".join([*lines, "        raise RowFault(i) from e"]), scope)
    compiled: Callable[..., int] = scope["decode"]
    return compiled


def store(f: Field, value: str) -> str:
    """Return the statement that sets a feature of `a`."""
    if keyword.iskeyword(f.attribute):
        return f"setattr(a, {f.attribute!r}, {value})"
    return f"a.{f.attribute} = {value}"


def _value(i: int, f: Field) -> str:
    """Return the expression for the value of a feature with the text `v`."""
    if f.kind == "array":
        return "v.split()" if f.element == STRING else f"list_of(v, {f.element!r}, floats)"
    if f.kind == "number":
        return _number(f)
    if f.python is str or f.python is object:
        return "v"
    return "kinds[v]" if f.python is PhiKind else f"enumeration(p{i}, v)"


def _of_document(begin: int, end: int, sofa: Sofa | None, limit: int) -> tuple[int, int]:
    """Return the span of a document annotation, limited to the text (UTF-16 code units): UIMA corrects it too."""
    if sofa is None or sofa.text is None:
        return begin, end
    return max(0, min(begin, limit)), max(0, min(max(begin, end), limit))


def _number(f: Field) -> str:
    if f.range in LIMITS:
        return f"integer(v, {f.range!r})"
    if f.range == "uima.cas.Boolean":
        return "boolean(v)"
    return "single(floats[v])" if f.range == "uima.cas.Float" else "floats[v]"


def missing(i: int, f: Field, scope: dict[str, Any], lenient: bool) -> str:
    """Return the statement for a feature that a row lacks: our default, else null.

    Without a default, a PHI kind or an enumeration is a fault; in lenient reading they are OTHER and null.
    """
    scope[f"d{i}"] = f.default
    if f.kind == "pos" or (f.default is REQUIRED and f.kind == "text" and f.python is str):
        return store(f, "''")
    if isinstance(f.default, list) or (f.default is REQUIRED and f.kind == "array"):
        return store(f, "b''" if f.element == "uima.cas.Byte" else "[]")
    if f.default is not REQUIRED:
        return store(f, f"d{i}")
    if f.kind == "number":
        return store(f, repr(ZERO[f.range]))
    if lenient:
        return store(f, "kinds['OTHER']" if f.python is PhiKind else "None")
    return f"raise ValueFault('expected feature {f.name}')"
