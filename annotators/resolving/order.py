"""Which source speaks first: component paths matched against priority lists, overall and for single kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...typesystem import PhiKind

DEFAULT_PRIORITY = (
    "known_phi",
    "dates",
    "ages",
    "identifiers",
    "patterns",
    "names",
    "lists",
    "regex",
    "rules",
    "crf",
    "svm",
    "neural",
    "models",
)
"""What the record says about the person, then rules, then models; after VigiBase's RegEx > CRF > SVM."""


class SourceOrder:
    """Ranks sources. An entry names a component, an aggregate, or a run of path elements (`models/crf`).

    Sources that no entry names come after all named ones, in the default order, unknown ones last.
    """

    def __init__(self, priority: Sequence[str] = (), per_kind: Mapping[PhiKind, Sequence[str]] | None = None) -> None:
        self._general = _completed(priority)
        self._per_kind = {kind.name: _completed(names) for kind, names in (per_kind or {}).items()}
        self._memo: dict[tuple[str, str], int] = {}

    def rank(self, source: str, kind: PhiKind) -> int:
        """0 for the highest priority. A kind without a list of its own uses its parent's, then the general one."""
        key = (source, kind.name)
        known = self._memo.get(key)
        if known is None:
            entries = self._per_kind.get(kind.name) or self._per_kind.get(kind.top.name) or self._general
            path = source.split("/")
            known = next((i for i, entry in enumerate(entries) if names(entry, path)), len(entries))
            self._memo[key] = known
        return known


def _completed(priority: Iterable[str]) -> list[list[str]]:
    named = list(priority)
    return [entry.split("/") for entry in (*named, *(d for d in DEFAULT_PRIORITY if d not in named))]


def names(entry: Sequence[str], path: Sequence[str]) -> bool:
    """Whether an entry is an element of a source's path, or a run of elements."""
    return any(path[i : i + len(entry)] == entry for i in range(len(path) - len(entry) + 1))
