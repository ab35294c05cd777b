"""Reader of individual case safety reports: ICH E2B(R3) and E2B(R2) XML."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import CaspipeError, nearest
from ...typesystem import Cas, CaspipeWarning, DocumentAnnotation, FormatError, KnownPhi, RecordField
from ...typesystem import source_record as carrier
from ...typesystem.markup.xml_source import Element, XmlSource
from ..files.file_reader import FileReader
from ..files.selection import Source
from .documents import Found, documents
from .r2 import R2
from .r3 import R3
from .standard import Standard, Text

_STANDARDS: dict[str, Standard] = {"MCCI_IN200100UV01": R3(), "ichicsr": R2()}
_ACKNOWLEDGEMENTS = ("MCCI_IN200101UV01", "ichicsrack")
_FIELDS = tuple(dict.fromkeys(f for s in _STANDARDS.values() for f in s.table.text_fields))


class AttachmentWarning(CaspipeWarning):
    """A report holds files that cannot be looked through."""


@component("e2b", outputs=[KnownPhi, RecordField, DocumentAnnotation])
class E2bReader(FileReader):
    """Reads case reports in E2B(R3) or E2B(R2), several in a file: each free text is a document.

    Every document knows the people and numbers of its report; the first one of a report holds all its structured values that
    identify somebody, and all its dates. Files in base64 are counted and told, never read.
    """

    pattern: str = "*.xml"
    fields: list[str] = dataclasses.field(default_factory=list)
    """Free texts to read, by their numbers in the standard, with what lies below them: `H`, `H.1`, `F.r.6`, `B.5`. All of them
    where the list is empty. The e2b consumer writes nothing in place of a text that was not read."""
    transmission: Literal["null", "mask"] = "null"
    """Dates of transmission (N.1.5, N.2.r.4, C.1.2; messagedate, transmissiondate): null, because reports that were exported
    on one day would tell how the offsets of their dates differ. `mask`: as other dates, in a file of one report only."""

    suffixes = (".xml",)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.fields:
            if not any(_within(field, name) for field in (*_FIELDS, "unlisted")):
                raise ValueError(f"fields: no text field called {name!r}{nearest(name, _FIELDS)}")

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                release, reports = self._file(source, data)
            except CaspipeError as error:
                self.fail(source.id, f"{source.path}: {error}")
                continue
            common = {
                carrier.FILE: source.path,
                carrier.FILE_ID: source.id,
                carrier.DIGEST: carrier.digest(data),
                carrier.TEXTS: str(sum(len(found.texts) or 1 for found in reports)),
                "e2b": release,
            }
            for found in reports:
                yield from documents(source.id, found, common)

    def _file(self, source: Source, data: bytes) -> tuple[str, list[Found]]:
        """The release and the reports of a file, all or none. Raises FormatError for what is no case report."""
        root = XmlSource.read(data).root
        standard = _standard(root)
        reports = standard.reports(root)
        if not reports:
            raise FormatError("expected at least one report, found none")
        made: list[Found] = []
        for number, report in enumerate(reports, 1):
            head = _around(root, reports) if number == 1 else iter(())
            found = standard.report(_both(head, report.walk()), len(reports) == 1 and self.transmission == "mask")
            if found.attachments:
                self._tell(source, number, found.attachments)
            read = [t for t in found.texts if self._wanted(t)]
            unread = [t for t in found.texts if not self._wanted(t)]
            patient = standard.case(found.values) or f"{source.id}/{number}"
            made.append(Found(number, found, read, unread, patient))
        return standard.release, made

    def _wanted(self, text: Text) -> bool:
        return not self.fields or any(_within(text.field, name) for name in self.fields)

    def _tell(self, source: Source, number: int, count: int) -> None:
        what = "an attachment" if count == 1 else f"{count} attachments"
        warnings.warn(
            f"{self.id}: {source.path}: report {number} holds {what} in base64: not read, and left out where the report is "
            "written back",
            AttachmentWarning,
            stacklevel=2,
        )


def _standard(root: Element) -> Standard:
    found = _STANDARDS.get(root.name)
    if found is None:
        what = "an acknowledgement, which holds no report" if root.name in _ACKNOWLEDGEMENTS else "another root element"
        raise FormatError(f"expected a case report: {' or '.join(_STANDARDS)}, found {what}")
    return found


def _around(root: Element, reports: list[Element]) -> Iterator[Element]:
    """The elements of the message outside its reports; they go with the first one."""
    inside = {id(report) for report in reports}
    yield root
    for child in root.children:
        if id(child) not in inside:
            yield from child.walk()


def _both(*parts: Iterator[Element]) -> Iterator[Element]:
    for part in parts:
        yield from part


def _within(field: str, name: str) -> bool:
    return field == name or field.startswith(f"{name}.")
