"""The manifest of a release: counts of the run, without paths, names or ids. `caspipe audit manifest` adds the files to it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..assembly.assembly import Assembly
from ..contract.report import RunReport
from ..errors import CaspipeError
from ..storage.files import write_atomic
from ..storage.hashing import code_version
from ..storage.release_place import RELEASE
from .released_names import ReleasedNames

NAME, SIGNATURE = "manifest.json", "manifest.json.sig"
MANIFEST = (f"{RELEASE}/{NAME}", f"{RELEASE}/{SIGNATURE}")
"""Written at the end of the run, from counts."""
FORMAT = "caspipe release 1"
SECTIONS = ("reasons", "gate", "kinds", "scan", "names", "versions")
"""Sections that a run knows, and its ledger does not."""


def write_manifest(assembly: Assembly, report: RunReport) -> None:
    """Write `release/manifest.json` of a run, and remove the signature of an earlier one. Nothing without the folder `release/`.

    The same documents and pipeline give the same bytes. Raises ConsumerError.
    """
    release = assembly.output / RELEASE
    if not release.is_dir():
        return
    data = json.dumps(manifest_of(assembly, report), indent=1) + "\n"
    try:
        (release / SIGNATURE).unlink(missing_ok=True)
        write_atomic(release / NAME, data.encode("ascii"))
    except (CaspipeError, OSError) as error:
        if not report.stopped:
            raise
        report.warnings.append(
            f"{release / NAME}: cannot write: {error}"
        )  # the reason why the run stopped must not be lost


def manifest_of(assembly: Assembly, report: RunReport) -> dict[str, Any]:
    """Return the content of the manifest of a run."""
    d = report.documents
    return {
        "format": FORMAT,
        "run": {"state": _state(report), "shard": report.shard, "code": code_version()},
        "documents": {"read": d.read, "released": d.released, "quarantined": d.quarantined, "skipped": d.skipped},
        "reasons": dict(sorted(report.reasons.items())),
        "gate": {
            "repaired_spans": report.repaired,
            "repaired_documents": report.repaired_documents,
            "refused_documents": report.reasons.get("leak", 0),
        },
        "kinds": dict(sorted(report.kinds.items())),
        "scan": asdict(report.scan),
        "names": ReleasedNames.of(assembly.options).policy,
        "versions": dict(sorted(report.versions.items())),
    }


def _state(report: RunReport) -> str:
    """Return how a run ended, without the reason why it stopped, which can name files."""
    return report.stopped if report.stopped in ("limit", "interrupted") else "stopped" if report.stopped else "done"


def sections_of(release: Path) -> dict[str, Any]:
    """Return what the run wrote to the manifest of its release and its ledger does not know; empty if there is none."""
    try:
        data = json.loads((release / NAME).read_bytes())
        return {name: data[name] for name in SECTIONS if name in data} if data["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
