"""Names by rule: the component that masks people, places and organisations before any model is trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal, cast

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, Sentence, Token, View
from .consistency import enumerated, repeated
from .found import Found
from .organisation import Organisations
from .person import People
from .place import Places
from .sheet import Sheet
from .words import Words

_THRESHOLDS = {"recall": 0.2, "balanced": 0.3, "precision": 0.7}


@component("names", inputs=[Token, Sentence], outputs=[PhiCandidate])
class NameAnnotator(Annotator):
    """Marks names of people, places and organisations by lists and by the words around them.

    People: after titles (`Dr.`), before credentials (`MD`), after roles and labels (`her husband`, `Patient:`, `signed by`),
    given names with surnames, initials; the names of one document make each other surer. Places: cities with their states
    or after `in`, states, counties, countries. Organisations: hospitals, pharmacies, schools, employers. Eponyms, drugs,
    makers and months are no names. The confidence says how much evidence there is, the rule which.
    """

    mode: Literal["recall", "balanced", "precision"] = "balanced"
    """How much evidence a name needs: `recall` takes doubtful ones too, `precision` sure ones only."""
    kinds: list[PhiKind] = field(default_factory=lambda: [PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ORGANIZATION])
    """Kinds to mark, with those below them."""
    words: Words = cast(Words, "english")  # a name until `open` loads it
    """The lists that tell names from words."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        sheet = Sheet(view, self.words)
        found = [
            *enumerated(sheet, [*People(sheet).find()]),
            *Places(sheet, self.words).find(),
            *Organisations(sheet, self.words).find(),
        ]
        if not found:
            return
        threshold = _THRESHOLDS[self.mode]
        kept = settled(found, threshold)
        for f in settled([*kept, *repeated(sheet, kept)], threshold):
            if any(map(f.kind.is_a, self.kinds)):
                yield PhiCandidate(f.begin, f.end, kind=f.kind, confidence=f.confidence, rule=f.rule)


def settled(found: Iterable[Found], threshold: float) -> list[Found]:
    """The candidates with enough confidence, less those that lie inside another one, in text order.

    Candidates that overlap in part stay both: the resolver settles who speaks, and nothing they cover gets lost.
    """
    kept: list[Found] = []
    reached = -1
    for item in sorted((f for f in found if f.confidence >= threshold), key=_longest_surest):
        if item.end > reached:
            kept.append(item)
            reached = item.end
    return kept


def _longest_surest(f: Found) -> tuple[int, int, float, str]:
    return f.begin, -f.end, -f.confidence, f.kind.name
