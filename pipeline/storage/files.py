"""Output files: complete or absent, private if they contain original text, and inside their folder."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self

from ..errors import ConsumerError, OutputError
from .closing import close_folder
from .file_names import FileNames

_HOPELESS = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EIO", "ENODEV", "ESTALE", "EACCES", "EPERM", "EMFILE", "ENFILE")
    if hasattr(errno, name)
}
"""Errors that every following document would cause as well."""


NOT_BY_ALL = 0o664
"""Mode of new files before the umask is applied: with any umask, not every user can write."""


TEMPORARY = re.compile(r"\.(staged-)?[0-9a-f]{16}\.tmp")
"""Names of files that are being written. No run gives them to anything else."""


def cache_folder() -> Path:
    """Return `$CASPIPE_CACHE`, else `caspipe` in the user's cache folder."""
    chosen = os.environ.get("CASPIPE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "caspipe"


def create(path: str | Path, mode: int) -> int:
    """Create a file that does not exist, also not as a link, and return its descriptor for writing. Raises OSError."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, mode)


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes to a descriptor. Raises OSError after a part of them."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


class AtomicFile:
    """A file that gets its name when it is complete; until then, it is a temporary file in the same folder.

    `write` is atomic: after an error, the file has its previous length, and writing can continue. Errors are ConsumerErrors with
    the path. Only the owner can read a private file (mode 0600).
    """

    def __init__(self, path: Path, *, private: bool = False, durable: bool = True) -> None:
        self.path = path
        self.durable = durable
        """True if the file is flushed to disk before it gets its name (fsync)."""
        self.offset = 0
        """Bytes written so far."""
        self.temporary = self._temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            self._fd = create(self._temporary, 0o600 if private else NOT_BY_ALL)
        except OSError as error:
            raise cannot(path, error) from None

    def write(self, data: bytes) -> None:
        """Append all of `data`, or nothing."""
        try:
            write_all(self._fd, data)
        except OSError as error:
            with contextlib.suppress(ConsumerError):
                self.truncate(self.offset)
            raise cannot(self.path, error) from None
        self.offset += len(data)

    def truncate(self, offset: int) -> None:
        """Remove everything after `offset`."""
        try:
            os.ftruncate(self._fd, offset)
            os.lseek(self._fd, offset, os.SEEK_SET)
        except OSError as error:
            raise cannot(self.path, error) from None
        self.offset = offset

    def commit(self) -> None:
        """Give the file its name and replace an existing file."""
        try:
            if self.durable:
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1
            self._temporary.replace(self.path)
        except OSError as error:
            self.discard()
            raise cannot(self.path, error) from None

    def __enter__(self) -> Self:
        """Commit the file at the end of a `with` block, and discard it after an error."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the temporary file and keep an existing file with the name. Does nothing after `commit`."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):
                os.close(self._fd)
            self._fd = -1
        with contextlib.suppress(OSError):
            self._temporary.unlink()


