"""Consumer that writes case reports (ICH E2B R3 and R2) back with masked texts and values, all else to the byte as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ..pipeline.component import component
from ..typesystem.carrier import Place
from ..typesystem.xml_places import XmlPlaces
from .carrier import Carried, CarrierConsumer, identifying
from .e2b_edits import Edit, Editor

_WORD = re.compile(r"\w+")
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
    """XML comments: those that hold what the report says of somebody are left out (`check`), all of them, or none."""

    def open(self) -> None:
        super().open()
        self.open_folder(".xml", restricted=False)

    def rewritten(self, data: bytes, carried: Carried) -> bytes:
        places = XmlPlaces.read(data)
        editor = Editor(places, self.attachments == "keep")
        for text in carried.texts:
            editor.text(Place.of(text.path), text.original, text.masked)
        for item in carried.fields:
            editor.value(Place.of(item.path), item.masked, kept=item.operator == "keep")
        return places.spliced([*editor.edits, *self._comments(places, carried, editor.taken_out)])

    def _comments(self, places: XmlPlaces, carried: Carried, taken_out: list[str]) -> Iterator[Edit]:
        """What is done to comments. Values count as whole words; initials and other short ones in their own case only."""
        if self.comments == "keep" or not places.comments:
            return
        traces = _Traces([*identifying(carried.known), *taken_out])
        for begin, end in places.comments:
            if self.comments == "strip" or traces.stand_in(places.data[begin:end].decode()):
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
