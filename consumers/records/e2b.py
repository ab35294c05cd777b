"""Consumer that writes case reports (ICH E2B R3 and R2) back with masked texts and values, all else to the byte as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem.markup.xml_source import XmlSource
from ...typesystem.source_record import ValueLocation
from .carried import Carried
from .e2b_edits import Edit, Editor
from .source_files import CarrierConsumer, identifying

_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"<!--\s*(?:FDA\.|EU\.)?[A-Z](?:\.[A-Za-z0-9]{1,3}){1,8}\b(?![^>]*\d{4}).{0,200}\Z", re.DOTALL)
"""Comments that say which element of the standard they stand beside."""
_STYLE = re.compile(r"<\?xml-stylesheet\s")
_CALLED = ("displayName", "codeSystemName")
"""Attributes that stay unless they hold what the report says of somebody."""
_SHORT = 3
"""Values of so many characters count in their own case only: initials."""


@component("e2b")
class E2bConsumer(CarrierConsumer):
    """Writes the files that the e2b reader read: texts and values masked, every date moved or nulled.

    A masked value without replacement is `nullFlavor="MSK"` in R3; in R2 it is the word `PRIVACY`, or nothing in dates, codes
    and short fields. Bytes that nobody masked stay as they are, the encoding too. A file is written when every text of it was
    masked; else it is held back.
    """

    folder: Path = Path("release/e2b")
    attachments: Literal["strip", "keep"] = "strip"
    """Files in base64: left out, or kept as they are, although nobody looked into them."""
    comments: Literal["check", "strip", "keep"] = "check"
    """XML comments: those stay that begin with an element's number, as `D.1`, and hold nothing that the report says of somebody
    (`check`); none; or all. Processing instructions go like them, but for the style sheet's."""

    suffix = ".xml"

    def rewritten(self, data: bytes, carried: Carried) -> bytes:
        places = XmlSource.read(data)
        editor = Editor(places, self.attachments == "keep")
        for text in carried.texts:
            editor.text(ValueLocation.of(text.path), text.original, text.masked)
        for item in carried.fields:
            editor.value(ValueLocation.of(item.path), item.masked, kept=item.operator == "keep")
        traces = _Traces([*identifying(carried.known), *editor.taken_out])
        for element in places.root.walk():
            for name in _CALLED:
                if name in element.attributes and traces.stand_in(element.attributes[name]):
                    editor.drop_attribute(element, name)
        return places.spliced([*editor.edits, *self._comments(places, traces)])

    def _comments(self, places: XmlSource, traces: _Traces) -> Iterator[Edit]:
        """What is done to comments. Values count as whole words; initials and other short ones in their own case only."""
        if self.comments == "keep":
            return
        for spans, harmless in ((places.comments, _LABEL), (places.instructions, _STYLE)):
            for begin, end in spans:
                text = places.data[begin:end].decode()
                if self.comments == "strip" or not harmless.match(text) or traces.stand_in(text):
                    yield begin, end, b""


class _Traces:
    """Values to be looked for as whole words, known by their first word, so that many values cost no more than few."""

    def __init__(self, values: list[str]) -> None:
        self.by_word: dict[str, set[str]] = {}
        for value in values:
            bare = value.strip() if len(value.strip()) <= _SHORT else value.strip().casefold()
            first = _WORD.search(bare)
            if first is not None:
                self.by_word.setdefault(first.group(), set()).add(bare[first.start() :])

    def stand_in(self, text: str) -> bool:
        return self._found(text, short=True) or self._found(text.casefold(), short=False)

    def _found(self, text: str, *, short: bool) -> bool:
        for word in _WORD.finditer(text):
            for value in self.by_word.get(word.group(), ()):
                end = word.start() + len(value)
                touches = text[end : end + 1].isalnum() and value[-1:].isalnum()
                if (len(value) <= _SHORT) == short and text.startswith(value, word.start()) and not touches:
                    return True
        return False
