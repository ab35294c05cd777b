"""The manifest of a release: every file with its digest, what the run counted, what the audit says; and the check of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ...contract.component import Output
from ...errors import ReaderError
from ...running.ledger import LedgerReader, Row
from ...storage.file_names import safe_parts
from ...storage.files import TEMPORARY
from .released import RELEASE, fingerprint, in_release

NAME, SIGNATURE = "manifest.json", "manifest.json.sig"
FORMAT = "caspipe release 1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a manifest, and warnings about it."""

    data: dict[str, Any]
    warnings: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """As the file: the same release gives the same bytes."""
        return (json.dumps(self.data, indent=1, sort_keys=False) + "\n").encode("ascii")


@dataclass(frozen=True, slots=True)
class Checked:
    """A release against its manifest: paths below `release/`."""

    files: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def good(self) -> bool:
        return not (self.missing or self.extra or self.changed)


def manifest(run: Path, ledger: LedgerReader, audits: Iterable[Mapping[str, Any]] = ()) -> Manifest:
    """Return the manifest of `release/` in a run's output folder. `audits`: what `audit.json` files say.

    Raises ReaderError if the release is missing or unfinished, or if an output is not what the run wrote.
    """
    release = run / RELEASE
    files = dict(files_below(release))
    row = ledger.run()
    rows = list(ledger.rows())
    _check_outputs(rows, files)
    counts = Counter(r.status for r in rows)
    released = fingerprint(ledger)
    data = {
        "format": FORMAT,
        "run": {
            "name": row.name,
            "started": row.started,
            "ended": row.ended,
            "state": row.state,
            "code": row.code,
            "fingerprint": row.fingerprint,
        },
        "documents": {
            "read": len(rows),
            **{status: counts[status] for status in ("released", "quarantined", "skipped")},
        },
        "release": released,
        "audit": best_audit(audits, released),
        "files": [{"path": path, "bytes": size, "sha256": digest} for path, (size, digest) in sorted(files.items())],
    }
    return Manifest(data, tuple(_warnings(rows, files, data)))


def read_manifest(release: Path) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of a manifest and what they say. Raises ReaderError if there is none."""
    path = release / NAME
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReaderError(f"{path}: {error.strerror}") from None
    try:
        manifest = json.loads(data)
        if manifest["format"] == FORMAT and all(isinstance(f["path"], str) and f["sha256"] for f in manifest["files"]):
            return data, manifest
    except (ValueError, KeyError, TypeError):
        pass
    raise ReaderError(f"{path}: expected a manifest written by `caspipe audit manifest`")


def check(release: Path, manifest: Mapping[str, Any]) -> Checked:
    """Compare every file below a folder with its manifest. No path of the manifest is opened: folders are walked."""
    listed = {f["path"]: (f["bytes"], f["sha256"]) for f in manifest["files"]}
    files = dict(files_below(release))
    return Checked(
        len(files),
        tuple(sorted(listed.keys() - files.keys())),
        tuple(sorted(files.keys() - listed.keys())),
        tuple(sorted(p for p in listed.keys() & files.keys() if listed[p] != files[p])),
    )


def files_below(release: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    """Path, bytes and SHA-256 of every file of a release but the manifest and its signature. Raises ReaderError for links and
    other special files, for files of an interrupted run, and for a missing folder."""
    if not release.is_dir():
        raise ReaderError(f"{release}: no such folder: expected a release")
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise ReaderError(f"{path}: expected plain files and folders in a release, found a link or device")
        if path.is_dir() or name in (NAME, SIGNATURE):
            continue
        if TEMPORARY.fullmatch(path.name):
            raise ReaderError(f"{path}: left by a run that was cut off: finish the run, or remove it")
        try:
            with path.open("rb") as file:
                yield name, (path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise ReaderError(f"{path}: {error.strerror}") from None


def best_audit(audits: Iterable[Mapping[str, Any]], release: str) -> dict[str, Any] | None:
    """Of the audits of this very release, the one that read the most documents, without what concerns its readers."""
    mine = [a for a in audits if a.get("release") == release]
    if not mine:
        return None
    best = max(mine, key=lambda a: (a["read"], a["drawn"], a["sample"]))
    kept = (
        "sample",
        "by",
        "seed",
        "population",
        "drawn",
        "read",
        "in_order",
        "confidence",
        "method",
        "bounds",
        "with_missed",
    )
    return {name: best.get(name) for name in kept}


def _released_files(rows: Iterable[Row]) -> Iterator[tuple[Row, Output, str]]:
    """Yield the outputs of released documents below `release/`, and their paths there."""
    for row in rows:
        if row.status == "released":
            for output in filter(in_release, row.outputs):
                yield row, output, "/".join(PurePosixPath(output.path).parts[1:])


def _check_outputs(rows: Iterable[Row], found: Mapping[str, tuple[int, str]]) -> None:
    wrong = dict.fromkeys(
        row.number
        for row, output, name in _released_files(rows)
        if name not in found or (output.whole and found[name][1] != output.digest)
    )
    if wrong:
        shown = ", ".join(map(str, list(wrong)[:10])) + (" ..." if len(wrong) > 10 else "")
        raise ReaderError(
            f"outputs of {len(wrong):,} documents are missing or not what the run wrote: documents {shown}"
        )


def _warnings(rows: list[Row], found: Mapping[str, object], data: Mapping[str, Any]) -> Iterator[str]:
    whole = {name: row.id for row, output, name in _released_files(rows) if output.whole}
    places = set(map(_place, whole))
    if named := sum(_says(name, document_id) for name, document_id in whole.items()):
        yield (
            f"{named:,} file names in release/ are document ids, which can identify people; `names: pseudonym` of the consumers "
            "gives others"
        )
    stale = sum(_place(name) in places and name not in whole for name in found)
    if stale:
        yield f"{stale:,} files lie among the documents' in release/ that no document of this run has: of an earlier run?"
    if data["run"]["state"] != "done":
        yield f"the run did not come to its end: {data['run']['state']}"
    if data["audit"] is None:
        yield "no audit of this release: the manifest says nothing of leaks"


def _place(name: str) -> tuple[str, str]:
    """Return the first folder and the suffix of a file: they tell the files of one consumer from those of another."""
    path = PurePosixPath(name)
    return path.parts[0] if len(path.parts) > 1 else "", path.suffix


def _says(name: str, document_id: str) -> bool:
    """Return whether a file is named after a document's id."""
    parts = safe_parts(document_id)
    last = "/".join(PurePosixPath(name).parts[-len(parts) :])
    return last.startswith("/".join(parts))
