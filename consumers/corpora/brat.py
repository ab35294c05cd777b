"""Consumer that writes brat standoff: a text file for each document, an .ann file beside it, and brat's configuration."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import component
from ...typesystem import Cas, CasError, CaspipeWarning, PhiKind
from ..files.annotated import CountedText, Span
from ..files.content import Content
from ..files.folder import FolderConsumer
from .colors import label_color


@component("brat")
class BratConsumer(CountedText, FolderConsumer):
    """Writes a `.txt` and an `.ann` file for each document, and `annotation.conf` and `visual.conf` for all: a folder for brat's
    data folder.

    Offsets are code points. brat does not allow a line end inside an annotation: such a span is written in fragments, one for
    each line. SpanAttributes become attributes, normalizations and notes again; spans with the same attribute `fragments` become
    one annotation. Format: brat.nlplab.org/standoff.html.
    """

    folder: Path = Path("restricted/brat")

    miscounting_tool = "brat"  # nlplab/brat#853

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        self._written = Written()

    def open(self) -> None:
        super().open()
        self._written = Written()
        self.open_folder(".txt", reserved=["annotation.conf", "visual.conf"])
        self.files.add("visual.conf", visual_conf(self.labels(), self.scheme).encode())
        self._configure()

    def open_worker(self, *, shares_disk: bool = True) -> None:
        self._shares_disk = shares_disk
        self.open_resources()
        self.open_folder(".txt")

    def add_state(self, state: dict[str, Any]) -> None:
        for name, values in state.get("attributes", {}).items():
            self._written.attributes.setdefault(name, set()).update(values)
        self._written.lost += state.get("lost", 0)

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        if text.startswith(BYTE_ORDER_MARK):  # a reader takes the first one for the mark of the file; brat counts both
            text, spans = BYTE_ORDER_MARK + text, [s._replace(begin=s.begin + 1, end=s.end + 1) for s in spans]
        written = Written()
        lines = [f"{line}\n" for line in annotation_lines(text, spans, written)]
        state = {"attributes": {n: sorted(values) for n, values in written.attributes.items()}, "lost": written.lost}
        return Content(text.encode(), ((".ann", "".join(lines).encode()),), state)

    def close(self) -> None:
        """Write the configuration again if there were attributes, and warn of what brat cannot store."""
        if self._files is not None and self._written.attributes:
            self._configure()
        if self._written.lost:
            message = f"{self.id}: {self._written.lost} spans that consist of line ends were left out"
            warnings.warn(message, CaspipeWarning, stacklevel=2)
        super().close()

    def _configure(self) -> None:
        conf = annotation_conf(self.labels(), self._written.attributes, self.scheme)
        self.files.add("annotation.conf", conf.encode())


BYTE_ORDER_MARK = "\ufeff"
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
            *(f"\t{label}" if not scheme and PhiKind.of(label).parent else label for label in _fit(labels)),
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


def _attribute(name: str, values: list[str]) -> str:
    return f"{name}\tArg:<ENTITY>" + (f", Value:{'|'.join(values)}" if values else "")
