"""Candidates of earlier annotators as features."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FeatureStructure, FormTable, PhiCandidate, PhiKind
from ..feature import Words, as_tuple, normalize
from .columns import Mark, SpanFeature


@part("candidate")
class Candidate(SpanFeature):
    """The kinds of the PHI candidates of earlier annotators at the token. The first token of a span has a separate value.

    Example: `4 May` found as a date gives `candidate=B-DATE` and `candidate=I-DATE`.

    Source: Dehghan et al. 2015 and Liu et al. 2015 (both J Biomed Inform 58): rules and models of one system combined.
    """

    in_label = ("sources", "top", "min_confidence")
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (PhiCandidate,)
    argument: ClassVar[str] = "sources"

    sources: str | list[str] = field(default_factory=list)
    """Ids of components or aggregates whose candidates are used. Default: all. Set it if the pipeline runs other models."""
    top: bool = False
    """First-level kinds only: DATE for DATE_BIRTH."""
    min_confidence: float = 0.0
    """Candidates with a lower confidence are ignored (0 to 1)."""

    def __post_init__(self) -> None:
        if not all(source.strip() for source in as_tuple(self.sources)):
            raise ValueError("sources: expected ids of components, got an empty one")
        if not 0 <= self.min_confidence <= 1:
            raise ValueError(f"min_confidence: expected a number from 0 to 1, got {self.min_confidence}")

    def marks(self, words: Words) -> list[Mark]:
        values, used, minimum, view = self._values, self._used_sources, self.min_confidence, words.view
        candidates = zip(*view.spans(PhiCandidate), view.select(PhiCandidate), strict=True)
        return [(b, e, *values[c.kind]) for b, e, c in candidates if used[c.source] and c.confidence >= minimum]

    @cached_property
    def _used_sources(self) -> FormTable[bool]:
        """Sources whose candidates are used: one of the ids is an element of its path (`names` of `rules/names`)."""
        ids = as_tuple(self.sources)
        return FormTable(lambda source: not ids or any(f"/{i}/" in f"/{source}/" for i in ids))

    @cached_property
    def _values(self) -> _KindValues:
        return _KindValues(self.top)


class _KindValues(dict[PhiKind, tuple[str, str]]):
    """The values of the first token and of the other tokens of a candidate, by kind."""

    def __init__(self, top: bool) -> None:
        super().__init__()
        self._top = top

    def __missing__(self, kind: PhiKind) -> tuple[str, str]:
        name = normalize((kind.top if self._top else kind).name)
        self[kind] = values = (f"B-{name}", f"I-{name}")
        return values
