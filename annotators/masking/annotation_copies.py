"""Carries annotations over to the masked text, and nothing that the original text could be read from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from operator import le
from typing import Any

from ...pipeline.errors import CasError
from ...typesystem import (
    Annotation,
    Chunk,
    DocumentAnnotation,
    DocumentMetaData,
    MedicalTerm,
    OffsetMap,
    PhiKind,
    Sentence,
    Token,
    View,
)
from ..resolving import trim

DEFAULT = (Sentence, Token, Chunk, MedicalTerm)
"""What is carried unless a list of types is given; their features say nothing of masked text."""

_LANGUAGE = (DocumentAnnotation, DocumentMetaData)
"""Carried as a bare language always: titles and addresses of documents can name people."""


def carry(source: View, target: View, names: Sequence[str] | None) -> None:
    """Adds copies of the source's annotations to the target, moved through the target's offset map.

    Spans that share a code point with a replacement stay behind, except sentences, chunks and other spans that lie around
    the whole replacement. Copies of types that a user names keep numbers and booleans; text and references are emptied.
    The language of the document is carried always. Sentences, tokens, chunks and terms, which are most of it, are made when
    somebody first looks at them.
    """
    offsets = target.offset_map or OffsetMap(())
    for type_ in DEFAULT if names is None else _types(source, names):
        if not source.count(type_):
            continue
        if type_ is Token:
            target.add_lazily(Token, _tokens(source, offsets))
        elif type_ is Sentence and source.columns(Sentence):
            target.add_lazily(Sentence, _sentences(source, offsets))
        elif type_ is Sentence:
            _sentences(source, offsets)(target)
        else:
            items = source.select(type_)
            if type_ in DEFAULT and {*map(type, items)} == {type_}:
                target.add_lazily(type_, _others(items, offsets))
            else:
                _others(items, offsets)(target)
    for language in sorted({d.language for d in source.select(DocumentAnnotation)})[:1]:
        target.add(DocumentAnnotation(0, len(target.text), language=language))


def _others(items: list[Any], offsets: OffsetMap) -> Callable[[View], None]:
    return lambda target: target.add_all(_moved(items, offsets))


def _moved(items: Iterable[Annotation], offsets: OffsetMap) -> Iterator[Annotation]:
    """Copies of what no replacement touches or what lies around all that touch it, in one walk over both."""
    segments = offsets.segments()
    shift, at, stop = 0, 0, len(segments)
    for item in items:
        begin, end = item._begin, item._end
        while at < stop and segments[at][1] <= begin:
            shift = segments[at][3] - segments[at][1]
            at += 1
        if at == stop or end <= segments[at][0]:
            begin, end = begin + shift, end + shift
        elif _lies_around(item, segments, at):
            begin, end = offsets.to_new(begin, end)
        else:
            continue
        if begin < end:
            yield _copied(item, begin, end)


def _lies_around(item: Annotation, segments: list[tuple[int, int, int, int]], first: int) -> bool:
    """Whether an annotation that touches the segment `first` lies around it and all others that it touches."""
    if isinstance(item, Token | MedicalTerm):
        return False
    last = bisect_left(segments, (item._end,), first) - 1
    return item._begin <= segments[first][0] and segments[last][1] <= item._end


def _sentences(source: View, offsets: OffsetMap) -> Callable[[View], None]:
    """Sentences, cut where replacements cut them; as columns where they are nothing but spans."""
    columns = source.columns(Sentence)
    begins, ends = source.spans(Sentence)
    items = None if columns else source.select(Sentence)

    def add(target: View) -> None:
        spans: list[tuple[int, int]] = []
        kept: list[int] = []
        last = 0
        for i, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            begin, end = offsets.to_new(begin, end)  # two sentences may end in one replacement: the first has it
            begin, end = trim(target.text, max(begin, last), end)
            last = max(last, end)
            if begin < end:
                spans.append((begin, end))
                kept.append(i)
        if columns:
            target.add_spans(Sentence, [b for b, _ in spans], [e for _, e in spans], columns[2])
        elif items:
            target.add_all([_copied(items[i], b, e) for i, (b, e) in zip(kept, spans, strict=True)])

    return add


def _tokens(source: View, offsets: OffsetMap) -> Callable[[View], None]:
    """Tokens outside replacements, by whole stretches between them."""
    begins, ends = source.spans(Token)
    if not all(map(le, ends, begins[1:])):  # other tools' tokens may overlap
        return _others([Token(t.begin, t.end, pos=t.pos) for t in source.select(Token)], offsets)
    given = None if source.has_only_spans(Token) else source.tokens.pos

    def add(target: View) -> None:
        new_begins: list[int] = []
        new_ends: list[int] = []
        tags: list[str] = []
        shift = at = 0
        end = ends[-1]
        for low, high, _, new_high in (*offsets.segments(), (end, end, end, end)):
            stop = bisect_right(ends, low, at)
            new_begins += [b + shift for b in begins[at:stop]]
            new_ends += [e + shift for e in ends[at:stop]]
            if given:
                tags += given[at:stop]
            shift = new_high - high
            at = bisect_left(begins, high, stop)
        target.add_spans(Token, new_begins, new_ends)
        if any(tags):
            target.set_feature(Token, "pos", tags)

    return add


def _types(source: View, names: Iterable[str]) -> list[type[Annotation]]:
    """The types by short or UIMA name; one that this document does not have is none."""
    here: list[Any] = [*DEFAULT, *source.types()]
    known = {name: cls for cls in here for name in (cls.__name__, cls.uima_name)}
    found = [known[name] for name in dict.fromkeys(names) if name in known and known[name] not in _LANGUAGE]
    for cls in found:
        if not issubclass(cls, Annotation):
            raise CasError(f"type {cls.uima_name} has no spans and cannot be carried over")
    return found


def _copied(item: Annotation, begin: int, end: int) -> Annotation:
    made = item.moved(begin, end)
    if type(item) not in DEFAULT:
        for name in type(item).features:
            value = getattr(item, name, None)
            if isinstance(value, str):
                setattr(made, name, "")
            elif isinstance(value, list):
                setattr(made, name, [])
            elif not isinstance(value, bool | int | float | Enum | PhiKind):
                setattr(made, name, None)
    return made
