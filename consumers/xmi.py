"""Consumer that writes each document as UIMA XMI, for other tools and for reading it back."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ..pipeline.component import Old, Output, component
from ..typesystem import Cas, TypeSystemError
from ..typesystem.typesystem import TypeSystem, own_types
from .content import Content
from .folder import StagedFiles
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
        self.open_folder(".xmi", restricted=self.restricted)
        self.files.add(_TYPES, self._types.to_xml())

    def open_part(self) -> None:
        self.open_resources()
        self.open_folder(".xmi", restricted=self.restricted)

    def content(self, cas: Cas) -> Content:
        from ..typesystem.xmi_writer import write_xmi

        types = cas.typesystem
        known = types or own_types()
        data = write_xmi(
            self.released(cas),
            typesystem=types,
            views=self.views or None,
            types=[known[name] for name in self.types] or None,
            on_illegal=self.on_illegal,
            offset_map=self.offset_map,
            pretty=self.pretty,
        )
        return Content(data, more=types)

    def take(self, document: str, prepared: StagedFiles) -> list[Output]:
        outputs = super().take(document, prepared)
        types: TypeSystem | None = prepared.more
        if types is None or self._joins(types):
            return outputs
        own = PurePosixPath(outputs[0].path).relative_to(self.folder.as_posix()).with_suffix(".typesystem.xml")
        data = types.to_xml()
        self._announce(own)
        self.files.add(str(own), data)
        assert self._beside is not None
        self._beside[1].append(self.files.folder / own)
        return [*outputs, self._output(own, len(data), hashlib.sha256(data).hexdigest())]

    def memo(self, prepared: StagedFiles) -> Any:
        return "types of its own" if prepared.more is not None else None

    def reuse(self, document: str, outputs: list[Output], memo: Any, old: Old) -> list[Output] | None:
        """A document that brings types is written again: they go into the type system of all."""
        return None if memo is not None else super().reuse(document, outputs, memo, old)

    def _joins(self, types: TypeSystem) -> bool:
        """Takes a document's types into those of all; False where they contradict each other."""
        if not self._types.includes(types):
            try:
                self._types = self._types.merge(types)
            except TypeSystemError:
                return False
            self._more = True
        return True

    def close(self) -> None:
        """Writes the type system again where documents brought types of their own."""
        if self._files is not None and self._more:
            self._files.add(_TYPES, self._types.to_xml())
        super().close()
