"""Joins neighboring spans of one name (`<PERSON> <PERSON>`), and refines the kinds of spans."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiCandidate, PhiKind
from .candidates import CandidateSpan, SourceOrder, source_name
from .spans import ResolvedSpan

_GAP = lazy_regex(r"[ \u00a0\-\u2010\u2011]?")
_AFTER_ABBREVIATION = lazy_regex(r"\. ?")
_ABBREVIATION = lazy_regex(r"(?:^|[\W_])(?:[^\W\d_]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)$")


def merge_neighbors(
    spans: Sequence[ResolvedSpan], kinds: Sequence[PhiKind], text: str, sentence_begins: Sequence[int]
) -> list[ResolvedSpan]:
    """Return the spans in text order, with neighbors of these kinds joined.

    Two spans are joined if their kinds agree and they are adjacent or separated by one space, one hyphen, or a full stop after
    an initial or a title. Spans are not joined across line breaks and sentence boundaries, or if both have two or more words.
    The first span is extended; `merged_into` of the others refers to it.
    """
    joined: list[ResolvedSpan] = []
    for span in spans:
        before = joined[-1] if joined else None
        kind = _common_kind(before.kind, span.kind, kinds) if before else None
        if before is None or kind is None or not _are_adjacent(before, span, text, sentence_begins):
            joined.append(span)
            continue
        before.end, before.kind = span.end, kind
        before.confidence = min(before.confidence, span.confidence)
        before.note("joined with its neighbor")
        span.merged_into = before
    return joined


def windows_of(groups: Iterable[list[CandidateSpan]], text: str, size: int) -> Iterator[list[list[CandidateSpan]]]:
    """Yield the groups, in text order, in windows of at least `size`, between which no spans are joined."""
    window: list[list[CandidateSpan]] = []
    end = 0
    for group in groups:
        begin = group[0].begin
        if len(window) >= size and not _may_join(text[end:begin]):
            yield window
            window = []
        window.append(group)
        end = max(item.end for item in group)
    if window:
        yield window


def _may_join(gap: str) -> bool:
    """Return whether spans may be joined over a text, or over a longer one that ends with it."""
    return bool(_GAP.fullmatch(gap) or _AFTER_ABBREVIATION.fullmatch(gap))


def refine_kinds(spans: Sequence[ResolvedSpan], candidates: Iterable[CandidateSpan], order: SourceOrder) -> None:
    """Replace the first-level kinds of disjoint spans, in text order, by the subkind of the covered candidate with the highest
    priority. A subkind is never replaced, and a first-level kind only by one below it.

    If a model proposes PERSON and a losing rule PERSON_DOCTOR, the kind becomes PERSON_DOCTOR.
    """
    begins = [span.begin for span in spans]
    finer: dict[int, list[PhiCandidate]] = {}
    for item in candidates:
        index = bisect_right(begins, item.begin) - 1
        if index >= 0 and item.end <= spans[index].end and item.candidate.kind.parent is spans[index].kind:
            finer.setdefault(index, []).append(item.candidate)
    for index, found in finer.items():
        best = min(found, key=lambda c: (order.rank(c.source, c.kind), c.begin - c.end, c.begin, c.kind.name))
        spans[index].kind = best.kind
        spans[index].note(f"kind of {source_name(best)}")


def _common_kind(left: PhiKind, right: PhiKind, kinds: Sequence[PhiKind]) -> PhiKind | None:
    """Return the kind of the joined span: the equal kind, the kind beside initials, or the subkind of the other; else None."""
    if not any(left.is_a(k) and right.is_a(k) for k in kinds):
        return None
    if left is right:
        return left
    if PhiKind.PERSON_USERNAME in (left, right):
        return None
    if PhiKind.PERSON_INITIALS in (left, right):
        return right if left is PhiKind.PERSON_INITIALS else left
    return right if right.parent is left else left if left.parent is right else None


def _are_adjacent(left: ResolvedSpan, right: ResolvedSpan, text: str, sentence_begins: Sequence[int]) -> bool:
    gap = text[left.end : right.begin]
    if gap.isspace() and _count_words(text, left) > 1 < _count_words(text, right):  # two full names side by side
        return False
    if not _GAP.fullmatch(gap):
        tail = text[max(left.begin, left.end - 6) : left.end]
        if not (_AFTER_ABBREVIATION.fullmatch(gap) and _ABBREVIATION.search(tail)):
            return False
    return bisect_right(sentence_begins, right.begin) == bisect_right(sentence_begins, left.begin)


def _count_words(text: str, span: ResolvedSpan) -> int:
    return len(text[span.begin : span.end].split())
