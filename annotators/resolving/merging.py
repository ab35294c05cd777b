"""Join neighboring spans of one name (`<PERSON> <PERSON>`), and give spans a more precise kind."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ...typesystem import PhiKind
from .candidates import SourceOrder, source_name
from .spans import Resolution, ResolvedSpan

_GAP = re.compile(r"[ \u00a0\-\u2010\u2011]?")
_AFTER_ABBREVIATION = re.compile(r"\. ?")
_ABBREVIATION = re.compile(r"(?:^|[\W_])(?:[^\W\d_]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)$")


def merge_neighbors(
    spans: Sequence[ResolvedSpan], kinds: Sequence[PhiKind], text: str, sentence_begins: Sequence[int]
) -> list[ResolvedSpan]:
    """Return the spans with neighbors of the given kinds joined, in text order.

    Two spans are joined if nothing, one space or one hyphen is between them, or a full stop after an initial or a title; never
    over a line break or the beginning of a sentence, not if both are names of two words or more, and only if their kinds agree.
    The first span absorbs the others, which refer to it as `merged_into`.
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


def refine_kinds(resolution: Resolution, order: SourceOrder) -> None:
    """Replace first-level kinds by the kind below them of a covered candidate: the one with the highest priority.

    A model says PERSON; a rule that lost to it says whose name it is.
    """
    for span in resolution.spans:
        if span.kind.parent is not None:
            continue
        finer = [
            item.candidate
            for item, _, _ in resolution.decisions
            if item.candidate.kind.parent is span.kind and span.begin <= item.begin and item.end <= span.end
        ]
        if finer:
            best = min(finer, key=lambda c: (order.rank(c.source, c.kind), c.begin - c.end, c.begin, c.kind.name))
            span.kind = best.kind
            span.note(f"kind of {source_name(best)}")


def _common_kind(left: PhiKind, right: PhiKind, kinds: Sequence[PhiKind]) -> PhiKind | None:
    """Return the kind of both together: equal kinds; what initials belong to; the precise one if the other is its parent."""
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
