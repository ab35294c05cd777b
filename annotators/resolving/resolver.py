"""The resolver: combines overlapping PHI candidates into final, disjoint PHI."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Literal

from ...pipeline.contract.component import AnalysisEngine, Component, component
from ...pipeline.errors import CasError
from ...typesystem import INITIAL_VIEW, Cas, FeatureStructure, Phi, PhiCandidate, PhiKind, Sentence, View, source_record
from . import confidence_vote as _confidence_vote  # noqa: F401  # registers the strategy
from . import majority as _majority  # noqa: F401  # registers the strategy
from .candidates import (
    BELOW_THRESHOLD,
    EMPTY,
    EVIDENCE_ONLY,
    REJECTED_BY_VOTE,
    VETOED,
    CandidateSpan,
    SourceOrder,
    group_overlapping,
    trim,
)
from .coded_terms import NO_NAME, is_term
from .evidence import Evidence
from .merging import merge_neighbors, refine_kinds, windows_of
from .spans import REMAINDER_OF, Remainder, Resolution, ResolvedSpan, uncontested, uncovered
from .strategies import Priority, Strategy

WINDOW = 5_000
"""Groups of candidates that are resolved together, at least."""
_GIVEN = "given as Phi"


_LONG = 1_000_000
"""Length in code points from which the words that finders read are freed."""


@component("resolver", inputs=[PhiCandidate], outputs=[Phi, PhiCandidate])
class Resolver(AnalysisEngine):
    """Combines PHI candidates into final Phi that never overlap and cover all candidates (law 3).

    Only a vote that drops the minority (`minority: drop`) leaves text uncovered. Such candidates stay in the CAS with the number
    of votes as their reason.

    Sets `winner` and `reason` of each candidate. Each Phi has the reason and the source of the candidate that won. A further run
    replaces the Phi of earlier ones. A Phi without a candidate (from a file or another engine) is kept: it becomes a
    candidate.
    """

    priority: list[str] = field(default_factory=list)
    """Components or aggregates, highest first; an entry matches any element of a source's path. Other sources follow: known PHI,
    then rules, then models, then the rest."""
    per_kind: dict[PhiKind, list[str]] = field(default_factory=dict)
    """Priority lists of single kinds (including their subkinds) instead of `priority`."""
    strategy: Strategy = field(default_factory=Priority)
    """Strategy that decides which of several overlapping candidates wins."""
    remainder: Remainder = "auto"
    """Treatment of text that a loser covers beyond the winner: `extend` extends the winner, `keep` creates a Phi of the loser's
    kind; `auto` extends over a single word of the winner's first-level kind and keeps other text. A remainder of punctuation is
    not masked."""
    merge: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON])
    """Kinds whose neighboring spans are joined if only a space, a hyphen or the full stop of an abbreviation separates them."""
    refine: bool | Literal["evidence"] = False
    """Replace the first-level kind of a winner by the subkind of the covered candidate with the highest priority: PERSON of a
    model and PERSON_DOCTOR of a rule become PERSON_DOCTOR. A subkind is never replaced. `evidence`: also by the subkinds of
    candidates that are evidence only."""
    evidence: list[str] = field(default_factory=list)
    """Candidates that are not findings, only evidence for models that read candidates as features: all of a source (`names`), of
    one of its rules (`identifiers.room`), of a kind (`lists:LOCATION`), or both (`identifiers.room:LOCATION`)."""
    findings: list[str] = field(default_factory=list)
    """Exceptions from `evidence`, in the same form: `evidence: [identifiers]` and `findings: [identifiers.medical_record]`."""
    threshold: dict[PhiKind, float] | float = field(default_factory=dict)
    """Minimum confidence of candidates (0 to 1), for all kinds or by kind (including its subkinds)."""

    def __post_init__(self) -> None:
        thresholds = self.threshold.items() if isinstance(self.threshold, dict) else [(None, self.threshold)]
        for kind, value in thresholds:
            if not 0 <= value <= 1:
                name = f"threshold {kind.name}" if kind else "threshold"
                raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")
        _ = self._evidence

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        for name in self.priority:
            yield "priority", name
        for names in self.per_kind.values():
            for name in names:
                yield "per_kind", name
        yield from self._evidence.sources()
        for name in self.strategy.referenced_components():
            yield "strategy", name

    def bind(self, earlier: Sequence[Component]) -> str:
        """Refuse a finder between the list of a site and this resolver: the list would not apply to it."""
        names = [engine.name for engine in earlier]
        if "site" not in names:
            return ""
        late = [e.id for e in earlier[names.index("site") + 1 :] if PhiCandidate in e.outputs]
        return f"expected the engine site directly before it, found {late[0]} between them" if late else ""

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        return tuple(dict.fromkeys((*self.inputs, *self.strategy.needs())))

    def open(self) -> None:
        super().open()
        self.strategy.open()

    @cached_property
    def _order(self) -> SourceOrder:
        return SourceOrder(self.priority, self.per_kind)

    @cached_property
    def _evidence(self) -> Evidence:
        return Evidence(self.evidence, self.findings)

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        if len(view.text) > _LONG:
            view.forget_words()  # the finders are done with them
        candidates = self._candidates(self._findings(cas, _adopt_foreign_phi(view)), view.text)
        groups = group_overlapping(candidates)
        found: list[Phi] = []
        once = dict[str, str]()  # many reasons are equal: each is one string
        for window in windows_of(groups, view.text, self._window):
            found += self._settle(window, view, once)
        view.add_all(found)

    @property
    def _window(self) -> int:
        """The number of groups that are resolved together, which limits the memory: all if they depend on each other."""
        together = type(self.strategy).resolve_document is not Strategy.resolve_document or self.refine == "evidence"
        return sys.maxsize if together else WINDOW

    def _settle(self, groups: Sequence[list[CandidateSpan]], view: View, once: dict[str, str]) -> list[Phi]:
        """Return the Phi of groups of candidates, and set the decision about each candidate."""
        resolutions = self._resolve(groups, view)
        spans = [span for resolution in resolutions for span in resolution.spans]
        if self.refine:
            refine_kinds(spans, self._refining(resolutions, view), self._order)
        merge_neighbors(spans, self.merge, view.text, view.spans(Sentence)[0])
        phi_of = {id(span): _phi(span) for span in spans if span.merged_into is None}
        for phi in phi_of.values():
            phi.reason = once.setdefault(phi.reason, phi.reason)
        for resolution in resolutions:
            for item, span, reason in resolution.decisions:
                phi = phi_of[id(span.merged_into or span)]
                item.candidate.winner = phi
                why = span.reason if reason is None else reason
                item.candidate.reason = once.setdefault(why, why)
                same_bounds = item.begin == phi.begin and item.end == phi.end
                if not phi.value and item.candidate.kind.top is phi.kind.top and same_bounds:
                    phi.value = item.candidate.value
            for item, rival, why in resolution.rejected:
                item.candidate.winner = None if rival is None else phi_of[id(rival.merged_into or rival)]
                item.candidate.reason = once.setdefault(why, why)
        return list(phi_of.values())

    def _refining(self, resolutions: Sequence[Resolution], view: View) -> list[CandidateSpan]:
        """Return the candidates that may refine kinds."""
        found = [item for resolution in resolutions for item, _, _ in resolution.decisions]
        if self.refine == "evidence":
            evidence = (c for c in view.select(PhiCandidate) if c.reason == EVIDENCE_ONLY)
            found += [CandidateSpan(*trim(view.text, c.begin, c.end), c) for c in evidence]
        return found

    def _findings(self, cas: Cas, candidates: list[PhiCandidate]) -> list[PhiCandidate]:
        """Return the candidates without those that are a part of a clinical term, and set the reason of these."""
        if not cas.metadata.get(source_record.TERM):
            return candidates
        terms = {id(c) for c in candidates if is_term(c, _GIVEN)}
        for candidate in candidates:
            if id(candidate) in terms:
                candidate.winner, candidate.reason = None, NO_NAME
        return [c for c in candidates if id(c) not in terms]

    def _candidates(self, candidates: Iterable[PhiCandidate], text: str) -> Iterator[CandidateSpan]:
        """Yield the candidates that take part, and set the reason of the others."""
        for candidate in candidates:
            candidate.winner = None
            if candidate.reason.startswith(VETOED):
                continue
            begin, end = trim(text, candidate.begin, candidate.end)
            threshold = self._threshold(candidate.kind)
            if begin == end:
                candidate.reason = EMPTY
            elif candidate in self._evidence:
                candidate.reason = EVIDENCE_ONLY
            elif candidate.confidence < threshold:
                candidate.reason = f"{BELOW_THRESHOLD} {threshold:g}"
            else:
                yield CandidateSpan(begin, end, candidate)

    def _threshold(self, kind: PhiKind) -> float:
        if isinstance(self.threshold, dict):
            return self.threshold.get(kind, self.threshold.get(kind.top, 0.0))
        return self.threshold

    def _resolve(self, groups: Sequence[list[CandidateSpan]], view: View) -> list[Resolution]:
        """Return the checked resolution of each group."""
        contested = [group for group in groups if len(group) > 1 or self.strategy.decides_alone]
        resolutions = iter(self.strategy.resolve_document(contested, view, self._order, self.remainder))
        return [
            self._checked(next(resolutions), group, view.text)
            if len(group) > 1 or self.strategy.decides_alone
            else uncontested(group[0])
            for group in groups
        ]

    def _checked(self, resolution: Resolution, group: list[CandidateSpan], text: str) -> Resolution:
        """Return the resolution, spans sorted. Raise CasError if spans overlap or are empty, or text is uncovered (law 3)."""
        resolution.spans.sort(key=lambda span: span.begin)
        end = -1
        for span in resolution.spans:
            if span.begin < end or span.begin >= span.end:
                raise CasError(
                    f"strategy {self.strategy.name} made overlapping or empty spans at {span.begin}:{span.end}"
                )
            end = span.end
        for item, _, reason in resolution.rejected:
            if not (self.strategy.may_reject and reason.startswith(REJECTED_BY_VOTE)):
                raise CasError(
                    f"strategy {self.strategy.name} rejects {item.begin}:{item.end}, which its parameters do not allow"
                )
        rejected = {id(item) for item, _, _ in resolution.rejected}
        only = resolution.spans[0] if len(resolution.spans) == 1 else None
        beyond = [
            c for c in group if id(c) not in rejected and not (only and only.begin <= c.begin and c.end <= only.end)
        ]
        for begin, end in uncovered(beyond, resolution.spans, text) if beyond else ():
            raise CasError(f"strategy {self.strategy.name} uncovers {begin}:{end}")
        return resolution


def _adopt_foreign_phi(view: View) -> list[PhiCandidate]:
    """Remove earlier Phi and return the candidates. A Phi that no candidate won becomes a candidate."""
    candidates = view.select(PhiCandidate)
    won = {id(c.winner) for c in candidates if c.winner is not None}
    earlier = view.select(Phi)
    foreign = [phi for phi in earlier if id(phi) not in won and not _is_remainder(phi, view)]
    for phi in earlier:
        view.remove(phi)
    if not foreign:
        return candidates
    for phi in foreign:
        adopted = PhiCandidate(
            phi.begin, phi.end, kind=phi.kind, confidence=phi.confidence, value=phi.value, rule=_GIVEN
        )
        view.add(adopted.set_source(phi.source))
    return view.select(PhiCandidate)


def _is_remainder(phi: Phi, view: View) -> bool:
    """Return whether a Phi is the remainder of a losing candidate from an earlier run."""
    overlapping = view.select(PhiCandidate, overlapping=phi) if phi.reason.startswith(REMAINDER_OF) else []
    return any(c.source == phi.source for c in overlapping)


def _phi(span: ResolvedSpan) -> Phi:
    winner = span.winner
    same_bounds = span.begin == winner.begin and span.end == winner.end
    value = winner.value if same_bounds and span.kind.top is winner.kind.top else ""
    phi = Phi(span.begin, span.end, kind=span.kind, confidence=span.confidence, value=value, reason=span.reason)
    return phi.set_source(winner.source)
