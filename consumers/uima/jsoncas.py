"""Consumer that writes each document as JSON CAS, UIMA's JSON form: lossless, and its types go with it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...typesystem import Cas
from ...typesystem.json_cas.writer import write_jsoncas
from ...typesystem.typesystem import own_types
from .cas_file import WholeConsumer


@component("jsoncas")
class JsonCasConsumer(WholeConsumer):
    """Writes each document as JSON CAS 0.4 with the types it uses.

    JSON CAS holds the original text unless `views` says otherwise, so folder and files are for their owner only.
    """

    folder: Path = Path("restricted/jsoncas")
    type_system: Literal["minimal", "full", "none"] = "minimal"
    """The types that go with a document: those it uses with all they refer to, all it knows, or none."""

    def open(self) -> None:
        super().open()
        self.open_folder(".json", restricted=self.restricted)

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
