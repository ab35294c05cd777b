"""Create the documents of a case report: one for each text, with the report's known PHI and structured values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...typesystem import Cas, PhiKind
from ...typesystem import source_record as record
from ..record_document import KnownValue, add_record_fields, record_document
from ..tables.us_states import known_state
from .standard import Report, Text, Value

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
