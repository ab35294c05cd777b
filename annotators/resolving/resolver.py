"""The resolver: from what the finders propose to final, disjoint PHI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import CasError
from ...typesystem import INITIAL_VIEW, Cas, FeatureStructure, Phi, PhiCandidate, PhiKind, Sentence, View
from . import BELOW, EMPTY, OUTVOTED, REST, VETOED, Bid, Claim, Settlement, SourceOrder, Strategy, trimmed
from . import majority as _majority  # noqa: F401  # registers the strategy
from .claims import Remainder, groups, uncovered
from .merging import merge
from .refining import refine
from .strategies import Priority


@component("resolver", inputs=[PhiCandidate], outputs=[Phi, PhiCandidate])
class Resolver(AnalysisEngine):
    """Turns PHI candidates into final Phi that never overlap and cover everything the candidates cover (law 3).

    Only a strategy that votes and is told to drop the minority (`minority: drop`) leaves text uncovered; such candidates
    stay in the CAS with the reason `outvoted`.

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
    threshold: dict[PhiKind, float] | float = field(default_factory=dict)
    """Candidates with less confidence are left out (0 to 1): of a kind and of the kinds below it, or of all kinds."""

    def __post_init__(self) -> None:
        found = self.threshold.items() if isinstance(self.threshold, dict) else [(None, self.threshold)]
        for kind, value in found:
            if not 0 <= value <= 1:
                told = f"threshold {kind.name}" if kind else "threshold"
                raise ValueError(f"{told}: expected a number from 0 to 1, got {value!r}")

    def mentions(self) -> Iterator[tuple[str, str]]:
        for name in self.priority:
            yield "priority", name
        for names in self.per_kind.values():
            for name in names:
                yield "per_kind", name
        for name in self.strategy.mentions():
            yield "strategy", name

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return tuple(dict.fromkeys((*self.inputs, *self.strategy.needs())))

    def open(self) -> None:
        super().open()
        self.strategy.open()

    @cached_property
    def _order(self) -> SourceOrder:
        return SourceOrder(self.priority, self.per_kind)

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        bids = list(self._bids(_adopted(view), view.text))
        settled = self._settled(list(groups(bids)), view)
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
            for bid, rival, why in settlement.outvoted:
                bid.candidate.winner = None if rival is None else made[id(rival.into or rival)]
                bid.candidate.reason = why
        view.add_all([made[id(claim)] for claim in claims if claim.into is None])

    def _bids(self, candidates: Iterable[PhiCandidate], text: str) -> Iterator[Bid]:
        for candidate in candidates:
            candidate.winner = None
            if candidate.reason.startswith(VETOED):
                continue
            begin, end = trimmed(text, candidate.begin, candidate.end)
            least = self._least(candidate.kind)
            if begin == end:
                candidate.reason = EMPTY
            elif candidate.confidence < least:
                candidate.reason = f"{BELOW} {least:g}"
            else:
                yield Bid(begin, end, candidate)

    def _least(self, kind: PhiKind) -> float:
        if isinstance(self.threshold, dict):
            return self.threshold.get(kind, self.threshold.get(kind.top, 0.0))
        return self.threshold

    def _settled(self, grouped: list[list[Bid]], view: View) -> list[Settlement]:
        """The settlement of each group, checked."""
        asked = [group for group in grouped if len(group) > 1 or self.strategy.judges]
        found = iter(self.strategy.settle_all(asked, view, self._order, self.remainder))
        return [
            self._checked(next(found), group, view.text)
            if len(group) > 1 or self.strategy.judges
            else _undisputed(group[0])
            for group in grouped
        ]

    def _checked(self, settlement: Settlement, group: list[Bid], text: str) -> Settlement:
        settlement.claims.sort(key=lambda claim: claim.begin)
        end = -1
        for claim in settlement.claims:
            if claim.begin < end or claim.begin >= claim.end:
                raise CasError(
                    f"strategy {self.strategy.name} made overlapping or empty spans at {claim.begin}:{claim.end}"
                )
            end = claim.end
        for bid, _, reason in settlement.outvoted:
            if not (self.strategy.drops and reason.startswith(OUTVOTED)):
                raise CasError(f"strategy {self.strategy.name} leaves {bid.begin}:{bid.end} out without being asked to")
        out = {id(bid) for bid, _, _ in settlement.outvoted}
        for begin, end in uncovered([bid for bid in group if id(bid) not in out], settlement.claims, text):
            raise CasError(f"strategy {self.strategy.name} uncovers {begin}:{end}")
        return settlement


def _undisputed(bid: Bid) -> Settlement:
    claim = Claim(bid.begin, bid.end, bid.candidate.kind, bid.candidate, 0, "won: no other candidate here")
    return Settlement([claim], [(bid, claim, None)])


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
    value = speaker.value if alone and claim.kind.top is speaker.kind.top else ""
    phi = Phi(claim.begin, claim.end, kind=claim.kind, confidence=claim.confidence, value=value, reason=claim.reason)
    phi._source = speaker.source
    return phi


def _spans(bid: Bid, phi: Phi) -> bool:
    return bid.begin == phi.begin and bid.end == phi.end
