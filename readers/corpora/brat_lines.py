"""Parse brat's .ann files: text-bound annotations with their attributes, and a count of the lines that are left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from ...pipeline.errors import ReaderError
from .standoff import Tag

NORMALIZATION = "normalization/"
"""Prefix of SpanAttributes for normalizations: `normalization/Reference`, value `Wikipedia:534366<tab>title`."""
NOTE = "note/"
"""Prefix of SpanAttributes for notes: `note/AnnotatorNotes`."""

_BOUNDS = re.compile(r"(\d{1,15}) (\d{1,15})")
_ID = re.compile(r"[TAMN#]\d{1,9}")
"""Ids that may be repeated in messages."""
_OMITTED = {"R": "relations", "E": "events", "*": "equivalences"}


@dataclass(slots=True)
class AnnFile:
    """The content of an .ann file."""

    tags: list[Tag] = field(default_factory=list)
    omitted: Counter[str] = field(default_factory=Counter)
    """Number of lines that the CAS cannot represent, by their name in messages."""


def read_annotations(text: str) -> AnnFile:
    """Parse an .ann file.

    Raises ReaderError with the line number for invalid lines, repeated ids and attributes of missing annotations.
    """
    content = AnnFile()
    attributes: dict[str, list[tuple[str, str]]] = {}
    targets: list[tuple[str, str]] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        id_, _, rest = line.partition("\t")
        name = f"{id_} (line {number} of the .ann file)" if _ID.fullmatch(id_) else f"line {number} of the .ann file"
        if line.startswith("T"):
            if id_ in lines:
                raise ReaderError(f"{name}: line {lines[id_]} has the same id")
            lines[id_] = number
            content.tags.append(_tag(name, id_, rest))
        elif line[:1] in _OMITTED:
            content.omitted[_OMITTED[line[0]]] += 1
        elif line[:1] in ("A", "M", "N", "#"):
            target, attribute = _attribute(name, line[0], rest)
            if target[:1] == "T":
                attributes.setdefault(target, []).append(attribute)
                targets.append((name, target))
            else:
                content.omitted["attributes and notes of these"] += 1
        elif line.strip():
            raise ReaderError(f"{name}: expected a line that begins with T, A, M, N, R, E, # or *")
    for name, target in targets:
        if target not in lines:
            raise ReaderError(f"{name}: its text-bound annotation does not exist")
    content.tags = [tag._replace(attributes=tuple(attributes.get(tag.id, ()))) for tag in content.tags]
    return content


def _tag(name: str, id_: str, rest: str) -> Tag:
    head, tab, covered = rest.partition("\t")
    label, _, bounds = head.partition(" ")
    matches = [_BOUNDS.fullmatch(part) for part in bounds.split(";")]
    parts = tuple(sorted((int(m[1]), int(m[2])) for m in matches if m))
    if not label or len(parts) != len(matches):
        raise ReaderError(f"{name}: expected a label, a begin and an end, like `T1<tab>DATE 5 9<tab>text`")
    return Tag(name, parts[0][0], max(e for _, e in parts), label, covered if tab else None, parts, id_)


def _attribute(name: str, line_type: str, rest: str) -> tuple[str, tuple[str, str]]:
    """Return the target of an attribute, normalization or note, and its (name, value)."""
    head, _, tail = rest.partition("\t")
    kind, _, more = head.partition(" ")
    target, _, value = more.partition(" ")
    if not kind or not target:
        examples = {"N": "N1<tab>Reference T1 Name:id<tab>title", "#": "#1<tab>AnnotatorNotes T1<tab>note"}
        raise ReaderError(f"{name}: expected a name and an id, like `{examples.get(line_type, 'A1<tab>Negation T1')}`")
    if line_type == "N":
        return target, (NORMALIZATION + kind, f"{value}\t{tail}")
    return target, (NOTE + kind, tail) if line_type == "#" else (kind, value)
