"""Joins neighbouring spans of one name: `<PERSON> <PERSON>` for a first name and a surname found apart."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ...typesystem import PhiKind
from .claims import Claim

_GAP = re.compile(r"[ \u00a0\-\u2010\u2011]?")
_AFTER_ABBREVIATION = re.compile(r"\. ?")
_ABBREVIATION = re.compile(r"(?:^|[\W_])(?:[^\W\d_]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)$")


def merge(claims: Sequence[Claim], kinds: Sequence[PhiKind], text: str, sentence_begins: Sequence[int]) -> list[Claim]:
    """The claims with neighbours of the given kinds joined, in text order.

    Two claims are joined where nothing, one blank or one hyphen stands between them, or a full stop after an initial or a
    title; never over a line break or the beginning of a sentence, not where both are names of two words or more, and only where
    their kinds agree. The first of them goes on speaking; the others know it as `into`.
    """
    joined: list[Claim] = []
    for claim in claims:
        before = joined[-1] if joined else None
        kind = _common(before.kind, claim.kind, kinds) if before else None
        if before is None or kind is None or not _close(before, claim, text, sentence_begins):
            joined.append(claim)
            continue
        before.end, before.kind = claim.end, kind
        before.confidence = min(before.confidence, claim.confidence)
        before.note("joined with its neighbour")
        claim.into = before
    return joined


def _common(left: PhiKind, right: PhiKind, kinds: Sequence[PhiKind]) -> PhiKind | None:
    """The kind of both together: equal kinds; what the initials belong to; the precise one where the other is its parent."""
    if not any(left.is_a(k) and right.is_a(k) for k in kinds):
        return None
    if left is right:
        return left
    if PhiKind.PERSON_USERNAME in (left, right):
        return None
    if PhiKind.PERSON_INITIALS in (left, right):
        return right if left is PhiKind.PERSON_INITIALS else left
    return right if right.parent is left else left if left.parent is right else None


def _close(left: Claim, right: Claim, text: str, sentence_begins: Sequence[int]) -> bool:
    gap = text[left.end : right.begin]
    if gap.isspace() and _words(text, left) > 1 < _words(text, right):  # two full names side by side
        return False
    if not _GAP.fullmatch(gap):
        head = text[max(left.begin, left.end - 6) : left.end]
        if not (_AFTER_ABBREVIATION.fullmatch(gap) and _ABBREVIATION.search(head)):
            return False
    return bisect_right(sentence_begins, right.begin) == bisect_right(sentence_begins, left.begin)


def _words(text: str, claim: Claim) -> int:
    return len(text[claim.begin : claim.end].split())
