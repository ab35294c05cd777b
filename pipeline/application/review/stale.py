"""Refuses a release that is older than a decision of its review."""

from __future__ import annotations

from pathlib import Path

from ...errors import ReaderError
from ...running.run_documents import xmi_folder
from ..audit.published import published
from .store import annotators, journal_path, read_journal


def refuse_stale(run: Path) -> None:
    """Raise ReaderError if reviewers have decided something since the release of a run was made."""
    home = xmi_folder(run)
    record = published(run)
    contained = record["journals"] if record is not None else {}
    newer = []
    for name in annotators(home):
        records = read_journal(journal_path(home, name))[1]
        more = len(records) - int(contained.get(name, 0))
        if more > 0:
            newer.append(f"{name} ({more:,})")
    if newer:
        everybody = sorted({*contained, *(n.partition(" ")[0] for n in newer)})
        names = " ".join(f"--review {name}" for name in everybody)
        raise ReaderError(
            f"{run}: the release is older than decisions of its review by {', '.join(newer)}: run `caspipe release {run} {names}`"
        )
