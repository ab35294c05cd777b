"""What travels with the documents of a record file (E2B, FHIR), so that masked values find their way back into it."""

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
"""Metadata: where the text stands, as a `ValueLocation`; empty where the record has no text."""
TEXTS = "carrier_texts"
"""Metadata: how many documents the whole file yields."""
MOST = "carrier_most"
"""Metadata: characters that the standard allows in the field; empty where it sets no limit."""
DIGEST = "carrier_digest"
"""Metadata: what `digest` says of the file."""
KNOWN = "carrier_known"
"""Metadata: a fingerprint of the file with what other files say of the people in it; absent where they say nothing."""
NAMED = "field:"
"""Begins the path of a RecordField of a record with named fields (CSV, JSON Lines); the field's name follows."""


class ValueLocation(NamedTuple):
    """Where a value stands in a file, and how it is written there."""

    path: str
    """Which element or object; the format's own notation, without `#`."""
    form: str
    """How values are written: a name that the format's consumer knows."""

    def __str__(self) -> str:
        return f"{self.path}#{self.form}"

    @classmethod
    def of(cls, written: str) -> ValueLocation:
        """Takes `path#form` apart."""
        path, _, form = written.rpartition("#")
        return cls(path, form)


def digest(data: bytes) -> str:
    """A fingerprint of a file: SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
