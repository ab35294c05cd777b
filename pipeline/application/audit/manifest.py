"""The manifest of a release, with the digest of every file, the counts of the run and the bounds of the audit."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ...contract.output import Output
from ...errors import ReaderError
from ...running.ledger import LedgerReader, Row
from ...running.release_manifest import FORMAT, NAME, SIGNATURE, sections_of
from ...storage.file_names import safe_parts
from ...storage.files import TEMPORARY
from ...storage.release_place import RELEASE
from .original_files import refuse_originals
from .released import fingerprint, in_release


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a manifest, and warnings about it."""

    data: dict[str, Any]
    warnings: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Return the content of the file. The same release gives the same bytes."""
        return (json.dumps(self.data, indent=1, sort_keys=False) + "\n").encode("ascii")


@dataclass(frozen=True, slots=True)
class ManifestCheck:
    """The differences between a release and its manifest, as paths below `release/`."""

    files: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not (self.missing or self.extra or self.changed)


def make_manifest(run: Path, ledger: LedgerReader, audits: Iterable[Mapping[str, Any]] = ()) -> Manifest:
    """Return the manifest of `release/` in a run's output folder. `audits`: contents of `audit.json` files.

    Raises ReaderError if the release is missing or unfinished, contains original text, or if an output has changed since the run.
    """
    release = run / RELEASE
    files = dict(files_below(release))
    refuse_originals(release, files)
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
        **sections_of(release),
        "release": released,
        "audit": best_audit(audits, released),
        "files": [{"path": path, "bytes": size, "sha256": digest} for path, (size, digest) in sorted(files.items())],
    }
    return Manifest(data, tuple(_warnings(rows, files, data)))


def read_manifest(release: Path) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of a manifest and their parsed content. Raises ReaderError if the file is missing or invalid."""
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


def check_release(release: Path, manifest: Mapping[str, Any]) -> ManifestCheck:
    """Compare every file below a folder with the manifest. Paths of the manifest are only compared, never opened."""
    listed = {f["path"]: (f["bytes"], f["sha256"]) for f in manifest["files"]}
    files = dict(files_below(release))
    return ManifestCheck(
        len(files),
        tuple(sorted(listed.keys() - files.keys())),
        tuple(sorted(files.keys() - listed.keys())),
        tuple(sorted(p for p in listed.keys() & files.keys() if listed[p] != files[p])),
    )


def files_below(release: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield path, size in bytes and SHA-256 of every file of a release except the manifest and its signature.

    Raises ReaderError for links and other special files, for files of an interrupted run, and for a missing folder.
    """
    if not release.is_dir():
        raise ReaderError(f"{release}: no such folder: expected a release")
    for path in sorted(release.rglob("*")):
        name = path.relative_to(release).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise ReaderError(f"{path}: expected plain files and folders in a release, found a link or device")
        if path.is_dir() or name in (NAME, SIGNATURE):
            continue
        if TEMPORARY.fullmatch(path.name):
            raise ReaderError(f"{path}: left by an interrupted run: finish the run, or remove the file")
        try:
            with path.open("rb") as file:
                yield name, (path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise ReaderError(f"{path}: {error.strerror}") from None


def best_audit(audits: Iterable[Mapping[str, Any]], release: str) -> dict[str, Any] | None:
    """Return the audit of this release with the most documents read, without data about its readers; None without an audit."""
    of_release = [a for a in audits if a.get("release") == release]
    if not of_release:
        return None
    best = max(of_release, key=lambda a: (a["read"], a["drawn"], a["sample"]))
    kept = "sample by seed population drawn read in_order confidence method bounds with_missed"
    return {name: best.get(name) for name in kept.split()}


def _released_files(rows: Iterable[Row]) -> Iterator[tuple[Row, Output, str]]:
    """Yield the outputs of released documents below `release/`, and their paths there."""
    for row in rows:
        if row.status == "released":
            for output in filter(in_release, row.outputs):
                yield row, output, "/".join(PurePosixPath(output.path).parts[1:])


def _check_outputs(rows: Iterable[Row], files: Mapping[str, tuple[int, str]]) -> None:
    wrong = dict.fromkeys(
        row.number
        for row, output, name in _released_files(rows)
        if name not in files or (output.whole and files[name][1] != output.digest)
    )
    if wrong:
        shown = ", ".join(map(str, list(wrong)[:10])) + (" ..." if len(wrong) > 10 else "")
        raise ReaderError(
            f"outputs of {len(wrong):,} documents are missing or have changed since the run: documents {shown}"
        )


def _warnings(rows: list[Row], files: Mapping[str, object], data: Mapping[str, Any]) -> Iterator[str]:
    whole = {name: row.id for row, output, name in _released_files(rows) if output.whole}
    if named := sum(_is_named_after(name, document_id) for name, document_id in whole.items()):
        yield (
            f"{named:,} file names in release/ are document ids, which can identify people; `run: {{names: pseudonym}}` "
            "replaces them"
        )
    groups = set(map(_group, whole))
    if stale := sum(_group(name) in groups and name not in whole for name in files):
        yield f"{stale:,} files in release/ belong to no document of this run; they may be from an earlier run"
    if data["run"]["state"] != "done":
        yield f"the run is not complete: {data['run']['state']}"
    if data["audit"] is None:
        yield "this release has no audit: the manifest contains no bound on leaks"


def _group(name: str) -> tuple[str, str]:
    """Return the first folder and the suffix of a file, which all files of one consumer have in common."""
    path = PurePosixPath(name)
    return path.parts[0] if len(path.parts) > 1 else "", path.suffix


def _is_named_after(name: str, document_id: str) -> bool:
    parts = safe_parts(document_id)
    last = "/".join(PurePosixPath(name).parts[-len(parts) :])
    return last.startswith("/".join(parts))
