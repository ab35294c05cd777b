"""Masking recall without the tokens that give nobody away, which the inverse hybrid system's authors took out by hand.

*masking-telling*: like `masking` (see `tokens`), but a reference token that is a word of grammar, a unit of time, an ordinal's
ending or a word of an age counts only where nothing else stands in its span: `1st of March` has two tokens that tell,
`34 years old` has one. A leaked "of" or "years" identifies nobody (§4.4.1, §5.2.2, "R new" in Tables 5.9 and 5.10). Recall only.
"""

from __future__ import annotations

from .counts import MICRO, Counts, Measure
from .criteria import Span, Spans, by_kind, distinct
from .document import Pair
from .leaks import merged
from .tokens import words

TELLS_NOTHING = frozenset(
    (
        "a an and at by for from in of on or s st nd rd th the to "
        "age aged old y yo yr yrs o year years month months mo mos week weeks wk wks day days d hour hours "
        "al de del el en la las los y a\u00f1o a\u00f1os mes meses semana semanas d\u00eda d\u00edas edad"
    ).split()
)
"""Words of English and Spanish, in small letters. A span that has nothing else counts as a whole."""


def telling(text: str, spans: list[Span]) -> set[Span]:
    """The runs of letters and digits of some spans, but for those that tell nothing beside others of their span."""
    found: set[Span] = set()
    for span in spans:
        every = list(words(text, [span]))
        found.update([t for t in every if text[t[0] : t[1]].lower() not in TELLS_NOTHING] or every)
    return found


def _masking_telling(pair: Pair) -> dict[str, Counts]:
    masked = Spans(merged(distinct(pair.system)))
    made: dict[str, Counts] = {}
    every: set[Span] = set()
    for kind, marks in by_kind(pair.gold).items():
        tokens = telling(pair.text, distinct(marks))
        made[kind] = Counts(len(tokens), sum(map(masked.cover, tokens)))
        every |= tokens
    made[MICRO] = Counts(len(every), sum(map(masked.cover, every)))
    return made


MEASURES = (Measure("masking-telling", _masking_telling, "recall", totals=False, macro="none", always=(MICRO,)),)
