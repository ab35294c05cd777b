"""Consumer that writes one table of all masked spans."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

from ..pipeline.component import component
from ..pipeline.file_names import pseudonym
from ..typesystem import Cas, MaskedSpan
from .lines import LineConsumer
from .released import encodable, released_view

_HEADER = ("document", "begin", "end", "kind", "operator", "fallback")


@component("csv")
class CsvConsumer(LineConsumer):
    """Writes a CSV table with a row for each masked span: document, offsets in the masked text, kind, operator, fallback.

    It holds no text of any document. Cells that a spreadsheet would take for a formula begin with an apostrophe.
    """

    file: Path = Path("release/spans.csv")
    names: Literal["id", "pseudonym"] = "id"
    """Whether `document` is the document's id or a keyed pseudonym of it."""
    key: str = ""
    """Secret for `names: pseudonym`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.names == "pseudonym" and not self.key:
            raise ValueError("key: expected a secret for names: pseudonym, got none")

    def first(self) -> bytes:
        return _rows([_HEADER])

    def process(self, cas: Cas) -> None:
        spans = released_view(self, cas).select(MaskedSpan)
        name = pseudonym(cas.id, self.key) if self.names == "pseudonym" else encodable(cas.id, cas)
        self.append(cas, _rows([(name, s.begin, s.end, s.kind.name, s.operator, s.fallback) for s in spans]))


def _rows(rows: list[tuple[object, ...]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[_cell(c) for c in row] for row in rows])
    return out.getvalue().encode()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
