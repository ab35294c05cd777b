"""The numbers a document's feature structures had in the file they came from, so that they keep them when written again."""

from __future__ import annotations

from dataclasses import dataclass, field

from .annotation import FeatureStructure


@dataclass(slots=True)
class Origin:
    """xmi:ids as read."""

    items: dict[int, FeatureStructure]
    sofas: dict[str, int]
    """By view name; 0 for one that is to get another, since something else has it."""
    strays: list[FeatureStructure] = field(default_factory=list)
    """What nothing in the document was seen to refer to: lenient reading keeps it, in case a feature it did not know does."""

    def __repr__(self) -> str:
        return f"<Origin of {len(self.items)}>"
