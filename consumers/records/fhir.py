"""Consumer that writes FHIR R4 files back with masked texts and values; everything else is unchanged."""

from __future__ import annotations

from pathlib import Path

from ...pipeline.contract.component import component
from .arrivals import ArrivedFile
from .fhir_resource import masked_file
from .writeback import WritebackConsumer


@component("fhir")
class FhirConsumer(WritebackConsumer):
    """Writes the files that the fhir reader read, with texts and values masked, and every date shifted or removed.

    A masked value without replacement becomes the extension data-absent-reason with the code `masked`; so do attachments that
    could not be read. In XHTML the text between the tags is masked; comments are removed, and all attributes except those of
    layout. Everything else stays the same, to the character. Logical ids and references stay: anyone with access to the
    source server can follow them. A file is written if all its texts were masked; else it is withheld.
    """

    folder: Path = Path("release/fhir")

    suffix = ".json"

    def suffix_of(self, path: str) -> str:
        return ".ndjson" if path.removesuffix(".gz").endswith(".ndjson") else self.suffix

    def rewritten(self, data: bytes, file: ArrivedFile) -> bytes:
        return masked_file(data.decode("utf-8-sig"), file.fields, file.texts).encode()
