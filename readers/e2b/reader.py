"""Reader of individual case safety reports: ICH E2B(R3) and E2B(R2) XML."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Iterator
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.errors import nearest
from ...typesystem import Cas, CaspipeWarning, DocumentAnnotation, FormatError, KnownPhi, RecordField
from ...typesystem.markup.xml_source import Element, XmlSource
from ..files.file_reader import WholeFileReader
from ..files.selection import Source
from ..record_document import file_metadata
from .documents import SelectedReport, documents
from .r2 import R2
from .r3 import R3
from .standard import Standard, Text

_STANDARDS: dict[str, Standard] = {"MCCI_IN200100UV01": R3(), "ichicsr": R2()}
_ACKNOWLEDGEMENTS = ("MCCI_IN200101UV01", "ichicsrack")
_FIELDS = tuple(dict.fromkeys(f for s in _STANDARDS.values() for f in s.table.text_fields))


class AttachmentWarning(CaspipeWarning):
    """A report contains files in base64, which are not read."""


@component("e2b", outputs=[KnownPhi, RecordField, DocumentAnnotation])
class E2bReader(WholeFileReader):
    """Reads case reports in E2B(R3) or E2B(R2), several per file: each free text is a document.

    All documents have the known PHI of their report; the first one of a report also has all its identifying structured values
    and all its dates. Files in base64 are counted with a warning and not read.
    """

    pattern: str = "*.xml"
    fields: list[str] = dataclasses.field(default_factory=list)
    """Free texts to read, by their numbers in the standard, including the fields below them: `H`, `H.1`, `F.r.6`, `B.5`. By
    default all. The consumer e2b removes texts that were not read."""
    transmission: Literal["null", "mask"] = "null"
    """Dates of transmission (N.1.5, N.2.r.4, C.1.2; messagedate, transmissiondate): `null` removes them, because reports exported
    on one day would reveal the differences of their date offsets. `mask` treats them as other dates in files of one report."""

    suffixes = (".xml",)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.fields:
            if not any(_within(field, name) for field in (*_FIELDS, "unlisted")):
                raise ValueError(f"fields: no text field called {name!r}{nearest(name, _FIELDS)}")

    def documents_of(self, source: Source, data: bytes) -> Iterator[Cas]:
        release, reports = self._reports(source, data)
        common = file_metadata(source.path, source.id, data, sum(len(r.texts) or 1 for r in reports))
        return itertools.chain.from_iterable(
            documents(source.id, report, {**common, "e2b": release}) for report in reports
        )

    def _reports(self, source: Source, data: bytes) -> tuple[str, list[SelectedReport]]:
        """Return the release and all reports of a file. Raises FormatError if it is not a case report."""
        root = XmlSource.read(data).root
        standard = _standard(root)
        elements = standard.reports(root)
        if not elements:
            raise FormatError("expected at least one report, found none")
        selected = []
        for number, element in enumerate(elements, 1):
            message = _outside(root, elements) if number == 1 else iter(())
            single = len(elements) == 1 and self.transmission == "mask"
            report = standard.report(itertools.chain(message, element.walk()), single)
            if report.attachments:
                self._warn(source, number, report.attachments)
            read = [t for t in report.texts if self._is_selected(t)]
            unread = [t for t in report.texts if not self._is_selected(t)]
            patient = standard.case(report.values) or f"{source.id}/{number}"
            selected.append(SelectedReport(number, report, read, unread, patient))
        return standard.release, selected

    def _is_selected(self, text: Text) -> bool:
        return not self.fields or any(_within(text.field, name) for name in self.fields)

    def _warn(self, source: Source, number: int, count: int) -> None:
        attachments = "an attachment" if count == 1 else f"{count} attachments"
        warnings.warn(
            f"{self.id}: {source.path}: report {number} has {attachments} in base64: not read, and removed if the report is "
            "written back",
            AttachmentWarning,
            stacklevel=2,
        )


def _standard(root: Element) -> Standard:
    standard = _STANDARDS.get(root.name)
    if standard is None:
        acknowledgement = root.name in _ACKNOWLEDGEMENTS
        found = "an acknowledgement, which contains no report" if acknowledgement else "another root element"
        raise FormatError(f"expected a case report: {' or '.join(_STANDARDS)}, found {found}")
    return standard


def _outside(root: Element, reports: list[Element]) -> Iterator[Element]:
    """Yield the elements of the message outside its reports, which are processed with the first report."""
    inside = {id(report) for report in reports}
    yield root
    for child in root.children:
        if id(child) not in inside:
            yield from child.walk()


def _within(field: str, name: str) -> bool:
    return field == name or field.startswith(f"{name}.")
