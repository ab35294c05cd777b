"""Consumer that writes each document as UIMA XMI, for other tools and for reading it back."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ..pipeline.component import component
from ..typesystem import Cas, TypeSystemError
from ..typesystem.typesystem import TypeSystem
from .whole import WholeConsumer

_TYPES = "TypeSystem.xml"


@component("xmi")
class XmiConsumer(WholeConsumer):
    """Writes each document as XMI, and the type system of all of them as `TypeSystem.xml`.

    A document whose types contradict those before it has its own beside it, `<file>.typesystem.xml`.

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
        self._more = False
        self._own: tuple[str, Path] | None = None
        self.open_folder(".xmi", restricted=self.restricted)
        self.files.add(_TYPES, self._types.to_xml())

    def process(self, cas: Cas) -> None:
        from ..typesystem.xmi_writer import write_xmi

        files = self.files
        released = self.released(cas)
        types = cas.typesystem
        contradicts = types is not None and not self._joins(types)
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
        name = files.write(cas.id, data)
        self._own = None
        if contradicts:
            own = name.with_suffix(".typesystem.xml")
            files.add(str(own), known.to_xml())
            self._own = cas.id, files.folder / own

    def _joins(self, types: TypeSystem) -> bool:
        """Takes a document's types into those of all; False where they contradict each other."""
        if not self._types.includes(types):
            try:
                self._types = self._types.merge(types)
            except TypeSystemError:
                return False
            self._more = True
        return True

    def retract(self, cas: Cas) -> None:
        super().retract(cas)
        if self._own is not None and self._own[0] == cas.id:
            self._own[1].unlink(missing_ok=True)
            self._own = None

    def close(self) -> None:
        """Writes the type system again where documents brought types of their own."""
        if self._files is not None and self._more:
            self._files.add(_TYPES, self._types.to_xml())
        super().close()
