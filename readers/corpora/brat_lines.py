"""The lines of brat's .ann files: text-bound annotations with all that is said of them, and a count of what is left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from ...pipeline.errors import ReaderError
from .standoff import Tag

NORMALIZATION = "normalization/"
"""How names of SpanAttributes begin that were normalisations: `normalization/Reference`, value `Wikipedia:534366<tab>title`."""
NOTE = "note/"
"""Likewise for a note: `note/AnnotatorNotes`."""

_BOUND = re.compile(r"(\d{1,15}) (\d{1,15})")
_ID = re.compile(r"[TAMN#]\d{1,9}")
"""Ids that may be repeated in messages."""
_LEFT = {"R": "relations", "E": "events", "*": "equivalences"}


@dataclass(slots=True)
class Annotations:
    """What an .ann file says."""

    tags: list[Tag] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    """What has no place in the CAS, by what it is called in messages."""


def read_annotations(text: str) -> Annotations:
    """Reads an .ann file. Raises ReaderError, with the line, for what cannot be read, for an id that is there twice and for what
    is said of an annotation that is not there."""
    found = Annotations()
    said: dict[str, list[tuple[str, str]]] = {}
    targets: list[tuple[str, str]] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        id_, _, rest = line.partition("\t")
        name = f"{id_} (line {number} of the .ann file)" if _ID.fullmatch(id_) else f"line {number} of the .ann file"
        if line.startswith("T"):
            if id_ in lines:
                raise ReaderError(f"{name}: its id stands in line {lines[id_]} too")
            lines[id_] = number
            found.tags.append(_tag(name, id_, rest))
        elif line[:1] in _LEFT:
            found.left[_LEFT[line[0]]] += 1
        elif line[:1] in ("A", "M", "N", "#"):
            target, what = _said(name, line[0], rest)
            if target[:1] == "T":
                said.setdefault(target, []).append(what)
                targets.append((name, target))
            else:
                found.left["attributes and notes of these"] += 1
        elif line.strip():
            raise ReaderError(f"{name}: expected a line that begins with T, A, M, N, R, E, # or *")
    for name, target in targets:
        if target not in lines:
            raise ReaderError(f"{name}: is said of a text-bound annotation that is not there")
    found.tags = [tag._replace(said=tuple(said.get(tag.id, ()))) for tag in found.tags]
    return found


def _tag(name: str, id_: str, rest: str) -> Tag:
    head, tab, covered = rest.partition("\t")
    label, _, bounds = head.partition(" ")
    found = [_BOUND.fullmatch(part) for part in bounds.split(";")]
    parts = tuple(sorted((int(m[1]), int(m[2])) for m in found if m))
    if not label or len(parts) != len(found):
        raise ReaderError(f"{name}: expected a label, a begin and an end, like `T1<tab>DATE 5 9<tab>text`")
    return Tag(name, parts[0][0], max(e for _, e in parts), label, covered if tab else None, parts, id_)


def _said(name: str, sort: str, rest: str) -> tuple[str, tuple[str, str]]:
    """Of what a line says something, and (name, value) of that."""
    head, _, tail = rest.partition("\t")
    kind, _, more = head.partition(" ")
    target, _, value = more.partition(" ")
    if not kind or not target:
        wanted = {"N": "N1<tab>Reference T1 Name:id<tab>title", "#": "#1<tab>AnnotatorNotes T1<tab>note"}
        raise ReaderError(f"{name}: expected a name and an id, like `{wanted.get(sort, 'A1<tab>Negation T1')}`")
    if sort == "N":
        return target, (NORMALIZATION + kind, f"{value}\t{tail}")
    return target, (NOTE + kind, tail) if sort == "#" else (kind, value)
