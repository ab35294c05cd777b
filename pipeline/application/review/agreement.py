"""Inter-annotator agreement of two annotators: F1 of their spans, and Cohen's kappa over characters and tokens.

F1 is symmetric: either annotator can be the reference. Cohen's kappa (Cohen 1960, Educ Psychol Meas 20:37-46) is
(p_o - p_e) / (1 - p_e) over the labels of all characters or tokens, with a separate label for text that is not PHI. The kappa of
one kind compares that kind with all other labels. Kappa is undefined if both annotators use only one label.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ....consumers.scoring.criteria import overlapping, strict
from ....typesystem import PhiKind
from ....typesystem.tokenize import token_spans
from .adjudication import Bounds, live_spans
from .catalogue import Catalogue
from .history import DocumentDecisions

TOTAL = "all"
NONE = ""
"""The label of text that is not PHI."""
Confusion = Counter[tuple[str, str]]


@dataclass(slots=True)
class Score:
    """Counts for one kind, one document, or all documents."""

    left: int = 0
    right: int = 0
    same: int = 0
    """Spans with the same bounds and kind."""
    left_hit: int = 0
    """Spans of the left annotator that share a character and the kind with a span of the right annotator."""
    right_hit: int = 0
    characters: Confusion = field(default_factory=Counter)
    tokens: Confusion = field(default_factory=Counter)

    def add(self, other: Score) -> None:
        for name in ("left", "right", "same", "left_hit", "right_hit"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.characters.update(other.characters)
        self.tokens.update(other.tokens)

    def figures(self) -> dict[str, Any]:
        """Return counts, F1 and kappa; None for undefined values."""
        return {
            "left": self.left,
            "right": self.right,
            "strict_f1": f1(self.same, self.left, self.same, self.right),
            "overlapping_f1": f1(self.left_hit, self.left, self.right_hit, self.right),
            "kappa_characters": kappa(self.characters),
            "kappa_tokens": kappa(self.tokens),
        }


@dataclass(slots=True)
class Agreement:
    """The agreement of two annotators on the documents that both have completed."""

    left: str
    right: str
    total: Score = field(default_factory=Score)
    kinds: dict[str, Score] = field(default_factory=dict)
    documents: dict[str, Score] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "left": self.left,
            "right": self.right,
            TOTAL: self.total.figures(),
            "kinds": {kind: score.figures() for kind, score in sorted(self.kinds.items())},
            "documents": {name: score.figures() for name, score in self.documents.items()},
        }


def agreement(
    catalogue: Catalogue,
    names: tuple[str, str],
    decided: tuple[Mapping[str, DocumentDecisions], Mapping[str, DocumentDecisions]],
    *,
    top: bool = True,
) -> Agreement:
    """Return the agreement of two annotators. `top`: compare kinds at the first level. Raises ReviewError if a text changed."""
    result = Agreement(*names)
    confusion: Confusion = Counter()
    tokens: Confusion = Counter()
    for number, name in enumerate(catalogue.ids):
        ours, theirs = (side.get(name) for side in decided)
        if ours is None or theirs is None or not (ours.done and theirs.done):
            continue
        document = catalogue.document(number)
        left, right = (_at_level(live_spans(document, side), top) for side in (ours, theirs))
        score = compare(document.text, left, right)
        result.documents[name] = score
        result.total.add(score)
        confusion.update(score.characters)
        tokens.update(score.tokens)
        for kind, part in _by_kind(left, right):
            result.kinds.setdefault(kind, Score()).add(part)
    for kind, score in result.kinds.items():
        score.characters, score.tokens = one_kind(confusion, kind), one_kind(tokens, kind)
    return result


def compare(text: str, left: Sequence[Bounds], right: Sequence[Bounds]) -> Score:
    """Return the score of one document. The spans of each side must be sorted and disjoint."""
    score = Score()
    for _, part in _by_kind(left, right):
        score.add(part)
    cuts = sorted({0, len(text), *(x for b, e, _ in (*left, *right) for x in (b, e))})
    for begin, end in pairwise(cuts):
        score.characters[_label(left, begin, begin + 1), _label(right, begin, begin + 1)] += end - begin
    for begin, end in zip(*token_spans(text), strict=True):
        score.tokens[_label(left, begin, end), _label(right, begin, end)] += 1
    return score


def _by_kind(left: Sequence[Bounds], right: Sequence[Bounds]) -> Iterator[tuple[str, Score]]:
    """Yield the counts of spans of each kind."""
    for kind in sorted({k for _, _, k in (*left, *right)}):
        ours, theirs = (sorted((b, e) for b, e, k in side if k == kind) for side in (left, right))
        hits = overlapping(ours, theirs)
        same = strict(ours, theirs).found
        yield kind, Score(len(ours), len(theirs), int(same), int(hits.found), int(hits.right))


def _label(spans: Sequence[Bounds], begin: int, end: int) -> str:
    """Return the kind of the first span that overlaps `begin:end`."""
    at = bisect_right(spans, begin, key=lambda s: s[1])
    return spans[at][2] if at < len(spans) and spans[at][0] < end else NONE


def _at_level(spans: Iterable[Bounds], top: bool) -> list[Bounds]:
    return [(b, e, PhiKind.of(k).top.name if top else k) for b, e, k in spans]


def one_kind(confusion: Confusion, kind: str) -> Confusion:
    """Return the confusion of one kind with all other labels combined."""
    counts: Confusion = Counter()
    for (ours, theirs), n in confusion.items():
        counts[kind if ours == kind else NONE, kind if theirs == kind else NONE] += n
    return counts


def f1(left_hit: int, left: int, right_hit: int, right: int) -> float | None:
    """Return the harmonic mean of the shares of spans that match the other side; None if neither side has a span."""
    if not left and not right:
        return None
    ours, theirs = left_hit / left if left else 0.0, right_hit / right if right else 0.0
    return 2 * ours * theirs / (ours + theirs) if ours + theirs else 0.0


def kappa(confusion: Confusion) -> float | None:
    """Return Cohen's kappa; None if it is undefined."""
    n = sum(confusion.values())
    if not n:
        return None
    rows, columns = Counter[str](), Counter[str]()
    for (ours, theirs), count in confusion.items():
        rows[ours] += count
        columns[theirs] += count
    chance = sum(rows[label] * columns[label] for label in rows) / n**2
    observed = sum(count for (ours, theirs), count in confusion.items() if ours == theirs) / n
    return None if chance == 1 else (observed - chance) / (1 - chance)
