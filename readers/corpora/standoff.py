"""What readers of standoff annotations share: tags with offsets, and the text they claim to cover, checked."""

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
"""Name of the SpanAttribute that the fragments of one discontinuous tag share; its value is the tag's id."""

_TOLD = 3


def as_written(offset: int) -> int:
    """An offset of a file that counts as texts here do: every code point once."""
    return offset


class Tag(NamedTuple):
    """One tag of a file: what messages call it, its offsets as written, its label and the text it says it covers."""

    name: str
    begin: int
    end: int
    label: str
    text: str | None = None
    parts: tuple[tuple[int, int], ...] = ()
    """The fragments of a discontinuous tag."""
    id: str = ""
    """Its id in the file."""
    said: tuple[tuple[str, str], ...] = ()
    """(name, value) of what the file says of it beyond its label: they become SpanAttributes."""

    def moved(self, place: Callable[[int], int]) -> Tag:
        """The tag with its offsets counted another way."""
        parts = tuple((place(b), place(e)) for b, e in self.parts)
        return self._replace(begin=place(self.begin), end=place(self.end), parts=parts)

    def fault(self, text: str) -> str:
        """What is wrong with it as a span of `text`; empty where nothing is. Blanks and line ends count alike."""
        if not 0 <= self.begin < self.end <= len(text):
            return f"{self.begin}:{self.end} is no span of the text (0:{len(text)})"
        covered = " ".join(text[b:e] for b, e in self.parts or ((self.begin, self.end),))
        if self.text is not None and self.text.split() != covered.split():
            return f"{self.begin}:{self.end} does not cover the text that the tag names"
        return ""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class StandoffReader(FileReader):
    """A reader of texts with tags that stand apart from them. The tags go to the view `gold` as Phi."""

    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds for labels that should become others than usual, or are unknown: `{WARD: LOCATION_DEPARTMENT}`; null drops a
    label. Any other unknown label fails the document."""
    overlaps: Overlaps = "error"
    """Overlapping tags: `error` (the document has failed), `longest` keeps the longest, `first` the one written first, `keep`
    all."""
    mismatch: Literal["error", "warn"] = "error"
    """Tags outside the text, or whose own text is not what they cover: `error` (the document has failed), or `warn`: a warning
    for the document; tags outside the text are left out, the others stay where their offsets say."""

    def add_tags(
        self,
        cas: Cas,
        tags: Iterable[Tag],
        scheme: str = "",
        counts: Sequence[Callable[[int], int]] = (as_written,),
        *,
        split: bool = False,
    ) -> View:
        """Makes the gold view. `counts`: the ways to get an offset of the text from one in the file, the likeliest first; the
        one by which the most tags fit is taken. `split`: each fragment of a discontinuous tag becomes a Phi of its own, and
        what is said of the tag is said of the first.

        Raises ReaderError for faulty tags, unknown labels and overlaps.
        """
        kept = [(tag, kind) for tag in tags if (kind := _kind(tag, self.kinds, scheme)) is not None]
        best = _best([tag for tag, _ in kept], cas.text, counts)
        told = [f"{tag.name}: {fault}" for tag in best if (fault := tag.fault(cas.text))]
        if told:
            more = f"; and {len(told) - _TOLD} tags more" if len(told) > _TOLD else ""
            message = "; ".join(told[:_TOLD]) + more
            if self.mismatch == "error":
                raise ReaderError(message)
            warnings.warn(f"document {cas.id}: {message}", CaspipeWarning, stacklevel=2)
        inside = [
            (tag, [Reference(b, e, kind, tag.name) for b, e in _pieces(tag, cas.text, split)])
            for tag, (_, kind) in zip(best, kept, strict=True)
            if 0 <= tag.begin < tag.end <= len(cas.text)
        ]
        view = make_gold(cas, [piece for _, pieces in inside for piece in pieces], self.overlaps)
        _add_said(view, inside)
        return view


def _pieces(tag: Tag, text: str, split: bool) -> list[tuple[int, int]]:
    """The spans of a tag: one, or its fragments, those with only blanks between them joined."""
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


def _add_said(view: View, tags: Sequence[tuple[Tag, list[Reference]]]) -> None:
    """Makes the SpanAttributes of the tags that are in the view."""
    if not any(tag.said or len(pieces) > 1 for tag, pieces in tags):
        return
    there = {(phi.begin, phi.end, phi.kind): phi for phi in view.select(Phi)}
    once: set[tuple[int, str, str]] = set()
    for tag, pieces in tags:
        made = [phi for piece in pieces if (phi := there.get(piece[:3])) is not None]
        said = [(phi, FRAGMENTS, tag.id) for phi in made if len(pieces) > 1]
        said += [(phi, name, value) for phi in made[:1] for name, value in tag.said]
        for phi, name, value in said:
            if (id(phi), name, value) not in once:
                once.add((id(phi), name, value))
                view.add(SpanAttribute(of=phi, name=name, value=value))


def _kind(tag: Tag, kinds: dict[str, PhiKind | None], scheme: str) -> PhiKind | None:
    try:
        return kind_of(tag.label, kinds, scheme)
    except ReaderError as error:
        raise ReaderError(f"{tag.name}: {error}") from None


def _best(tags: list[Tag], text: str, counts: Sequence[Callable[[int], int]]) -> list[Tag]:
    """The tags counted the way by which the fewest are faulty, of equal ones the first."""
    best, fewest = tags, len(tags) + 1
    for place in counts:
        moved = [tag.moved(place) for tag in tags]
        faulty = sum(bool(tag.fault(text)) for tag in moved)
        if faulty < fewest:
            best, fewest = moved, faulty
        if not fewest:
            break
    return best
