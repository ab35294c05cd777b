"""The metadata of documents from record files (E2B, FHIR), which lead masked values back into the source record."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

FILE = "carrier_file"
"""Metadata: path of the file as readers open it."""
FILE_ID = "carrier_id"
"""Metadata: document id of the file."""
RECORD = "carrier_record"
"""Metadata: number of the record in the file, from 1."""
FIELD = "carrier_field"
"""Metadata: name of the text's field in the standard: `H.1`, `narrativeincludeclinical`."""
PATH = "carrier_path"
"""Metadata: the location of the text, as a `ValueLocation`; empty if the record has no text."""
TEXTS = "carrier_texts"
"""Metadata: the number of documents in the whole file."""
MOST = "carrier_most"
"""Metadata: the maximum number of characters in the field; empty if the standard has no limit."""
DIGEST = "carrier_digest"
"""Metadata: the `digest` of the file."""
KNOWN = "carrier_known"
"""Metadata: a fingerprint of the file with what other files contain about the people in it; absent if they contain nothing."""
LATEST = "carrier_latest"
"""Metadata: the latest date of the patient in any file of the run, in ISO 8601; absent if the reader knows none."""
ONSET = "carrier_onset"
"""Metadata: the day on which the ages of the record were right, in ISO 8601; absent if the reader knows none."""
TERM = "carrier_term"
"""Metadata: `yes` if the text is a clinical term (a reaction, an indication, a test, a unit), absent for other texts: names are
not looked for in it, except those that the record knows."""
ROW = "record"
"""Metadata: the id of the table row that a document was read from. A run hides it, or writes its keyed hash."""
NAMED = "field:"
"""The prefix of the path of a RecordField in a record with named fields (CSV, JSON Lines), before the name of the field."""


class ValueLocation(NamedTuple):
    """The location of a value in a file, and how it is written."""

    path: str
    """The element or object, in the notation of the format, without `#`."""
    form: str
    """How values are written: a name that the consumer of the format knows."""

    def __str__(self) -> str:
        return f"{self.path}#{self.form}"

    @classmethod
    def of(cls, written: str) -> ValueLocation:
        """Parse `path#form`."""
        path, _, form = written.rpartition("#")
        return cls(path, form)


def digest(data: bytes) -> str:
    """Return the fingerprint of a file: SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
