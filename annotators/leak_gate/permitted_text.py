"""The text that a pipeline leaves readable on purpose."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from ...typesystem import ListHit, MaskedSpan, MedicalTerm, Phi, PhiCandidate, View
from ..resolving.candidates import takes_part
from ..site_lists.engine import ALLOWED
from .leak_span import LeakSpan
from .repair import offsets_of

_NAMED = ("PERSON", "LOCATION", "ORGANIZATION")


class PermittedText:
    """The text that was left readable on purpose. A Phi of `source`, the gate itself, is never meant to be readable."""

    def __init__(self, initial: View, masked: View, source: str) -> None:
        self._initial = initial
        self._text = masked.text
        self._source = source
        self._offsets = offsets_of(masked)
        self._begins: list[int] = masked.feature(MaskedSpan, "original_begin")
        self._ends: list[int] = masked.feature(MaskedSpan, "original_end")

    def without_permitted(self, leaks: Iterable[LeakSpan]) -> Iterator[LeakSpan]:
        """Yield the leaks that were not left readable on purpose. Text that is not in the original is never permitted."""
        for leak in leaks:
            begin, end = self._offsets.to_old(leak.begin, leak.end)
            same = self._initial.text[begin:end] == self._text[leak.begin : leak.end]
            if not same or not (self._is_kept(begin, end) or self._is_excluded(leak, begin, end)):
                yield leak

    def _is_kept(self, begin: int, end: int) -> bool:
        """Return whether the span is within a Phi of which nothing was masked."""
        return any(
            phi.source != self._source and not self._is_masked(phi.begin, phi.end)
            for phi in self._initial.select(Phi, covering=(begin, end))
        )

    def _is_masked(self, begin: int, end: int) -> bool:
        """Return whether a replacement touches a span."""
        return bisect_right(self._ends, begin) < bisect_left(self._begins, end)

    def _is_allowed(self, begin: int, end: int) -> bool:
        """Return whether the list of a site allows the text at this place."""
        return any(hit.list == ALLOWED for hit in self._initial.select(ListHit, covering=(begin, end)))

    def _is_excluded(self, leak: LeakSpan, begin: int, end: int) -> bool:
        """Return whether it is a word that a site allows, a name in a longer medical term, or a rule's match whose candidate was
        excluded."""
        if leak.check in ("values", "rules") and self._is_allowed(begin, end):
            return True
        if leak.check == "values" and leak.kind.top.name in _NAMED:
            terms = self._initial.select(MedicalTerm, covering=(begin, end))
            return any(t.end - t.begin > end - begin for t in terms)
        if leak.check != "rules":
            return False
        return any(not takes_part(c) for c in self._initial.select(PhiCandidate, covering=(begin, end)))
