"""Score the spans of each peer against the gold spans. For masking, a span counts if its characters are covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .harness import Span
from .texts import Gold

Cell = tuple[int, int]
"""Count and total."""


def outermost(spans: Iterable[Span]) -> list[Span]:
    """Return the spans that a masker replaces: of overlapping spans the first, of spans with the same begin the longest."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1], s[2])):
        if not chosen or span[0] >= chosen[-1][1]:
            chosen.append(span)
    return chosen


def counts(found: Iterable[Sequence[Span]]) -> Counter[str]:
    """Count the spans by kind."""
    return Counter(kind for spans in found for _, _, kind in spans)


def covered(text: str, spans: Iterable[Span], gold: Gold) -> bool:
    """Return True if every letter and digit of a gold span is inside a span of any kind."""
    under = {i for begin, end, _ in spans for i in range(max(begin, gold[0]), min(end, gold[1]))}
    return all(i in under for i in range(gold[0], gold[1]) if text[i].isalnum())


def recalls(
    texts: Sequence[str], found: Sequence[Sequence[Span]], gold: Iterable[tuple[int, Sequence[Gold]]]
) -> dict[str, Cell]:
    """Return the number of covered gold spans and of all gold spans, by kind."""
    hits: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for i, spans in gold:
        for one in spans:
            totals[one[2]] += 1
            hits[one[2]] += covered(texts[i], found[i], one)
    return {kind: (hits[kind], totals[kind]) for kind in totals}


def false_marks(found: Sequence[Sequence[Span]], gold: Iterable[tuple[int, Sequence[Gold]]]) -> Cell:
    """Return the number of spans that share no character with any gold span, and the number of annotated texts."""
    wrong = texts = 0
    for i, spans in gold:
        texts += 1
        wrong += sum(not any(begin < e and b < end for b, e, _ in spans) for begin, end, _ in outermost(found[i]))
    return wrong, texts
