"""The component that runs a rule file: a site's own patterns, deny list and allow list, without a line of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...pipeline.contract.component import Annotator, component
from ...pipeline.errors import Fault
from ...typesystem import Annotation, ListHit, PhiCandidate, Sentence, View
from .engine import Hit, Sentences
from .rules import RuleFile


@component("patterns", outputs=[PhiCandidate, ListHit])
class PatternAnnotator(Annotator):
    """Marks what the rules of a rule file describe and what its deny list holds; its allow list takes hits away.

    Sentences are used where a segmenter made them; without them `within: sentence` ends at full stops and line breaks.
    """

    rules: RuleFile
    """Rule file in YAML: a path, or the name of one that ships with caspipe. See docs/rules.md."""
    min_confidence: float = 0.0
    """Hits below it are dropped (0 to 1)."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.min_confidence <= 1.0:
            raise ValueError(f"min_confidence: expected a number from 0 to 1, got {self.min_confidence}")

    def check(self) -> list[Fault]:
        """Faults of the rule file, and of its examples and counter-examples."""
        if isinstance(self.rules, RuleFile):
            return self.rules.faults()
        file, faults = RuleFile.read(self.rules)
        return faults if file is None else file.faults()

    def annotate(self, view: View) -> Iterable[Annotation]:
        hits = self.rules.matcher.hits(view.text, sentences_of(view))
        return as_annotations(hits, self.min_confidence)


def sentences_of(view: View) -> Sentences | None:
    """Begins and ends of the sentences of a view, None where it has none."""
    begins, ends = view.spans(Sentence)
    return (begins, ends) if begins else None


def as_annotations(hits: Iterable[Hit], min_confidence: float = 0.0) -> Iterator[Annotation]:
    """PHI candidates and list hits for what rules found."""
    for hit in hits:
        if hit.kind is None:
            yield ListHit(hit.begin, hit.end, list=hit.list, entry=hit.value)
        elif hit.confidence >= min_confidence:
            yield PhiCandidate(
                hit.begin, hit.end, kind=hit.kind, confidence=hit.confidence, value=hit.value, rule=hit.rule
            )
