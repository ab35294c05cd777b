"""The resolver: from what the finders propose to final, disjoint PHI."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property

from ..pipeline.component import AnalysisEngine, component
from ..pipeline.errors import CasError
from ..typesystem import INITIAL_VIEW, Cas, Phi, PhiCandidate, PhiKind, Sentence, View
from .resolving import BELOW, EMPTY, REST, VETOED, Bid, Claim, Settlement, SourceOrder, Strategy, trimmed
from .resolving.claims import Remainder, uncovered
from .resolving.merging import merge
from .resolving.refining import refine
from .resolving.strategies import Priority


@component("resolver", inputs=[PhiCandidate], outputs=[Phi, PhiCandidate])
class Resolver(AnalysisEngine):
    """Turns PHI candidates into final Phi that never overlap and cover everything the candidates cover (law 3).

    Each candidate gets `winner` and `reason`, each Phi the reason and the source of the candidate that speaks. Running it
    again replaces what an earlier run made. A Phi that no candidate stands behind (from a file, from another engine) is
    kept: it becomes a candidate itself.
    """

    priority: list[str] = field(default_factory=list)
    """Components or aggregates, highest first; an entry matches any element of a source's path. Sources not named follow:
    known PHI, then rules, then models, then all others."""
    per_kind: dict[PhiKind, list[str]] = field(default_factory=dict)
    """Priority lists of single kinds (and of the kinds below them) instead of `priority`."""
    strategy: Strategy = field(default_factory=Priority)
    """Who speaks where candidates overlap."""
    remainder: Remainder = "auto"
    """What becomes of the text a loser covers beyond the winner: `extend` the winner over it, `keep` it as a Phi of the
    loser's kind; `auto` extends over a single word of the winner's own first-level kind and keeps anything else. A
    remainder of punctuation alone is let go."""
    merge: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON])
    """Kinds whose neighbouring spans become one where only a blank, a hyphen or an abbreviation's full stop is between."""
    refine: bool = False
    """A winner of a first-level kind takes over the kind of the candidate with the highest priority that it covers and whose kind
    is below its own: where a model says PERSON and a rule PERSON_DOCTOR, it is a doctor."""
    threshold: dict[PhiKind, float] = field(default_factory=dict)
    """Candidates of a kind (and of the kinds below it) with less confidence are left out; 0 to 1."""

    def __post_init__(self) -> None:
        for kind, value in self.threshold.items():
            if not 0 <= value <= 1:
                raise ValueError(f"threshold {kind.name}: expected a number from 0 to 1, got {value!r}")

    def mentions(self) -> Iterator[tuple[str, str]]:
        for name in self.priority:
            yield "priority", name
        for names in self.per_kind.values():
            for name in names:
                yield "per_kind", name

    @cached_property
    def _order(self) -> SourceOrder:
        return SourceOrder(self.priority, self.per_kind)

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        bids = list(self._bids(_adopted(view), view.text))
        settled = [self._settle(group, view.text) for group in groups(bids)]
        if self.refine:
            for settlement in settled:
                refine(settlement, self._order)
        claims = [claim for settlement in settled for claim in settlement.claims]
        merge(claims, self.merge, view.text, view.spans(Sentence)[0])
        made = {id(claim): _phi(claim) for claim in claims if claim.into is None}
        for settlement in settled:
            for bid, claim, reason in settlement.verdicts:
                final = claim.into or claim
                phi = made[id(final)]
                bid.candidate.winner = phi
                bid.candidate.reason = claim.reason if reason is None else reason
                if not phi.value and bid.candidate.kind.top is phi.kind.top and _spans(bid, phi):
                    phi.value = bid.candidate.value
        view.add_all([made[id(claim)] for claim in claims if claim.into is None])

    def _bids(self, candidates: Iterable[PhiCandidate], text: str) -> Iterator[Bid]:
        for candidate in candidates:
            candidate.winner = None
            if candidate.reason.startswith(VETOED):
                continue
            begin, end = trimmed(text, candidate.begin, candidate.end)
            least = self.threshold.get(candidate.kind, self.threshold.get(candidate.kind.top, 0.0))
            if begin == end:
                candidate.reason = EMPTY
            elif candidate.confidence < least:
                candidate.reason = f"{BELOW} {least:g}"
            else:
                yield Bid(begin, end, candidate)

    def _settle(self, group: list[Bid], text: str) -> Settlement:
        if len(group) == 1:
            (bid,) = group
            claim = Claim(bid.begin, bid.end, bid.candidate.kind, bid.candidate, 0, "won: no other candidate here")
            return Settlement([claim], [(bid, claim, None)])
        settlement = self.strategy.settle(group, text, self._order, self.remainder)
        settlement.claims.sort(key=lambda claim: claim.begin)
        end = -1
        for claim in settlement.claims:
            if claim.begin < end or claim.begin >= claim.end:
                raise CasError(
                    f"strategy {self.strategy.name} made overlapping or empty spans at {claim.begin}:{claim.end}"
                )
            end = claim.end
        for begin, end in uncovered(group, settlement.claims, text):
            raise CasError(f"strategy {self.strategy.name} uncovers {begin}:{end}")
        return settlement


def groups(bids: Iterable[Bid]) -> Iterator[list[Bid]]:
    """Bids that hang together by overlaps, in text order."""
    group: list[Bid] = []
    limit = -math.inf
    for bid in sorted(bids, key=lambda b: (b.begin, -b.end)):
        if group and bid.begin >= limit:
            yield group
            group = []
        group.append(bid)
        limit = max(limit, bid.end) if len(group) > 1 else bid.end
    if group:
        yield group


def _adopted(view: View) -> list[PhiCandidate]:
    """The candidates, after earlier Phi left the view; a Phi that no candidate stands behind comes back as a candidate."""
    candidates = view.select(PhiCandidate)
    won = {id(c.winner) for c in candidates if c.winner is not None}
    earlier = view.select(Phi)
    strangers = [phi for phi in earlier if id(phi) not in won and not _is_rest(phi, view)]
    for phi in earlier:
        view.remove(phi)
    if not strangers:
        return candidates
    for phi in strangers:
        same = PhiCandidate(
            phi.begin, phi.end, kind=phi.kind, confidence=phi.confidence, value=phi.value, rule="given as Phi"
        )
        same._source = phi.source
        view.add(same)
    return view.select(PhiCandidate)


def _is_rest(phi: Phi, view: View) -> bool:
    """Whether a Phi is what an earlier run left of a candidate that lost."""
    beside = view.select(PhiCandidate, overlapping=phi) if phi.reason.startswith(REST) else []
    return any(c.source == phi.source for c in beside)


def _phi(claim: Claim) -> Phi:
    speaker = claim.speaker
    alone = claim.begin == speaker.begin and claim.end == speaker.end
    value = speaker.value if alone else ""
    phi = Phi(claim.begin, claim.end, kind=claim.kind, confidence=claim.confidence, value=value, reason=claim.reason)
    phi._source = speaker.source
    return phi


def _spans(bid: Bid, phi: Phi) -> bool:
    return bid.begin == phi.begin and bid.end == phi.end
