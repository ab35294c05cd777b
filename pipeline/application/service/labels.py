"""Maps PHI kinds to the tags of a project, and tags to kinds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ....typesystem import PhiKind
from .messages import TagSet

_SCHEMES = ("i2b2-2014-sub", "i2b2-2014", "meddocan", "vigibase")
_COARSE = {
    "PER": "PERSON", "PERS": "PERSON", "NAME": "PERSON", "LOC": "LOCATION", "GPE": "LOCATION", "ORG": "ORGANIZATION",
    "OTH": "OTHER", "MISC": "OTHER", "TEL": "PHONE", "TELEPHONE": "PHONE", "MAIL": "EMAIL", "MRN": "ID_MEDICAL_RECORD",
    "JOB": "PROFESSION", "OCCUPATION": "PROFESSION", "ADDRESS": "LOCATION_STREET", "HOSPITAL": "LOCATION_HOSPITAL",
}  # fmt: skip
"""Labels of general named-entity tag sets and common words."""


@lru_cache(maxsize=4096)
def kind_of(label: str) -> PhiKind | None:
    """Return the kind of a label: its own name, a common word, or a label of a scheme, in any case. None if unknown."""
    wanted = label.strip().upper().replace("-", "_").replace(" ", "_")
    by_name = {kind.name: kind for kind in PhiKind}
    if wanted in by_name:
        return by_name[wanted]
    if wanted in _COARSE:
        return by_name[_COARSE[wanted]]
    for scheme in _SCHEMES:
        for known in PhiKind.labels(scheme):
            if known.upper().replace("-", "_") == wanted:
                return PhiKind.of_scheme(scheme, known)
    return None


def tags_for(tagsets: Iterable[TagSet] | None, layer: str, feature: str) -> list[str] | None:
    """Return the tags that the feature may have; None without a tag set. A tag set without targets applies to every feature."""
    found: list[str] = []
    for tagset in tagsets or ():
        if tagset.targets and not any(t.type == layer and t.feature == feature for t in tagset.targets):
            continue
        found += [tag for t in tagset.tags or () if (tag := t.tag or t.name)]
    return found or None


class TagMap:
    """Maps kinds to tags: the tag of the kind, else of its parent; without tags, the kind's name."""

    def __init__(self, tags: list[str] | None) -> None:
        self._by_kind: dict[PhiKind, str] | None = None
        if tags is None:
            return
        self._by_kind = {}
        for tag in sorted(tags, key=lambda t: (kind := kind_of(t)) is None or kind.name != t):  # exact names first
            meant = kind_of(tag)
            if meant is not None:
                self._by_kind.setdefault(meant, tag)

    def tag(self, kind: PhiKind) -> str | None:
        """Return the tag for a kind; None if the tag set has none."""
        if self._by_kind is None:
            return kind.name
        found = self._by_kind.get(kind)
        return found if found is not None or kind.parent is None else self._by_kind.get(kind.parent)
