"""From what a report holds to documents: one for each text, with what the report knows of people, and its values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...typesystem import Cas, DocumentAnnotation, KnownPhi, PhiKind, RecordField
from ...typesystem import source_record as carrier
from ..tables.us_states import known_state
from .standard import Report, Text, Value

_NOBODY = frozenset(
    "privacy unknown unk masked msk confidential none na n/a nos anonymous anonymized anonymised withheld redacted".split()
)
"""What stands in fields that say nothing about anybody."""
_KNOWN_DATES = (PhiKind.DATE_BIRTH, PhiKind.DATE_DEATH)
_LANGUAGES = dict(
    pair.split()
    for pair in (
        "eng en,spa es,fra fr,fre fr,deu de,ger de,ita it,por pt,nld nl,dut nl,jpn ja,zho zh,chi zh,kor ko,swe sv,dan da,nor no,"
        "fin fi,pol pl,ces cs,cze cs,hun hu,rus ru,ell el,gre el,tur tr,ron ro,rum ro,bul bg,hrv hr"
    ).split(",")
)
"""ISO 639-2 to 639-1."""


class Found(NamedTuple):
    """A report with the texts to be read, and those that nobody reads, which must not stay as they are."""

    number: int
    report: Report
    texts: list[Text]
    unread: list[Text]
    patient: str


def documents(file_id: str, found: Found, common: Mapping[str, str]) -> Iterator[Cas]:
    """The documents of a report; one without text where it has none. `common`: metadata of the whole file."""
    known = list(_known(found.report.values))
    texts: list[Text | None] = [*found.texts] if found.texts else [None]
    counts: dict[str, int] = {}
    for text in texts:
        first = not counts
        field = text.field if text is not None else "record"
        counts[field] = counts.get(field, 0) + 1
        name = field if counts[field] == 1 else f"{field}-{counts[field]}"
        cas = Cas(text.text if text is not None else "", id=f"{file_id}/{found.number}/{name}")
        cas.metadata.update(common)
        cas.metadata.update(
            {
                carrier.RECORD: str(found.number),
                carrier.FIELD: field,
                carrier.PATH: str(text.place) if text is not None else "",
                carrier.MOST: str(text.most or "") if text is not None else "",
                "patient_id": found.patient,
            }
        )
        if text is not None and text.language:
            language = _LANGUAGES.get(text.language.lower(), text.language.lower())
            cas.metadata["language"] = language
            cas.add(DocumentAnnotation(0, len(text.text), language=language))
        for kind, value, role, field in known:
            cas.add(KnownPhi(kind=kind, value=value, provenance=field, role=role))
        if first:
            if found.report.attachments:
                cas.metadata["attachments"] = str(found.report.attachments)
            for item in found.report.values:
                cas.add(RecordField(kind=item.kind, path=str(item.place), value=item.value))
            for left in found.unread:
                cas.add(RecordField(kind=PhiKind.OTHER, path=str(left.place), value=""))
        yield cas


def _known(values: list[Value]) -> Iterator[tuple[PhiKind, str, str, str]]:
    """(kind, value, role, field) of what is worth looking for in the texts, each once; names whole and in parts."""
    seen: set[tuple[PhiKind, str, str]] = set()
    for kind, value, role, field in itertools.chain(_names(values), _others(values)):
        if value.strip(" .*?-").casefold() not in _NOBODY and len(value) > 1 and (kind, value, role) not in seen:
            seen.add((kind, value, role))
            yield kind, value, role, field


def _names(values: list[Value]) -> Iterator[tuple[PhiKind, str, str, str]]:
    """The full names of people whose names stand in parts."""
    whole: dict[tuple[int, PhiKind, str], list[Value]] = {}
    for v in values:
        if v.role and v.kind.top is PhiKind.PERSON and v.element is not None:
            whole.setdefault((id(v.element.parent), v.kind, v.role), []).append(v)
    for (_, kind, role), parts in whole.items():
        if len(parts) > 1:
            yield kind, " ".join(p.value for p in parts), role, parts[-1].field


def _others(values: list[Value]) -> Iterator[tuple[PhiKind, str, str, str]]:
    for v in values:
        if not v.role or not v.value or (v.kind.top is PhiKind.DATE and v.kind not in _KNOWN_DATES):
            continue
        for value in known_state(v.value) if v.kind is PhiKind.LOCATION_STATE else [v.value]:
            yield v.kind, value, v.role, v.field
