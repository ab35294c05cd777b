"""Output files: whole or absent, never half-written, private where they hold original text, and inside their folder."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import ConsumerError, OutputError
from .file_names import FileNames

_HOPELESS = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EIO", "ENODEV", "ESTALE", "EACCES", "EPERM", "EMFILE", "ENFILE")
    if hasattr(errno, name)
}
"""Errors that the next document would meet as well."""


TEMPORARY = re.compile(r"\.(staged-)?[0-9a-f]{16}\.tmp")
"""Names of files that are being written. No run gives them to anything else."""


class AtomicFile:
    """A file that gets its name only when it is complete; until then it is a temporary file in the same folder.

    `write` is all or nothing: after an error the file ends where it ended before, and can be written on. Errors are
    ConsumerErrors that name the path. A private file can be read by its owner only (mode 0600).
    """

    def __init__(self, path: Path, *, private: bool = False) -> None:
        self.path = path
        self.offset = 0
        """Bytes written so far."""
        self.temporary = self._temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._fd = os.open(self._temporary, flags, 0o600 if private else 0o666)
        except OSError as error:
            raise cannot(path, error) from None

    def write(self, data: bytes) -> None:
        """Appends all of `data`, or nothing."""
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError as error:
            with contextlib.suppress(ConsumerError):
                self.truncate(self.offset)
            raise cannot(self.path, error) from None
        self.offset += len(data)

    def truncate(self, offset: int) -> None:
        """Takes back what was written after `offset`."""
        try:
            os.ftruncate(self._fd, offset)
            os.lseek(self._fd, offset, os.SEEK_SET)
        except OSError as error:
            raise cannot(self.path, error) from None
        self.offset = offset

    def commit(self, *, durable: bool = True) -> None:
        """Gives the file its name, replacing what had it before. `durable`: its bytes are on the disk first (fsync)."""
        try:
            if durable:
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1
            self._temporary.replace(self.path)
        except OSError as error:
            self.discard()
            raise cannot(self.path, error) from None

    def discard(self) -> None:
        """Removes the temporary file; the name keeps what it had. Does nothing after `commit`."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):
                os.close(self._fd)
            self._fd = -1
        with contextlib.suppress(OSError):
            self._temporary.unlink()


def write_atomic(path: Path, data: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Writes a file whole or not at all. Raises ConsumerError that names the path; nothing is left behind then."""
    file = AtomicFile(path, private=private)
    try:
        file.write(data)
        file.commit(durable=durable)
    except BaseException:
        file.discard()
        raise


@dataclass(slots=True)
class Staged:
    """A file that is whole, but has no name yet."""

    temporary: str
    length: int
    """Bytes."""
    digest: str
    """SHA-256 of the bytes, in hexadecimal."""
    waits: bool = False
    """Whether its bytes may still be in memory only, and must be on the disk before it gets its name."""
    fault: int = 0
    """Why they could not be brought there: a system error is told once, so it is kept."""

    def sync(self) -> None:
        """Waits until the bytes are on the disk (fsync)."""
        self.waits = False
        try:
            fd = os.open(self.temporary, os.O_RDWR | getattr(os, "O_BINARY", 0))
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            self.fault = error.errno or errno.EIO

    def discard(self) -> None:
        """Removes it."""
        with contextlib.suppress(OSError):
            Path(self.temporary).unlink()


_STAGED = ".staged-"
_TOGETHER = 8
"""Files that are brought onto the disk at the same time."""


def stage(folder: Path, data: bytes, *, private: bool = False, durable: bool = True) -> Staged:
    """Writes a file that gets its name later, by `place`. Raises ConsumerError that names the folder."""
    path = folder / f"{_STAGED}{secrets.token_hex(8)}.tmp"
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        fd = os.open(path, flags, 0o600 if private else 0o666)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(fd, left) :]
        finally:
            os.close(fd)
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise cannot(folder, error) from None
    return Staged(str(path), len(data), hashlib.sha256(data).hexdigest(), durable)


def settle(files: Iterable[Staged]) -> None:
    """Brings staged files onto the disk, several at the same time: a file system writes its journal once for all that wait,
    so that this takes a fifth of the time of one after the other, or less. What fails is told by `place`."""
    waiting = [file for file in files if file.waits]
    if len(waiting) > 1:
        from concurrent.futures import ThreadPoolExecutor

        with contextlib.suppress(RuntimeError), ThreadPoolExecutor(min(_TOGETHER, len(waiting))) as threads:
            list(threads.map(Staged.sync, waiting))
    for file in waiting:  # where no thread can be started
        if file.waits:
            file.sync()


def place(staged: Staged, path: Path) -> None:
    """Gives a staged file its name, replacing what had it before. Raises ConsumerError that names the path, or the folder
    where the file could not be brought onto the disk."""
    if staged.waits:
        staged.sync()
    if staged.fault:
        staged.discard()
        raise cannot(Path(staged.temporary).parent, OSError(staged.fault, os.strerror(staged.fault)))
    try:
        Path(staged.temporary).replace(path)
    except OSError as error:
        staged.discard()
        raise cannot(path, error) from None


def sweep(folders: Iterable[Path]) -> None:
    """Removes what a run that was cut off staged in these folders and never placed."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in folder.glob(f"{_STAGED}*.tmp"):
                if TEMPORARY.fullmatch(path.name):
                    path.unlink(missing_ok=True)


def sweep_below(folder: Path, spared: Collection[Path], foreign: Callable[[Path], bool]) -> None:
    """Removes what runs that were cut off were writing in a folder and in those below it, but for the paths `spared`.

    Folders that are `foreign` are left alone, and so are links and files that are named otherwise.
    """
    for above, folders, names in os.walk(folder):
        place = Path(above)
        folders[:] = [name for name in folders if not foreign(place / name)]
        for name in names:
            path = place / name
            if TEMPORARY.fullmatch(name) and path not in spared and not path.is_symlink() and path.is_file():
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)


