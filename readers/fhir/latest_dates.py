"""The latest date of each patient in all files of a folder, for ages that dates in different files tell together."""

from __future__ import annotations

import json
import re

from .bundles import Entry, References, entries_of

_REFERENCE = re.compile(r'"reference"\s*:\s*"([^"\\]{1,500})"')
_BIRTH = re.compile(r'"birthDate"\s*:\s*"[^"\\]*"|"[^"\\]*birthTime"\s*,\s*"valueDateTime"\s*:\s*"[^"\\]*"')
"""Birth dates: they say nothing about when the person was seen."""
_SENT = re.compile(r'"(?:lastUpdated|timestamp|lastModified|version)"\s*:\s*"[^"\\]*"')
"""Dates of the export, which are never released, and versions."""
_DAY = re.compile(r"(?<![\w\-|/.])((?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?![\d\-])", re.ASCII)
_MONTH = re.compile(r'"((?:19|20)\d\d-(?:0[1-9]|1[0-2]))"', re.ASCII)
_NO_END = "2090"
"""Later dates mean that something has no end."""


class LatestDates:
    """The latest date of each patient, by reference, from all files that were remembered."""

    def __init__(self) -> None:
        self._latest: dict[str, str] = {}

    def of(self, subject: str) -> str:
        """Return the latest date of a patient in ISO 8601; empty if none is known."""
        return self._latest.get(subject, "")

    def remember(self, text: str) -> None:
        """Add the dates of a file, or of a line of one, to the patients that the resource with the date refers to; those of a
        resource that refers to none, to the only patient. Raises ReaderError for damaged data."""
        entries = entries_of(text, bulk=False)
        references = References(entries)
        patients = [references.name(e) for e in entries if e.resource.get("resourceType") == "Patient"]
        for entry in entries:
            self._add(entry, references, patients)

    def _add(self, entry: Entry, references: References, patients: list[str]) -> None:
        written = _BIRTH.sub("", _SENT.sub("", json.dumps(entry.resource, ensure_ascii=False)))
        days = [*_DAY.findall(written), *_MONTH.findall(written)]
        last = max((day for day in days if day < _NO_END), default="")
        if not last:
            return
        own = references.name(entry)
        subjects = [own] if own in patients else [references.key(r) for r in _REFERENCE.findall(written)]
        subjects = [s for s in subjects if s.startswith("Patient/")] or (patients if len(patients) == 1 else [])
        for subject in subjects:
            self._latest[subject] = max(last, self._latest.get(subject, ""))
