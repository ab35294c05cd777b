"""Create the documents of a source record (E2B, FHIR), with the metadata and fields for writing masked values back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..typesystem import Cas, DocumentAnnotation, KnownPhi, PhiKind, RecordField
from ..typesystem import source_record as record


class KnownValue(NamedTuple):
    """Known PHI of a record: kind, value, role of the person, and the field with the value."""

    kind: PhiKind
    value: str
    role: str
    provenance: str


def file_metadata(path: str, file_id: str, data: bytes, texts: int) -> dict[str, str]:
    """Return the metadata of all documents of a file. `texts`: number of documents of the file."""
    return {
        record.FILE: path,
        record.FILE_ID: file_id,
        record.DIGEST: record.digest(data),
        record.TEXTS: str(texts),
    }


def record_document(
    id_: str, text: str, metadata: Mapping[str, str], language: str, known: Iterable[KnownValue]
) -> Cas:
    """Return a document with its metadata, language and known PHI."""
    cas = Cas(text, id=id_)
    cas.metadata.update(metadata)
    if language:
        cas.metadata["language"] = language
        cas.add(DocumentAnnotation(0, len(text), language=language))
    for item in known:
        cas.add(KnownPhi(kind=item.kind, value=item.value, provenance=item.provenance, role=item.role))
    return cas


def add_record_fields(cas: Cas, values: Iterable[tuple[PhiKind, str, str]], attachments: int) -> None:
    """Add the structured values (kind, path, value) of a record and the number of its attachments to its first document."""
    if attachments:
        cas.metadata["attachments"] = str(attachments)
    for kind, path, value in values:
        cas.add(RecordField(kind=kind, path=path, value=value))
