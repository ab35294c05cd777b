"""The component `segmenter`: tokens and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ...pipeline.contract.component import Annotator, Spans, component
from ...typesystem import Sentence, Token, View
from ...typesystem.tokenize import token_spans
from .line_ends import NewlineBreaks
from .sentences import SentenceRules


@component("segmenter", outputs=[Sentence, Token])
class Segmenter(Annotator):
    """Splits text into tokens and sentences. Every character that is not white space is in one token, every token in one
    sentence; offsets are those of the original text.

    Tokens or sentences that a view already has (from INCEpTION, cTAKES, an earlier run) are kept.
    """

    newline_breaks: NewlineBreaks = "auto"
    """Meaning of a single line end. `auto`: a wrapped line continues in the next one; headings, fields, list items and short
    lines end a sentence. `line`: every line end ends a sentence. `blank-line`: none does. Blank lines and form feeds always
    end one."""
    abbreviations: tuple[str, ...] = ()
    """Further abbreviations after which no sentence ends, with or without their full stop, in any case."""
    max_tokens: int = 2000
    """Longer sentences (tables, base64, text without full stops) are split after this many tokens, which limits the time of
    components that process one sentence at a time."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens: expected a whole number of at least 1, got {self.max_tokens}")

    @cached_property
    def _rules(self) -> SentenceRules:
        return SentenceRules(self.newline_breaks, self.abbreviations)

    def annotate(self, view: View) -> Iterator[Spans]:
        tokens, sentences = not view.count(Token), not view.count(Sentence)
        if not (tokens or sentences):
            return
        begins, ends = token_spans(view.text)
        if sentences:
            yield Spans(Sentence, *self._rules.spans(view.text, begins, ends, self.max_tokens))
        if tokens:
            yield Spans(Token, begins, ends)
