"""The component `patterns`: runs a rule file with a site's own patterns, deny list and allow list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from ...pipeline.contract.component import Annotator, component
from ...pipeline.errors import Fault
from ...typesystem import Annotation, ListHit, PhiCandidate, Sentence, View
from .engine import RuleMatch
from .rule import Sentences
from .rule_file import RuleFile


@component("patterns", outputs=[PhiCandidate, ListHit])
class PatternAnnotator(Annotator):
    """Marks the matches of the rules and the deny list of a rule file, except those on its allow list.

    Uses the sentences of a segmenter if there are any; otherwise `within: sentence` ends at full stops and line breaks.
    """

    rules: RuleFile
    """Rule file in YAML: a path, or the name of one that ships with caspipe. See docs/reference/rule-files.md."""
    min_confidence: float = 0.0
    """Matches with less confidence are dropped (0 to 1)."""

    def __post_init__(self) -> None:
        check_confidence(self.min_confidence)

    def check(self) -> list[Fault]:
        """Return the faults of the rule file, and of its examples and counter-examples."""
        if isinstance(self.rules, RuleFile):
            return self.rules.faults()
        file, faults = RuleFile.read(self.rules)
        return faults if file is None else file.faults()

    def annotate(self, view: View) -> Iterable[Annotation]:
        matches = self.rules.matcher.find(view.text, partial(sentences_of, view))
        return as_annotations(matches, self.min_confidence)


def check_confidence(value: float) -> None:
    """Raise ValueError unless `min_confidence` is a number from 0 to 1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"min_confidence: expected a number from 0 to 1, got {value}")


def sentences_of(view: View) -> Sentences | None:
    """Return begins and ends of the sentences of a view, None if it has none."""
    begins, ends = view.spans(Sentence)
    return (begins, ends) if begins else None


def as_annotations(matches: Iterable[RuleMatch], min_confidence: float = 0.0) -> Iterator[Annotation]:
    """Yield a PHI candidate or a list hit for each match."""
    for m in matches:
        if m.kind is None:
            yield ListHit(m.begin, m.end, list=m.list, entry=m.value)
        elif m.confidence >= min_confidence:
            yield PhiCandidate(m.begin, m.end, kind=m.kind, confidence=m.confidence, value=m.value, rule=m.rule)
