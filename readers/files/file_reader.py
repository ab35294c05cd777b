"""What all readers of files share: choosing the files, opening them, and keeping account of those that cannot be read."""

from __future__ import annotations

import dataclasses
import gzip
import io
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, ClassVar, cast

from ...pipeline.contract.component import CollectionReader, Handle
from ...pipeline.errors import DuplicateError, ReaderError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas
from .archive import DAMAGES, MARK, close_archives, has_member, opened_member, split
from .selection import Source, Sources, select_files, select_folder, without_duplicates

_PIECE = 1 << 20


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class FileReader(CollectionReader):
    """A reader of files. What cannot be read goes to `failed` with its reason, and the reader goes on."""

    folder: Path | None = None
    """Folder that holds the files, in sub-folders too, or a zip or tar archive. Document ids are paths in it, without suffix."""
    files: Path | list[Path] | None = None
    """A file or several, in this order, instead of all that match `pattern`; `*`, `?`, `[` and `**` are wildcards. With
    `folder` they must lie in it and document ids are paths in it; without, ids are file names. An archive stands for all its
    members that match `pattern`; `corpus.zip!/ward/a.txt` is one of them."""
    pattern: str = "*"
    """Files to read: `*.txt` at any depth, `./*.txt` in the folder itself, `ward*/**/*.txt` below some. Their `.gz` too."""
    max_bytes: int = 268_435_456
    """A document of more bytes (after decompression) is refused: a small .gz can hold any amount."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """Suffixes that are no part of a document id."""

    def __post_init__(self) -> None:
        if self.max_bytes < 1:
            raise ValueError(f"max_bytes: expected 1 or more, got {self.max_bytes}")
        self.failed = []
        self._selected: Sequence[Source] | None = None

    def __bool__(self) -> bool:
        return True  # else truth would ask for the length, and that lists the files

    def open(self) -> None:
        """Lists the files. Raises ReaderError where the folder is absent or nothing matches."""
        super().open()
        self._selected = self._select()

    def close(self) -> None:
        self._selected = None
        close_archives()
        super().close()

    def fail(self, document: str, reason: str, kind: type[ReaderError] = ReaderError) -> None:
        """Keeps account of a document that cannot be read. The reason must hold no text of it."""
        self.failed.append((document, kind(reason)))

    def sources(self) -> Sequence[Source]:
        """The files in reading order; listed at `open`, or now."""
        return self._select() if self._selected is None else self._selected

    def _select(self) -> Sequence[Source]:
        files = self.files if isinstance(self.files, list) else [self.files] if self.files else []
        try:
            if not files and self.folder is None:
                raise ReaderError("expected folder or files, got neither")
            if files or self.folder is None:
                return Sources(without_duplicates(select_files(files, self.folder, self.suffixes, self.pattern)))
            return Sources(without_duplicates(select_folder(self.folder, self.pattern, self.suffixes)))
        except ReaderError as error:
            raise ReaderError(f"reader {self.id}: {error}") from None

    def readable(self) -> Iterator[Source]:
        """The files that may be read; the others go to `failed`."""
        for source in self.sources():
            if source.fault:
                self.fail(source.id, f"{source.path}: {source.fault}", DuplicateError if source.twice else ReaderError)
            else:
                yield source

    def data(self, source: Source) -> bytes:
        """The bytes of a file, decompressed. Raises ReaderError that names the file."""
        with opened(source.path) as file:
            data = bounded(file, self.max_bytes)
        if len(data) > self.max_bytes:
            raise ReaderError(f"{source.path}: {too_long(self.max_bytes)}")
        return data

    def read(self, source: Source) -> bytes | None:
        """The bytes of a file, decompressed; None, and an entry in `failed`, where that cannot be done."""
        try:
            return self.data(source)
        except ReaderError as error:
            self.fail(source.id, str(error))
            return None


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class DocumentFileReader(FileReader):
    """A reader of files that hold one document each: whoever has a file's handle can read it."""

    def document(self, source: Source) -> Cas:
        """The document of a file. Raises ReaderError that names the file."""
        raise TypeError(f"{type(self).__name__} must define document")

    def load(self, handle: Source) -> Cas:
        if handle.fault:
            kind = DuplicateError if handle.twice else ReaderError
            raise kind(f"{handle.path}: {handle.fault}")
        return self.document(handle)

    def handles(self) -> Iterator[Handle] | None:
        """None where files lie in archives, which are read from front to back."""
        if any(MARK in source.path for source in self.sources()):
            return None
        return (Handle(source.id, source) for source in self.sources())

    def __iter__(self) -> Iterator[Cas]:
        for source in self.sources():
            try:
                cas = self.load(source)
            except ReaderError as error:
                self.failed.append((source.id, error))
            else:
                yield cas

    def __len__(self) -> int:
        return len(self.sources())


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class StreamReader(FileReader):
    """A reader of files that hold many documents each, read one after the other."""

    def __iter__(self) -> Iterator[Cas]:
        seen = Digests()
        for source in self.readable():
            try:
                with opened(source.path) as file:
                    yield from self._file(file, source, seen)
            except ReaderError as error:
                self.fail(source.id, str(error))

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        """The documents of a file. `seen` holds the ids of all before them. Raises ReaderError where it cannot go on."""
        raise TypeError(f"{type(self).__name__} must define _file")


def bounded(file: IO[bytes], limit: int) -> bytes:
    """What is left of a file; where that is more than the limit, a byte more than it. In pieces, since Python sets aside memory
    for all that it is asked for."""
    pieces: list[bytes] = []
    left = limit + 1
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def exists(path: str | Path) -> bool:
    """Whether there is a file of that path, on the disk or, as in `corpus.zip!/ward/a.txt`, in an archive."""
    place = split(path)
    if place is None or not place[1]:
        return Path(path).exists()
    try:
        return has_member(str(path))
    except ReaderError:
        return False


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file open for reading bytes, decompressed where its name ends in .gz. Errors, also later ones, are ReaderErrors.

    `corpus.zip!/ward/a.txt` is a member of an archive.
    """
    fault = ""
    place = split(path)
    inside = place is not None and place[1] != ""
    try:
        with opened_member(*place) if place is not None and inside else _opened(path) as raw:
            if path.endswith(".gz"):
                if not cast(io.BufferedReader, raw).peek(1):  # Python takes no bytes at all for packed nothing
                    raise EOFError
                with gzip.open(raw, "rb") as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield raw
    except DAMAGES as error:  # their messages can quote bytes of the file
        if isinstance(error, OSError) and error.errno is not None:
            fault = f"cannot read: {error.strerror or type(error).__name__}"
        elif inside:
            fault = "its data in the archive are damaged or cut off"
        elif isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
            fault = f"cannot read: {type(error).__name__}"
        else:
            fault = "the gzip data are damaged or cut off"
    if fault:
        raise ReaderError(f"{path}: {fault}")


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise ReaderError(f"{path}: expected a regular file, found another kind")
    with Path(path).open("rb") as raw:
        yield raw


def too_long(limit: int) -> str:
    """What is said of a document beyond `max_bytes`."""
    return f"longer than max_bytes ({limit:,} bytes)"
