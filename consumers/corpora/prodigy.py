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
from ..files.released import encodable
from .tasks import TaskConsumer
from .words import Bounds, Unaligned, align, tokens_of


@component("prodigy")
class ProdigyConsumer(TaskConsumer):
    """Writes JSON Lines for Prodigy (`ner.manual`, `spans.manual`): `{"text", "tokens", "spans", "document_id", "meta"}`. Each
    span has its first and last token and its `attributes`. Tokens are the document's; if it has none, it is tokenized here.

    Offsets are code points. For overlapping spans use `spans.manual` and `overlaps: keep`.
    """

    file: Path = Path("restricted/prodigy.jsonl")
    unaligned: Unaligned = "split"
    """Spans whose edges are not those of tokens: `split` splits the tokens there, `widen` takes whole tokens. A warning gives
    their number."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._moved = self._lost = 0

    def open(self) -> None:
        super().open()
        self._moved = self._lost = 0

    def add_state(self, state: list[int]) -> None:
        super().add_state(state)
        self._moved, self._lost = self._moved + state[1], self._lost + state[2]

    def task(self, cas: Cas, annotated: Annotated) -> dict[str, Any]:
        task: dict[str, Any] = self.task_with_state(cas, annotated)[0]
        return task

    def task_with_state(self, cas: Cas, annotated: Annotated) -> tuple[Any, ...]:
        text, spans = annotated
        words = tokens_of(cas, self.annotated_view(cas))
        aligned = align(text, words, spans, self.unaligned, overlaps=self.overlaps == "keep")
        lost = aligned.lost if self.unaligned == "widen" else 0
        if self.unaligned == "widen":
            spans = [s._replace(begin=aligned.tokens[b][0], end=aligned.tokens[e - 1][1]) for b, e, s in aligned.spans]
        tokens = _tokens(text, aligned.tokens, spans)
        begins = {token["start"]: token["id"] for token in tokens}
        ends = {token["end"]: token["id"] for token in tokens}
        task = {
            "text": text,
            "tokens": tokens,
            "spans": [_span(begins[span.begin], ends[span.end], span) for span in spans],
            "document_id": encodable(cas.id, cas),
            "meta": {"document_id": encodable(cas.id, cas)},
        }
        return task, aligned.moved, lost

    def close(self) -> None:
        if self._slices is not None and (self._moved or self._lost):
            change = "tokens were split there" if self.unaligned == "split" else "they were widened"
            warnings.warn(
                f"{self.id}: {self._moved} spans did not begin and end with tokens ({change}); {self._lost} were left out",
                CaspipeWarning,
                stacklevel=2,
            )
        super().close()


def _tokens(text: str, words: Bounds, spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Return Prodigy's tokens for words that no span splits.

    As in spaCy, tokens and one space after each with `ws` make up the text; other white space consists of tokens of its own, and
    so does a space at which a span begins or ends.
    """
    opening, closing = {s.begin for s in spans}, {s.end for s in spans}
    edges = sorted(opening | closing)
    tokens: list[dict[str, Any]] = []

    def add(begin: int, end: int, ws: bool = False) -> None:
        tokens.append({"text": text[begin:end], "start": begin, "end": end, "id": len(tokens), "ws": ws})

    offset = 0
    for begin, end in [*words, (len(text), len(text))]:
        cuts = edges[bisect_right(edges, offset) : bisect_left(edges, begin)]
        for b, e in pairwise([offset, *cuts, begin]):
            if b < e:
                add(b, e)
        if begin < end:
            ws = text.startswith(" ", end) and end not in opening and end + 1 not in closing
            add(begin, end, ws)
            offset = end + ws
    return tokens


def _span(first: int, last: int, span: Span) -> dict[str, Any]:
    fields = {"start": span.begin, "end": span.end, "token_start": first, "token_end": last, "label": span.label}
    fields |= {"source": span.source, "score": span.confidence} if span.source else {}
    return fields | ({"attributes": [list(pair) for pair in span.attributes]} if span.attributes else {})
