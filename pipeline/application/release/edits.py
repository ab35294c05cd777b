"""Counts what edited documents change: spans that were added, removed or changed, compared with those of the run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....typesystem import Phi
from ....typesystem.errors import CaspipeError
from ..review.adjudication import Bounds
from ..review.document import document_of
from .reader import ReviewedReader


@dataclass(slots=True)
class Edits:
    """Numbers of edited documents and of their spans. Documents that are withheld are not counted."""

    edited: int = 0
    """Documents with another span than the run found."""
    unedited: int = 0
    """Documents with exactly the spans of the run."""
    added: int = 0
    removed: int = 0
    changed: int = 0
    """Spans with another kind, or with bounds that overlap the earlier ones."""

    def add(self, found: Iterable[Bounds], edited: Iterable[Bounds]) -> None:
        """Count one document by its spans before and after."""
        before, after = set(found), set(edited)
        if before == after:
            self.unedited += 1
            return
        self.edited += 1
        gone, come = sorted(before - after), sorted(after - before)
        i = j = changed = 0
        while i < len(gone) and j < len(come):
            if gone[i][1] <= come[j][0]:
                i += 1
            elif come[j][1] <= gone[i][0]:
                j += 1
            else:
                i, j, changed = i + 1, j + 1, changed + 1
        self.changed += changed
        self.removed += len(gone) - changed
        self.added += len(come) - changed


def edits_of(reader: ReviewedReader) -> Edits | None:
    """Return what the edited documents of a release change; None if there are none."""
    tasks = [(task, task.review.edited) for task in reader.tasks if task.review is not None and task.review.edited]
    if not tasks:
        return None
    edits = Edits()
    for task, edited in tasks:
        if task.held or task.path is None:
            continue
        try:
            cas = reader.original(task, task.path)
        except CaspipeError:  # the release withholds it, and says why
            continue
        if document_of(cas).digest == edited.digest:
            found = ((p.begin, p.end, p.kind.name) for p in cas.view().select(Phi) if p.begin < p.end)
            edits.add(found, edited.spans)
    return edits
