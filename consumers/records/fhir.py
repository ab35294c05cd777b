"""Consumer that writes FHIR R4 back with masked texts and values, all else as it was."""

from __future__ import annotations

from pathlib import Path

from ...pipeline.contract.component import component
from .carried import Carried
from .fhir_resource import masked_file
from .source_files import CarrierConsumer


@component("fhir")
class FhirConsumer(CarrierConsumer):
    """Writes the files that the fhir reader read: texts and values masked, every date moved or taken out.

    A masked value without replacement becomes the extension data-absent-reason with the code `masked`; attachments that
    nobody could read do, too. In XHTML the text between the tags is masked; comments go, and so do attributes but those of
    looks. Everything else stays as it is, to the character. Logical ids and references stay: whoever holds the source server
    can follow them. A file is written when all its texts were masked; else it is held back.
    """

    folder: Path = Path("release/fhir")

    suffix = ".json"

    def suffix_of(self, path: str) -> str:
        return ".ndjson" if path.removesuffix(".gz").endswith(".ndjson") else self.suffix

    def rewritten(self, data: bytes, carried: Carried) -> bytes:
        return masked_file(data.decode("utf-8-sig"), carried.fields, carried.texts).encode()
