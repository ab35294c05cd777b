"""Find other occurrences of the same words, to decide about all of them at once and to report possible leaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ....typesystem import PhiKind, first_level
from .document import Document
from .state import ACCEPTED, LIVE, REJECTED, Change, Span, SpanTable

_WORD = re.compile(r"\w+")
_FEW = 12
_NOT_NAMES = ("AGE", "DATE", "OTHER")
"""First-level kinds whose words do not identify a person in another context."""


_REFUSED = {
    "values": "the leak gate refused the document: a value that is masked elsewhere is readable here",
    "known_phi": "the leak gate refused the document: the record contains this about the person",
    "rules": "the leak gate refused the document: a rule for identifiers and contacts matches",
}


class Leak(NamedTuple):
    """A readable occurrence of words that are masked elsewhere or known from the record."""

    sid: str
    begin: int
    end: int
    kind: str
    why: str


def occurrences(text: str, words: str) -> list[tuple[int, int]]:
    """Return the bounds of exact occurrences of `words` as whole words."""
    bounds = []
    at = text.find(words)
    while at >= 0 and words:
        end = at + len(words)
        if _whole(text, at, end):
            bounds.append((at, end))
        at = text.find(words, end)
    return bounds


def _whole(text: str, begin: int, end: int) -> bool:
    """Return whether `begin:end` begins and ends at word boundaries."""
    left = begin > 0 and text[begin - 1].isalnum() and text[begin].isalnum()
    right = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not (left or right)


class Plan(NamedTuple):
    """The effect of a decision on all occurrences of the same words in one document."""

    change: Change
    added: int
    """Number of occurrences that become new spans."""
    changed: int
    """Number of spans that get another kind or status."""
    left: int
    """Number of occurrences that overlap a span with other bounds and do not change."""


def same_words(table: SpanTable, words: str, like: Span, itself: str = "") -> Plan:
    """Return the plan that applies the decision about `like` to all occurrences of `words`: they get its kind or, if `like` is
    rejected, those of its first-level kind are rejected.

    `itself`: the id of `like` in this document, which is accepted but not counted.
    """
    change: Change = {}
    added = changed = left = 0
    by_bounds: dict[tuple[int, int], list[str]] = {}
    for sid, span in table.spans.items():
        by_bounds.setdefault((span.begin, span.end), []).append(sid)
    top = first_level(like.kind)
    fresh = int(table.fresh()[1:])
    for begin, end in occurrences(table.text, words):
        here = by_bounds.get((begin, end), ())
        live = next((sid for sid in here if table.spans[sid].status in LIVE), None)
        if like.status == REJECTED:
            if live is not None and first_level(table.spans[live].kind) == top:
                change[live] = table.spans[live]._replace(status=REJECTED)
                changed += 1
        elif live is not None:
            if table.spans[live] != (begin, end, like.kind, ACCEPTED):
                change[live] = Span(begin, end, like.kind, ACCEPTED)
                changed += live != itself
        elif table.over(begin, end):
            left += 1
        else:
            dead = next((sid for sid in here if table.spans[sid].kind == like.kind), None)
            sid = dead or f"a{fresh}"
            fresh += dead is None
            change[sid] = Span(begin, end, like.kind, ACCEPTED)
            added += 1
    return Plan(change, added, changed, left)


class LeakFinder:
    """Finds possible leaks in one document, and caches the occurrences of words."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._words: dict[tuple[int, int, str], list[str]] = {}

    def leaks(self, table: SpanTable) -> list[Leak]:
        """Return the readable occurrences of words that are masked elsewhere or known from the record, except dismissed ones."""
        wanted = self._wanted(table)
        self._look_up(wanted)
        dismissed = {sid for sid, s in table.own.items() if s.status == REJECTED}
        judged = [(s.begin, s.end) for s in table.spans.values() if s.status == REJECTED]
        leaks: dict[tuple[int, int], Leak] = {}
        for begin, end, kind, check in self.document.refusals:
            for part in table.readable(begin, end):
                sid = f"l{part[0]}-{part[1]}"
                if sid not in dismissed:
                    leaks[part] = Leak(sid, *part, kind, _REFUSED.get(check, check))
        for folded, (kind, why) in wanted.items():
            for begin, end in self._places[folded]:
                sid = f"l{begin}-{end}"
                if sid in dismissed or table.over(begin, end) or any(b <= begin and end <= e for b, e in judged):
                    continue
                leaks.setdefault((begin, end), Leak(sid, begin, end, kind, why))
        return _longest(leaks.values())

    def _wanted(self, table: SpanTable) -> dict[str, tuple[str, str]]:
        """Return the case-folded words to search for, with their kind and the reason."""
        wanted: dict[str, tuple[str, str]] = {}
        for begin, end, sid in table.live:
            kind = table.spans[sid].kind
            bounds = (begin, end, kind)
            if bounds not in self._words:
                self._words[bounds] = [words.casefold() for words in _identifying(kind, table.text[begin:end])]
            for words in self._words[bounds]:
                if words not in wanted:
                    wanted[words] = (kind, "the same words are masked elsewhere in this document")
        for kind, value in self.document.known:
            for words in _identifying(kind, value):
                wanted.setdefault(words.casefold(), (kind, "the record contains this about the person"))
        return wanted

    def _look_up(self, wanted: Mapping[str, object]) -> None:
        missing = [words for words in wanted if words not in self._places]
        text = self.document.text
        for words in missing:
            self._places[words] = []
        if len(missing) <= _FEW:
            for words in missing:
                for match in re.finditer(re.escape(words), text, re.IGNORECASE):
                    self._keep(words, match.start(), match.end())
            return
        by_first: dict[str, list[str]] = {}
        for words in missing:
            first = _WORD.search(words)
            if first is not None and first.start() == 0:
                by_first.setdefault(first.group(), []).append(words)
        for match in _WORD.finditer(text):
            for words in by_first.get(match.group().casefold(), ()):
                end = match.start() + len(words)
                if text[match.start() : end].casefold() == words:
                    self._keep(words, match.start(), end)

    def _keep(self, words: str, begin: int, end: int) -> None:
        text = self.document.text
        covered = text[begin:end]
        if _whole(text, begin, end) and (covered != covered.lower() or not any(c.isalpha() for c in covered)):
            self._places[words].append((begin, end))


def _identifying(kind: str, words: str) -> Iterator[str]:
    """Yield the words of a span if they identify a person in any context, and each part of a person's name."""
    top = first_level(kind)
    words = " ".join(words.split()) if "\n" not in words else words
    if top in _NOT_NAMES or len(words) < 3 or (words == words.lower() and not any(c.isdigit() for c in words)):
        return
    if any(c.isalnum() for c in words) and words[0].isalnum():
        yield words
    if PhiKind.of(top) is PhiKind.PERSON:
        for part in _WORD.findall(words):
            if len(part) >= 4 and part[0].isupper() and part != words:
                yield part


def _longest(leaks: Iterable[Leak]) -> list[Leak]:
    """Return disjoint leaks in text order, chosen from left to right with the longest at each begin."""
    kept: list[Leak] = []
    for leak in sorted(leaks, key=lambda k: (k.begin, -k.end, k.kind)):
        if not kept or leak.begin >= kept[-1].end:
            kept.append(leak)
    return kept
