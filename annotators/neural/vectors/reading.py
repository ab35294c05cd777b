"""Functions that the readers of all formats use: they open files, detect formats, check and collect rows."""

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
"""Maximum length of a word in bytes."""
HEAD = 1 << 20
"""Number of bytes at the beginning from which the format is detected."""
FASTTEXT_MAGIC = struct.pack("<i", 793_712_314)
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*\n")
_PACKED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR", b"\x28\xb5\x2f\xfd": "zstd"}
_DAMAGES = (OSError, EOFError, zlib.error, struct.error)
_BLOCK = 1 << 19
"""Numbers that are converted to an array together."""
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d{2,}")


class DamagedVectors(Exception):
    """A fault in a file and its position, without content of the file."""


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
    """Returns the vector of an unknown word from its n-grams."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """The description in the file (caspipe's format)."""


@contextlib.contextmanager
def open_vectors(path: Path) -> Iterator[BinaryIO]:
    """Yield the opened file, decompressed if its content is gzipped. Errors in the context become ResourceError."""
    try:
        with path.open("rb") as raw:
            if raw.read(2) != b"\x1f\x8b":
                raw.seek(0)
                yield raw
                return
            raw.seek(0)
            with gzip.open(raw, "rb") as unpacked:
                yield cast(BinaryIO, unpacked)
    except DamagedVectors as error:
        raise ResourceError(f"vectors {path}: {error}") from None
    except _DAMAGES as error:
        if isinstance(error, OSError) and error.errno is not None:
            message = f"cannot read: {error.strerror}"
        else:
            message = "the gzip data are damaged or cut off"
        raise ResourceError(f"vectors {path}: {message}") from None


def detect_format(head: bytes) -> Format:
    """Return the format of a file with this beginning. Raises DamagedVectors for empty files and unsupported archives."""
    if not head.strip():
        raise DamagedVectors("the file is empty")
    if head.startswith(b"PK\x03\x04"):
        return "npz"
    if head.startswith(FASTTEXT_MAGIC):
        return "fasttext"
    for mark, name in _PACKED.items():
        if head.startswith(mark):
            raise DamagedVectors(f"packed with {name}: unpack it; only gzip is supported")
    header = _HEADER.match(head)
    if header is None:
        return "glove"
    return "word2vec binary" if _is_binary(head[header.end() :], int(header[2])) else "word2vec text"


def _is_binary(rest: bytes, dim: int) -> bool:
    """Return whether the rows after a word2vec header are binary."""
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
    """Return the numbers of words and dimensions in a word2vec header, and the offset of the rows. Raises DamagedVectors."""
    header = _HEADER.match(head)
    if header is None:
        raise DamagedVectors("line 1: expected the numbers of words and dimensions")
    check_dim(int(header[2]), "line 1")
    return int(header[1]), int(header[2]), header.end()


def check_dim(dim: int, where: str) -> None:
    """Raise DamagedVectors if a number of dimensions is out of range."""
    if not 0 < dim <= MOST_DIMENSIONS:
        raise DamagedVectors(f"{where}: expected 1 to {MOST_DIMENSIONS:,} dimensions, found {dim:,}")


class Rows:
    """Collects the rows of a file: selects, counts and checks them, and returns them as a matrix.

    Memory depends on the rows that were read, not on the header. `limit`: the maximum number of rows; `only`: the words to keep.
    """

    def __init__(self, dim: int, limit: int | None = None, only: Iterable[str] | None = None) -> None:
        self.dim = dim
        self.limit = limit
        self.only = None if only is None else lookup_spellings(only)
        self.read = 0
        """Number of rows that were read."""
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
        """Return whether `limit` rows were read."""
        return self.limit is not None and self.read >= self.limit

    def wants(self, raw: bytes, where: str) -> bool:
        """Count the next row and return whether its numbers are needed. If so, `add` or `add_block` must follow."""
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
        """Add the `dim` numbers of the latest word."""
        self._pending.extend(numbers)
        if len(self._pending) >= _BLOCK:
            self._pack()

    def add_block(self, block: Floats32) -> None:
        """Add the numbers of several words, one row each."""
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
            raise DamagedVectors(f"{self._places[int(np.argmin(good))]}: a number is infinite or NaN")
        del self._places[: len(block)]

    def content(self) -> Content:
        """Return the words and their matrix. Raise DamagedVectors without rows, and if many words are not UTF-8."""
        self._pack()
        if self.undecodable * 100 > self.read:
            raise DamagedVectors(
                f"{self._first_undecodable}: the word is not UTF-8, as in {self.undecodable:,} of "
                f"{self.read:,} rows: convert the file"
            )
        if not self.words and self.only is None:
            raise DamagedVectors("it contains no rows")
        matrix = np.empty((len(self.words), self.dim), dtype=np.float32)
        end = len(matrix)
        while self._blocks:  # each is freed once it is copied
            block = self._blocks.pop()
            matrix[end - len(block) : end] = block
            end -= len(block)
        return Content(self.words, matrix, self.duplicates, self.undecodable)


def lookup_spellings(forms: Iterable[str]) -> frozenset[str]:
    """Return all spellings that a lookup of these forms may try."""
    return frozenset(word for form in forms for word in spellings(form, "0#"))


def spellings(form: str, marks: str) -> Iterator[str]:
    """Yield the spellings to look up for a form, in order: unchanged, in lower case, with digits replaced by each of `marks`.

    With `#`, single digits are kept (`9`, `##`), as in the vectors of Google News.
    """
    lower = form.lower()
    yield form
    if lower != form:
        yield lower
    if marks and _DIGIT.search(form):
        for mark in marks:
            for variant in (form, lower) if lower != form else (form,):
                yield zero_digits(variant) if mark == "0" else _DIGITS.sub(lambda run: "#" * len(run[0]), variant)


def zero_digits(form: str) -> str:
    """Return a form with every decimal digit of any script replaced by 0."""
    return _DIGIT.sub("0", form)
