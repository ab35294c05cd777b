"""Consumer that writes token and label columns, as for CoNLL-2003."""

from __future__ import annotations

import dataclasses
import re
import warnings
from bisect import bisect_left
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem import Cas, CaspipeWarning, Token
from ..files.annotated import AnnotatedOptions, Overlaps, disjoint
from ..files.content import Content
from ..files.lines import LineConsumer
from ..files.released import encodable
from .words import Aligned, Unaligned, align, sentence_begins, tokens_of

Column = Literal["token", "pos", "begin", "end", "label"]
Tags = Literal["IOB2", "BILOU", "IO"]

_MARK = "-DOCSTART-"
_BREAKS = re.compile(r"\s+")


@component("conll")
class ConllConsumer(AnnotatedOptions, LineConsumer):
    """Writes a token a line with its label, an empty line between sentences, and before each document `-DOCSTART-` with its id.

    Tokens and sentences are the document's; where it has none, words and lines. A sentence does not end inside a span.
    Format: Tjong Kim Sang & De Meulder 2003, CoNLL; tags as in Ratinov & Roth 2009, CoNLL.
    """

    file: Path = Path("restricted/documents.conll")
    columns: list[Column] = dataclasses.field(default_factory=lambda: ["token", "label"])
    """What the columns hold, separated by tabs. `begin` and `end` are offsets in the text, in code points."""
    tags: Tags = "IOB2"
    """How labels mark spans: `IOB2`, `BILOU`, or `IO`, which cannot tell neighbours of one label apart."""
    unaligned: Unaligned = "split"
    """Spans whose edges are not those of tokens: `split` cuts the tokens there, `widen` takes whole tokens. How many there were
    is told by a warning."""
    overlaps: Literal["error", "longest"] = "error"
    """Overlapping spans: `error` (the document has failed), or `longest` keeps the longest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        if self.columns[:1] != ["token"] or len(set(self.columns)) != len(self.columns):
            raise ValueError("columns: expected token first, and every name once")
        self._moved = self._lost = self._unsaid = 0

    def holds_original_text(self) -> bool:
        return self.original

    def open(self) -> None:
        super().open()
        self._moved = self._lost = self._unsaid = 0

    def noted(self, state: list[int]) -> None:
        moved, lost, unsaid = state
        self._moved, self._lost, self._unsaid = self._moved + moved, self._lost + lost, self._unsaid + unsaid

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        overlaps: Overlaps = self.overlaps
        kept = disjoint(spans, overlaps)
        view = self.annotated_view(cas)
        made = align(text, tokens_of(cas, view), kept, self.unaligned)
        labels = _labels(made, self.tags)
        pos = {t.begin: t.pos for t in view.select(Token)} if "pos" in self.columns else {}
        breaks = _breaks(made, sentence_begins(cas, view))
        name = _BREAKS.sub(" ", encodable(cas.id, cas))
        outside = {"token": f"{_MARK} {name}".rstrip(), "pos": "-X-", "begin": "0", "end": "0", "label": "O"}
        lines = ["\t".join(outside[c] for c in self.columns), ""]
        for n, (begin, end) in enumerate(made.tokens):
            if n in breaks:
                lines.append("")
            cells = {
                "token": _BREAKS.sub(" ", text[begin:end]).replace(_MARK, "_DOCSTART_"),
                "pos": pos.get(begin) or "_",
                "begin": str(begin),
                "end": str(end),
                "label": labels[n],
            }
            lines.append("\t".join(cells[c] for c in self.columns))
        unsaid = sum(len(span.said) for span in spans)
        return Content("\n".join([*lines, "", ""]).encode(), state=[made.moved, made.lost, unsaid])

    def close(self) -> None:
        """Gives the file its name, and warns of what tokens and labels could not say."""
        told = "tokens were cut there" if self.unaligned == "split" else "they were widened"
        for count, what in (
            (self._moved, f"spans did not begin and end with tokens ({told})"),
            (self._lost, "spans without a token of their own were left out"),
            (self._unsaid, "attributes of spans were left out: the format has no place for them"),
        ):
            if count:
                warnings.warn(f"{self.id}: {count} {what}", CaspipeWarning, stacklevel=2)
        self._moved = self._lost = self._unsaid = 0
        super().close()


def _labels(made: Aligned, tags: Tags) -> list[str]:
    """The label of each token."""
    labels = ["O"] * len(made.tokens)
    for first, last, span in made.spans:
        prefixes = ["I"] * (last - first)
        if tags != "IO":
            prefixes[0] = "B"
        if tags == "BILOU":
            prefixes[-1] = "L" if last - first > 1 else "U"
        labels[first:last] = [f"{prefix}-{span.label}" for prefix in prefixes]
    return labels


def _breaks(made: Aligned, sentences: list[int]) -> set[int]:
    """Numbers of the tokens that begin a sentence, but for the first one and those inside a span."""
    begins = [b for b, _ in made.tokens]
    found = {bisect_left(begins, s) for s in sentences}
    inside = {n for first, last, _ in made.spans for n in range(first + 1, last)}
    return {n for n in found if 0 < n < len(begins)} - inside
