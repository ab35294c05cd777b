"""Base class of consumers that write complete documents in UIMA's own formats."""

from __future__ import annotations

import dataclasses

from ...typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, MaskedSpan
from ..files.folder import FolderConsumer
from ..files.released import released_view


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CasFolderConsumer(FolderConsumer):
    """A consumer that writes documents with their views, annotations and features."""

    views: list[str] = dataclasses.field(default_factory=list)
    """Views to write; empty for all. A document without a listed view is refused."""
    types: list[str] = dataclasses.field(default_factory=list)
    """UIMA names of the types to write, with their subtypes; empty for all."""
    offset_map: bool = False
    """True if the map from masked to original offsets is written too. Without it, `views` without the initial one also contain
    no original offsets of masked spans."""

    def writes_original(self) -> bool:
        """Return False only if nothing but the masked text is written. Any other view can contain original text."""
        return self.offset_map or set(self.views) != {DEIDENTIFIED_VIEW}

    def released(self, cas: Cas) -> Cas:
        """Return the document to write: if masked text is written without the original, a copy whose masked spans have no
        original offsets. Raises ComponentError if it lacks a listed view."""
        for name in self.views:
            released_view(self, cas, name)
        if self.offset_map or not self.views or INITIAL_VIEW in self.views:
            return cas
        copy = cas.copy()
        for view in copy.views:
            for span in view.select(MaskedSpan):
                span.original_begin = span.original_end = 0
        return copy
