"""Reader of VAERS downloads: reports to the US Vaccine Adverse Event Reporting System."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...pipeline.contract.component import component
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi, PhiKind
from .csv import CsvReader
from .records import KnownField
from .us_states import US_STATES, known_state

_TEXTS = ["SYMPTOM_TEXT", "LAB_DATA", "OTHER_MEDS", "CUR_ILL", "HISTORY", "PRIOR_VAX", "ALLERGIES"]
_DATES = ("RECVDATE", "RPT_DATE", "DATEDIED", "VAX_DATE", "ONSET_DATE", "TODAYS_DATE")
_AGE = re.compile(r"\d{1,9}")
_AMERICAN = re.compile(r"\s*(\d{1,2})/(\d{1,2})/(\d{4})\s*")


def _known() -> dict[str, PhiKind | KnownField]:
    dates = {name: KnownField(PhiKind.DATE) for name in _DATES}
    dates["DATEDIED"] = KnownField(PhiKind.DATE_DEATH, "patient")
    return {
        "STATE": KnownField(PhiKind.LOCATION_STATE, "patient"),
        "AGE_YRS": KnownField(PhiKind.AGE, "patient"),
        "CAGE_YR": KnownField(PhiKind.AGE, "patient"),
        "SPLTTYPE": KnownField(PhiKind.ID_CASE, "case"),
        **dates,
    }


@component("vaers", outputs=[KnownPhi])
class VaersReader(CsvReader):
    """Reads VAERSDATA.csv, plain, gzipped or in the .zip as downloaded: every text of a report is a document.

    A report's state (also its name), ages, dates and manufacturer's number are known PHI of its texts. All dates of a report are
    shifted by one offset. Columns that older files lack are optional. Source: VAERS Data Use Guide, CDC and FDA.
    """

    pattern: str = "*VAERSDATA.csv"
    encoding: str = "cp1252"
    """Windows-1252, the encoding of VAERS; `auto`, or another name, for converted files."""
    text_field: str | list[str] = dataclasses.field(default_factory=lambda: list(_TEXTS))
    """Columns with texts. Each one that is not empty becomes a document `<VAERS_ID>/<column>`."""
    id_field: str | None = "VAERS_ID"
    metadata: list[str] | dict[str, str] = dataclasses.field(default_factory=lambda: {"patient_id": "VAERS_ID"})
    known_phi: dict[str, PhiKind | KnownField] = dataclasses.field(default_factory=_known)

    def wanted(self) -> list[str]:
        """Return the columns that all files have; the rest exist in some years only."""
        return [f for f in super().wanted() if f in (self.id_field, *self.text_fields[:1])]

    def documents(self, record: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        return super().documents(
            {name: _normalized(name, value) for name, value in record.items()}, number, place, seen
        )


def _normalized(column: str, value: Any) -> Any:
    """Return a date in ISO 8601, an age in whole years, and a state by its name and, if unambiguous, its code."""
    text = str(value).strip()
    if column in _DATES and (match := _AMERICAN.fullmatch(text)):
        month, day, year = match.groups()
        return f"{year}-{int(month):02d}-{int(day):02d}"
    if column in ("AGE_YRS", "CAGE_YR"):
        whole = text.partition(".")[0]
        return f"{int(whole)} years" if _AGE.fullmatch(whole) and int(whole) else ""
    if column == "STATE" and text.upper() in US_STATES:
        return known_state(text)
    return value
