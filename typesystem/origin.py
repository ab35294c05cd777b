"""The ids of a document's feature structures in the file it was read from, so that writing it keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .annotation import FeatureStructure


@dataclass(slots=True)
class Origin:
    """The ids of a file (`xmi:id`, `%ID`)."""

    items: dict[int, FeatureStructure]
    sofas: dict[str, int]
    """By view name; 0 if the Sofa needs a new id because something else has its own."""
    unreached: list[FeatureStructure] = field(default_factory=list)
    """Feature structures that no view and no known feature leads to. They are kept: an unknown feature may refer to them."""

    def __repr__(self) -> str:
        return f"<Origin of {len(self.items)}>"
