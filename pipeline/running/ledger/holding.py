"""An output folder is one ledger's, and one run's at a time, wherever its ledger lies.

Beside the place of a folder's own ledger lies its lock. Where the ledger lies elsewhere, the lock tells whose the folder is:
a mark of the ledger, a hash of its salt, and where it lay. The file is the owner's only.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from ...errors import ConsumerError, OutputError
from ...storage.files import restricted_folder, sweep_below
from .ledger import Ledger
from .lock import lock_of, locked, unlock


@contextlib.contextmanager
def held(output: Path, path: Path) -> Iterator[Ledger]:
    """The ledger at `path`, open for a run that writes to `output`, where nothing is left of what earlier runs did not finish.

    Raises ConsumerError where another run has one of them, or where the folder was written with another ledger: neither knows
    of what the other wrote, and would leave in the release what must not be there.
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
        with Ledger.write(path) as ledger:
            _check(output, path, ledger, _read(lock))
            _write(lock, own, f"{_mark(ledger)} {path.resolve()}")
            _sweep(output, ledger)
            yield ledger
    finally:
        unlock(lock)


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
    """Raises ConsumerError where a folder is marked as another ledger's; that of one which is not there yet is another's."""
    mark, _, place = marked.decode("utf-8", "replace").partition(" ")
    if mark and (ledger is None or mark != _mark(ledger)):
        raise _of_another(output, place, path)


def _of_another(output: Path, place: str, path: Path) -> ConsumerError:
    return ConsumerError(
        f"{output}: written with the ledger {place}, found {path}, which does not know what is there: "
        "take that ledger, or another output folder"
    )


def _sweep(output: Path, ledger: Ledger) -> None:
    """Removes what earlier runs were writing when they were cut off, but common files, of which documents are taken over."""
    common = {output / path for path in ledger.temporaries()}
    sweep_below(output, common, lambda folder: lock_of(Ledger.place(folder)).exists())
