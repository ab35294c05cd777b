"""Copies annotations to the masked text, without anything that would reveal the original text."""

from __future__ import annotations

import itertools
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
from ..resolving.candidates import trim

DEFAULT_TYPES = (Sentence, Token, Chunk, MedicalTerm)
"""Types that are copied unless a list is given; their features reveal nothing of masked text."""

_LANGUAGE_TYPES = (DocumentAnnotation, DocumentMetaData)
"""Only the language of these is copied: titles and addresses of documents can name people."""


def copy_annotations(source: View, target: View, names: Sequence[str] | None) -> None:
    """Add copies of the source's annotations to the target, moved by the target's offset map.

    Spans that overlap a replacement are left out, except sentences, chunks and other spans that contain the whole replacement.
    Copies of types that a user names keep numbers and booleans; text and references are emptied. The language of the document
    is always copied. Sentences, tokens, chunks and terms, which are most of it, are created when they are first read.
    """
    offsets = target.offset_map or OffsetMap(())
    for type_ in DEFAULT_TYPES if names is None else _find_types(source, names):
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
            if type_ in DEFAULT_TYPES and {*map(type, items)} == {type_}:
                target.add_lazily(type_, _others(items, offsets))
            else:
                _others(items, offsets)(target)
    for language in sorted({d.language for d in source.select(DocumentAnnotation) if d.language})[:1]:
        target.add(DocumentAnnotation(0, len(target.text), language=language))


def _others(items: list[Any], offsets: OffsetMap) -> Callable[[View], None]:
    return lambda target: target.add_all(_moved(items, offsets))


def _moved(items: Iterable[Annotation], offsets: OffsetMap) -> Iterator[Annotation]:
    """Yield copies of annotations that no replacement touches or that contain all replacements they touch, in one pass."""
    segments = offsets.segments()
    shift, index, count = 0, 0, len(segments)
    for item in items:
        begin, end = item.begin, item.end
        while index < count and segments[index][1] <= begin:
            shift = segments[index][3] - segments[index][1]
            index += 1
        if index == count or end <= segments[index][0]:
            begin, end = begin + shift, end + shift
        elif _contains_replacements(item, segments, index):
            begin, end = offsets.to_new(begin, end)
        else:
            continue
        if begin < end:
            yield _copy(item, begin, end)


def _contains_replacements(item: Annotation, segments: list[tuple[int, int, int, int]], first: int) -> bool:
    """Return whether an annotation that touches the segment `first` contains it and all others that it touches."""
    if isinstance(item, Token | MedicalTerm):
        return False
    last = bisect_left(segments, (item.end,), first) - 1
    return item.begin <= segments[first][0] and segments[last][1] <= item.end


def _sentences(source: View, offsets: OffsetMap) -> Callable[[View], None]:
    """Return a function that adds the sentences, cut at replacements that cross them; as columns if they are only spans."""
    columns = source.columns(Sentence)
    begins, ends = source.spans(Sentence)
    items = None if columns else source.select(Sentence)

    def add(target: View) -> None:
        spans: list[tuple[int, int]] = []
        kept: list[int] = []
        last = 0
        for i, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            begin, end = offsets.to_new(begin, end)  # two sentences may end in one replacement: the first gets it
            begin, end = trim(target.text, max(begin, last), end)
            last = max(last, end)
            if begin < end:
                spans.append((begin, end))
                kept.append(i)
        if columns:
            target.add_spans(Sentence, [b for b, _ in spans], [e for _, e in spans], columns[2])
        elif items:
            target.add_all([_copy(items[i], b, e) for i, (b, e) in zip(kept, spans, strict=True)])

    return add


def _tokens(source: View, offsets: OffsetMap) -> Callable[[View], None]:
    """Return a function that adds the tokens outside replacements, one run between two replacements at a time."""
    begins, ends = source.spans(Token)
    if not all(map(le, ends, begins[1:])):  # tokens of other tools may overlap
        return _others([Token(t.begin, t.end, pos=t.pos) for t in source.select(Token)], offsets)
    pos = None if source.has_only_spans(Token) else source.tokens.pos

    def add(target: View) -> None:
        new_begins, new_ends = begins[:0], ends[:0]  # arrays if the document is long
        tags: list[str] = []
        shift = first = 0
        end = ends[-1]
        for low, high, _, new_high in itertools.chain(offsets, [(end, end, end, end)]):
            last = bisect_right(ends, low, first)
            new_begins.extend([b + shift for b in begins[first:last]])
            new_ends.extend([e + shift for e in ends[first:last]])
            if pos:
                tags += pos[first:last]
            shift = new_high - high
            first = bisect_left(begins, high, last)
        target.add_spans(Token, new_begins, new_ends)
        if any(tags):
            target.set_feature(Token, "pos", tags)

    return add


def _find_types(source: View, names: Iterable[str]) -> list[type[Annotation]]:
    """Return the types with these short or UIMA names that the document has."""
    types: list[Any] = [*DEFAULT_TYPES, *source.types()]
    by_name = {name: cls for cls in types for name in (cls.__name__, cls.uima_name)}
    chosen = [
        by_name[name] for name in dict.fromkeys(names) if name in by_name and by_name[name] not in _LANGUAGE_TYPES
    ]
    for cls in chosen:
        if not issubclass(cls, Annotation):
            raise CasError(f"type {cls.uima_name} has no spans and cannot be carried over")
    return chosen


def _copy(item: Annotation, begin: int, end: int) -> Annotation:
    copied = item.moved(begin, end)
    if type(item) not in DEFAULT_TYPES:
        for name in type(item).features:
            value = getattr(item, name, None)
            if isinstance(value, str):
                setattr(copied, name, "")
            elif isinstance(value, list):
                setattr(copied, name, [])
            elif not isinstance(value, bool | int | float | Enum | PhiKind):
                setattr(copied, name, None)
    return copied
