"""The release of a run that was made after its review, for the commands that show the state of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import ReaderError
from ...running.reviewed_release import is_reviewed
from ...storage.release_place import RELEASE
from .manifest import read_manifest
from .published import published


@dataclass(frozen=True, slots=True)
class ReviewedRelease:
    """A release that was made from reviewed documents."""

    by: Mapping[str, int]
    """Number of entries of the journal of each reviewer; empty if it was made from edited documents."""
    ended: str = ""
    """When it was made; empty if its manifest cannot be read."""
    documents: int | None = None
    """Documents in the release; None if its manifest cannot be read."""


def reviewed_release(run: Path) -> ReviewedRelease | None:
    """Return what is known about the release of a run if it was made from reviewed documents; None for that of the run itself."""
    if not is_reviewed(run) or (record := published(run)) is None:
        return None
    try:
        _, manifest = read_manifest(run / RELEASE)
        return ReviewedRelease(
            record["journals"], str(manifest["run"]["ended"]), int(manifest["documents"]["released"])
        )
    except (ReaderError, KeyError, TypeError, ValueError):
        return ReviewedRelease(record["journals"])
