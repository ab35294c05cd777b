"""The page for reading the documents of a sample: one HTML file that contains masked texts only and exports findings.csv."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from markupsafe import Markup

from ....consumers.pages.rendering import hues, render_page
from ....typesystem import PhiKind
from ....typesystem.text import Utf16
from .findings import COLUMNS
from .released import MaskedText
from .sampling import Sample

_CONTROLS = {c: chr(0x2400 + c) for c in range(32) if chr(c) not in "\t\n\r"} | {127: "\u2421"}
SHORTCUTS = (
    ("n p", "next, previous document"),
    ("Enter", "mark as read, next document"),
    ("u", "next unread document"),
    ("← →", "select the next or previous word; with ⇧ several"),
    ("l", "mark the selected words as a leak, then select its kind, then Enter"),
    ("Esc", "cancel"),
    ("+ −", "font size"),
    ("s", "save the findings"),
)


def reading_page(sample: Sample, texts: Sequence[MaskedText]) -> bytes:
    """Return the page. `texts`: the masked texts of the documents of the sample, in its order."""
    documents = [_document(number, text) for number, text in zip(sample.numbers, texts, strict=True)]
    kinds = [[kind.name, kind.description, kind.direct] for kind in PhiKind]
    data = {"sample": sample.id, "columns": COLUMNS, "hues": sorted(hues()), "kinds": kinds, "documents": documents}
    return render_page(
        "reading.html.j2",
        package=__package__,
        title=f"Audit: {len(documents):,} documents to read",
        styles=["reading.css"],
        scripts=["reading.js", "pointing.js"],
        data=Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")),
        shortcuts=SHORTCUTS,
        drawn=f"{len(sample.numbers):,}",
        population=f"{sample.population:,}",
        seed=sample.seed,
        by_kind=sample.by == "kind",
    )


def _document(number: int, masked: MaskedText) -> dict[str, object]:
    """Return text and spans for the page: offsets in UTF-16 code units, control characters as Unicode control pictures."""
    text = re.sub("\r(?!\n)", "\u240d", masked.text.translate(_CONTROLS)).replace("\r", "\u200b")
    units = Utf16(text).to_utf16
    return {"n": number, "t": text, "s": [[units(begin), units(end), kind] for begin, end, kind in masked.spans]}
