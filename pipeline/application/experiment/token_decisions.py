"""Token decisions of the inverse approach made again, for many thresholds, from one application of the network."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ....annotators.inverse.decision import Thresholds, verdict_of
from ....consumers.scoring import Mark, at_level, pair_of, score
from ....typesystem import Cas
from .job import Testing, scores_of
from .scores import Scores

ENGINE = "adaptive_threshold"
EVERYTHING: Mapping[str, Any] = {"mode": "hybrid", "low": 1.0, "high": 1.0, "unknown": 1.0, "join": None}
"""Parameters with which the engine masks every token, each as a span of its own: its confidence is then the probability that the
token is PHI, and its rule holds the verdict of the lists."""


@dataclasses.dataclass(frozen=True, slots=True)
class TokenDecision:
    """One way to decide about tokens: by lists and network (`hybrid`), by either alone (`deep`, `rules`)."""

    mode: str
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.mode == "hybrid":
            return f"low {self.low:g}, high {self.high:g}"
        return "lists alone" if self.mode == "rules" else f"network alone, {self.high:g}"


def scored(
    job: Testing,
    candidates: Sequence[Sequence[Sequence[Any]]],
    documents: Sequence[Cas],
    ways: Iterable[TokenDecision],
    unknown: float | None,
) -> Iterator[Scores]:
    """Yield the scores of a test under each way to decide.

    `candidates` are what a test with the parameters `EVERYTHING` kept, by document. What other components found is masked as it
    is, but not what was trained where the lists decide alone. `unknown`: threshold for tokens in no list; None: the high one.
    Blanks between tokens count as not masked, which criteria over letters and digits do not see.
    """

    trained = tuple(f"{step.id}/" for step, training in job.pieces if training is not None)
    own = tuple(f"{step.id}/" for step, _ in job.pieces if step.name == ENGINE)
    pairs = [pair_of(cas) for cas in documents]
    for way in ways:
        made = []
        for pair, found in zip(pairs, candidates, strict=True):
            marks = [
                Mark(begin, end, kind, source, 1.0)
                for begin, end, kind, chance, source, rule in found
                if _masks(way, f"{source}/", chance, rule, own, trained, unknown)
            ]
            made.append(at_level(dataclasses.replace(pair, system=marks), job.level))
        yield scores_of(score(made, criteria=job.criteria))


def _masks(
    way: TokenDecision,
    source: str,
    chance: float,
    rule: str,
    own: tuple[str, ...],
    trained: tuple[str, ...],
    unknown: float | None,
) -> bool:

    if not source.startswith(own):
        return way.mode != "rules" or not source.startswith(trained)
    verdict = verdict_of(rule)
    if verdict is None:
        return True  # neither lists nor network decided: masked in every mode
    low, high = way.low or 0.0, way.high or 0.0
    mode: Any = way.mode
    return bool(Thresholds(mode, low, high if unknown is None else unknown, high).masked(verdict, chance))
