"""Consumer that writes the XML of de-identification corpora: i2b2-2014 and the dialect of MEDDOCAN."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem import Cas, CasError, PhiKind
from ...typesystem.markup.xml_text import ILLEGAL, Escaper, replace_illegal
from ..files.annotated import AnnotatedOptions, Span, warn_of_dropped
from ..files.content import Content
from ..files.folder import FolderConsumer

REPLACED = "xml_characters_replaced"
"""Metadata: number of characters of the text that XML forbids and that were replaced when it was written."""

_SCHEMES = {"i2b2-2014": "i2b2-2014-sub", "meddocan": "meddocan"}
_ROOTS = {"i2b2-2014": "deIdi2b2", "meddocan": "MEDDOCAN"}
_IDS = {"i2b2-2014": ("P", 0), "meddocan": ("T", 1)}
"""Prefix and first number of tag ids: `P0`, `P1` ...; `T1`, `T2` ..."""


@component("i2b2")
class I2b2Consumer(AnnotatedOptions, FolderConsumer):
    """Writes an XML file with TEXT and TAGS for each document, as in the corpora i2b2-2014 (`deIdi2b2`) and MEDDOCAN.

    Offsets are code points of the text as an XML parser returns it; a carriage return is written as a character reference, so
    that parsers keep it. Overlapping spans are written unchanged. A SpanAttribute `comment` becomes the tag's comment. Formats:
    Stubbs & Uzuner 2015, J Biomed Inform 58:S20; Marimon et al. 2019, CEUR 2421.
    """

    folder: Path = Path("restricted/i2b2")
    dialect: Literal["i2b2-2014", "meddocan"] = "i2b2-2014"
    """Corpus whose root element, categories and types are used. `scheme` follows from it."""
    on_illegal: Literal["replace", "error"] = "replace"
    """Control characters and others that XML 1.0 forbids: `replace` replaces them one for one, white space by a space, others by
    U+FFFD, and notes their number in the document's metadata; with `error` the document fails."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheme not in ("", _SCHEMES[self.dialect]):
            raise ValueError(f"scheme: expected none, since dialect {self.dialect} has its own, got {self.scheme!r}")
        self.scheme = _SCHEMES[self.dialect]
        self._dropped = 0

    def open(self) -> None:
        super().open()
        self._dropped = 0
        self.open_folder(".xml")

    def add_state(self, state: int) -> None:
        self._dropped += state

    def content(self, cas: Cas) -> Content:
        text, spans = self.annotated(cas)
        text, lost = replace_illegal(text)
        if lost:
            if self.on_illegal == "error":
                raise CasError(f"{len(lost)} characters that XML 1.0 forbids, the first at {lost[0][0]}")
            cas.metadata[REPLACED] = str(len(lost))
        root = _ROOTS[self.dialect]
        prefix, first = _IDS[self.dialect]
        escaped = Escaper()
        tags = [self._tag(f"{prefix}{n}", span, text, escaped) for n, span in enumerate(spans, first)]
        lines = [
            '<?xml version="1.0" encoding="UTF-8" ?>',
            f"<{root}>",
            f"<TEXT>{_cdata(text)}</TEXT>",
            "<TAGS>",
            *tags,
            "</TAGS>",
            f"</{root}>",
            "",
        ]
        dropped = sum(attribute != "comment" for span in spans for attribute, _ in span.attributes)
        return Content("\n".join(lines).encode(), state=dropped)

    def close(self) -> None:
        """Warn of what the format cannot store."""
        warn_of_dropped(self, self._dropped)
        self._dropped = 0
        super().close()

    def _tag(self, name: str, span: Span, text: str, escaped: Escaper) -> str:
        element = self._element(span)
        comment = "; ".join(value for attribute, value in span.attributes if attribute == "comment")
        values = {
            "id": name,
            "start": str(span.begin),
            "end": str(span.end),
            "text": text[span.begin : span.end],
            "TYPE": span.label,
            "comment": ILLEGAL.sub(" ", comment),
        }
        return f"<{element} " + " ".join(f'{name}="{escaped[value]}"' for name, value in values.items()) + " />"

    def _element(self, span: Span) -> str:
        """Return the category of a span: of the kind itself or, for MEDDOCAN, of the kind that corresponds to its label."""
        if self.dialect == "i2b2-2014":
            return span.kind.in_scheme("i2b2-2014")
        category = PhiKind.of_scheme(self.scheme, span.label).in_scheme("i2b2-2014")
        return "OTHER" if category == "PHI" else category


def _cdata(text: str) -> str:
    """Return the text as CDATA. The end mark of a section is split between two sections; a carriage return is a reference
    between them."""
    inside = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inside}]]>"
