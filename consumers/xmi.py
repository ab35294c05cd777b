"""Consumer that writes each document as UIMA XMI, for other tools and for reading it back."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Literal

from ..pipeline.component import component
from ..typesystem import INITIAL_VIEW, Cas, MaskedSpan
from ..typesystem.typesystem import TypeSystem
from .folder import FolderConsumer
from .released import released_view

_TYPES = "TypeSystem.xml"


@component("xmi")
class XmiConsumer(FolderConsumer):
    """Writes each document as XMI, and the type system of all of them as `TypeSystem.xml`.

    XMI holds the original text unless `views` says otherwise, so folder and files are for their owner only.
    """

    folder: Path = Path("restricted/xmi")
    restricted: bool = True
    """Whether folder (0700) and files (0600) are for their owner only."""
    views: list[str] = dataclasses.field(default_factory=list)
    """Views to write; all of them where the list is empty. A document that lacks a listed view is refused."""
    types: list[str] = dataclasses.field(default_factory=list)
    """UIMA names of the types to write, with what lies below them; all where the list is empty."""
    on_illegal: Literal["replace", "error"] = "replace"
    """What happens to characters that XML 1.0 cannot carry: replaced one for one, or the document has failed."""
    offset_map: bool = False
    """Whether the map from masked to original offsets is written too. Without it, `views` without the initial one also hold
    no original offsets of masked spans."""
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
        for name in self.views:
            released_view(self, cas, name)
        types = cas.typesystem
        if types is not None and not any(types is s or types == s for s in self._seen):
            self._types = self._types.merge(types)  # contradictions fail this document, not the ones before it
            self._seen.append(types)
            self._more = True
        known = types or self._types
        data = write_xmi(
            self._without_offsets(cas),
            typesystem=types,
            views=self.views or None,
            types=[known[name] for name in self.types] or None,
            on_illegal=self.on_illegal,
            offset_map=self.offset_map,
            pretty=self.pretty,
        )
        files.write(cas.id, data)

    def _without_offsets(self, cas: Cas) -> Cas:
        """The document, or, where masked text goes out alone, a copy whose masked spans do not say where they were."""
        if self.offset_map or not self.views or INITIAL_VIEW in self.views:
            return cas
        bare = cas.copy()
        for view in bare.views:
            for span in view.select(MaskedSpan):
                span.original_begin = span.original_end = 0
        return bare

    def close(self) -> None:
        """Writes the type system again where documents brought types of their own."""
        if self._files is not None and self._more:
            self._files.add(_TYPES, self._types.to_xml())
        super().close()
