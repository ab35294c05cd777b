"""Scores by token: tokens of each kind, PHI tokens of any kind, and masking recall.

A token belongs to a span that shares a code point with it, so a token across the border of a span counts for it.

*Masking recall* follows §4.4.1 of the inverse hybrid system, which used the tokens of the i2b2-2014 script: runs of letters and
digits in each span. A reference token is found if all of it is masked, as any kind. A system token that is not a reference token
counts against precision, even if it contains a found reference token and more. Precision exists over all kinds only, since
masking does not depend on a kind. `masking-hipaa` counts only reference spans of HIPAA's eighteen identifiers.

*token-binary-hipaa* follows Tables 2 and 3 of Lee, Dernoncourt, Uzuner and Szolovits (2016): PHI tokens against all others, among
the kinds that HIPAA requires. Tokens of other kinds (ages up to 89, doctors, hospitals, states, countries ...) count neither as
reference tokens nor against precision. A reference token is found if it is marked as any kind.

*masking-telling* leaves out tokens that do not identify a person, which the inverse hybrid system's authors removed by hand: a
reference token that is a function word, a unit of time, the ending of an ordinal or a word of an age counts only if its span has
no other tokens: `1st of March` has two tokens that count, `34 years old` has one. A leaked "of" or "years" does not identify a
person (§4.4.1, §5.2.2, "R new" in Tables 5.9 and 5.10). Recall only.

*safe-removed* is the price of masking: the share of the tokens outside the reference that are masked, wholly or in part. The
inverse hybrid system masks every word that is not shown to be safe, so the precision over its masked words depends on how much
PHI a text has, and this share does not.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from .counts import MICRO, Counts, Measure
from .criteria import by_kind, distinct
from .document import Mark, Pair
from .leaks import merged
from .spans import Span, Spans

UNINFORMATIVE = frozenset(
    (
        "a an and at by for from in of on or s st nd rd th the to "
        "age aged old y yo yr yrs o year years month months mo mos week weeks wk wks day days d hour hours "
        "al de del el en la las los y a\u00f1o a\u00f1os mes meses semana semanas d\u00eda d\u00edas edad"
    ).split()
)
"""Words of English and Spanish, in lower case. A span that has no other words counts with all of them."""
NOT_REQUIRED = frozenset(("PERSON_DOCTOR", "PERSON_REPORTER", "LOCATION_HOSPITAL", "LOCATION_CLINIC"))
"""Kinds with a HIPAA letter that `token-binary-hipaa` leaves out: names of staff and of care sites. HIPAA lists identifiers of
the patient, of relatives, employers and household members (45 CFR 164.514(b)(2)(i))."""
_WORD = re.compile(r"[^\W_]+")


def touched(tokens: tuple[list[int], list[int]], marks: Iterable[Mark]) -> set[int]:
    """Return the tokens, by number, that share a code point with one of the marks."""
    begins, ends = tokens
    numbers: set[int] = set()
    for m in marks:
        numbers.update(range(bisect_right(ends, m.begin), bisect_left(begins, m.end)))
    return numbers


def _system_tokens(pair: Pair, marks: Iterable[Mark]) -> set[int]:
    """Return the tokens of some system spans, without those of optional reference spans only."""
    numbers = touched(pair.tokens, marks)
    if not pair.optional:
        return numbers
    begins, ends = pair.tokens
    return {n for n in numbers if not pair.only_optional(begins[n], ends[n])}


def words(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield runs of letters and digits inside some spans; a run ends where the span ends."""
    for begin, end in spans:
        for hit in _WORD.finditer(text, begin, end):
            yield hit.span()


def _token(pair: Pair) -> dict[str, Counts]:
    gold, system = by_kind(pair.gold), by_kind(pair.system)
    return {
        kind: _both(touched(pair.tokens, gold.get(kind, ())), _system_tokens(pair, system.get(kind, ())))
        for kind in {**gold, **system}
    }


def _phi_token(pair: Pair) -> dict[str, Counts]:
    return {MICRO: _both(touched(pair.tokens, pair.gold), _system_tokens(pair, pair.system))}


def _both(gold: set[int], system: set[int]) -> Counts:
    both = len(gold & system)
    return Counts(len(gold), both, len(system), both)


def identifying_tokens(text: str, spans: list[Span]) -> set[Span]:
    """Return the runs of letters and digits of some spans, without uninformative ones next to others of their span."""
    result: set[Span] = set()
    for span in spans:
        every = list(words(text, [span]))
        result.update([t for t in every if text[t[0] : t[1]].lower() not in UNINFORMATIVE] or every)
    return result


def _masked_tokens(
    pair: Pair, tokens_of: Callable[[str, list[Span]], Iterable[Span]]
) -> tuple[dict[str, Counts], set[Span]]:
    """Return the recall of masking by kind and over all kinds, and all reference tokens."""
    masked = Spans(merged(distinct(pair.system)))
    result: dict[str, Counts] = {}
    every: set[Span] = set()
    for kind, marks in by_kind(pair.gold).items():
        tokens = set(tokens_of(pair.text, distinct(marks)))
        result[kind] = Counts(len(tokens), sum(map(masked.cover, tokens)))
        every |= tokens
    result[MICRO] = Counts(len(every), sum(map(masked.cover, every)))
    return result, every


def _masking(pair: Pair) -> dict[str, Counts]:
    result, every = _masked_tokens(pair, words)
    gold, found, *_ = result[MICRO]
    others = set(words(pair.text, distinct(pair.system))) - every
    wrong = sum(not pair.only_optional(*word) for word in others)
    result[MICRO] = Counts(gold, found, found + wrong, found)
    return result


def _masking_telling(pair: Pair) -> dict[str, Counts]:
    return _masked_tokens(pair, identifying_tokens)[0]


def _masking_hipaa(pair: Pair) -> dict[str, Counts]:
    masked = Spans(merged(distinct(pair.system)))
    tokens = set(words(pair.text, distinct(m for m in pair.gold if m.hipaa)))
    return {MICRO: Counts(len(tokens), sum(map(masked.cover, tokens)))}


def _phi_token_hipaa(pair: Pair) -> dict[str, Counts]:
    required = [m for m in pair.gold if m.hipaa and (m.renamed_from or m.kind) not in NOT_REQUIRED]
    gold = touched(pair.tokens, required)
    others = touched(pair.tokens, pair.gold) - gold
    return {MICRO: _both(gold, _system_tokens(pair, pair.system) - others)}


def _safe_removed(pair: Pair) -> dict[str, Counts]:
    reference = Spans(merged(distinct([*pair.gold, *pair.optional])))
    system = Spans(merged(distinct(pair.system)))
    safe = [word for word in words(pair.text, [(0, len(pair.text))]) if not reference.overlap(word)]
    return {MICRO: Counts(len(safe), sum(map(system.overlap, safe)))}


MEASURES = (
    Measure("token", _token),
    Measure("token-binary", _phi_token, totals=False, macro="none", always=(MICRO,)),
    Measure("token-binary-hipaa", _phi_token_hipaa, totals=False, macro="none", always=(MICRO,)),
    Measure("masking", _masking, "recall", {MICRO: "spans"}, totals=False, macro="none", always=(MICRO,)),
    Measure("masking-hipaa", _masking_hipaa, "recall", totals=False, macro="none", always=(MICRO,)),
    Measure("masking-telling", _masking_telling, "recall", totals=False, macro="none", always=(MICRO,)),
    Measure("safe-removed", _safe_removed, "score", totals=False, macro="none", always=(MICRO,)),
)
