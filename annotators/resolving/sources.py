"""Sources of candidates, which are the paths of components: sets of them, and their order of priority."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...typesystem import PhiKind

DEFAULT_PRIORITY = tuple(
    "known_phi dates ages identifiers patterns names lists regex rules crf svm neural models".split()
)
"""Known PHI of the record, then rules, then models; after VigiBase's RegEx > CRF > SVM."""


def names(entry: str, source: str) -> bool:
    """Return whether an entry names a source: it is an element of the source's path, or a run of elements (`models/crf`)."""
    return f"/{entry}/" in f"/{source}/"


class SourceSet:
    """Sources named by a list of entries: components, aggregates, or runs of path elements."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entries)
        self._memo: dict[str, str | None] = {}

    def entry_of(self, source: str) -> str | None:
        """Return the first entry that names a source, or None."""
        if source not in self._memo:
            self._memo[source] = next((entry for entry in self.entries if names(entry, source)), None)
        return self._memo[source]

    def __contains__(self, source: str) -> bool:
        return self.entry_of(source) is not None


class SourceOrder:
    """Ranks sources. Those that no entry names come after all named ones, in the default order, unknown ones last."""

    def __init__(self, priority: Sequence[str] = (), per_kind: Mapping[PhiKind, Sequence[str]] | None = None) -> None:
        self._general = _complete(priority)
        self._per_kind = {kind.name: _complete(entries) for kind, entries in (per_kind or {}).items()}
        self._memo: dict[tuple[str, str], int] = {}

    def rank(self, source: str, kind: PhiKind) -> int:
        """Return 0 for the highest priority. A kind without a list of its own uses its parent's, then the general one."""
        key = (source, kind.name)
        rank = self._memo.get(key)
        if rank is None:
            entries = self._per_kind.get(kind.name) or self._per_kind.get(kind.top.name) or self._general
            rank = next((i for i, entry in enumerate(entries) if names(entry, source)), len(entries))
            self._memo[key] = rank
        return rank


def _complete(priority: Sequence[str]) -> tuple[str, ...]:
    return (*priority, *(entry for entry in DEFAULT_PRIORITY if entry not in priority))
