"""Consumer that writes each document as UIMA XMI, for other tools and for reading it back."""

from __future__ import annotations

import base64
import hashlib
import zlib
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ...pipeline.contract.component import Locate, Output, component
from ...typesystem import Cas, TypeSystemError
from ...typesystem.typesystem import TypeSystem, own_types
from ...typesystem.xmi.writer import write_xmi
from ..files.content import Content
from ..files.folder import StagedFiles
from .cas_file import WholeConsumer

_TYPES = "TypeSystem.xml"
_MOST = 1_000
"""Type systems of documents that are remembered."""


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

    def __post_init__(self) -> None:
        super().__post_init__()
        self._sent: bytes | None = None

    def open(self) -> None:
        super().open()
        self._types = TypeSystem()
        self._more = False
        self._brought: dict[str, tuple[bytes, bool]] = {}
        self.open_folder(".xmi", restricted=self.restricted)
        self.files.add(_TYPES, self._types.to_xml())

    def open_worker(self, *, shares_disk: bool = True) -> None:
        self._shares_disk = shares_disk
        self.open_resources()
        self.open_folder(".xmi", restricted=self.restricted)

    def content(self, cas: Cas) -> Content:
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
        return Content(data, more=self._bytes(types))

    def _bytes(self, types: TypeSystem | None) -> bytes | None:
        """A type system as XML; the same object for documents that share it, so that it travels once."""
        data = None if types is None else types.to_xml()
        if data != self._sent:
            self._sent = data
        return self._sent

    def resume_state(self, prepared: StagedFiles) -> Any:
        """The digest of the types that a document brings; where it is the first to bring them, themselves."""
        data: bytes | None = prepared.more
        if data is None:
            return None
        digest = hashlib.sha256(data).hexdigest()
        return [digest] if digest in self._brought else [digest, base64.b64encode(zlib.compress(data, 9)).decode()]

    def commit(self, document_id: str, prepared: StagedFiles) -> list[Output]:
        outputs = super().commit(document_id, prepared)
        data: bytes | None = prepared.more
        return (
            outputs if data is None else self._with_types(document_id, outputs, hashlib.sha256(data).hexdigest(), data)
        )

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Takes a document over with the types that it brought, if they are known: they go into the type system of all."""
        if state is None:
            return super().adopt_previous(document_id, outputs, None, locate)
        digest, *given = state
        data = zlib.decompress(base64.b64decode(given[0])) if given else self._brought.get(digest, (b"", False))[0]
        made = super().adopt_previous(document_id, outputs[:1], None, locate) if data else None
        return None if made is None else self._with_types(document_id, made, digest, data)

    def _with_types(self, document: str, outputs: list[Output], digest: str, data: bytes) -> list[Output]:
        """Takes a document's types into those of all, or writes them beside it where they contradict each other."""
        _, joins = self._brought.get(digest) or (data, self._joins(TypeSystem.from_xml(data)))
        if len(self._brought) < _MOST:
            self._brought[digest] = data, joins
        if joins:
            return outputs
        own = PurePosixPath(outputs[0].path).relative_to(self.folder.as_posix()).with_suffix(".typesystem.xml")
        self._announce(own)
        self.files.add(str(own), data)
        if self._beside is None or self._beside[0] != document:
            self._beside = document, []
        self._beside[1].append(self.files.folder / own)
        return [*outputs, self._output(own, len(data), hashlib.sha256(data).hexdigest())]

    def _joins(self, types: TypeSystem) -> bool:
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
