"""The combiner of the inverse approach: what a network must say for a token to stay readable depends on what lists say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...pipeline.contract.component import AnalysisEngine, component
from ...typesystem import (
    INITIAL_VIEW,
    Annotation,
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
from ..resolving import VETOED
from .decision import VERDICTS, Mode, Thresholds
from .word_lists import says_nothing

_STEPS_BACK = f"{VETOED}: the adaptive threshold decides"
_LONGEST_GAP = 3


@dataclass(slots=True)
class _Masked:
    """A token, or a row of them, that is not shown to be safe."""

    begin: int
    end: int
    kind: PhiKind
    confidence: float
    rule: str


@component("adaptive_threshold", inputs=[Token], outputs=[PhiCandidate])
class AdaptiveThreshold(AnalysisEngine):
    """Masks every token that is not shown to be safe: by lists (`safe_lists`), by a network (`neural` with `token_scores`), or by
    both, where the lists decide how sure the network must be.

    A token may be read where its probability of being safe is above a threshold: `low` where the lists say safe, `high` where
    they say it may be PHI, never where they say `never_safe` (§4.3.5 of the inverse hybrid system). A token without a verdict or
    score that the decision needs is masked, and so is every token where nothing ran before. Punctuation alone is left alone.

    The confidence of a span is the highest probability of PHI in it, so a small one does not say that it may be read.

    Beyond the source: neighbours become one span, and a span has the kind that the network thinks most probable.
    """

    mode: Mode = "hybrid"
    """Who shows that a token is safe: lists and network (`hybrid`), the lists alone (`rules`), the network alone (`deep`, which
    holds every token against `high`)."""
    low: float = 0.9
    """Where the lists say safe, the probability of being safe must be above this (0 to 1)."""
    high: float = 0.95
    """Where the lists say unsafe, it must be above this; 1 masks all of these (0 to 1)."""
    unknown: float | None = None
    """Where no list holds the token, it must be above this; `high` where left out, as in the source (0 to 1)."""
    guess: float = 0.5
    """The network's guess at the kind is taken from this probability of PHI on; below, the kind is OTHER (0 to 1)."""
    join: str | None = " -'’"
    """Masked neighbours of one first-level kind become one span where nothing but these characters stands between them, three at
    most, within a sentence; null: each token is a span."""
    instead_of: list[str] = field(default_factory=list)
    """Components or aggregates whose own candidates step back, since this one decides by their scores: `neural`."""

    def __post_init__(self) -> None:
        for name in ("low", "high", "unknown", "guess"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")
        if self.low > self.high:
            raise ValueError(f"low: expected at most high ({self.high:g}), got {self.low:g}")
        if any("known_phi" in source.split("/") for source in self.instead_of):
            raise ValueError("instead_of: known_phi never steps back, what the record says about a person stays PHI")

    def needs(self) -> tuple[type[FeatureStructure] | str, ...]:
        """Tokens, and what the mode decides by."""
        asked: dict[Mode, tuple[type[FeatureStructure], ...]] = {
            "rules": (TokenVerdict,),
            "deep": (TokenScore,),
            "hybrid": (TokenVerdict, TokenScore),
        }
        return (Token, *asked[self.mode])

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
        self._push_back(view)
        made = []
        for span in self._joined(view, self._masked(view)):
            candidate = PhiCandidate(span.begin, span.end, kind=span.kind, confidence=span.confidence, rule=span.rule)
            candidate._source = self.id
            made.append(candidate)
        view.add_all(made)

    @cached_property
    def _thresholds(self) -> Thresholds:
        return Thresholds(self.mode, self.low, self.high if self.unknown is None else self.unknown, self.high)

    def _masked(self, view: View) -> Iterator[_Masked]:
        tokens = view.tokens
        verdicts = _strictest(tokens.begins, tokens.ends, view.select(TokenVerdict))
        scores = _highest(tokens.begins, tokens.ends, view.select(TokenScore)) if self.mode != "rules" else {}
        decide = self._thresholds.masked
        for i, form in enumerate(tokens.forms):
            found = scores.get(i)
            rule = decide(verdicts.get(i), found.score if found else None)
            if rule and not says_nothing(form):
                guessed = found is not None and found.score >= self.guess
                yield _Masked(
                    tokens.begins[i],
                    tokens.ends[i],
                    found.kind if found is not None and guessed else PhiKind.OTHER,
                    found.score if found is not None and 0 <= found.score <= 1 else 1.0,
                    rule,
                )

    def _joined(self, view: View, spans: Iterable[_Masked]) -> Iterator[_Masked]:
        starts = view.spans(Sentence)[0]
        last: _Masked | None = None
        for span in spans:
            if last is not None and self._is_one(view.text, last, span) and _same_sentence(starts, last, span):
                last.end = span.end
                if span.confidence > last.confidence:
                    last.confidence, last.kind, last.rule = span.confidence, span.kind, span.rule
                continue
            if last is not None:
                yield last
            last = span
        if last is not None:
            yield last

    def _is_one(self, text: str, left: _Masked, right: _Masked) -> bool:
        if self.join is None or left.kind.top is not right.kind.top or right.begin - left.end > _LONGEST_GAP:
            return False
        return all(c in self.join for c in text[left.end : right.begin])

    def _push_back(self, view: View) -> None:
        """Takes candidates that this component decides about out of the resolver's hands; they stay, with the reason."""
        paths = [source.split("/") for source in self.instead_of]
        for candidate in view.select(PhiCandidate):
            if candidate.reason == _STEPS_BACK:
                candidate.reason = ""
            path = candidate.source.split("/")
            if any(path[i : i + len(p)] == p for p in paths for i in range(len(path) - len(p) + 1)):
                candidate.reason, candidate.winner = _STEPS_BACK, None


def _same_sentence(starts: list[int], left: _Masked, right: _Masked) -> bool:
    at = bisect_left(starts, left.end)
    return at == len(starts) or starts[at] > right.begin


def _strictest(begins: list[int], ends: list[int], verdicts: Iterable[TokenVerdict]) -> dict[int, str]:
    """The verdict on each token, by number: of several the strictest. One on a part of a token is none."""
    made: dict[int, str] = {}
    for item in verdicts:
        for i in _inside(begins, ends, item):
            rank = VERDICTS.index(item.verdict) if item.verdict in VERDICTS else len(VERDICTS)
            if i not in made or made[i] in VERDICTS[:rank]:
                made[i] = item.verdict
    return made


def _highest(begins: list[int], ends: list[int], scores: Iterable[TokenScore]) -> dict[int, TokenScore]:
    """The score of each token, by number: of several the highest, or one that is no number. One on a part of a token is none."""
    made: dict[int, TokenScore] = {}
    for item in scores:
        for i in _inside(begins, ends, item):
            if i not in made or not item.score <= made[i].score:
                made[i] = item
    return made


def _inside(begins: list[int], ends: list[int], item: Annotation) -> Iterator[int]:
    at = bisect_left(begins, item.begin)
    while at < len(ends) and ends[at] <= item.end:
        yield at
        at += 1
