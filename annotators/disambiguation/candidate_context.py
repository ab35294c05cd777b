"""The tokens of a candidate and around it, and the case of the line around it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from ...typesystem import View

NEAR = 100
"""Number of code points on each side, within the line, that decide about its case."""


@dataclass(frozen=True, slots=True)
class CandidateContext:
    """Tokens around a candidate; those of the candidate are `first` to `last` (half-open)."""

    forms: list[str]
    begins: list[int]
    """Begin of each token, in code points from the beginning of `whole`."""
    first: int
    last: int
    whole: str
    has_capitals: bool
    """The line has capitals, so a word in small letters is not a name."""
    all_capitals: bool
    """The line has no small letters outside the candidate, so a word in capitals is not an abbreviation."""

    def text(self, first: int, last: int) -> str:
        """Return the text of the tokens `first` to `last` (half-open)."""
        return self.whole[self.begins[first] : self.begins[last - 1] + len(self.forms[last - 1])]


def context_of(view: View, begin: int, end: int, reach: int) -> CandidateContext | None:
    """Return the context of `begin:end`, `reach` tokens to each side but not across an empty line; None if it has no token.

    A token that the candidate covers in part belongs to it.
    """
    tokens, text = view.tokens, view.text
    first, last = bisect_left(tokens.ends, begin + 1), bisect_left(tokens.begins, end)
    if first >= last:
        return None
    low, high = max(0, first - reach), min(len(tokens.begins), last + reach)
    top = text.rfind("\n\n", tokens.begins[low], begin) + 1
    bottom = text.find("\n\n", end, tokens.ends[high - 1])
    low = bisect_left(tokens.begins, top, low, first)
    high = high if bottom < 0 else bisect_left(tokens.begins, bottom, last, high)
    begins, ends = tokens.begins[low:high], tokens.ends[low:high]
    forms = [text[b:e] for b, e in zip(begins, ends, strict=True)]
    start = max(begin - NEAR, text.rfind("\n", 0, begin) + 1)
    stop = text.find("\n", end)
    around = text[start:begin] + text[end : min(end + NEAR, stop if stop >= 0 else len(text))]
    return CandidateContext(
        forms,
        [b - begins[0] for b in begins],
        first - low,
        last - low,
        text[begins[0] : ends[-1]],
        any(map(str.isupper, around)),
        not any(map(str.islower, around)),
    )