def digest_of(path: Path, begin: int = 0, length: int | None = None) -> str | None:
    """SHA-256 of a file or of a slice of it, in hexadecimal; None where it is not there or shorter."""
    made = hashlib.sha256()
    try:
        with path.open("rb") as file:
            file.seek(begin)
            left = length
            while left is None or left > 0:
                data = file.read(1 << 20 if left is None else min(left, 1 << 20))
                if not data:
                    break
                made.update(data)
                left = None if left is None else left - len(data)
            return made.hexdigest() if not left else None
    except OSError:
        return None


def cannot(path: Path, error: OSError) -> ConsumerError:
    """The error for a path that cannot be written: names the path and the system's reason."""
    kind = OutputError if error.errno in _HOPELESS else ConsumerError
    return kind(f"{path}: cannot write: {error.strerror or type(error).__name__}")


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it. Raises ConsumerError that names what stands in the way."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(folder, error) from None


def restricted_folder(folder: Path, below: Path | None = None) -> None:
    """Makes a folder that only its owner can enter (mode 0700), and every missing folder between `below` and it alike.

    A folder that is there already keeps its mode: write its files with `private=True`. Raises ConsumerError that names
    what stands in the way.
    """
    parts = folder.relative_to(below).parts if below is not None and folder.is_relative_to(below) else ()
    chain = [below.joinpath(*parts[:n]) for n in range(1, len(parts) + 1)] if below is not None and parts else [folder]
    make_folder(chain[0].parent)
    for part in chain:
        try:
            part.mkdir(mode=0o700)
        except FileExistsError as error:
            if not part.is_dir():
                raise _no_folder(part, error) from None
        except OSError as error:
            raise _no_folder(part, error) from None


def _no_folder(folder: Path, error: OSError) -> ConsumerError:
    blocked = None
    with contextlib.suppress(OSError):  # a folder on the way may not let us look
        blocked = next((p for p in (folder, *folder.parents) if p.exists() and not p.is_dir()), None)
    if blocked is not None:
        return ConsumerError(f"{folder}: expected a folder, but {blocked} is a file")
    return ConsumerError(f"{folder}: cannot make the folder: {error.strerror or type(error).__name__}")


class DocumentFolder:
    """A folder with one file for each document, named after its id. `restricted` folders and files are the owner's only.

    `below` is the folder that relative paths lie under. Errors are ConsumerErrors that name the path.
    """

    def __init__(
        self, folder: Path, names: FileNames, *, below: Path, restricted: bool = False, durable: bool = True
    ) -> None:
        self.folder = below / folder
        self.names = names
        self.below = below
        self.restricted = restricted
        self.durable = durable
        self._ready: set[Path] = set()
        self._last: tuple[str, Path] | None = None
        self._make(self.folder)

    def write(self, document_id: str, data: bytes, name: PurePosixPath | None = None) -> PurePosixPath:
        """Writes the file of a document, under a name taken from `names` before or now; returns its path in the folder."""
        self._last = None
        name = name or self.names.next(document_id)
        path = self.folder / name
        self._make(path.parent)
        write_atomic(path, data, private=self.restricted, durable=self.durable)
        self._last = document_id, path
        return name

    def place(self, document_id: str, staged: Staged, name: PurePosixPath) -> None:
        """Gives a staged file its name, which was taken from `names` before."""
        self._last = None
        path = self.folder / name
        self._make(path.parent)
        place(staged, path)
        self._last = document_id, path

    def place_beside(self, staged: Staged, name: PurePosixPath) -> None:
        """Gives a staged file its name beside the document's own."""
        path = self.folder / name
        self._make(path.parent)
        place(staged, path)

    def take_over(self, document_id: str, old: Path, name: PurePosixPath) -> None:
        """Gives a file of an earlier run its name here: it stays where it lies already, else it is copied."""
        self._last = None
        path = self.folder / name
        if old != path:
            self._make(path.parent)
            try:
                data = old.read_bytes()
            except OSError as error:
                raise cannot(path, error) from None
            write_atomic(path, data, private=self.restricted, durable=self.durable)
        self._last = document_id, path

    def add(self, name: str, data: bytes) -> None:
        """Writes a file beside the documents', under a name of its own."""
        write_atomic(self.folder / name, data, private=self.restricted, durable=self.durable)

    def rollback(self, document_id: str) -> None:
        """Removes the file written last where it belongs to this document."""
        if self._last is not None and self._last[0] == document_id:
            try:
                self._last[1].unlink(missing_ok=True)
            except OSError as error:
                raise ConsumerError(f"{self._last[1]}: cannot remove: {error.strerror}") from None
            self._last = None

    def _make(self, folder: Path) -> None:
        if folder in self._ready:
            return
        if folder != self.folder and not folder.resolve().is_relative_to(self.folder.resolve()):
            raise ConsumerError(f"{folder}: leads out of {self.folder} through a symbolic link")
        if self.restricted:
            restricted_folder(folder, self.below)
        else:
            make_folder(folder)
        self._ready.add(folder)
