"""Rules as features: what earlier finders took for PHI."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FeatureStructure, FormTable, PhiCandidate, PhiKind
from ..feature import TokenFeature, Words
from ..tidy import tidy
from .columns import Column, listed, spread


@part("candidate")
class Candidate(TokenFeature):
    """An earlier finder took the token for PHI of a kind; the first token of the span has a value of its own.

    Example: `4 May` found as a date gives `candidate=B-DATE` and `candidate=I-DATE`.

    Source: Dehghan et al. 2015 and Liu et al. 2015 (both J Biomed Inform 58): rules and models of one system combined.
    """

    in_label = ("sources", "top", "min_confidence")
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

    def column(self, words: Words) -> Column:
        names, heard, least, view = self._names, self._heard, self.min_confidence, words.view
        found = zip(*view.spans(PhiCandidate), view.select(PhiCandidate), strict=True)
        return spread(words, [(b, e, *names[c.kind]) for b, e, c in found if heard[c.source] and c.confidence >= least])

    @cached_property
    def _heard(self) -> FormTable[bool]:
        """Return whether candidates of a source count."""
        wanted = listed(self.sources)
        return FormTable(lambda source: not wanted or _counts(source, wanted))

    @cached_property
    def _names(self) -> _Names:
        return _Names(self.top)


class _Names(dict[PhiKind, tuple[str, str]]):
    """The values of the first token of a candidate of a kind, and of those after it."""

    def __init__(self, top: bool) -> None:
        super().__init__()
        self._top = top

    def __missing__(self, kind: PhiKind) -> tuple[str, str]:
        name = tidy((kind.top if self._top else kind).name)
        self[kind] = found = (f"B-{name}", f"I-{name}")
        return found


def _counts(source: str, wanted: tuple[str, ...]) -> bool:
    """Return whether one of the ids is an element of the source's path: `names` of `rules/names`, as in the resolver."""
    inside = f"/{source}/"
    return any(f"/{w}/" in inside for w in wanted)
