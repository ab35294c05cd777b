"""Shared by the readers of all formats: opening a file, detecting its format, checking and collecting rows."""

from __future__ import annotations

import contextlib
import gzip
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import numpy as np
import numpy.typing as npt

from ....pipeline.errors import ResourceError

Floats32 = npt.NDArray[np.float32]
Format = Literal["npz", "fasttext", "word2vec binary", "word2vec text", "glove"]

MOST_DIMENSIONS = 10_000
LONGEST_WORD = 4_096
"""Bytes."""
HEAD = 1 << 20
"""Bytes at the beginning that tell the format."""
FASTTEXT_MAGIC = struct.pack("<i", 793_712_314)
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*\n")
_PACKED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR", b"\x28\xb5\x2f\xfd": "zstd"}
_DAMAGES = (OSError, EOFError, zlib.error, struct.error)
_BLOCK = 1 << 19
"""Numbers that are turned into an array at once."""
_DIGIT = re.compile(r"\d")


class Damaged(Exception):
    """A fault of a file and its place; never a quotation of the file."""


@dataclass(slots=True)
class Content:
    """The content of a file: words, one row of `matrix` (n, dim) for each, and its description."""

    words: list[str]
    matrix: Floats32
    duplicates: int = 0
    """Rows left out because an earlier row has their word."""
    undecodable: int = 0
    """Rows left out because their word is not UTF-8."""
    compose: Callable[[str], Floats32 | None] | None = None
    """The vector of an unknown word, made of its parts."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """The description in the file (our own format)."""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Yield a file for reading bytes, unpacked if it is gzipped (by content). Every error in it is a ResourceError."""
    try:
        with path.open("rb") as raw:
            if raw.read(2) != b"\x1f\x8b":
                raw.seek(0)
                yield raw
                return
            raw.seek(0)
            with gzip.open(raw, "rb") as unpacked:
                yield cast(BinaryIO, unpacked)
    except Damaged as error:
        raise ResourceError(f"vectors {path}: {error}") from None
    except _DAMAGES as error:
        if isinstance(error, OSError) and error.errno is not None:
            message = f"cannot read: {error.strerror}"
        else:
            message = "the gzip data are damaged or cut off"
        raise ResourceError(f"vectors {path}: {message}") from None


def detect_format(head: bytes) -> Format:
    """Return the format of a file with this beginning. Raises Damaged for an empty file and for archives."""
    if not head.strip():
        raise Damaged("the file is empty")
    if head.startswith(b"PK\x03\x04"):
        return "npz"
    if head.startswith(FASTTEXT_MAGIC):
        return "fasttext"
    for mark, name in _PACKED.items():
        if head.startswith(mark):
            raise Damaged(f"packed with {name}: unpack it; only gzip is read as it is")
    header = _HEADER.match(head)
    if header is None:
        return "glove"
    return "word2vec binary" if _is_binary(head[header.end() :], int(header[2])) else "word2vec text"


def _is_binary(rest: bytes, dim: int) -> bool:
    """Return whether the rows after a header of word2vec are binary."""
    parts = rest[: rest.find(b"\n") if b"\n" in rest else len(rest)].split()
    if 0 < dim < len(parts) and all(map(NUMBER.fullmatch, parts[-dim:])):
        return False
    rest = rest[:65_536]
    if re.search(rb"[\x00-\x08\x0e-\x1f]", rest):
        return True
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start < len(rest) - 4
    return False


def header_of(head: bytes) -> tuple[int, int, int]:
    """Return words and dimensions that the first line of word2vec gives, and where the rows begin. Raises Damaged."""
    header = _HEADER.match(head)
    if header is None:
        raise Damaged("line 1: expected the number of words and that of dimensions")
    check_dim(int(header[2]), "line 1")
    return int(header[1]), int(header[2]), header.end()


def check_dim(dim: int, where: str) -> None:
    """Check that a number of dimensions is possible. Raises Damaged if it is not."""
    if not 0 < dim <= MOST_DIMENSIONS:
        raise Damaged(f"{where}: expected 1 to {MOST_DIMENSIONS:,} dimensions, found {dim:,}")


