"""Consumer that writes token and label columns, as in CoNLL-2003."""

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
    """Writes a line with the label of each token, an empty line between sentences, and before each document `-DOCSTART-` with
    its id.

    Tokens and sentences are the document's; if it has none, words and lines. A sentence does not end inside a span. Format:
    Tjong Kim Sang & De Meulder 2003, CoNLL; tags as in Ratinov & Roth 2009, CoNLL.
    """

    file: Path = Path("restricted/documents.conll")
    columns: list[Column] = dataclasses.field(default_factory=lambda: ["token", "label"])
    """Contents of the columns, which are separated by tabs. `begin` and `end` are offsets in the text, in code points."""
    tags: Tags = "IOB2"
    """Tags of the spans: `IOB2`, `BILOU`, or `IO`, which does not separate adjacent spans with the same label."""
    unaligned: Unaligned = "split"
    """Spans whose edges are not those of tokens: `split` splits the tokens there, `widen` takes whole tokens. A warning gives
    their number."""
    overlaps: Literal["error", "longest"] = "error"
    """Overlapping spans: `error` (the document fails), or `longest` keeps the longest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        if self.columns[:1] != ["token"] or len(set(self.columns)) != len(self.columns):
            raise ValueError("columns: expected token first, and every name once")
        self._moved = self._lost = self._dropped = 0

    def open(self) -> None:
        super().open()
        self._moved = self._lost = self._dropped = 0

    def add_state(self, state: list[int]) -> None:
        moved, lost, dropped = state
        self._moved, self._lost, self._dropped = self._moved + moved, self._lost + lost, self._dropped + dropped

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        overlaps: Overlaps = self.overlaps
        kept = disjoint(spans, overlaps)
        view = self.annotated_view(cas)
        aligned = align(text, tokens_of(cas, view), kept, self.unaligned)
        labels = _labels(aligned, self.tags)
        pos = {t.begin: t.pos for t in view.select(Token)} if "pos" in self.columns else {}
        breaks = _breaks(aligned, sentence_begins(cas, view))
        name = _BREAKS.sub(" ", encodable(cas.id, cas))
        outside = {"token": f"{_MARK} {name}".rstrip(), "pos": "-X-", "begin": "0", "end": "0", "label": "O"}
        lines = ["\t".join(outside[c] for c in self.columns), ""]
        for n, (begin, end) in enumerate(aligned.tokens):
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
        dropped = sum(len(span.attributes) for span in spans)
        return Content("\n".join([*lines, "", ""]).encode(), state=[aligned.moved, aligned.lost, dropped])

    def close(self) -> None:
        """Give the file its name, and warn of what tokens and labels could not express."""
        change = "tokens were split there" if self.unaligned == "split" else "they were widened"
        for count, what in (
            (self._moved, f"spans did not begin and end with tokens ({change})"),
            (self._lost, "spans without a token of their own were left out"),
            (self._dropped, "attributes of spans were left out: the format cannot store them"),
        ):
            if count:
                warnings.warn(f"{self.id}: {count} {what}", CaspipeWarning, stacklevel=2)
        self._moved = self._lost = self._dropped = 0
        super().close()


def _labels(aligned: Aligned, tags: Tags) -> list[str]:
    """Return the label of each token."""
    labels = ["O"] * len(aligned.tokens)
    for first, last, span in aligned.spans:
        prefixes = ["I"] * (last - first)
        if tags != "IO":
            prefixes[0] = "B"
        if tags == "BILOU":
            prefixes[-1] = "L" if last - first > 1 else "U"
        labels[first:last] = [f"{prefix}-{span.label}" for prefix in prefixes]
    return labels


def _breaks(aligned: Aligned, sentences: list[int]) -> set[int]:
    """Return the tokens, by number, that begin a sentence, except the first and those inside a span."""
    begins = [b for b, _ in aligned.tokens]
    first_tokens = {bisect_left(begins, s) for s in sentences}
    inside = {n for first, last, _ in aligned.spans for n in range(first + 1, last)}
    return {n for n in first_tokens if 0 < n < len(begins)} - inside
