"""Base class of readers of standoff annotations: tags with offsets and, often, a copy of the text that they cover."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from ...pipeline.errors import ReaderError
from ...typesystem import Cas, CaspipeWarning, Phi, PhiKind, SpanAttribute, View
from ..files.file_reader import FileReader
from ..gold import Overlaps, Reference, kind_of, make_gold

FRAGMENTS = "fragments"
"""Name of the SpanAttribute shared by the fragments of a discontinuous tag; its value is the tag's id."""

_REPORTED = 3

OffsetConversion = Callable[[int], int]
"""Converts an offset of a file to an offset of the text in code points."""


def as_written(offset: int) -> int:
    """Return an offset unchanged, for files that count code points."""
    return offset


class Tag(NamedTuple):
    """One tag of a file: its name in messages, its offsets as written, its label and the text it claims to cover."""

    name: str
    begin: int
    end: int
    label: str
    text: str | None = None
    parts: tuple[tuple[int, int], ...] = ()
    """The fragments of a discontinuous tag."""
    id: str = ""
    """Its id in the file."""
    attributes: tuple[tuple[str, str], ...] = ()
    """(name, value) of its further properties, which become SpanAttributes."""

    def converted(self, convert: OffsetConversion) -> Tag:
        """Return the tag with converted offsets."""
        parts = tuple((convert(b), convert(e)) for b, e in self.parts)
        return self._replace(begin=convert(self.begin), end=convert(self.end), parts=parts)

    def fault(self, text: str) -> str:
        """Return why the tag is not a span of `text`, or an empty string. All white space counts as equal."""
        if not 0 <= self.begin < self.end <= len(text):
            return f"{self.begin}:{self.end} is not a span of the text (0:{len(text)})"
        covered = " ".join(text[b:e] for b, e in self.parts or ((self.begin, self.end),))
        if self.text is not None and self.text.split() != covered.split():
            return f"{self.begin}:{self.end} does not cover the text that the tag names"
        return ""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class StandoffReader(FileReader):
    """A reader of texts with standoff tags, which become Phi in the view `gold`."""

    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels that are unknown or should become other kinds than usual: `{WARD: LOCATION_DEPARTMENT}`; null drops a
    label. Any other unknown label fails the document."""
    overlaps: Overlaps = "error"
    """Overlapping tags: `error` fails the document, `longest` keeps the longest, `first` the one written first, `keep` all."""
    mismatch: Literal["error", "warn"] = "error"
    """Tags that are outside the text or do not cover the text that they name: `error` fails the document; `warn` issues a
    warning, leaves out tags outside the text, and keeps the rest at their offsets."""

    def add_tags(
        self,
        cas: Cas,
        tags: Iterable[Tag],
        scheme: str = "",
        conversions: Sequence[OffsetConversion] = (as_written,),
        *,
        split: bool = False,
    ) -> View:
        """Create the gold view.

        `conversions`: possible conversions of offsets, the likeliest first; the one that fits the most tags is used. `split`:
        each fragment of a discontinuous tag becomes a Phi, and the first one gets the tag's attributes. Raises ReaderError for
        invalid tags, unknown labels and overlaps.
        """
        kept = [(tag, kind) for tag in tags if (kind := _kind(tag, self.kinds, scheme)) is not None]
        best = _best([tag for tag, _ in kept], cas.text, conversions)
        faults = [f"{tag.name}: {fault}" for tag in best if (fault := tag.fault(cas.text))]
        if faults:
            more = f"; and {len(faults) - _REPORTED} tags more" if len(faults) > _REPORTED else ""
            message = "; ".join(faults[:_REPORTED]) + more
            if self.mismatch == "error":
                raise ReaderError(message)
            warnings.warn(f"document {cas.id}: {message}", CaspipeWarning, stacklevel=2)
        inside = [
            (tag, [Reference(b, e, kind, tag.name) for b, e in _pieces(tag, cas.text, split)])
            for tag, (_, kind) in zip(best, kept, strict=True)
            if 0 <= tag.begin < tag.end <= len(cas.text)
        ]
        view = make_gold(cas, [piece for _, pieces in inside for piece in pieces], self.overlaps)
        _add_attributes(view, inside)
        return view


def _pieces(tag: Tag, text: str, split: bool) -> list[tuple[int, int]]:
    """Return the span of a tag, or its fragments; fragments with only white space between them are joined."""
    if not split or len(tag.parts) < 2:
        return [(tag.begin, tag.end)]
    pieces = [tag.parts[0]]
    for begin, end in tag.parts[1:]:
        first, last = pieces[-1]
        if text[last:begin].strip():
            pieces.append((begin, end))
        else:
            pieces[-1] = first, max(last, end)
    return pieces


def _add_attributes(view: View, tags: Sequence[tuple[Tag, list[Reference]]]) -> None:
    """Add the SpanAttributes of the tags that are in the view."""
    if not any(tag.attributes or len(pieces) > 1 for tag, pieces in tags):
        return
    by_span = {(phi.begin, phi.end, phi.kind): phi for phi in view.select(Phi)}
    added: set[tuple[int, str, str]] = set()
    for tag, pieces in tags:
        spans = [phi for piece in pieces if (phi := by_span.get(piece[:3])) is not None]
        attributes = [(phi, FRAGMENTS, tag.id) for phi in spans if len(pieces) > 1]
        attributes += [(phi, name, value) for phi in spans[:1] for name, value in tag.attributes]
        for phi, name, value in attributes:
            if (id(phi), name, value) not in added:
                added.add((id(phi), name, value))
                view.add(SpanAttribute(of=phi, name=name, value=value))


def _kind(tag: Tag, kinds: dict[str, PhiKind | None], scheme: str) -> PhiKind | None:
    try:
        return kind_of(tag.label, kinds, scheme)
    except ReaderError as error:
        raise ReaderError(f"{tag.name}: {error}") from None


def _best(tags: list[Tag], text: str, conversions: Sequence[OffsetConversion]) -> list[Tag]:
    """Return the tags after the first of the conversions that leave the fewest faults."""
    best, fewest = tags, len(tags) + 1
    for convert in conversions:
        converted = [tag.converted(convert) for tag in tags]
        faults = sum(bool(tag.fault(text)) for tag in converted)
        if faults < fewest:
            best, fewest = converted, faults
        if not fewest:
            break
    return best
