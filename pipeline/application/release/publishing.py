"""Publishes a release: exchanges `release/` of a run in one step, records from which decisions it came, and empties the
quarantine of what is settled."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from ...errors import OutputError
from ...running.ledger import LedgerReader
from ...running.quarantine import Quarantine
from ...running.release_manifest import NAME as MANIFEST
from ...running.reviewed_release import RECORD, REVIEWED
from ...storage.files import cannot, make_folder, restricted_folder, write_atomic
from ...storage.release_place import RELEASE
from ..audit.manifest import make_manifest
from ..audit.published import FORMAT, SETTLED
from ..audit.released import fingerprint

_NEXT, _BEFORE = "next", "before"
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


def publish(run: Path, started: str, journals: Mapping[str, int]) -> list[str]:
    """Replace `release/` of a run by the release below `restricted/reviewed/`, with its manifest. Returns warnings.

    `started`: when the run began; `journals`: the number of entries of each journal that the release contains. An interruption
    leaves the old release or the new one, never a part of either. Raises OutputError, ReaderError.
    """
    work = run / REVIEWED
    made, following, before = work / RELEASE, work / _NEXT, work / _BEFORE
    for left in (following, before):
        _remove(left)
    make_folder(made)
    with LedgerReader.read(work) as ledger:
        manifest = make_manifest(work, ledger)
        record = {"format": FORMAT, "run": started, "release": fingerprint(ledger), "journals": dict(journals)}
        released = [row.number for row in ledger.rows("released")]
    _copy(made, following)
    write_atomic(following / MANIFEST, manifest.to_bytes())
    _sync(following)
    write_atomic(run / RECORD, (json.dumps(record, indent=1) + "\n").encode(), private=True)
    _exchange(following, run / RELEASE, before)
    _remove(following)
    _remove(before)
    _settle_quarantine(run, released)
    return list(manifest.warnings)


def _copy(made: Path, following: Path) -> None:
    """Copy a release; files are linked where the file system allows it."""
    try:
        shutil.copytree(made, following, copy_function=_link)
    except (OSError, shutil.Error) as error:
        raise OutputError(
            f"{following}: cannot write: {getattr(error, 'strerror', '') or type(error).__name__}"
        ) from None


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _sync(folder: Path) -> None:
    """Write the names of all files to the disk."""
    for place in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
        with contextlib.suppress(OSError):
            fd = os.open(place, os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)


def _exchange(following: Path, release: Path, before: Path) -> None:
    """Exchange two folders in one step, or replace one that does not exist. Without such a step in the system there is a moment
    without a release."""
    if not release.exists():
        _rename(following, release)
        return
    if not _renamed_at_once(following, release):
        _rename(release, before)
        _rename(following, release)
    with contextlib.suppress(OSError):
        _sync(release.parent)


def _renamed_at_once(one: Path, other: Path) -> bool:
    """Exchange two names with renameat2 (Linux). Returns False if that is not possible."""
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    paths = os.fsencode(one.absolute()), os.fsencode(other.absolute())
    return bool(rename(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0)


def _rename(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError as error:
        raise cannot(target, error) from None


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot(folder, error) from None


def _settle_quarantine(run: Path, released: list[int]) -> None:
    """Take released documents out of the quarantine. What was found in them is kept for the next release."""
    quarantine = Quarantine(run)
    for number in released:
        if quarantine.holds(number):
            data = quarantine.cas(number)
            if data is not None:
                folder = run / SETTLED
                restricted_folder(folder, run)
                write_atomic(folder / quarantine.cas_path(number).name, data, private=True)
            quarantine.release(number)
    with contextlib.suppress(OSError):
        quarantine.folder.rmdir()  # only if it is empty
