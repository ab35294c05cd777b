"""Exclusive use of an output folder: by one ledger, and by one run at a time.

The lock file is beside the default place of the folder's ledger. If the ledger is elsewhere, the lock file identifies it by a
hash of its salt and its path. Only the owner can read the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from ...errors import ConsumerError, OutputError
from ...storage.files import restricted_folder, sweep_below
from .damage import LedgerError, elsewhere
from .ledger import Ledger
from .lock import lock_of, locked, unlock


@contextlib.contextmanager
def held(output: Path, path: Path) -> Iterator[Ledger]:
    """Open the ledger at `path` for a run that writes to `output`, and remove unfinished files of earlier runs.

    Raises ConsumerError if another run uses the ledger or the folder, or if the folder was written with another ledger: that
    would leave files in the release that this ledger does not know.
    """
    own = Ledger.place(output)
    if path.resolve() == own.resolve():
        if not own.exists() and lock_of(own).exists():  # nothing is made before it is refused
            _check(output, own, None, lock_of(own).read_bytes())
        with Ledger.write(own, output) as ledger:
            _check(output, own, ledger, _read(ledger.lock))
            _sweep(output, ledger)
            yield ledger
        return
    restricted_folder(own.parent, output)
    lock = locked(own)
    try:
        if own.exists():
            raise _of_another(output, str(own), path)
        if not path.exists():
            _check(output, path, None, _read(lock))
        with _elsewhere(path, own), Ledger.write(path) as ledger:
            _check(output, path, ledger, _read(lock))
            _write(lock, own, f"{_mark(ledger)} {path.resolve()}")
            _sweep(output, ledger)
            yield ledger
    finally:
        unlock(lock)


@contextlib.contextmanager
def _elsewhere(path: Path, own: Path) -> Iterator[None]:
    try:
        yield
    except LedgerError as error:
        raise LedgerError(f"{error}{elsewhere(path, own)}") from None


def _mark(ledger: Ledger) -> str:
    return hashlib.sha256(b"owner" + ledger.salt).hexdigest()[:32]


def _read(lock: int) -> bytes:
    os.lseek(lock, 0, os.SEEK_SET)
    return os.read(lock, 1 << 16)


def _write(lock: int, own: Path, mark: str) -> None:
    try:
        os.ftruncate(lock, 0)
        os.lseek(lock, 0, os.SEEK_SET)
        os.write(lock, mark.encode("utf-8", "replace"))
    except OSError as error:
        raise OutputError(f"{lock_of(own)}: cannot write: {error.strerror}") from None


def _check(output: Path, path: Path, ledger: Ledger | None, marked: bytes) -> None:
    """Raise ConsumerError if a folder is marked as belonging to another ledger, or to one that does not exist yet."""
    mark, _, place = marked.decode("utf-8", "replace").partition(" ")
    if mark and (ledger is None or mark != _mark(ledger)):
        raise _of_another(output, place, path)


def _of_another(output: Path, place: str, path: Path) -> ConsumerError:
    return ConsumerError(
        f"{output}: written with the ledger {place}, found {path}, which does not know these files: "
        "take that ledger, or another output folder"
    )


def _sweep(output: Path, ledger: Ledger) -> None:
    """Remove temporary files of interrupted runs, except shared files, from which documents are adopted."""
    common = {output / path for path in ledger.temporaries()}
    sweep_below(output, common, lambda folder: lock_of(Ledger.place(folder)).exists())
