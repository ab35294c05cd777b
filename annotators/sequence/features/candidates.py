"""Rules as features: what finders upstream take for PHI."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar

from ....pipeline.component import part
from ....typesystem import FeatureStructure, PhiCandidate
from ..feature import TokenFeature, Words
from .columns import Column, Mark, listed, spread
from .tidy import label, tidy


@part("candidate")
class Candidate(TokenFeature):
    """A finder upstream took the token for PHI of a kind; the first token of the span is told from the others.

    Example: `4 May` found as a date gives `candidate=B-DATE` and `candidate=I-DATE`.

    Source: Dehghan et al. 2015 and Liu et al. 2015 (both J Biomed Inform 58): rules and models of one system combined.
    """

    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (PhiCandidate,)
    argument: ClassVar[str] = "sources"

    sources: str | list[str] = field(default_factory=list)
    """Ids of the components or aggregates to listen to. Left out: all. Name them where other models run in the pipeline."""
    top: bool = False
    """First-level kinds only: DATE for DATE_BIRTH."""
    min_confidence: float = 0.0
    """Candidates below it are left out (0 to 1)."""

    def __post_init__(self) -> None:
        if not all(source.strip() for source in listed(self.sources)):
            raise ValueError("sources: expected ids of components, got an empty one")
        if not 0 <= self.min_confidence <= 1:
            raise ValueError(f"min_confidence: expected a number from 0 to 1, got {self.min_confidence}")

    @property
    def label(self) -> str:
        least = f"{self.min_confidence:g}" if self.min_confidence else ""
        return label(self.name, "+".join(listed(self.sources)), "top" if self.top else "", least)

    def column(self, words: Words) -> Column:
        return spread(words, self._marks(words))

    def _marks(self, words: Words) -> Iterator[Mark]:
        wanted = listed(self.sources)
        heard: dict[str, bool] = {}
        for found in words.view.select(PhiCandidate):
            source = found.source
            if source not in heard:
                heard[source] = not wanted or _counts(source, wanted)
            if not heard[source] or found.confidence < self.min_confidence:
                continue
            kind = tidy((found.kind.top if self.top else found.kind).name)
            yield found.begin, found.end, f"B-{kind}", f"I-{kind}"


def _counts(source: str, wanted: tuple[str, ...]) -> bool:
    """Whether one of the ids is an element of the source's path: `names` of `rules/names`, as in the resolver."""
    inside = f"/{source}/"
    return any(f"/{w}/" in inside for w in wanted)
