"""What each peer found, against what is known: for masking it counts whether the characters of a span are covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .harness import Span
from .texts import Gold

Cell = tuple[int, int]
"""How many of how many."""


def outermost(spans: Iterable[Span]) -> list[Span]:
    """The spans that a masker replaces: of those that overlap the first, of those that begin together the longest."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1], s[2])):
        if not chosen or span[0] >= chosen[-1][1]:
            chosen.append(span)
    return chosen


def counts(found: Iterable[Sequence[Span]]) -> Counter[str]:
    """Spans by kind."""
    return Counter(kind for spans in found for _, _, kind in spans)


def covered(text: str, spans: Iterable[Span], gold: Gold) -> bool:
    """Whether every letter and digit of a gold span lies under some span, whatever its kind."""
    under = {i for begin, end, _ in spans for i in range(max(begin, gold[0]), min(end, gold[1]))}
    return all(i in under for i in range(gold[0], gold[1]) if text[i].isalnum())


def recalls(
    texts: Sequence[str], found: Sequence[Sequence[Span]], gold: Iterable[tuple[int, Sequence[Gold]]]
) -> dict[str, Cell]:
    """By kind: gold spans that are covered, gold spans."""
    hits: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for i, spans in gold:
        for one in spans:
            totals[one[2]] += 1
            hits[one[2]] += covered(texts[i], found[i], one)
    return {kind: (hits[kind], totals[kind]) for kind in totals}


def false_marks(found: Sequence[Sequence[Span]], gold: Iterable[tuple[int, Sequence[Gold]]]) -> Cell:
    """Spans that share no character with a gold span of any kind, and annotated texts."""
    wrong = texts = 0
    for i, spans in gold:
        texts += 1
        wrong += sum(not any(begin < e and b < end for b, e, _ in spans) for begin, end, _ in outermost(found[i]))
    return wrong, texts
