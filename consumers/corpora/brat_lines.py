"""The lines of brat's .ann files, and brat's configuration for the labels and attributes in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...typesystem import CasError, PhiKind
from ..files.annotated import Span
from .colors import label_color

FRAGMENTS = "fragments"
NORMALIZATION = "normalization/"
NOTE = "note/"

_NAME = re.compile(r"[\w-]+", re.ASCII)
_ID = re.compile(r"T[1-9]\d{0,8}")
_PIECE = re.compile(r"[^\r\n]+")
_BREAKS = re.compile(r"[\t\r\n]+")
_NORMAL = re.compile(r"(\S+:\S+)\t([^\t\r\n]*)")


@dataclass(slots=True)
class Written:
    """Contents of the documents of a run that the configuration must list."""

    attributes: dict[str, set[str]] = field(default_factory=dict)
    """Name -> values; an empty value is a flag."""
    lost: int = 0
    """Spans that consist of line ends."""


def annotation_lines(text: str, spans: Sequence[Span], written: Written) -> Iterator[str]:
    """Yield the lines of an .ann file. Spans with the same attribute `fragments` become one annotation; none contains a line
    end.

    Raises CasError for a label that brat does not allow.
    """
    counts = dict.fromkeys("AN#", 0)
    for name, group in _named(spans):
        pieces = [m.span() for s in group for m in _PIECE.finditer(text, s.begin, s.end)]
        if not pieces:
            written.lost += 1
            continue
        label = group[0].label
        if not _NAME.fullmatch(label):
            raise CasError("a label that brat does not allow: expected letters, digits, - and _")
        bounds = ";".join(f"{b} {e}" for b, e in pieces)
        covered = " ".join(text[b:e] for b, e in pieces).replace("\t", " ")
        yield f"{name}\t{label} {bounds}\t{covered}"
        for attribute, value in dict.fromkeys(pair for s in group for pair in s.attributes if pair[0] != FRAGMENTS):
            line_type, line = _attribute_line(name, attribute, value, written)
            counts[line_type] += 1
            yield f"{line_type}{counts[line_type]}\t{line}"


def _named(spans: Sequence[Span]) -> list[tuple[str, list[Span]]]:
    """Return the spans by annotation, each with its id: its own for annotations that were read in fragments, else the next free
    one."""
    groups: dict[object, list[Span]] = {}
    for n, span in enumerate(spans):
        tied = next((value for name, value in span.attributes if name == FRAGMENTS), None)
        groups.setdefault(n if tied is None else (tied, span.label), []).append(span)
    taken = {key[0] for key in groups if isinstance(key, tuple) and _ID.fullmatch(key[0])}
    used: set[str] = set()
    annotations: list[tuple[str, list[Span]]] = []
    number = 0
    for key, group in groups.items():
        name = key[0] if isinstance(key, tuple) and key[0] in taken and key[0] not in used else ""
        while not name:
            number += 1
            name = "" if f"T{number}" in taken else f"T{number}"
        used.add(name)
        annotations.append((name, group))
    return annotations


def _attribute_line(name: str, attribute: str, value: str, written: Written) -> tuple[str, str]:
    """Return the type of line and its content for a SpanAttribute: an attribute if brat allows it, else a note."""
    normal = _NORMAL.fullmatch(value)
    if attribute.startswith(NORMALIZATION) and normal and _NAME.fullmatch(attribute.removeprefix(NORMALIZATION)):
        return "N", f"{attribute.removeprefix(NORMALIZATION)} {name} {normal[1]}\t{normal[2]}"
    if _NAME.fullmatch(attribute) and not re.search(r"\s", value):
        written.attributes.setdefault(attribute, set()).add(value)
        return "A", f"{attribute} {name} {value}".rstrip()
    kind = re.sub(r"[^\w-]", "_", attribute.removeprefix(NOTE), flags=re.ASCII) or "_"
    return "#", f"{kind} {name}\t{_BREAKS.sub(' ', value)}"


def annotation_conf(labels: Sequence[str], attributes: Mapping[str, set[str]], scheme: str) -> str:
    """Return brat's annotation.conf: the labels, with kinds below those they belong to, the attributes, and all types of overlap
    allowed."""
    return "\n".join(
        [
            "[entities]",
            *(f"\t{label}" if not scheme and _is_below(label) else label for label in _fit(labels)),
            "",
            "[relations]",
            "<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>",
            "",
            "[events]",
            "",
            "[attributes]",
            *(_attribute(name, sorted(v for v in values if v)) for name, values in sorted(attributes.items())),
            "",
        ]
    )


def visual_conf(labels: Sequence[str], scheme: str) -> str:
    """Return brat's visual.conf: a color for each label."""
    drawn = [f"{label}\tbgColor:{label_color(label, scheme)}" for label in _fit(labels)]
    return "\n".join(["[labels]", "", "[drawing]", "SPAN_DEFAULT\tfgColor:black, borderColor:darken", *drawn, ""])


def _fit(labels: Sequence[str]) -> list[str]:
    """Return the labels that brat allows."""
    return [label for label in labels if _NAME.fullmatch(label)]


def _is_below(label: str) -> bool:
    return PhiKind.of(label).parent is not None


def _attribute(name: str, values: list[str]) -> str:
    return f"{name}\tArg:<ENTITY>" + (f", Value:{'|'.join(values)}" if values else "")