class Rows:
    """Collects the rows of a file: chooses, counts and checks them, and makes one matrix at the end.

    The matrix grows with what was read, never by what a header says. `limit`: rows to read at most; `only`: keep
    these words alone.
    """

    def __init__(self, dim: int, limit: int | None = None, only: Iterable[str] | None = None) -> None:
        self.dim = dim
        self.limit = limit
        self.only = None if only is None else reachable(only)
        self.read = 0
        """Rows read."""
        self.words: list[str] = []
        self.duplicates = 0
        self.undecodable = 0
        self._first_undecodable = ""
        self._seen: set[str] = set()
        self._pending: list[float] = []
        self._places: list[str] = []
        self._blocks: list[Floats32] = []

    @property
    def full(self) -> bool:
        """Return whether `limit` rows were read or all wanted words were found."""
        return self.limit is not None and self.read >= self.limit

    def wants(self, raw: bytes, where: str) -> bool:
        """Take the word of the next row in and says whether its numbers are wanted; if so, `add` must follow."""
        self.read += 1
        try:
            word = raw.decode("utf-8")
        except UnicodeDecodeError:
            self._first_undecodable = self._first_undecodable or where
            self.undecodable += 1
            return False
        if self.only is not None and word not in self.only:
            return False
        if word in self._seen:
            self.duplicates += 1
            return False
        self._seen.add(word)
        self.words.append(word)
        self._places.append(where)
        return True

    def add(self, numbers: Iterable[float]) -> None:
        """The numbers of the word taken in last, `dim` of them."""
        self._pending.extend(numbers)
        if len(self._pending) >= _BLOCK:
            self._pack()

    def add_block(self, block: Floats32) -> None:
        """Numbers of words taken in, one row each."""
        self._check(block)
        self._blocks.append(block)

    def _pack(self) -> None:
        if self._pending:
            with np.errstate(over="ignore"):  # numbers too large for 32 bits become infinite, which is reported
                block = np.array(self._pending, dtype=np.float32).reshape(-1, self.dim)
            self._pending = []
            self.add_block(block)

    def _check(self, block: Floats32) -> None:
        good = np.isfinite(block).all(axis=1)
        if not good.all():
            raise Damaged(f"{self._places[int(np.argmin(good))]}: a number is infinite or none (NaN)")
        del self._places[: len(block)]

    def content(self) -> Content:
        """Return the words and their matrix. Raise Damaged if there are none, or if the file is in another encoding."""
        self._pack()
        if self.undecodable * 100 > self.read:
            raise Damaged(
                f"{self._first_undecodable}: the word is not UTF-8, nor are those of {self.undecodable:,} of "
                f"{self.read:,} rows: convert the file"
            )
        if not self.words and self.only is None:
            raise Damaged("it holds no rows")
        matrix = np.empty((len(self.words), self.dim), dtype=np.float32)
        end = len(matrix)
        while self._blocks:  # each is freed once it is copied
            block = self._blocks.pop()
            matrix[end - len(block) : end] = block
            end -= len(block)
        return Content(self.words, matrix, self.duplicates, self.undecodable)


def reachable(forms: Iterable[str]) -> frozenset[str]:
    """Return the words that looking up these forms may end at: as they are, in lower case, with their digits replaced."""
    return frozenset(word for form in forms for word in spellings(form, "0#"))


def spellings(form: str, marks: str) -> Iterator[str]:
    """Yield the spellings that a form is looked up as, in order. `marks`: characters that replace digits in the words.

    With `#` single digits stay (`9`, `##`), as in the vectors of Google News.
    """
    lower = form.lower()
    yield form
    if lower != form:
        yield lower
    if marks and _DIGIT.search(form):
        for mark in marks:
            for each in (form, lower) if lower != form else (form,):
                yield zeroed(each) if mark == "0" else _RUN.sub(lambda run: "#" * len(run[0]), each)


_RUN = re.compile(r"\d{2,}")


def zeroed(form: str) -> str:
    """Return a form with every decimal digit, of any script, as 0."""
    return _DIGIT.sub("0", form)
