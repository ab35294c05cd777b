"""The decision of the inverse approach: the threshold of the network's score for a token depends on the word lists."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...pipeline.contract.component import AnalysisEngine, component
from ...typesystem import (
    INITIAL_VIEW,
    Cas,
    FeatureStructure,
    PhiCandidate,
    PhiKind,
    Sentence,
    Token,
    TokenScore,
    TokenVerdict,
    View,
)
from ..resolving.candidates import VETOED, SourceSet, matches_source
from .by_token import highest, strictest
from .decision import Mode, Thresholds
from .word_lists import is_punctuation

_SUPERSEDED = f"{VETOED}: the adaptive threshold decides"
_LONGEST_GAP = 3


@dataclass(slots=True)
class _UnsafeSpan:
    """A token, or adjacent tokens, to mask."""

    begin: int
    end: int
    kind: PhiKind
    confidence: float
    rule: str


@component("adaptive_threshold", inputs=[Token], outputs=[PhiCandidate])
class AdaptiveThreshold(AnalysisEngine):
    """Masks every token that is not classified as safe by word lists (`safe_lists`), by a network (`neural` with `token_scores`),
    or by both. With both, the lists determine the threshold for the network.

    A token stays readable if its probability of being safe is above a threshold: `low` for tokens that are safe according to the
    lists, `high` for those that may be PHI; `never_safe` tokens are always masked (§4.3.5 of the inverse hybrid system). Tokens
    without a required verdict or score are masked, and therefore all tokens if no earlier component creates them.
    Tokens of punctuation are never masked.

    The confidence of a span is the highest probability of PHI in it. A low confidence does not mean that it is safe.

    In addition to the source, neighbors are joined, and a span has the kind that is most probable according to the network.
    """

    mode: Mode = "hybrid"
    """Basis of the decision: lists and network (`hybrid`), only the lists (`rules`), or only the network (`deep`, with `high` as
    the threshold of all tokens)."""
    low: float = 0.9
    """Minimum probability of being safe for tokens that are safe according to the lists (0 to 1, exclusive)."""
    high: float = 0.95
    """Minimum probability for tokens that are unsafe according to the lists; 1 masks all of these (0 to 1, exclusive)."""
    unknown: float | None = None
    """Minimum probability for tokens in no list (0 to 1, exclusive). Default: `high`, as in the source."""
    guess: float = 0.5
    """Minimum probability of PHI to use the network's kind; below, the kind is OTHER (0 to 1)."""
    join: str | None = " -'’"
    """Masked neighbors of one first-level kind in a sentence are joined if at most three characters separate them, all of these;
    null: each token is a span."""
    instead_of: list[str] = field(default_factory=list)
    """Components or aggregates whose candidates are vetoed, since this component uses their scores instead: `neural`."""

    def __post_init__(self) -> None:
        for name in ("low", "high", "unknown", "guess"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")
        if self.low > self.high:
            raise ValueError(f"low: expected at most high ({self.high:g}), got {self.low:g}")
        if any(matches_source("known_phi", source) for source in self.instead_of):
            raise ValueError("instead_of: known_phi is never replaced, identifiers from the record are always PHI")

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Return the types that the mode requires."""
        by_mode: dict[Mode, tuple[type[FeatureStructure], ...]] = {
            "rules": (TokenVerdict,),
            "deep": (TokenScore,),
            "hybrid": (TokenVerdict, TokenScore),
        }
        return (Token, *by_mode[self.mode])

    def explain_need(self, need: type[FeatureStructure] | str) -> str:
        return f"mode {self.mode}" if need in (TokenVerdict, TokenScore) else ""

    def referenced_components(self) -> Iterator[tuple[str, str]]:
        for source in self.instead_of:
            yield "instead_of", source

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        view.remove_from_source(self.outputs, self.id)
        self._supersede(view)
        candidates = []
        for span in self._join(view, self._unsafe(view)):
            candidate = PhiCandidate(span.begin, span.end, kind=span.kind, confidence=span.confidence, rule=span.rule)
            candidates.append(candidate.set_source(self.id))
        view.add_all(candidates)

    @cached_property
    def _thresholds(self) -> Thresholds:
        return Thresholds(self.mode, self.low, self.high if self.unknown is None else self.unknown, self.high)

    def _unsafe(self, view: View) -> Iterator[_UnsafeSpan]:
        tokens = view.tokens
        verdicts = strictest(tokens.begins, tokens.ends, view.select(TokenVerdict))
        scores = highest(tokens.begins, tokens.ends, view.select(TokenScore)) if self.mode != "rules" else {}
        decide = self._thresholds.masked
        for i, form in enumerate(tokens.forms):
            item = scores.get(i)
            rule = decide(verdicts.get(i), item.score if item else None)
            if rule and not is_punctuation(form):
                kind = item.kind if item is not None and item.score >= self.guess else PhiKind.OTHER
                confidence = item.score if item is not None and 0 <= item.score <= 1 else 1.0
                yield _UnsafeSpan(tokens.begins[i], tokens.ends[i], kind, confidence, rule)

    def _join(self, view: View, spans: Iterable[_UnsafeSpan]) -> Iterator[_UnsafeSpan]:
        starts = view.spans(Sentence)[0]
        last: _UnsafeSpan | None = None
        for span in spans:
            if last is not None and self._may_join(view.text, last, span) and _same_sentence(starts, last, span):
                last.end = span.end
                if span.confidence > last.confidence:
                    last.confidence, last.kind, last.rule = span.confidence, span.kind, span.rule
                continue
            if last is not None:
                yield last
            last = span
        if last is not None:
            yield last

    def _may_join(self, text: str, left: _UnsafeSpan, right: _UnsafeSpan) -> bool:
        if self.join is None or left.kind.top is not right.kind.top or right.begin - left.end > _LONGEST_GAP:
            return False
        return all(c in self.join for c in text[left.end : right.begin])

    def _supersede(self, view: View) -> None:
        """Veto the candidates that this component replaces. They are kept with the reason."""
        sources = SourceSet(self.instead_of)
        for candidate in view.select(PhiCandidate):
            if candidate.reason == _SUPERSEDED:
                candidate.reason = ""
            if candidate.source in sources:
                candidate.reason, candidate.winner = _SUPERSEDED, None


def _same_sentence(starts: list[int], left: _UnsafeSpan, right: _UnsafeSpan) -> bool:
    index = bisect_left(starts, left.end)
    return index == len(starts) or starts[index] > right.begin
