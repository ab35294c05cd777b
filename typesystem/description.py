"""Descriptions of types: name, supertype and features; UIMA's own types; the rules for names."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from .annotation import TYPES, Feature, FeatureStructure
from .builtin_mapping import features_in_files, supertype
from .errors import TypeSystemError

TOP = "uima.cas.TOP"
STRING = "uima.cas.String"
INTEGER = "uima.cas.Integer"
ANNOTATION = "uima.tcas.Annotation"
DOCUMENT_ANNOTATION = "uima.tcas.DocumentAnnotation"

PRIMITIVES = frozenset(
    f"uima.cas.{name}" for name in ("String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double")
)
ARRAYS = frozenset(
    f"uima.cas.{name}Array"
    for name in ("FS", "String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double")
)
LISTS = frozenset(f"uima.cas.{name}List" for name in ("FS", "String", "Integer", "Float"))


@dataclass(frozen=True, slots=True)
class TypeDescription:
    """A type as in a type system file. `features` are its own, without inherited ones."""

    name: str
    supertype: str
    features: tuple[Feature, ...] = ()
    description: str = ""
    allowed_values: tuple[tuple[str, str], ...] | None = None
    """For subtypes of String: each value with its description."""


def _builtin() -> dict[str, TypeDescription]:
    types = [TypeDescription(name, TOP) for name in sorted(PRIMITIVES)]
    types += [TypeDescription("uima.cas.ArrayBase", TOP), TypeDescription("uima.cas.ListBase", TOP)]
    types += [TypeDescription(name, "uima.cas.ArrayBase") for name in sorted(ARRAYS)]
    for name in sorted(LISTS):
        kind = name.removeprefix("uima.cas.").removesuffix("List")
        head = TOP if kind == "FS" else f"uima.cas.{kind}"
        types.append(TypeDescription(name, "uima.cas.ListBase"))
        types.append(TypeDescription(f"uima.cas.Empty{kind}List", name))
        types.append(
            TypeDescription(f"uima.cas.NonEmpty{kind}List", name, (Feature("head", head), Feature("tail", name)))
        )
    sofa = [("sofaNum", INTEGER), ("sofaID", STRING), ("mimeType", STRING), ("sofaArray", TOP)]
    sofa += [("sofaString", STRING), ("sofaURI", STRING)]
    types.append(TypeDescription("uima.cas.Sofa", TOP, tuple(Feature(n, r) for n, r in sofa)))
    types.append(TypeDescription("uima.cas.AnnotationBase", TOP, (Feature("sofa", "uima.cas.Sofa"),)))
    span = (Feature("begin", INTEGER), Feature("end", INTEGER))
    types.append(TypeDescription(ANNOTATION, "uima.cas.AnnotationBase", span))
    types.append(TypeDescription(DOCUMENT_ANNOTATION, ANNOTATION, (Feature("language", STRING),)))
    return {TOP: TypeDescription(TOP, ""), **{t.name: t for t in types}}


BUILTIN: dict[str, TypeDescription] = _builtin()
"""UIMA's own types, which a file need not define and (except DocumentAnnotation) must not extend."""

FINAL = PRIMITIVES | ARRAYS | {"uima.cas.ArrayBase", "uima.cas.Sofa"}
"""Types without subtypes; String has only lists of allowed values as subtypes."""


def describe(cls: type[FeatureStructure]) -> TypeDescription:
    """Return the type that a class declares, as in files: with `source`, and POS as an annotation."""
    parent = supertype(cls)
    inherited = {f.name for f in features_in_files(parent)}
    own = tuple(
        Feature(f.name, f.range, f.element, f.multiple, description=f.description)
        for f in features_in_files(cls)
        if f.name not in inherited
    )
    return TypeDescription(cls.uima_name, parent.uima_name, own, cls.description)


def declared() -> dict[str, type[FeatureStructure]]:
    """Return the classes declared in this process, except UIMA's own types, by UIMA name, sorted."""
    return {name: TYPES[name] for name in sorted(TYPES) if name not in BUILTIN or name == DOCUMENT_ANNOTATION}


def check_type_name(name: str, where: str) -> None:
    """Raise TypeSystemError unless `name` is a legal UIMA type name: parts of letters, digits and underscores."""
    _check(name, where, "type", name.split("."))


def check_feature_name(name: str, of: str, where: str) -> None:
    """Raise TypeSystemError unless `name` is a legal UIMA feature name."""
    _check(name, where, f"feature of {of}", [name])


def is_legal_name(name: str, of: str = "") -> bool:
    """Return whether UIMA allows the name of a type, or of a feature of the type `of`."""
    try:
        check_feature_name(name, of, "") if of else check_type_name(name, "")
    except TypeSystemError:
        return False
    return True


def _check(name: str, where: str, what: str, parts: list[str]) -> None:
    for part in parts:
        wrong = next((c for c in part if ord(c) > 0xFFFF or not (c == "_" or _letter_or_digit(c))), None)
        if wrong is None and part and unicodedata.category(part[0])[0] == "L":
            continue
        why = (
            "is empty or has an empty part"
            if not part
            else f"has {wrong!r}"
            if wrong is not None
            else f"has a part that begins with {part[0]!r}"
        )
        raise TypeSystemError(
            f"{where}: {what} {name!r} {why}; expected letters, digits and underscores, each part beginning with a letter"
        )


def nearest(name: str, among: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the nearest name, also by its last part, or an empty string."""
    names = sorted(among)
    near = difflib.get_close_matches(name, names, 1, 0.75)
    if not near:
        short = name.rpartition(".")[2]
        by_short: dict[str, str] = {}
        for candidate in names:
            by_short.setdefault(candidate.rpartition(".")[2].lower(), candidate)
        near = [by_short[k] for k in difflib.get_close_matches(short.lower(), by_short, 1, 0.75)]
    return f"; did you mean {near[0]}?" if near else ""


def _letter_or_digit(c: str) -> bool:
    """Return whether Java regards a character as a letter or digit: `²` is neither."""
    category = unicodedata.category(c)
    return category[0] == "L" or category == "Nd"
