"""The text formats of GloVe, word2vec and fastText: a word and its numbers on each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from .reading import HEAD, LONGEST_WORD, NUMBER, Content, DamagedVectors, Rows, check_dim, header_of

LONGEST_LINE = 1 << 20
"""Maximum length of a line in bytes."""
_SAMPLE = 100
"""Number of lines from which the number of dimensions is derived."""
_MARK = b"\xef\xbb\xbf"


def read_glove(file: BinaryIO, head: bytes, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read lines without a header (Pennington, Socher and Manning 2014, EMNLP), with at least 2 dimensions.

    Words may contain spaces (`. . .` in the vectors of 840 billion tokens). Raises DamagedVectors.
    """
    rows = Rows(_dim_of(head), limit, only)
    _fill(rows, _lines(file, 1))
    return rows.content()


def read_word2vec(file: BinaryIO, head: bytes, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read lines after a header, as word2vec and fastText (`.vec`) write them. Raises DamagedVectors."""
    expected, dim, start = header_of(head)
    rows = Rows(dim, limit, only)
    file.seek(start)
    _fill(rows, _lines(file, 2))
    check_count(rows, expected)
    return rows.content()


def check_count(rows: Rows, expected: int) -> None:
    """Raise DamagedVectors if the number of rows differs from the header."""
    if rows.read < expected and not rows.full:
        raise DamagedVectors(f"the header states {expected:,} words, the file ends after {rows.read:,}: cut off")
    if rows.read > expected:
        raise DamagedVectors(f"the header states {expected:,} words, but more rows follow: damaged")


def _dim_of(head: bytes) -> int:
    lines = head.removeprefix(_MARK).split(b"\n")
    if len(head) >= HEAD:
        lines.pop()  # may be incomplete
    counts = Counter(_count_numbers(line.split()[1:]) for line in lines[:_SAMPLE] if line.strip())
    dim = min(counts, key=lambda n: (-counts[n], n), default=0)
    if dim < 2:  # lines of text may end with a number
        raise DamagedVectors(
            "line 1: expected a word and its numbers; word vectors are read from GloVe, word2vec, fastText and caspipe"
        )
    check_dim(dim, "line 1")
    return dim


def _count_numbers(parts: list[bytes]) -> int:
    """Count the numbers at the end of a line."""
    n = 0
    while n < len(parts) and _is_number(parts[-1 - n]):
        n += 1
    return n


def _is_number(part: bytes) -> bool:
    return NUMBER.fullmatch(part) is not None or part.lower() in (b"nan", b"-nan", b"inf", b"-inf")


def _lines(file: BinaryIO, first: int) -> Iterator[tuple[int, bytes]]:
    number = first - 1
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise DamagedVectors(f"line {number:,}: longer than {LONGEST_LINE:,} bytes: these are not word vectors")
        if number == 1:
            line = line.removeprefix(_MARK)
        if line.strip():
            yield number, line


def _fill(rows: Rows, lines: Iterator[tuple[int, bytes]]) -> None:
    dim = rows.dim
    for number, line in lines:
        if rows.full:
            return
        parts = line.rsplit(None, dim)
        word = parts[0].strip()
        if len(parts) != dim + 1 or (b" " in word and _is_number(word.rsplit(None, 1)[-1])):
            raise _wrong_count(number, line, dim)
        if len(word) > LONGEST_WORD:
            raise DamagedVectors(
                f"line {number:,}: its word is longer than {LONGEST_WORD:,} bytes: these are not word vectors"
            )
        if not rows.wants(word, f"line {number:,}"):
            continue
        try:
            numbers = list(map(float, parts[1:]))
        except ValueError:
            numbers = []
        if not numbers or (b"_" in line and not all(map(_is_number, parts[1:]))):  # Python accepts 1_0 as 10
            raise _wrong_count(number, line, dim)
        rows.add(numbers)


def _wrong_count(number: int, line: bytes, dim: int) -> DamagedVectors:
    found = _count_numbers(line.split()[1:])
    return DamagedVectors(f"line {number:,}: expected a word and {dim} numbers, found {found}")
