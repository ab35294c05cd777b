"""Reader of individual case safety reports: ICH E2B(R3) and E2B(R2) XML."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ...pipeline.contract.component import component
from ...pipeline.errors import nearest
from ...typesystem import Cas, CaspipeWarning, DocumentAnnotation, FormatError, KnownPhi, PhiKind, RecordField
from ...typesystem import source_record as record
from ...typesystem.markup.xml_source import Element, XmlSource
from ..files.file_reader import WholeFileReader
from ..files.selection import Source
from ..record_document import KnownValue, add_record_fields, file_metadata, record_document
from ..tables.us_states import known_state
from .identifying_terms import identifying_terms
from .r2 import R2
from .r3 import R3
from .standard import Report, Standard, Text, Value

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
            read += identifying_terms(report.plain, _known(report.values))
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


_PLACEHOLDERS = frozenset(
    "privacy unknown unk masked msk confidential none na n/a nos anonymous anonymized anonymised withheld redacted".split()
)
"""Values that do not identify a person."""
_KNOWN_DATES = (PhiKind.DATE_BIRTH, PhiKind.DATE_DEATH)
_LANGUAGES = dict(
    pair.split()
    for pair in (
        "eng en,spa es,fra fr,fre fr,deu de,ger de,ita it,por pt,nld nl,dut nl,jpn ja,zho zh,chi zh,kor ko,swe sv,dan da,nor no,"
        "fin fi,pol pl,ces cs,cze cs,hun hu,rus ru,ell el,gre el,tur tr,ron ro,rum ro,bul bg,hrv hr"
    ).split(",")
)
"""ISO 639-2 to 639-1."""


class SelectedReport(NamedTuple):
    """A report with the texts to read, and the unread texts, which must not be kept unmasked."""

    number: int
    report: Report
    texts: list[Text]
    unread: list[Text]
    patient: str


def documents(file_id: str, selected: SelectedReport, common: Mapping[str, str]) -> Iterator[Cas]:
    """Yield the documents of a report; one without text if it has no texts. `common`: metadata of the file."""
    known = list(_known(selected.report.values))
    counts: dict[str, int] = {}
    for text in selected.texts or [Text("record", "", None, None, "")]:
        first = not counts
        counts[text.field] = counts.get(text.field, 0) + 1
        name = text.field if counts[text.field] == 1 else f"{text.field}-{counts[text.field]}"
        metadata = {
            **common,
            record.RECORD: str(selected.number),
            record.FIELD: text.field,
            record.PATH: str(text.location or ""),
            record.MOST: str(text.most or ""),
            "patient_id": selected.patient,
        }
        if text.term:
            metadata[record.TERM] = "yes"
        if selected.report.onset:
            metadata[record.ONSET] = selected.report.onset
        code = text.language.lower()
        id_ = f"{file_id}/{selected.number}/{name}"
        cas = record_document(id_, text.text, metadata, _LANGUAGES.get(code, code), known)
        if first:
            values = [(v.kind, str(v.location), v.value) for v in selected.report.values]
            values += [(PhiKind.OTHER, str(unread.location), "") for unread in selected.unread]
            add_record_fields(cas, values, selected.report.attachments)
        yield cas


def _known(values: list[Value]) -> Iterator[KnownValue]:
    """Yield the values to search for in the texts, each once; names both whole and in parts."""
    seen: set[tuple[PhiKind, str, str]] = set()
    for item in itertools.chain(_full_names(values), _others(values)):
        placeholder = item.value.strip(" .*?-").casefold() in _PLACEHOLDERS
        if not placeholder and len(item.value) > 1 and item[:3] not in seen:
            seen.add(item[:3])
            yield item


def _full_names(values: list[Value]) -> Iterator[KnownValue]:
    """Yield the full names of people whose names are stored in parts."""
    parts_of: dict[tuple[int, PhiKind, str], list[Value]] = {}
    for v in values:
        if v.role and v.kind.top is PhiKind.PERSON and v.element is not None:
            parts_of.setdefault((id(v.element.parent), v.kind, v.role), []).append(v)
    for (_, kind, role), parts in parts_of.items():
        if len(parts) > 1:
            yield KnownValue(kind, " ".join(p.value for p in parts), role, parts[-1].field)


def _others(values: list[Value]) -> Iterator[KnownValue]:
    for v in values:
        if not v.role or not v.value or (v.kind.top is PhiKind.DATE and v.kind not in _KNOWN_DATES):
            continue
        for value in known_state(v.value) if v.kind is PhiKind.LOCATION_STATE else [v.value]:
            yield KnownValue(v.kind, value, v.role, v.field)
