"""Masking recall without the tokens that do not identify a person, which the inverse hybrid system's authors removed by hand.

*masking-telling*: like `masking` (see `tokens`), but a reference token that is a function word, a unit of time, the ending of an
ordinal or a word of an age counts only if its span has no other tokens: `1st of March` has two tokens that count, `34 years old`
has one. A leaked "of" or "years" does not identify a person (§4.4.1, §5.2.2, "R new" in Tables 5.9 and 5.10). Recall only.
"""

from __future__ import annotations

from .counts import MICRO, Counts, Measure
from .criteria import Span, Spans, by_kind, distinct
from .document import Pair
from .leaks import merged
from .tokens import words

UNINFORMATIVE = frozenset(
    (
        "a an and at by for from in of on or s st nd rd th the to "
        "age aged old y yo yr yrs o year years month months mo mos week weeks wk wks day days d hour hours "
        "al de del el en la las los y a\u00f1o a\u00f1os mes meses semana semanas d\u00eda d\u00edas edad"
    ).split()
)
"""Words of English and Spanish, in lower case. A span that has no other words counts with all of them."""


def identifying_tokens(text: str, spans: list[Span]) -> set[Span]:
    """Return the runs of letters and digits of some spans, without uninformative ones next to others of their span."""
    result: set[Span] = set()
    for span in spans:
        every = list(words(text, [span]))
        result.update([t for t in every if text[t[0] : t[1]].lower() not in UNINFORMATIVE] or every)
    return result


def _masking_telling(pair: Pair) -> dict[str, Counts]:
    masked = Spans(merged(distinct(pair.system)))
    result: dict[str, Counts] = {}
    every: set[Span] = set()
    for kind, marks in by_kind(pair.gold).items():
        tokens = identifying_tokens(pair.text, distinct(marks))
        result[kind] = Counts(len(tokens), sum(map(masked.cover, tokens)))
        every |= tokens
    result[MICRO] = Counts(len(every), sum(map(masked.cover, every)))
    return result


MEASURES = (Measure("masking-telling", _masking_telling, "recall", totals=False, macro="none", always=(MICRO,)),)
