"""Consumer that writes each document as UIMA XMI, for other tools and for reading it back."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..pipeline.component import component
from ..typesystem import Cas
from ..typesystem.typesystem import TypeSystem
from .whole import WholeConsumer

_TYPES = "TypeSystem.xml"


@component("xmi")
class XmiConsumer(WholeConsumer):
    """Writes each document as XMI, and the type system of all of them as `TypeSystem.xml`.

    XMI holds the original text unless `views` says otherwise, so folder and files are for their owner only.
    """

    folder: Path = Path("restricted/xmi")
    on_illegal: Literal["replace", "error"] = "replace"
    """What happens to characters that XML 1.0 cannot carry: replaced one for one, or the document has failed."""
    pretty: bool = False
    """Indents the XML, for people."""

    def open(self) -> None:
        super().open()
        self._types = TypeSystem()
        self._seen: list[TypeSystem] = []
        self._more = False
        self.open_folder(".xmi", restricted=self.restricted)
        self.files.add(_TYPES, self._types.to_xml())

    def process(self, cas: Cas) -> None:
        from ..typesystem.xmi_writer import write_xmi

        files = self.files
        released = self.released(cas)
        types = cas.typesystem
        if types is not None and not any(types is s or types == s for s in self._seen):
            self._types = self._types.merge(types)  # contradictions fail this document, not the ones before it
            self._seen.append(types)
            self._more = True
        known = types or self._types
        data = write_xmi(
            released,
            typesystem=types,
            views=self.views or None,
            types=[known[name] for name in self.types] or None,
            on_illegal=self.on_illegal,
            offset_map=self.offset_map,
            pretty=self.pretty,
        )
        files.write(cas.id, data)

    def close(self) -> None:
        """Writes the type system again where documents brought types of their own."""
        if self._files is not None and self._more:
            self._files.add(_TYPES, self._types.to_xml())
        super().close()
