"""The plan of each type: its fields, and a function compiled to write all its instances as XMI."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from xml.parsers import expat

from ..annotation import TYPES, Annotation, AnnotationBase, Feature, FeatureStructure
from ..arrays import ELEMENTS, ArrayBase, ListNode
from ..builtin_mapping import POS_LINK, features_in_files
from ..description import ARRAYS, LISTS, STRING, TOP
from ..errors import CasError
from ..phi import PhiKind
from ..text import Sofa
from ..types import Token
from ..typesystem import TypeSystem
from .values import LIMITS, boolean, byte_array, double, integer, number, single

LIST_OF = {
    name: f"uima.cas.{kind}List"
    for kind in ("FS", "String", "Integer", "Float")
    for name in (f"uima.cas.{kind}List", f"uima.cas.Empty{kind}List", f"uima.cas.NonEmpty{kind}List")
}
"""The list type of each list type, end and node."""


@dataclass(frozen=True, slots=True)
class Field:
    """A feature as it is written and read."""

    name: str
    attribute: str
    kind: str
    """`text`, `number`, `ref`, `pos`, `array` (inline) or `shared` (an element of its own)."""
    range: str
    """The primitive for values; the array or list type for `array` and `shared`."""
    element: str = ""
    """The range of the elements of the array or list: a primitive, or TOP."""
    python: Any = object
    omit_empty: bool = False
    """True if an empty string means null."""
    default: Any = None
    """`REQUIRED` if our class has no default."""
    target: Any = object
    """The class of which a reference must be an instance."""


@dataclass(slots=True)
class Plan:
    """Everything that is needed to write and read a type."""

    cls: type[Any]
    name: str
    package: str
    local: str
    span: bool
    in_sofa: bool
    fields: list[Field]
    references: list[Field]
    """The fields that refer to feature structures."""
    texts: list[Field]
    write: Callable[..., None]
    decoders: dict[Any, Any] = field(default_factory=dict)

    is_token: bool = False
    string_arrays: bool = False
    unfit: str = ""
    """Why the type cannot be written as XMI; empty if it can."""

    def names(self) -> set[str]:
        """Return the attributes that an element of this type may have, except its id."""
        place = ("sofa", "begin", "end") if self.span else ("sofa",) if self.in_sofa else ()
        return {*place, *(f.name for f in self.fields)}


def plan_for(cls: type[FeatureStructure], types: TypeSystem) -> Plan:
    """Return the plan of a class, cached in the type system.

    Raises CasError if the type system lacks or contradicts a feature, TypeSystemError if it lacks the type.
    """
    plan: Plan | None = types.plans.get(cls)
    if plan is None:
        plan = _make(cls, types)
        types.plans[cls] = plan
    return plan


def _make(cls: type[FeatureStructure], types: TypeSystem) -> Plan:
    name = cls.uima_name
    if name not in types:
        types.describe(name)  # raises TypeSystemError, which suggests the nearest name
    node = issubclass(cls, ListNode)
    if node:
        parts = cls.features.values()
        fields = [_node_field(f) if f.name in ("head", "tail") else _field(f, cls, types) for f in parts]
    elif issubclass(cls, ArrayBase):
        fields = []
    else:
        fields = fields_of(cls, types)
    package, _, local = name.rpartition(".")
    span, in_sofa = issubclass(cls, Annotation), issubclass(cls, AnnotationBase)
    references = [
        f for f in fields if f.kind in ("ref", "shared") or (f.kind == "array" and f.element == "uima.cas.TOP")
    ]
    if hasattr(cls, "_pos_link"):
        references.append(Field("pos", "_pos_link", "ref", POS_LINK.range))
    texts = [f for f in fields if f.kind == "text" or f.element == STRING]
    write = _compile(span, in_sofa, fields)
    plan = Plan(cls, name, package, local, span, in_sofa, fields, references, texts, write)
    plan.is_token = any(f.kind == "pos" for f in fields)
    plan.string_arrays = any(f.kind == "array" for f in texts)
    if not is_xml_name(local) or not all(is_xml_name(f.name) for f in fields):
        plan.unfit = f"type {name}: its name or that of a feature cannot be written in XML 1.0"
    return plan


def _node_field(f: Feature) -> Field:
    if f.range == STRING:
        return Field(f.name, f.name, "text", STRING)
    if f.range in LIMITS or f.range == "uima.cas.Float":
        return Field(f.name, f.name, "number", f.range, default=0)
    return Field(f.name, f.name, "ref", f.range, target=object if f.range == TOP else TYPES[f.range])


def fields_of(cls: type[FeatureStructure], types: TypeSystem) -> list[Field]:
    """Return the features of a class as they are written, checked against the type system (CasError)."""
    known = types.features(cls.uima_name)
    fields: list[Field] = []
    for f in features_in_files(cls):
        declared = known.get(f.name)
        if declared is None or declared.range != f.range or bool(declared.multiple) != bool(f.multiple):
            why = "is not in" if declared is None else "is another in"
            raise CasError(
                f"type {cls.uima_name}: feature {f.name} {why} the type system (from {types.where(cls.uima_name)})"
            )
        fields.append(_field(f, cls, types))
    return fields


def _field(f: Feature, cls: type[FeatureStructure], types: TypeSystem) -> Field:
    attribute = f.attribute or f.name
    default = getattr(cls, "_defaults", {}).get(attribute, f.default)
    if f.name == "pos" and f.range == POS_LINK.range and issubclass(cls, Token):
        return Field("pos", "pos", "pos", f.range, target=types[f.range])
    value = types.range_kind(f.range)
    if value == STRING:
        return Field(f.name, attribute, "text", STRING, "", f.python, default == "", default)
    if value:
        return Field(f.name, attribute, "number", value, "", f.python, False, default)
    whole = LIST_OF.get(f.range, f.range)
    if whole in ARRAYS or whole in LISTS:
        kind, holder = ("shared", TYPES[whole]) if f.multiple else ("array", object)
        return Field(f.name, attribute, kind, whole, ELEMENTS[whole], f.python, False, default, holder)
    target: Any = Sofa if f.range == "uima.cas.Sofa" else object if f.range == TOP else types[f.range]
    return Field(f.name, attribute, "ref", f.range, "", f.python, target=target)


def is_xml_name(name: str) -> bool:
    """Return whether XML 1.0 allows a name for elements and attributes."""
    try:
        expat.ParserCreate().Parse(f"<{name}/>".encode(), True)
    except expat.ExpatError:
        return False
    return ":" not in name


# -- the compiled writer -----------------------------------------------------------------------------------------


def text_of(value: Any, python: Any) -> str:
    """Return the value of a string feature as str. Raises TypeError for other types."""
    if python is object or python is str:
        if not isinstance(value, str):
            raise TypeError(f"expected str, got {type(value).__name__}")
        return value
    if isinstance(value, Enum | PhiKind):
        return value.name
    return str(value)


def text_expression(f: Field) -> str:
    """Return the expression for a string `v`, escaped by `esc`."""
    if f.python is object or f.python is str:
        return "esc[v]"
    if f.python is PhiKind or (isinstance(f.python, type) and issubclass(f.python, Enum)):
        return "esc[v.name]"
    return "esc[str(v)]"


def number_expression(f: Field) -> str:
    """Return the expression for a number or truth value `v` as text."""
    low, high = LIMITS.get(f.range, (0, 0))
    if f.range in LIMITS:
        return f"str(v) if v.__class__ is int and {low} <= v <= {high} else integer(v, {f.range!r})"
    if f.range == "uima.cas.Double":
        return "repr(v) if v.__class__ is float and v - v == 0.0 else double(v)"
    if f.range == "uima.cas.Float":
        return "single(v)"
    return "'true' if v is True else 'false' if v is False else boolean(v)"


def _compile(span: bool, in_sofa: bool, fields: list[Field]) -> Callable[..., None]:
    """Compile `write(out, head, close, sofa, rows, pos, esc, ref, refs)`.

    `rows` yields (id, feature structure, begin, end); `sofa` is the attribute that names the Sofa, or empty; `pos` yields the
    attribute that links each token's POS; `esc` escapes strings; `ref` returns the id of a feature structure, `refs` several.
    """
    children = any(f.element == STRING and f.kind == "array" for f in fields)
    body = ["def write(out, head, close, sofa, rows, pos, esc, ref, refs):", "    for n, a, b, e in rows:"]
    parts: list[str] = []
    if children:
        body.append("        inner = []")
    for i, f in enumerate(fields):
        parts.append(f"{{s{i}}}")
        if f.kind == "pos":
            body.append(f"        s{i} = next(pos)")
            continue
        get = f"getattr(a, {f.attribute!r})" if keyword.iskeyword(f.attribute) else f"a.{f.attribute}"
        test = "not v" if f.omit_empty else "v is None"
        if f.kind == "text":
            value = text_expression(f)
        elif f.kind == "number":
            value = number_expression(f)
        elif f.kind in ("ref", "shared"):
            body += [f"        v = {get}", f"        s{i} = ''"]
            body += ["        if v is not None:", "            v = ref(v)", "            if v:"]
            body.append(f"                s{i} = f' {f.name}=\"{{v}}\"'")
            continue
        elif f.element == STRING:
            body += [f"        v = {get}", f"        s{i} = ''", "        if v is not None:"]
            body.append(f"            s{i} = strings(inner, {f.name!r}, v, esc)")
            continue
        else:
            value = "refs(v)" if f.element == "uima.cas.TOP" else f"values(v, {f.element!r})"
        body += [f"        v = {get}", f"        s{i} = '' if {test} else ' {f.name}=\"' + ({value}) + '\"'"]
    place = '{sofa} begin="{b}" end="{e}"' if span else "{sofa}" if in_sofa else ""
    if children:
        body.append("        end = '>' + ''.join(inner) + close if inner else '/>'")
    end = "{end}" if children else "/>"
    body.append(f"        out(f'''{{head}}{{n}}\"{place}{''.join(parts)}{end}''')")
    scope: dict[str, Any] = {
        "integer": integer, "double": double, "single": single, "boolean": boolean,
        "strings": strings, "values": values,
    }  # fmt: skip
    exec("\n".join(body), scope)
    compiled: Callable[..., None] = scope["write"]
    return compiled


def strings(inner: list[str], name: str, value: Any, esc: Any) -> str:
    """Append an element for each string, an empty one for null. Return the attribute of an empty collection."""
    if isinstance(value, str):
        raise TypeError("expected a list, got str")
    before = len(inner)
    inner.extend(f"<{name}/>" if v is None else f"<{name}>{esc[_enum_name(v)]}</{name}>" for v in value)
    return "" if len(inner) > before else f' {name}=""'


def _enum_name(value: Any) -> Any:
    return value.name if isinstance(value, Enum | PhiKind) else value


def values(value: Any, element: str) -> str:
    """Write the values of an inline array or list, separated by spaces; bytes as hexadecimal pairs."""
    if element == "uima.cas.Byte":
        return byte_array(value)
    return " ".join([number(v, element) for v in value])


def check(f: Field, value: Any, esc: Any) -> None:
    """Raise the error of writing the value, if any: TypeError, OverflowError, ValueError (also IllegalCharacterError)."""
    if value is None or f.kind == "pos":
        return
    if f.kind == "text":
        if not (f.omit_empty and not value):
            esc[text_of(value, f.python)]
    elif f.kind == "number":
        number(value, f.range)
    elif f.kind == "ref":
        if not isinstance(value, FeatureStructure) and type(value).__name__ != "Sofa":
            raise TypeError(f"expected a feature structure ({f.range}), got {type(value).__name__}")
    elif f.element == STRING:
        strings([], f.name, _collection(value), esc)
    elif f.element == "uima.cas.TOP":
        for v in _collection(value):
            if v is not None and not isinstance(v, FeatureStructure):
                raise TypeError(f"expected feature structures, got {type(v).__name__}")
    else:
        values(_collection(value), f.element)


def _collection(value: Any) -> Any:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"expected a list, got {type(value).__name__}")
    return value
