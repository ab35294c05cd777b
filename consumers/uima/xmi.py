"""Consumer that writes each document as UIMA XMI, for other tools and for reading it again."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import zlib
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ...pipeline.contract.component import component
from ...pipeline.contract.output import Locate, Output
from ...typesystem import Cas, TypeSystemError
from ...typesystem.typesystem import TypeSystem, own_types
from ...typesystem.xmi.writer import stream_xmi, write_xmi
from ..files.content import Content
from ..files.folder import StagedFiles
from .cas_folder import CasFolderConsumer

_TYPES = "TypeSystem.xml"
_MAX_REMEMBERED = 1_000
"""Type systems of documents that are remembered."""


@component("xmi")
class XmiConsumer(CasFolderConsumer):
    """Writes each document as XMI, and the type system of all of them as `TypeSystem.xml`.

    A document whose types contradict those before it has its own type system, `<file>.typesystem.xml`.

    XMI contains the original text unless `views` excludes it, so folder and files are readable by their owner only.
    """

    folder: Path = Path("restricted/xmi")
    on_illegal: Literal["replace", "error"] = "replace"
    """Characters that XML 1.0 forbids: replace them one for one, or let the document fail."""
    pretty: bool = False
    """Indent the XML, for people."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._sent: bytes | None = None
        self._left: dict[str, str] = {}
        """Types of documents that were withdrawn, by digest."""

    def open(self) -> None:
        super().open()
        self._types = TypeSystem()
        self._has_own_types = False
        self._merged: dict[str, tuple[bytes, bool]] = {}
        self.open_folder(".xmi")
        self.files.add(_TYPES, self._types.to_xml())

    def open_worker(self, *, shares_disk: bool = True) -> None:
        self._shares_disk = shares_disk
        self.open_resources()
        self.open_folder(".xmi")

    def content(self, cas: Cas) -> Content:
        types = cas.typesystem
        known = types or own_types()
        options: dict[str, Any] = {
            "typesystem": types,
            "views": self.views or None,
            "types": [known[name] for name in self.types] or None,
            "on_illegal": self.on_illegal,
            "offset_map": self.offset_map,
            "pretty": self.pretty,
        }
        released, spool = self.released(cas), self.spool()
        if spool is None:
            return Content(write_xmi(released, **options), extra=self._bytes(types))
        try:
            staged = spool.stage(stream_xmi(released, spool.write, **options))
        finally:
            spool.discard()
        return Content(b"", extra=self._bytes(types), staged=staged)

    def _bytes(self, types: TypeSystem | None) -> bytes | None:
        """Return a type system as XML; the same object for documents that share it, so that it is pickled once."""
        data = None if types is None else types.to_xml()
        if data != self._sent:
            self._sent = data
        return self._sent

    def resume_state(self, prepared: StagedFiles) -> Any:
        """Return the digest of the types that a document needs; for the first such document, also the types."""
        data: bytes | None = prepared.extra
        if data is None:
            return None
        digest = hashlib.sha256(data).hexdigest()
        return [digest] if digest in self._merged else [digest, base64.b64encode(zlib.compress(data, 9)).decode()]

    def keep_state(self, state: Any, *, leaving: bool) -> Any:
        """Give the types of the first document that needs them to the next one, if the first is leaving."""
        if state is None or not leaving:
            given = self._left.pop(state[0], None) if state is not None and len(state) == 1 else None
            return state if given is None else [state[0], given]
        self._left.update([state] if len(state) == 2 else [])
        return state

    def commit(self, document_id: str, prepared: StagedFiles) -> list[Output]:
        outputs = super().commit(document_id, prepared)
        data: bytes | None = prepared.extra
        return outputs if data is None else self._with_types(outputs, data)

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> StagedFiles | None:
        """Return a document with its types. None if its file is not intact or its types are not known."""
        if state is None:
            return super().restore(outputs, None, locate)
        digest, *given = state
        data = zlib.decompress(base64.b64decode(given[0])) if given else self._merged.get(digest, (b"", False))[0]
        restored = super().restore(outputs[:1], None, locate) if data else None
        return None if restored is None else dataclasses.replace(restored, extra=data)

    def _with_types(self, outputs: list[Output], data: bytes) -> list[Output]:
        """Merge a document's types into those of all documents, or write a type system for this document if they contradict each
        other."""
        digest = hashlib.sha256(data).hexdigest()
        _, merged = self._merged.get(digest) or (data, self._merge(TypeSystem.from_xml(data)))
        if len(self._merged) < _MAX_REMEMBERED:
            self._merged[digest] = data, merged
        if merged:
            return outputs
        own = PurePosixPath(outputs[0].path).relative_to(self._place).with_suffix(".typesystem.xml")
        self._announce(own)
        self.files.place(self.files.stage(data), own)
        return [*outputs, self._output(own, len(data), digest)]

    def _merge(self, types: TypeSystem) -> bool:
        if not self._types.includes(types):
            try:
                self._types = self._types.merge(types)
            except TypeSystemError:
                return False
            self._has_own_types = True
        return True

    def close(self) -> None:
        """Write the type system again if documents had types of their own."""
        if self._files is not None and self._has_own_types:
            self._files.add(_TYPES, self._types.to_xml())
        super().close()
