"""The component `site`: applies the list of a site to the candidates of all finders."""

from __future__ import annotations

from collections.abc import Sequence

from ...pipeline.contract.component import AnalysisEngine, Component, component
from ...typesystem import INITIAL_VIEW, Cas, KnownPhi, ListHit, Phi, PhiCandidate, View
from ..patterns.lists import pieces
from ..resolving.candidates import VETOED, matches_source
from .entry import SiteMatch
from .name_context import AllowedText, NameContext, named_in
from .site_list import SiteList

ALLOWED = "site.allow"
"""Name of the list of the ListHit at a word that is allowed at this place; its entry is the place in the site list."""
NOT_APPLIED = "site.allow.not_applied"
"""Name of the list of the ListHit at a word that is on the list but may be PHI there; its entry ends with the reason."""
_BY = f"{VETOED}: allowed by "
KNOWN = "known PHI of the record"
ELSEWHERE = "a name elsewhere in the text"


@component("site", outputs=[PhiCandidate, ListHit])
class SiteLists(AnalysisEngine):
    """Adds a sure candidate for each word that a site always masks (`deny`), and vetoes the candidates of all finders that words
    explain which are never PHI there (`allow`). Directly before the resolver. Without a list it does nothing.

    A word is not allowed if it may name a person: as known PHI of the record, or with a title, label, initial or other name
    next to it. It is then not allowed anywhere else in that text either. A longer entry, such as `Whipple procedure`, stays
    allowed. Of overlapping entries the longer one counts; of equal ones, `deny`.
    """

    lists: SiteList | None = None
    """The site list: a YAML file with `allow` and `deny`, or a table in CSV or TSV."""
    least: float = 0.1
    """Confidence from which the candidate of a person beside an allowed word makes it a part of a longer name (0 to 1)."""

    def __post_init__(self) -> None:
        if not 0 <= self.least <= 1:
            raise ValueError(f"least: expected a number from 0 to 1, got {self.least!r}")

    def bind(self, earlier: Sequence[Component]) -> str:
        """Refuse a place behind the resolver, where the list would have no effect."""
        resolvers = [e.id for e in earlier if Phi in e.outputs and PhiCandidate in e.inputs]
        return f"expected a place before the resolver, found {resolvers[0]} before it" if resolvers else ""

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        view.remove_from_source([PhiCandidate, ListHit], self.id)
        for candidate in view.select(PhiCandidate):
            if candidate.reason.startswith(_BY):
                candidate.reason = ""
        if self.lists is None:
            return
        found = self.lists.find(view.text)
        allowed = self._applied(view, found.allow)
        self._veto(view, allowed)
        for begin, end, entry in found.deny:
            assert entry.kind is not None
            candidate = PhiCandidate(begin, end, kind=entry.kind, confidence=1.0, rule=f"denied by {entry.place}")
            view.add(candidate.set_source(self.id))

    def _applied(self, view: View, allow: list[SiteMatch]) -> list[SiteMatch]:
        """Return the matches where the words are not names, and mark both these and the others."""
        if not allow:
            return []
        text = view.text
        known = [frozenset(pieces(item.value)) for item in view.select(KnownPhi)]
        context = NameContext(view, allow, self.least)
        words = [pieces(text[m.begin : m.end]) for m in allow]
        reasons = [KNOWN if named_in(text[m.begin : m.end], known) else context.reason(m) for m in allow]
        names = {own for own, reason in zip(words, reasons, strict=True) if reason}
        applied: list[SiteMatch] = []
        for match, own, reason in zip(allow, words, reasons, strict=True):
            why = reason or (ELSEWHERE if own in names else "")
            if not why:
                applied.append(match)
            where = f"{match.entry.place}: {why}" if why else match.entry.place
            hit = ListHit(match.begin, match.end, list=NOT_APPLIED if why else ALLOWED, entry=where)
            view.add(hit.set_source(self.id))
        return applied

    def _veto(self, view: View, allowed: list[SiteMatch]) -> None:
        explained = AllowedText(view.text, allowed)
        for candidate in view.select(PhiCandidate) if allowed else ():
            if candidate.reason.startswith(VETOED) or matches_source("known_phi", candidate.source):
                continue
            if explained.explains(candidate.begin, candidate.end):
                candidate.reason = f"{_BY}{explained.within(candidate.begin, candidate.end)[0].entry.place}"
                candidate.winner = None
