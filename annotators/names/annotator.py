"""Names by rule: the component that masks people, places and organizations before any model is trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, Sentence, Token, View
from .consistency import enumerated, repeated
from .organization import OrganizationFinder
from .person import PersonFinder
from .place import PlaceFinder
from .span import NameSpan
from .token_context import TokenContext
from .words import Words

_THRESHOLDS = {"recall": 0.2, "balanced": 0.3, "precision": 0.7}


@component("names", inputs=[Token, Sentence], outputs=[PhiCandidate])
class NameAnnotator(Annotator):
    """Marks names of people, places and organizations by lists and by the words around them.

    PersonFinder: after titles (`Dr.`), before credentials (`MD`), after roles and labels (`her husband`, `Patient:`, `signed by`),
    given names with surnames, initials; the names of one document make each other surer. PlaceFinder: cities with their states
    or after `in`, states, counties, countries. OrganizationFinder: hospitals, pharmacies, schools, employers. Eponyms, drugs,
    makers and months are no names. The confidence says how much evidence there is, the rule which.
    """

    mode: Literal["recall", "balanced", "precision"] = "balanced"
    """How much evidence a name needs: `recall` takes doubtful ones too, `precision` sure ones only."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ORGANIZATION])
    """Kinds to mark, with those below them."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """The lists that tell names from words."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        doc = TokenContext(view, self.words)
        found = [
            *enumerated(doc, [*PersonFinder(doc).find()]),
            *PlaceFinder(doc, self.words).find(),
            *OrganizationFinder(doc, self.words).find(),
        ]
        if not found:
            return
        threshold = _THRESHOLDS[self.mode]
        kept = outermost(found, threshold)
        for f in outermost([*kept, *repeated(doc, kept)], threshold):
            if any(map(f.kind.is_a, self.kinds)):
                yield PhiCandidate(f.begin, f.end, kind=f.kind, confidence=f.confidence, rule=f.rule)


def outermost(found: Iterable[NameSpan], threshold: float) -> list[NameSpan]:
    """The candidates with enough confidence, less those that lie inside another one, in text order.

    Candidates that overlap in part stay both: the resolver settles who speaks, and nothing they cover gets lost.
    """
    kept: list[NameSpan] = []
    reached = -1
    for item in sorted((f for f in found if f.confidence >= threshold), key=_longest_surest):
        if item.end > reached:
            kept.append(item)
            reached = item.end
    return kept


def _longest_surest(f: NameSpan) -> tuple[int, int, float, str]:
    return f.begin, -f.end, -f.confidence, f.kind.name
