"""What the consumers share that write whole documents in UIMA's own forms: what goes in, and that it holds the original."""

from __future__ import annotations

import dataclasses

from ...typesystem import INITIAL_VIEW, Cas, MaskedSpan
from ..files.folder import FolderConsumer
from ..files.released import released_view


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class WholeConsumer(FolderConsumer):
    """A consumer of documents with views, annotations and features as they are."""

    restricted: bool = True
    """Whether folder (0700) and files (0600) are for their owner only."""
    views: list[str] = dataclasses.field(default_factory=list)
    """Views to write; all of them where the list is empty. A document that lacks a listed view is refused."""
    types: list[str] = dataclasses.field(default_factory=list)
    """UIMA names of the types to write, with what lies below them; all where the list is empty."""
    offset_map: bool = False
    """Whether the map from masked to original offsets is written too. Without it, `views` without the initial one also hold
    no original offsets of masked spans."""

    def released(self, cas: Cas) -> Cas:
        """The document as it may be written: where masked text goes out alone, a copy whose masked spans do not say where
        they were. Raises ConsumerError where it lacks a listed view."""
        for name in self.views:
            released_view(self, cas, name)
        if self.offset_map or not self.views or INITIAL_VIEW in self.views:
            return cas
        bare = cas.copy()
        for view in bare.views:
            for span in view.select(MaskedSpan):
                span.original_begin = span.original_end = 0
        return bare
