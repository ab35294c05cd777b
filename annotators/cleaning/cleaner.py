"""The component `cleaner`: writes a cleaned text into a view of its own."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

from ...pipeline.contract.component import AnalysisEngine, component
from ...typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, INITIAL_VIEW, Cas, DocumentAnnotation, KnownPhi, replace_spans
from .cleaning_rules import CleaningRules, LineBreaks

CLEANED_VIEW = "cleaned"
_RESERVED = (INITIAL_VIEW, GOLD_VIEW, DEIDENTIFIED_VIEW)


def check_view(name: str) -> None:
    """Raise ValueError for the name of a view that has a meaning of its own: the original, the reference or the masked text."""
    if name in _RESERVED:
        raise ValueError(f"view: expected a name other than {', '.join(_RESERVED)}, got {name}")


@component("cleaner")
class Cleaner(AnalysisEngine):
    """Creates a view with the text in which each run of white space is one space and `&`, `<` and `>` are words, and the map of
    its offsets to the original ones. Running it again replaces the view.

    Engines that work on it need `view: cleaned`. The `copier` then brings their annotations to the original text.
    The view has the known PHI of the record and the language of the document, but no other annotations. References to
    characters (`&amp;`, `&#39;`, `&nbsp;`) count as the character. The cleaning that the VigiBase de-identifier does before it
    detects sentences (its section 5.4).
    """

    view: str = CLEANED_VIEW
    """The view to create."""
    words: dict[str, str] = field(default_factory=lambda: {"&": "and", "<": "less than", ">": "greater than"})
    """Words instead of characters; `{}` for none. A space separates a word from a character beside it."""
    line_breaks: LineBreaks = "space"
    """Treatment of white space with line breaks: it becomes a `space`, as in the VigiBase de-identifier; a space if it has one
    line break and else a blank line (`paragraph`); a line break or a blank line (`line`)."""

    def __post_init__(self) -> None:
        check_view(self.view)
        for character, word in self.words.items():
            if not character or any(map(str.isspace, character)):
                raise ValueError("words: expected characters other than white space on the left")
            if not word.strip() or word != word.strip():
                raise ValueError(f"words: expected a word without space around it for {character!r}")

    @cached_property
    def _rules(self) -> CleaningRules:
        return CleaningRules(self.words, self.line_breaks)

    @property
    def created_view(self) -> str:
        return self.view

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        if cas.has_view(self.view):
            cas.drop_view(self.view)
        initial = cas.view()
        text, offsets = replace_spans(initial.text, self._rules.replacements(initial.text))
        cleaned = cas.create_view(self.view, text)
        cleaned.offset_map = offsets
        cleaned.fill(KnownPhi, initial.select(KnownPhi))
        for language in sorted({d.language for d in initial.select(DocumentAnnotation) if d.language})[:1]:
            cleaned.add(DocumentAnnotation(0, len(text), language=language).set_source(self.id))
