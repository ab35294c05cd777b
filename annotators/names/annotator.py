"""The component `names`: marks people, places and organizations by rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, Sentence, Token, View
from .consistency import enumerated, repeated
from .organization import find_organizations
from .person import find_people
from .place import find_places
from .token_context import NameSpan, TokenContext
from .words import Words

_THRESHOLDS = {"recall": 0.2, "balanced": 0.3, "precision": 0.7}


@component("names", inputs=[Token, Sentence], outputs=[PhiCandidate])
class NameAnnotator(Annotator):
    """Marks names of people, places and organizations by word lists and by the words around them.

    People: after titles (`Dr.`), before credentials (`MD`), after roles and labels (`her husband`, `Patient:`, `signed by`),
    given names with surnames, initials; each name supports the other names of the document. Places: cities with their states
    or after `in`, states, counties, countries. Organizations: hospitals, pharmacies, schools, employers. Eponyms, drugs,
    manufacturers and months are not names. The confidence tells how much evidence there is, the rule which.
    """

    mode: Literal["recall", "balanced", "precision"] = "balanced"
    """How much evidence a name needs: `recall` accepts doubtful names, `precision` only certain ones."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ORGANIZATION])
    """Kinds to mark, and all kinds below them."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """The lists that distinguish names from words."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        doc = TokenContext(view, self.words)
        spans = [
            *enumerated(doc, [*find_people(doc)]),
            *find_places(doc),
            *find_organizations(doc),
        ]
        if not spans:
            return
        threshold = _THRESHOLDS[self.mode]
        kept = outermost(spans, threshold)
        for f in outermost([*kept, *repeated(doc, kept)], threshold):
            if any(map(f.kind.is_a, self.kinds)):
                yield PhiCandidate(f.begin, f.end, kind=f.kind, confidence=f.confidence, rule=f.rule)


def outermost(spans: Iterable[NameSpan], threshold: float) -> list[NameSpan]:
    """Return the spans with enough confidence that are not inside another one, in text order.

    Spans that overlap in part are both kept; the resolver decides between them.
    """
    kept: list[NameSpan] = []
    reached = -1
    certain = [span for span in spans if span.confidence >= threshold]
    for span in sorted(certain, key=lambda s: (s.begin, -s.end, -s.confidence, s.kind.name)):
        if span.end > reached:
            kept.append(span)
            reached = span.end
    return kept
