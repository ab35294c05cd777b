"""From a record of named fields (a JSON object, a CSV row) to documents with metadata and known PHI."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ...pipeline.contract.component import CollectionReader
from ...pipeline.errors import DuplicateError, ReaderError, nearest
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi, PhiKind, RecordField
from ...typesystem import source_record as carrier
from ..files.file_reader import StreamReader
from .structured import normal_field

_ROLES = {
    "PERSON_PATIENT": "patient",
    "PERSON_DOCTOR": "doctor",
    "PERSON_RELATIVE": "relative",
    "PERSON_REPORTER": "reporter",
}


@dataclasses.dataclass(frozen=True, slots=True)
class KnownField:
    """What a field of the record says about a person."""

    kind: PhiKind
    """What it is: PERSON_PATIENT, DATE_BIRTH, ID_MEDICAL_RECORD ..."""
    role: str = ""
    """Whose it is: patient, doctor, reporter, relative. Where it is empty, the kind says so if it can."""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class RecordFields(CollectionReader):
    """Parameters that say which field of a record is what, and the documents made of one. Where the records come from is the
    reader's business, which calls `check_fields` when it is made."""

    text_field: str | list[str] = "text"
    """Field that holds the text. Of several, each that is not empty becomes a document `<id>/<field>` of its own."""
    id_field: str | None = "id"
    """Field that holds the document id; without one, documents are numbered: `<file>/<number>`."""
    metadata: list[str] | dict[str, str] = dataclasses.field(default_factory=list)
    """Fields carried along as metadata of the document: a list, or the name in the metadata: the field. No other field is
    kept."""
    known_phi: dict[str, PhiKind | KnownField] = dataclasses.field(default_factory=dict)
    """Fields that hold known PHI: `patient_name: PERSON_PATIENT`, or `patient_name: {kind: PERSON, role: patient}`."""

    structured: dict[str, PhiKind] = dataclasses.field(default_factory=dict)
    """Fields that go with the text and are masked like it: `drug_start: DATE`, `age: AGE`, `ward: LOCATION`. Consumers write
    them with the metadata, a date moved by the offset of the text's dates. What cannot be read becomes null."""
    date_order: Literal["YMD", "MDY", "DMY"] = "YMD"
    """How dates of `structured` fields are written: 2020-03-04 or 20200304, 3/4/2020, 4.3.2020; times behind them go."""

    def check_fields(self) -> None:
        """Raises ValueError where no field holds the text, or one would go with it masked and unmasked."""
        if not self.text_fields:
            raise ValueError("text_field: expected at least one field")
        twice = [f for f in self.structured if f in self.carried or f in self.carried.values() or f in self.text_fields]
        if twice:
            raise ValueError(f"structured: {twice[0]} is masked here and goes along as it is in metadata or text_field")

    def fail(self, document: str, reason: str, kind: type[ReaderError] = ReaderError) -> None:
        """Keeps account of a document that cannot be read. The reason must hold no text of it."""
        self.failed.append((document, kind(reason)))

    @property
    def text_fields(self) -> list[str]:
        return [self.text_field] if isinstance(self.text_field, str) else list(self.text_field)

    @property
    def carried(self) -> dict[str, str]:
        """Name in the metadata -> field."""
        return dict(self.metadata) if isinstance(self.metadata, dict) else {name: name for name in self.metadata}

    def wanted(self) -> list[str]:
        """Every field this reader looks at."""
        ids = [self.id_field] if self.id_field else []
        return [*self.text_fields, *ids, *self.carried.values(), *self.known_phi, *self.structured]

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        """The documents of a record; faulty records go to `failed`. `number` names records without a good id field."""
        try:
            record_id = self.record_id(record, number)
        except ReaderError as error:
            self.fail(number, f"{place}: {error}")
            return
        several = not isinstance(self.text_field, str)
        for field in self.text_fields:
            document_id = f"{record_id}/{field}" if several else record_id
            if document_id in seen:
                self.fail(document_id, f"{place}: its document id was there before", DuplicateError)
                continue
            try:
                text = _text(record, field, several)
                if text is None:
                    continue
                cas = self._document(record, text, document_id)
            except ReaderError as error:
                self.fail(document_id, f"{place}: {error}")
                continue
            seen.add(document_id)
            if several:
                cas.metadata.update(record=record_id, field=field)
            yield cas

    def record_id(self, record: Mapping[str, Any], number: str) -> str:
        """The id of a record. `number` is for those without one. Raises ReaderError where it should have one and has not."""
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
                made = normal_field(kind, value, self.date_order)
                cas.add(RecordField(kind=kind, path=f"{carrier.NAMED}{field}", value=made))
        return cas


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class RecordReader(RecordFields, StreamReader):
    """A reader of files of records: one field holds the text, one the document id, others what is known about the people in
    it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_fields()


def lookup(record: Mapping[str, Any], field: str) -> Any:
    """The value of a field; `patient.name` also reaches into nested objects. None where it is absent."""
    if field in record:
        return record[field]
    head, dot, rest = field.partition(".")
    while dot:
        if isinstance(record.get(head), Mapping):
            return lookup(record[head], rest)
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def no_such_field(field: str, there: list[str]) -> str:
    """What is said of a missing field. Names of other fields appear only where one is close: they may be text."""
    return f"expected a field {field}, found none{nearest(field, there)}"


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
    """One value or a list of them, as text without blanks around; empty ones are left out."""
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
    names = {str: "only blanks", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
