"""Consumer that writes tasks for Prodigy."""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import component
from ...typesystem import Cas, CaspipeWarning
from ..files.annotated import Annotated, Span
from .tasks import TaskConsumer
from .words import Bounds, Unaligned, align, tokens_of


@component("prodigy")
class ProdigyConsumer(TaskConsumer):
    """Writes JSON Lines for Prodigy (`ner.manual`, `spans.manual`): `{"text", "tokens", "spans", "document_id", "meta"}`. Each
    span names its first and last token and, as `attributes`, what is said of it. Tokens are the document's; where it has
    none they are cut out here.

    Offsets are code points. For overlapping spans use `spans.manual` and `overlaps: keep`.
    """

    file: Path = Path("restricted/prodigy.jsonl")
    unaligned: Unaligned = "split"
    """Spans whose edges are not those of tokens: `split` cuts the tokens there, `widen` takes whole tokens. How many there were
    is told by a warning."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._moved = self._lost = 0

    def open(self) -> None:
        super().open()
        self._moved = self._lost = 0

    def noted(self, state: list[int]) -> None:
        super().noted(state)
        self._moved, self._lost = self._moved + state[1], self._lost + state[2]

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        made: dict[str, Any] = self.counted(cas, annotated)[0]
        return made

    def counted(self, cas: Cas, annotated: Annotated) -> tuple[Any, ...]:
        text, spans = annotated
        words = tokens_of(cas, self.annotated_view(cas))
        made = align(text, words, spans, self.unaligned, overlaps=self.overlaps == "keep")
        lost = made.lost if self.unaligned == "widen" else 0
        if self.unaligned == "widen":
            spans = [s._replace(begin=made.tokens[b][0], end=made.tokens[e - 1][1]) for b, e, s in made.spans]
        tokens = _tokens(text, made.tokens, spans)
        begins = {token["start"]: token["id"] for token in tokens}
        ends = {token["end"]: token["id"] for token in tokens}
        task = {
            "text": text,
            "tokens": tokens,
            "spans": [_span(begins[span.begin], ends[span.end], span) for span in spans],
            "document_id": self.document(cas),
            "meta": {"document_id": self.document(cas)},
        }
        return task, made.moved, lost

    def close(self) -> None:
        if self._slices is not None and (self._moved or self._lost):
            told = "tokens were cut there" if self.unaligned == "split" else "they were widened"
            warnings.warn(
                f"{self.id}: {self._moved} spans did not begin and end with tokens ({told}); {self._lost} were left out",
                CaspipeWarning,
                stacklevel=2,
            )
        super().close()


def _tokens(text: str, words: Bounds, spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Prodigy's tokens, of words that no span cuts.

    As in spaCy, tokens and one blank behind each with `ws` make up the text; other white space is tokens of its own, and so is
    a blank that a span begins or ends with.
    """
    opening, closing = {s.begin for s in spans}, {s.end for s in spans}
    edges = sorted(opening | closing)
    made: list[dict[str, Any]] = []

    def add(begin: int, end: int, ws: bool = False) -> None:
        made.append({"text": text[begin:end], "start": begin, "end": end, "id": len(made), "ws": ws})

    at = 0
    for begin, end in [*words, (len(text), len(text))]:
        cuts = edges[bisect_right(edges, at) : bisect_left(edges, begin)]
        for b, e in pairwise([at, *cuts, begin]):
            if b < e:
                add(b, e)
        if begin < end:
            ws = text.startswith(" ", end) and end not in opening and end + 1 not in closing
            add(begin, end, ws)
            at = end + ws
    return made


def _span(first: int, last: int, span: Span) -> dict[str, Any]:
    made = {"start": span.begin, "end": span.end, "token_start": first, "token_end": last, "label": span.label}
    made |= {"source": span.source, "score": span.confidence} if span.source else {}
    return made | ({"attributes": [list(said) for said in span.said]} if span.said else {})
