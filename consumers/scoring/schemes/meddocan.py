"""MEDDOCAN 2019, anonymization of Spanish clinical cases: the scores of the organizers' script.

Source: Marimon et al. 2019, IberLEF, CEUR 2421; the script is PlanTL-GOB-ES/MEDDOCAN-Evaluation-Script (Apache-2.0). Sub-track
1: *ner* (offsets and type) and *leak* (misses per sentence). Sub-track 2: *spans* (offsets) and *spans-merged*. Its
peculiarities, which are kept:

* equal tags of one document count once; all figures are micro figures;
* *leak* divides by the number of sentences in a file next to the corpus; it is undefined (`NA` there) if the file is missing. It
  is a rate, not a share: it can exceed 1;
* *spans-merged*: neighbors with no letter or digit between them become one span, on both sides. A hit is a span that both sides
  have, merged or not, so hits can overlap and count twice; a system span inside a hit is not false, a reference span inside a
  hit is not missed. Of two overlapping neighbors the merged span ends where the second one ends, even if that is earlier.

If nothing was found the script prints a precision of 0; here it is undefined.
"""

from __future__ import annotations

import math
from functools import lru_cache

from ....typesystem import PhiKind
from ..counts import MICRO, Counts, Measure
from ..criteria import strict
from ..document import Mark, Pair
from ..spans import Span, Spans


@lru_cache(maxsize=4096)
def _label(kind: str) -> str:
    try:
        return PhiKind.of(kind).in_scheme("meddocan")
    except ValueError:
        return kind


def _typed(marks: list[Mark]) -> dict[str, set[Span]]:
    spans: dict[str, set[Span]] = {}
    for m in marks:
        spans.setdefault(_label(m.kind), set()).add((m.begin, m.end))
    return spans


def _ner(pair: Pair) -> dict[str, Counts]:
    gold, system = _typed(pair.gold), _typed(pair.system)
    nothing: set[Span] = set()
    return {k: strict(list(gold.get(k, nothing)), list(system.get(k, nothing))) for k in {**gold, **system}}


def _leak(pair: Pair) -> dict[str, Counts]:
    missed = sum(c.gold - c.found for c in _ner(pair).values())
    return {MICRO: Counts(math.nan if pair.sentences is None else pair.sentences, missed)}


def _spans(pair: Pair) -> dict[str, Counts]:
    return {MICRO: strict(list(_distinct(pair.gold)), list(_distinct(pair.system)))}


def _distinct(marks: list[Mark]) -> set[Span]:
    return {(m.begin, m.end) for m in marks}


def _merged_spans(pair: Pair) -> dict[str, Counts]:
    gold, system = _distinct(pair.gold), _distinct(pair.system)
    hits = (gold & system) | (joined(pair.text, pair.gold) & joined(pair.text, pair.system))
    around = Spans(sorted(hits))
    missed = sum(not around.cover(s) for s in gold - system)
    false = sum(not around.cover(s) for s in system - gold)
    tp = len(hits)
    return {MICRO: Counts(tp + missed, tp, tp + false, tp)}


def joined(text: str, marks: list[Mark]) -> set[Span]:
    """Return the spans; neighbors with no letter or digit between them become one."""
    result: list[Span] = []
    for begin, end in sorted((m.begin, m.end) for m in marks):
        if result and not any(c.isalnum() for c in text[result[-1][1] : begin]):
            result[-1] = result[-1][0], end
        else:
            result.append((begin, end))
    return set(result)


MEASURES = (
    Measure("ner", _ner, macro="none", zero_f1=True),
    Measure("leak", _leak, "rate", totals=False, macro="none", always=(MICRO,)),
    Measure("spans", _spans, totals=False, macro="none", always=(MICRO,), zero_f1=True),
    Measure("spans-merged", _merged_spans, totals=False, macro="none", always=(MICRO,), zero_f1=True),
)
