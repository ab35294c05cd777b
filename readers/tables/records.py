"""Create documents with metadata, known PHI and reference annotations from records with named fields (JSON objects, rows)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ...pipeline.errors import DuplicateError, ReaderError, nearest
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi, PhiKind, RecordField
from ...typesystem.source_record import NAMED, ROW
from ..files.file_reader import StreamReader
from ..files.patients import PatientOptions
from ..gold import Overlaps, add_gold
from .values import normal_field

_ROLES = {
    "PERSON_PATIENT": "patient",
    "PERSON_DOCTOR": "doctor",
    "PERSON_RELATIVE": "relative",
    "PERSON_REPORTER": "reporter",
}


@dataclasses.dataclass(frozen=True, slots=True)
class KnownField:
    """PHI kind and role of a field with known PHI."""

    kind: PhiKind
    """PERSON_PATIENT, DATE_BIRTH, ID_MEDICAL_RECORD ..."""
    role: str = ""
    """Role of the person: patient, doctor, reporter, relative. By default derived from the kind, if possible."""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class RecordFields(PatientOptions):
    """Parameters that map the fields of a record to a document. Subclasses provide the records and call `check_fields` in
    `__post_init__`."""

    text_field: str | list[str] = "text"
    """Field with the text. With several, each one that is not empty becomes a document `<id>/<field>`."""
    id_field: str | None = "id"
    """Field with the document id; null: documents are numbered, `<file>/<number>`."""
    metadata: list[str] | dict[str, str] = dataclasses.field(default_factory=list)
    """Fields to copy into the metadata of the document: a list, or a mapping of names in the metadata to fields. No other field
    is kept."""
    patient_field: str | None = None
    """Field with the identifier of the patient, whose documents share shifts and pseudonyms. It is also known PHI."""
    known_phi: dict[str, PhiKind | KnownField] = dataclasses.field(default_factory=dict)
    """Fields with known PHI: `patient_name: PERSON_PATIENT`, or `patient_name: {kind: PERSON, role: patient}`."""

    structured: dict[str, PhiKind] = dataclasses.field(default_factory=dict)
    """Fields that are masked together with the text: `drug_start: DATE`, `age: AGE`, `ward: LOCATION`. Consumers write them
    with the metadata, dates shifted by the offset of the text's dates. Values that cannot be parsed become null."""
    date_order: Literal["YMD", "MDY", "DMY"] = "YMD"
    """Format of dates in `structured` fields: 2020-03-04 or 20200304, 3/4/2020, 4.3.2020. A time after the date is dropped."""

    def check_fields(self) -> None:
        """Raise ValueError if the text field is missing, or if a structured field is also copied unmasked."""
        if not self.text_fields:
            raise ValueError("text_field: expected at least one field")
        unmasked = {*self.carried, *self.carried.values(), *self.text_fields}
        both = [field for field in self.structured if field in unmasked]
        if both:
            raise ValueError(f"structured: {both[0]} is masked here but copied unmasked by metadata or text_field")

    def fail(self, document: str, reason: str, kind: type[ReaderError] = ReaderError) -> None:
        """Record a document that cannot be read. The reason must not contain document text."""
        self.failed.append((document, kind(reason)))

    @property
    def text_fields(self) -> list[str]:
        return [self.text_field] if isinstance(self.text_field, str) else list(self.text_field)

    @property
    def carried(self) -> dict[str, str]:
        """Name in the metadata -> field of the record."""
        return dict(self.metadata) if isinstance(self.metadata, dict) else {name: name for name in self.metadata}

    def wanted(self) -> list[str]:
        """Return all fields that this reader uses."""
        ids = [self.id_field] if self.id_field else []
        patient = [self.patient_field] if self.patient_field else []
        fields = [*self.text_fields, *ids, *patient, *self.carried.values(), *self.known_phi, *self.structured]
        return list(dict.fromkeys(fields)) if patient else fields

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        """Yield the documents of a record; invalid records go to `failed`. `number` identifies records without a valid id."""
        try:
            record_id = self.record_id(record, number)
        except ReaderError as error:
            self.fail(number, f"{place}: {error}")
            return
        several = not isinstance(self.text_field, str)
        for field in self.text_fields:
            document_id = f"{record_id}/{field}" if several else record_id
            if document_id in seen:
                self.fail(document_id, f"{place}: an earlier document has the same id", DuplicateError)
                continue
            try:
                text = _text(record, field, several)
                if text is None:
                    continue
                cas = self._document(record, text, document_id)
            except ReaderError as error:
                self.fail(document_id, f"{place}: {error}", type(error))
                continue
            seen.add(document_id)
            if several:
                cas.metadata.update({ROW: record_id, "field": field})
            yield cas

    def record_id(self, record: Mapping[str, Any], number: str) -> str:
        """Return the id of a record, or `number` if records have none. Raises ReaderError if the id is missing or invalid."""
        return number if self.id_field is None else _id(record, self.id_field)

    def _document(self, record: Mapping[str, Any], text: str, document_id: str) -> Cas:
        cas = Cas(text, id=document_id)
        for name, field in self.carried.items():
            value = lookup(record, field)
            if value is not None:
                cas.metadata[name] = _scalar(value)
        for field, known in self.known_phi.items():
            kind, role = (known.kind, known.role) if isinstance(known, KnownField) else (known, "")
            for value in _values(lookup(record, field), field):
                cas.add(KnownPhi(kind=kind, value=value, provenance=field, role=role or _ROLES.get(kind.name, "")))
        for field, kind in self.structured.items():
            for value in _values(lookup(record, field), field)[:1]:
                normal = normal_field(kind, value, self.date_order)
                cas.add(RecordField(kind=kind, path=f"{NAMED}{field}", value=normal))
        if self.patient_field is None:
            return cas
        patient = next(iter(_values(lookup(record, self.patient_field), self.patient_field)), "")
        return self.give_patient(cas, patient, f"field {self.patient_field}: expected a patient, found nothing")


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class RecordReader(RecordFields, StreamReader):
    """A reader of files of records with fields for the text, the document id, metadata and known PHI."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_fields()


def lookup(record: Mapping[str, Any], field: str) -> Any:
    """Return the value of a field, None if it is absent; `patient.name` also means a field of a nested object."""
    if field in record:
        return record[field]
    head, dot, rest = field.partition(".")
    while dot:
        if isinstance(record.get(head), Mapping):
            return lookup(record[head], rest)
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def no_such_field(field: str, available: list[str]) -> str:
    """Return the message for a missing field. It repeats only a similar field name, because others may contain text."""
    return f"expected a field {field}, found none{nearest(field, available)}"


def column_of(field: str, columns: Sequence[str]) -> str | None:
    """Return the column of a field, or None: `patient.name` is the column of that name or a field of the column `patient`."""
    while field not in columns:
        field, dot, _ = field.rpartition(".")
        if not dot:
            return None
    return field


def columns_of(fields: Iterable[str], columns: Sequence[str]) -> list[str]:
    """Return the columns of the fields, each once. Raises ReaderError for a missing or repeated column."""
    needed: dict[str, None] = {}
    for field in fields:
        column = column_of(field, columns)
        if column is None:
            raise ReaderError(no_such_field(field, list(columns)))
        if list(columns).count(column) > 1:
            raise ReaderError(f"column {column} occurs twice")
        needed[column] = None
    return list(needed)


def _id(record: Mapping[str, Any], field: str) -> str:
    value = lookup(record, field)
    if value is None and field not in record:
        raise ReaderError(no_such_field(field, list(record)))
    if isinstance(value, bool) or not isinstance(value, str | int) or str(value).strip() == "":
        raise ReaderError(f"field {field}: expected a document id, found {_kind(value)}")
    return str(value)


def _text(record: Mapping[str, Any], field: str, several: bool) -> str | None:
    value = lookup(record, field)
    if several and (value is None or value == ""):
        return None
    if value is None and field not in record:
        raise ReaderError(no_such_field(field, list(record)))
    if not isinstance(value, str):
        raise ReaderError(f"field {field}: expected text, found {_kind(value)}")
    return value


def _values(value: Any, field: str) -> list[str]:
    """Return one or more values as stripped text, without empty ones."""
    values = value if isinstance(value, list) else [value]
    for v in values:
        if isinstance(v, bool | dict | list):
            raise ReaderError(f"field {field}: expected text or a number, found {_kind(v)}")
    return [s for s in (_scalar(v).strip() for v in values if v is not None) if s]


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _kind(value: Any) -> str:
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    names = {str: "only spaces", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class SpanFields(RecordFields):
    """Adds reference annotations to RecordFields. Must precede RecordReader among the base classes."""

    spans_field: str | None = None
    """Field with reference annotations for the view `gold`: a list of `{begin, end, kind}` in code points."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels in `spans_field` with other names: `{NAME: PERSON, HOSP: LOCATION_HOSPITAL}`; null drops a label."""
    overlaps: Overlaps = "error"
    """Overlapping spans in `spans_field`: `error` fails the document, `longest` or `first` keeps that one, `keep` all."""

    def check_fields(self) -> None:
        super().check_fields()
        if self.spans_field and len(self.text_fields) > 1:
            raise ValueError("spans_field: expected one text_field, since spans are offsets in one text")

    def wanted(self) -> list[str]:
        return [*super().wanted(), *([self.spans_field] if self.spans_field else [])]

    def _document(self, record: Mapping[str, Any], text: str, document_id: str) -> Cas:
        cas = super()._document(record, text, document_id)
        spans = lookup(record, self.spans_field) if self.spans_field else None
        if self.spans_field and spans is not None:
            add_gold(cas, spans, self.kinds, self.spans_field, self.overlaps)
        return cas
