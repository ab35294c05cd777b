"""Consumer that writes case reports (ICH E2B R3 and R2) back with masked texts and values; every other byte is unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import PhiKind
from ...typesystem.markup.xml_source import Element, XmlSource, xml_attribute, xml_content
from ...typesystem.markup.xml_text import replace_illegal
from ...typesystem.source_record import ValueLocation
from .record_ids import RecordIds, is_uid
from .writeback import ArrivedFile, WritebackConsumer, identifying

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
    and short fields. Numbers of cases and messages, UUIDs and OIDs of organizations are replaced (`ids`). Bytes that were not
    masked stay the same, the encoding too. A file is written if every text of it was masked; else it is withheld.
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
        source, ids = XmlSource.read(data), self.record_ids
        editor = Editor(source, self.attachments == "keep")
        for text in file.texts:
            editor.text(ValueLocation.of(text.path), text.original, text.masked)
        for item in file.fields:
            masked = item.masked
            if masked is None and ids is not None and item.kind is PhiKind.ID_CASE and item.value:
                masked = ids.id(item.value)
            editor.value(ValueLocation.of(item.path), masked, kept=item.operator == "keep")
        if ids is not None:
            editor.replace_roots(ids)
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


Edit = tuple[int, int, bytes]

_TIME_STAMP = re.compile(r"(\d+)(\.\d+)?(?:[+-]\d+)?\s*")
_ISO = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_AGE = re.compile(r"(\d+) (?:years|months|weeks|days)")
_R2_FORMATS = {4: "602", 6: "610", 8: "102"}
_GOES_WITH = {"value": ("unit",), "code": ("displayName",)}
"""Attributes that mean nothing without another one, and may reveal it."""
_PRIVACY = "PRIVACY"


class Editor:
    """Collects the edits of one file: the new bytes, and their place.

    R3 writes a value that is masked away as `nullFlavor="MSK"` (ICH E2B(R3) Implementation Guide, null flavours), R2 as `PRIVACY`
    if the field is long enough, as in ICH's conversion from R3 to R2, else as an empty element.
    """

    def __init__(self, source: XmlSource, keep_attachments: bool) -> None:
        self.source = source
        self.keep_attachments = keep_attachments
        self.edits: list[Edit] = []
        self.removed_values: list[str] = []
        """Values that were in the file and no longer are, if they are long enough to be recognized."""
        self._nulled: set[int] = set()

    def text(self, location: ValueLocation, original: str, masked: str) -> None:
        """Replace a free text. Raises ConsumerError if the file has another text at that place."""
        element = self.source.find(location.path)
        if element.text != original:
            raise ConsumerError("expected the text that was read in the file, found another one")
        if masked != original:
            self._content(element, masked)

    def value(self, location: ValueLocation, masked: str | None, *, kept: bool) -> None:
        """Replace a structured value; None becomes the standard's null, and a value that is `kept` stays the same, to the byte.
        Attachments depend on `keep_attachments` only. Raises ConsumerError for an unknown form."""
        path, _, name = location.path.partition("/@")
        form = location.form
        if form in ("r3-attachment", "r2-attachment"):
            if not self.keep_attachments:
                self._drop(self.source.find(path), form)
        elif kept:
            return
        elif form == "attribute":
            self.drop_attribute(self.source.find(path), name)
        elif form == "r3" and not name:
            self._r3_content(self.source.find(path), masked)
        elif form in ("r3", "r3-date", "r3-age", "r3-scheme"):
            self._r3_attribute(self.source.find(path), name, form, masked)
        elif form in ("r2-privacy", "r2-empty"):
            element = self.source.find(path)
            self._remember(element.text)
            self._content(element, masked if masked is not None else _PRIVACY if form == "r2-privacy" else "")
        elif form in ("r2-date", "r2-age"):
            self._r2_pair([self.source.find(p) for p in path.split(" ")], form, masked)
        else:
            raise ConsumerError(f"expected a form of E2B values, got {form}")

    def _drop(self, element: Element, form: str) -> None:
        if form == "r3-attachment":
            self._null(element)
        else:
            self._content(element, "")

    def drop_attribute(self, element: Element, name: str) -> None:
        """Remove an attribute, with any prefix."""
        for written, span in self.source.attributes(element).items():
            if written == name or written.rpartition(":")[2] == name:
                self._remember(element.attributes.get(name, ""))
                self.edits.append((*span, b""))

    def replace_roots(self, ids: RecordIds) -> None:
        """Replace the UUIDs of ids, which link the parts of a report, and OIDs that belong to an organization."""
        for element in self.source.root.walk():
            root = element.attributes.get("root", "").strip() if element.name == "id" else ""
            if is_uid(root):
                self.edits.append((*self.source.attributes(element)["root"], xml_attribute("root", ids.id(root))))

    # -- R3 --------------------------------------------------------------------------------------------------------

    def _r3_content(self, element: Element, masked: str | None) -> None:
        self._remember(element.own_text)
        if masked is None:
            self._null(element)
        else:
            self._content(element, masked)

    def _r3_attribute(self, element: Element, name: str, form: str, masked: str | None) -> None:
        written = element.attributes.get(name)
        spans = self.source.attributes(element)
        if written is None or name not in spans:
            raise ConsumerError(f"expected an attribute {name} in the file, found none")
        if form == "r3-date":
            new = _time_stamp(written, masked)
        elif form == "r3-age":
            new = written if masked is not None and _AGE.fullmatch(masked) else None
        elif form == "r3-scheme" and masked is not None:
            new = f"{written.partition(':')[0]}:{masked}"
        else:
            new = masked
        if new == written:
            return
        self._remember(written)
        if new is not None:
            self.edits.append((*spans[name], xml_attribute(name, replace_illegal(new)[0])))
            return
        flavour = (
            b"" if id(element) in self._nulled or "nullFlavor" in spans or name == "assigningAuthorityName" else _MSK
        )
        if flavour:
            self._nulled.add(id(element))
        self.edits.append((*spans[name], flavour))
        for other in _GOES_WITH.get(name, ()):
            if other in spans:
                self.edits.append((*spans[other], b""))

    def _null(self, element: Element) -> None:
        """Remove the content of an element and mark it as masked."""
        flavour = b"" if id(element) in self._nulled or "nullFlavor" in element.attributes else _MSK
        self._nulled.add(id(element))
        inner = element.open_end - (2 if self.source.empty(element) else 1)
        self.edits.append((inner, element.end, flavour + b"/>"))

    # -- R2 --------------------------------------------------------------------------------------------------------

    def _r2_pair(self, elements: list[Element], form: str, masked: str | None) -> None:
        """Replace a date with its format, or an age with its unit: both are written, or both are emptied."""
        value, *partner = elements
        self._remember(value.own_text)
        if form == "r2-age":
            if masked is None or _AGE.fullmatch(masked) is None:
                for element in elements:
                    self._content(element, "")
            return
        new = _time_stamp(value.own_text.strip(), masked)
        self._content(value, new or "")
        for element in partner:
            same = new is not None and len(new) == len(value.own_text.strip())
            if not same:
                self._content(element, _R2_FORMATS.get(len(new), "") if new else "")

    # -- both ------------------------------------------------------------------------------------------------------

    def _content(self, element: Element, text: str) -> None:
        """Replace the content of an element by text, with the line ends that it had."""
        new = xml_content(replace_illegal(text)[0], self._newline(element))
        if not self.source.empty(element):
            self.edits.append((element.open_end, element.close, new))
        elif new:
            tag = self.source.data[element.begin + 1 : element.open_end - 2].split()[0]
            self.edits.append((element.open_end - 2, element.open_end, b">" + new + b"</" + tag + b">"))

    def _newline(self, element: Element) -> str:
        inside = self.source.data[element.open_end : element.close]
        return "\r\n" if b"\r\n" in inside else "\r" if b"\r" in inside else "\n"

    def _remember(self, value: str) -> None:
        if len(value.strip()) > 3:
            self.removed_values.append(value)


_MSK = b' nullFlavor="MSK"'


def _time_stamp(written: str, masked: str | None) -> str | None:
    """Return the new date in the form of the old one: the same number of digits, with a time of zeros, without its zone; None
    for no date."""
    match = _TIME_STAMP.fullmatch(written.strip())
    if masked is None or _ISO.fullmatch(masked) is None or match is None:
        return None
    digits, fraction = match.groups()
    new = masked.replace("-", "")
    if len(new) == 8 and len(digits) > 8:
        new += "0" * (len(digits) - 8) + ("." + "0" * (len(fraction) - 1) if fraction else "")
    return new
