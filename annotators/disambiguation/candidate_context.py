"""The words of a candidate with a few tokens on both sides, and how the line around it is written."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from ...typesystem import View

NEAR = 100
"""Code points on each side, within the line, that say how a text is written."""


@dataclass(frozen=True, slots=True)
class CandidateContext:
    """Tokens around a candidate; those of the candidate are `first` to `last` (half-open)."""

    forms: list[str]
    begins: list[int]
    """Code points, of each token, from the beginning of `whole`."""
    first: int
    last: int
    whole: str
    cased: bool
    """Whether the line has capitals: then a word in small letters is no name."""
    shouted: bool
    """Whether the line has no small letters outside the candidate: then capitals make no abbreviation."""

    def text(self, first: int, last: int) -> str:
        """What the tokens `first` to `last` (half-open) cover."""
        return self.whole[self.begins[first] : self.begins[last - 1] + len(self.forms[last - 1])]


def context_of(view: View, begin: int, end: int, reach: int) -> CandidateContext | None:
    """The stretch around `begin:end`, `reach` tokens to each side but over no empty line; None where no token lies on it.

    A token that the candidate covers in part belongs to it whole.
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
