"""Consumer that writes each document as JSON CAS, UIMA's JSON format: lossless, including its types."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem import Cas
from ...typesystem.json_cas.writer import write_jsoncas
from ...typesystem.typesystem import own_types
from .cas_folder import CasFolderConsumer


@component("jsoncas")
class JsonCasConsumer(CasFolderConsumer):
    """Writes each document as JSON CAS 0.4 with the types it uses.

    JSON CAS contains the original text unless `views` excludes it, so folder and files are readable by their owner only.
    """

    folder: Path = Path("restricted/jsoncas")
    type_system: Literal["minimal", "full", "none"] = "minimal"
    """Types that are written with a document: those it uses with all they refer to, all it knows, or none."""

    def open(self) -> None:
        super().open()
        self.open_folder(".json")

    def content(self, cas: Cas) -> bytes:
        known = cas.typesystem or own_types()
        return write_jsoncas(
            self.released(cas),
            typesystem=cas.typesystem,
            views=self.views or None,
            types=[known[name] for name in self.types] or None,
            offset_map=self.offset_map,
            mode=self.type_system,
        )
