"""Consumer that writes one table of spans: those of the masked text, or of the original."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from ...pipeline.contract.component import component
from ...typesystem import Cas, MaskedSpan
from ..files.annotated import AnnotatedOptions, Which
from ..files.lines import LineConsumer
from ..files.released import encodable, released_view

_MASKED = ("document", "begin", "end", "kind", "operator", "fallback")
_ORIGINAL = ("document", "begin", "end", "kind", "label", "confidence", "source")
_DEFAULT = Path("release/spans.csv")


@component("csv")
class CsvConsumer(AnnotatedOptions, LineConsumer):
    """Writes a CSV table with a row for each masked span: document, offsets in the masked text, kind, operator, fallback.

    With other `annotations`, a row for each span of the original text: document, offsets in code points, kind, label in
    `scheme`, confidence, source. It contains no text of any document, unless `text` is set. Cells that a spreadsheet would take
    for a formula begin with an apostrophe.
    """

    file: Path = _DEFAULT
    """File under the run's output folder. Spans of the original are written to `restricted/spans.csv` unless another file is
    given."""
    annotations: Which = "masked"
    text: bool = False
    """True if a last column contains the text of each span."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_scheme()
        if self.original and Path(self.file) == _DEFAULT:
            self.file = Path("restricted") / _DEFAULT.name

    def header(self) -> bytes:
        names = _ORIGINAL if self.original else _MASKED
        return _rows([(*names, "text") if self.text else names])

    def content(self, cas: Cas) -> bytes:
        name = encodable(cas.id, cas)
        if self.original:
            text, spans = self.annotated(cas)
            rows: list[tuple[object, ...]] = [
                (name, s.begin, s.end, s.kind.name, s.label, s.confidence, s.source) for s in spans
            ]
            bounds = [(s.begin, s.end) for s in spans]
        else:
            view = released_view(self, cas)
            masked = view.select(MaskedSpan)
            text = encodable(view.text, cas)
            rows = [(name, s.begin, s.end, s.kind.name, s.operator, s.fallback) for s in masked]
            bounds = [(s.begin, s.end) for s in masked]
        if self.text:
            rows = [(*row, text[b:e]) for row, (b, e) in zip(rows, bounds, strict=True)]
        return _rows(rows)


def _rows(rows: list[tuple[object, ...]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[_cell(c) for c in row] for row in rows])
    return out.getvalue().encode()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
