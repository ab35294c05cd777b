"""Carries annotations over to the masked text, and nothing that the original text could be read from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
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
from ..resolving import trimmed

DEFAULT = (Sentence, Token, Chunk, MedicalTerm)
"""What is carried unless a list of types is given; their features say nothing of masked text."""

_LANGUAGE = (DocumentAnnotation, DocumentMetaData)
"""Carried as a bare language always: titles and addresses of documents can name people."""


def carry(source: View, target: View, names: Sequence[str] | None) -> None:
    """Adds copies of the source's annotations to the target, moved through the target's offset map.

    Spans that share a code point with a replacement stay behind, except sentences, chunks and other spans that lie around
    the whole replacement. Copies of types that a user names keep numbers and booleans; text and references are emptied.
    The language of the document is carried always.
    """
    offsets = target.offset_map or OffsetMap(())
    segments = offsets.segments()
    masked = [(begin, end) for begin, end, _, _ in segments]
    for type_ in DEFAULT if names is None else _types(source, names):
        if type_ is Token:
            _carry_tokens(source, target, segments)
            continue
        spans: list[Annotation] = []
        last = 0
        for item in source.select(type_):
            if not _whole(item, masked, type_ is Sentence):
                continue
            begin, end = offsets.to_new(item.begin, item.end)
            if type_ is Sentence:  # two sentences may end in one replacement: the first has it
                begin, end = trimmed(target.text, max(begin, last), end)
                last = max(last, end)
            if begin < end:
                spans.append(_copied(item, begin, end, type(item) in DEFAULT))
        target.add_all(spans)
    for language in sorted({d.language for d in source.select(DocumentAnnotation)})[:1]:
        target.add(DocumentAnnotation(0, len(target.text), language=language))


def _carry_tokens(source: View, target: View, segments: list[tuple[int, int, int, int]]) -> None:
    """Tokens outside replacements, in one walk over both; as columns where no tagger ran."""
    found = source.spans(Token)
    given = None if source.bare(Token) else source.tokens.pos
    begins, ends, tags = [], [], []
    shift, at, stop = 0, 0, len(segments)
    for i, (begin, end) in enumerate(zip(*found, strict=True)):
        while at < stop and segments[at][1] <= begin:
            shift = segments[at][3] - segments[at][1]
            at += 1
        if at == stop or end <= segments[at][0]:
            begins.append(begin + shift)
            ends.append(end + shift)
            if given:
                tags.append(given[i])
    if any(tags):
        target.add_all([Token(b, e, pos=p) for b, e, p in zip(begins, ends, tags, strict=True)])
    elif all(map(le, ends, begins[1:])):
        target.add_spans(Token, begins, ends)
    else:  # other tools' tokens may overlap
        target.add_all(map(Token, begins, ends))


def _types(source: View, names: Iterable[str]) -> list[type[Annotation]]:
    """The types by short or UIMA name; one that this document does not have is none."""
    here: list[Any] = [*DEFAULT, *source.types()]
    known = {name: cls for cls in here for name in (cls.__name__, cls.uima_name)}
    found = [known[name] for name in dict.fromkeys(names) if name in known and known[name] not in _LANGUAGE]
    for cls in found:
        if not issubclass(cls, Annotation):
            raise CasError(f"type {cls.uima_name} has no spans and cannot be carried over")
    return found


def _whole(item: Annotation, masked: list[tuple[int, int]], cut: bool) -> bool:
    """Whether the span is untouched by replacements or lies around all that it touches. `cut`: being cut is no matter."""
    first = bisect_right(masked, item.begin, key=_end)
    beyond = bisect_left(masked, item.end, key=_begin)
    touched = masked[first:beyond]
    if not touched:
        return True
    if isinstance(item, Token | MedicalTerm):
        return False
    return cut or (item.begin <= touched[0][0] and touched[-1][1] <= item.end)


def _copied(item: Annotation, begin: int, end: int, safe: bool) -> Annotation:
    made = item.moved(begin, end)
    if not safe:
        for name in type(item).features:
            value = getattr(item, name, None)
            if isinstance(value, str):
                setattr(made, name, "")
            elif isinstance(value, list):
                setattr(made, name, [])
            elif not isinstance(value, bool | int | float | Enum | PhiKind):
                setattr(made, name, None)
    return made


def _begin(span: tuple[int, int]) -> int:
    return span[0]


def _end(span: tuple[int, int]) -> int:
    return span[1]
