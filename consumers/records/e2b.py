"""Consumer that writes case reports (ICH E2B R3 and R2) back with masked texts and values; every other byte is unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem.markup.xml_source import XmlSource
from ...typesystem.source_record import ValueLocation
from .arrivals import ArrivedFile
from .e2b_edits import Edit, Editor
from .writeback import WritebackConsumer, identifying

_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"<!--\s*(?:FDA\.|EU\.)?[A-Z](?:\.[A-Za-z0-9]{1,3}){1,8}\b(?![^>]*\d{4}).{0,200}\Z", re.DOTALL)
"""Comments that give the number of an element of the standard."""
_STYLE = re.compile(r"<\?xml-stylesheet\s")
_NAME_ATTRIBUTES = ("displayName", "codeSystemName")
"""Attributes that stay unless they contain what the report knows of a person."""
_SHORT = 3
"""Values of up to this many characters count only in their own case: initials."""


@component("e2b")
class E2bConsumer(WritebackConsumer):
    """Writes the files that the e2b reader read, with texts and values masked, and every date shifted or nulled.

    A masked value without replacement is `nullFlavor="MSK"` in R3; in R2 it is the word `PRIVACY`, or nothing in dates, codes
    and short fields. Bytes that were not masked stay the same, the encoding too. A file is written if every text of it was
    masked; else it is withheld.
    """

    folder: Path = Path("release/e2b")
    attachments: Literal["strip", "keep"] = "strip"
    """Files in base64: left out, or kept unchanged, although nothing checks their content."""
    comments: Literal["check", "strip", "keep"] = "check"
    """XML comments: `check` keeps those that begin with an element's number, as `D.1`, and contain nothing that the report knows
    of a person; `strip` removes all; `keep` keeps all. Processing instructions are treated the same, except for the style
    sheet's."""

    suffix = ".xml"

    def rewritten(self, data: bytes, file: ArrivedFile) -> bytes:
        source = XmlSource.read(data)
        editor = Editor(source, self.attachments == "keep")
        for text in file.texts:
            editor.text(ValueLocation.of(text.path), text.original, text.masked)
        for item in file.fields:
            editor.value(ValueLocation.of(item.path), item.masked, kept=item.operator == "keep")
        traces = _Traces([*identifying(file.known), *editor.removed_values])
        for element in source.root.walk():
            for name in _NAME_ATTRIBUTES:
                if name in element.attributes and traces.occur_in(element.attributes[name]):
                    editor.drop_attribute(element, name)
        return source.spliced([*editor.edits, *self._comments(source, traces)])

    def _comments(self, source: XmlSource, traces: _Traces) -> Iterator[Edit]:
        """Yield the edits of comments. Values count as whole words; initials and other short ones only in their own case."""
        if self.comments == "keep":
            return
        for spans, harmless in ((source.comments, _LABEL), (source.instructions, _STYLE)):
            for begin, end in spans:
                text = source.data[begin:end].decode()
                if self.comments == "strip" or not harmless.match(text) or traces.occur_in(text):
                    yield begin, end, b""


class _Traces:
    """Values to search for as whole words, indexed by their first word, so that many values take no longer than few."""

    def __init__(self, values: list[str]) -> None:
        self.by_word: dict[str, set[str]] = {}
        for value in values:
            bare = value.strip() if len(value.strip()) <= _SHORT else value.strip().casefold()
            first = _WORD.search(bare)
            if first is not None:
                self.by_word.setdefault(first.group(), set()).add(bare[first.start() :])

    def occur_in(self, text: str) -> bool:
        return self._occurs(text, short=True) or self._occurs(text.casefold(), short=False)

    def _occurs(self, text: str, *, short: bool) -> bool:
        for word in _WORD.finditer(text):
            for value in self.by_word.get(word.group(), ()):
                end = word.start() + len(value)
                touches = text[end : end + 1].isalnum() and value[-1:].isalnum()
                if (len(value) <= _SHORT) == short and text.startswith(value, word.start()) and not touches:
                    return True
        return False