def write_atomic(path: Path, data: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Write a file atomically. Raises ConsumerError with the path, and leaves nothing behind."""
    with AtomicFile(path, private=private, durable=durable) as file:
        file.write(data)


@dataclass(slots=True)
class Staged:
    """A complete file without its final name."""

    temporary: str
    length: int
    """Bytes."""
    digest: str
    """SHA-256 of the bytes, in hexadecimal."""
    waits: bool = False
    """True if its bytes may still be in memory only, and must be on the disk before it gets its name."""
    fault: int = 0
    """Why flushing failed: the system reports such an error only once."""
    kept: bool = False
    """True if it is a file of an earlier run: it stays, and is copied if the document has another name now."""

    def sync(self) -> None:
        """Flush the file to disk (fsync)."""
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
        """Remove the file."""
        with contextlib.suppress(OSError):
            Path(self.temporary).unlink()


_STAGED = ".staged-"


def stage(folder: Path, data: bytes, *, private: bool = False, durable: bool = True) -> Staged:
    """Write a temporary file that gets its name later, by `place`. Raises ConsumerError with the folder."""
    return stage_pieces(folder, [data], private=private, durable=durable)


def stage_pieces(folder: Path, pieces: Iterable[bytes], *, private: bool = False, durable: bool = True) -> Staged:
    """Write a temporary file as `stage`, piece by piece."""
    path, length, digest = staging_path(folder), 0, hashlib.sha256()
    try:
        fd = create(path, 0o600 if private else NOT_BY_ALL)
        try:
            for piece in pieces:
                write_all(fd, piece)
                digest.update(piece)
                length += len(piece)
        finally:
            os.close(fd)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108
        raise cannot(folder, error) from None
    return Staged(path, length, digest.hexdigest(), durable)


def staging_path(folder: Path) -> str:
    """Return a new path for a temporary file, which the next run removes if this one is killed."""
    return f"{folder}{os.sep}{_STAGED}{secrets.token_hex(8)}.tmp"


def place(staged: Staged, path: Path) -> None:
    """Give a staged file its name and replace an existing file. Raises ConsumerError with the path, or with the folder if
    flushing had failed."""
    if staged.waits:
        staged.sync()
    if staged.fault:
        staged.discard()
        raise cannot(Path(staged.temporary).parent, OSError(staged.fault, os.strerror(staged.fault)))
    try:
        os.replace(staged.temporary, path)  # noqa: PTH105
    except OSError as error:
        staged.discard()
        raise cannot(path, error) from None


def sweep(folders: Iterable[Path]) -> None:
    """Remove files that an interrupted run staged in these folders."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in folder.glob(f"{_STAGED}*.tmp"):
                if TEMPORARY.fullmatch(path.name):
                    path.unlink(missing_ok=True)


def sweep_below(folder: Path, spared: Collection[Path], foreign: Callable[[Path], bool]) -> None:
    """Remove temporary files of interrupted runs in a folder and below it, except the paths `spared`.

    `foreign` folders, links and files with other names are not touched.
    """
    for above, folders, names in os.walk(folder):
        place = Path(above)
        folders[:] = [name for name in folders if not foreign(place / name)]
        for name in names:
            path = place / name
            if TEMPORARY.fullmatch(name) and path not in spared and not path.is_symlink() and path.is_file():
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a file in hexadecimal; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def cannot(path: Path, error: OSError) -> ConsumerError:
    """Return the error for a path that cannot be written, with the reason of the system."""
    kind = OutputError if error.errno in _HOPELESS else ConsumerError
    return kind(f"{path}: cannot write: {error.strerror or type(error).__name__}")


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, which not every user can change, with any umask. Raises ConsumerError with the
    reason."""
    missing: list[Path] = []
    try:
        while not folder.is_dir():
            missing.append(folder)
            if folder.parent == folder:
                break
            folder = folder.parent
        for path in reversed(missing):
            path.mkdir(mode=0o700 if path.name == "restricted" else 0o775, exist_ok=True)
    except OSError as error:
        raise _no_folder(missing[0] if missing else folder, error) from None


def restricted_folder(folder: Path, below: Path | None = None) -> None:
    """Create a folder that only its owner can enter (mode 0700), and likewise every missing folder between `below` and it.

    Existing folders below `below` are closed to others; one that others control is refused. Another existing folder keeps its
    mode: write its files with `private=True`. Raises ConsumerError with the reason.
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
            if parts:
                close_folder(part)
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
    """A folder with one file for each document, named after its id. Only the owner can access `restricted` folders and files.

    `below` is the base of relative paths. Errors are ConsumerErrors with the path.
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
        self._last: tuple[str, bool, list[Path]] | None = None
        """The last document, whether it has a new name, and its files."""
        self._make(self.folder)

    def begin(self, document_id: str, name: PurePosixPath | None = None) -> PurePosixPath:
        """Begin the files of a document, which `rollback` can remove. Returns the given name, or a new one."""
        self._last = document_id, name is None, []
        return name or self.names.next(document_id)

    def write(self, document_id: str, data: bytes, name: PurePosixPath | None = None) -> PurePosixPath:
        """Write the only file of a document under a given or a new name, and return its path in the folder."""
        name = self.begin(document_id, name)
        with self._adding(name) as path:
            write_atomic(path, data, private=self.restricted, durable=self.durable)
        return name

    def stage(self, data: bytes) -> Staged:
        """Write a temporary file for `place`."""
        return stage(self.folder, data, private=self.restricted, durable=self.durable)

    def place(self, staged: Staged, name: PurePosixPath) -> None:
        """Give a staged file of the last document its name."""
        current = Path(staged.temporary)
        with self._adding(name) as path:
            if not staged.kept:
                place(staged, path)
            elif current != path:
                place(self.stage(current.read_bytes()), path)

    def add(self, name: str, data: bytes) -> None:
        """Write a file that does not belong to a document."""
        write_atomic(self.folder / name, data, private=self.restricted, durable=self.durable)

    def rollback(self, document_id: str) -> None:
        """Remove the files of the last document if it is this one, and release its new name."""
        if self._last is None or self._last[0] != document_id:
            return
        _, named, paths = self._last
        self._last = None
        if named:
            self.names.release_last()  # as in a resumed run, in which a failed document gets no name
        for path in paths:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise ConsumerError(f"{path}: cannot remove: {error.strerror}") from None

    @contextlib.contextmanager
    def _adding(self, name: PurePosixPath) -> Iterator[Path]:
        """Yield the path of a file of the last document, in a folder that exists. `rollback` removes it only if the file was
        written: what has its name otherwise belongs to others."""
        assert self._last is not None
        path = self.folder / name
        self._make(path.parent)
        yield path
        self._last[2].append(path)

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
