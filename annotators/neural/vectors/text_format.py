"""GloVe, word2vec and fastText as text: a word and its numbers a line, the first two forms of one and the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from .reading import HEAD, LONGEST_WORD, NUMBER, Content, Damaged, Rows, check_dim, header_of

LONGEST_LINE = 1 << 20
"""Bytes."""
_SAMPLE = 100
"""Lines that tell how many numbers a line has."""
_MARK = b"\xef\xbb\xbf"


def read_glove(file: BinaryIO, head: bytes, limit: int | None, only: frozenset[str] | None) -> Content:
    """Lines without a header (Pennington, Socher and Manning 2014, EMNLP). Most lines say how many numbers there are, 2 at least.

    Words may hold blanks (`. . .` in the vectors of 840 billion tokens). Raises Damaged.
    """
    rows = Rows(_dim_of(head), limit, only)
    _fill(rows, _lines(file, 1))
    return rows.content()


def read_word2vec(file: BinaryIO, head: bytes, limit: int | None, only: frozenset[str] | None) -> Content:
    """Lines after a header, as word2vec and fastText (`.vec`) write them. Raises Damaged."""
    expected, dim, start = header_of(head)
    rows = Rows(dim, limit, only)
    file.seek(start)
    _fill(rows, _lines(file, 2))
    check_count(rows, expected)
    return rows.content()


def check_count(rows: Rows, expected: int) -> None:
    """Check the number of rows in a header. Raises Damaged if the file has another number."""
    if rows.read < expected and not rows.full:
        raise Damaged(f"the header says {expected:,} words, the file ends after {rows.read:,}: cut off")
    if rows.read > expected:
        raise Damaged(f"the header says {expected:,} words, but more rows follow: damaged")


def _dim_of(head: bytes) -> int:
    lines = head.removeprefix(_MARK).split(b"\n")
    if len(head) >= HEAD:
        lines.pop()  # perhaps cut off
    counts = Counter(_numbers(line.split()[1:]) for line in lines[:_SAMPLE] if line.strip())
    dim = min(counts, key=lambda n: (-counts[n], n), default=0)
    if dim < 2:  # lines of prose may end in a number
        raise Damaged(
            "line 1: expected a word and its numbers; word vectors are read from GloVe, word2vec, fastText and caspipe"
        )
    check_dim(dim, "line 1")
    return dim


def _numbers(parts: list[bytes]) -> int:
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
            raise Damaged(f"line {number:,}: longer than {LONGEST_LINE:,} bytes: these are not word vectors")
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
        if len(parts) != dim + 1:
            raise Damaged(f"line {number:,}: {_expected(dim)}, found {_numbers(line.split()[1:])}")
        word = parts[0].strip()
        if b" " in word and _is_number(word.rsplit(None, 1)[-1]):
            raise Damaged(f"line {number:,}: {_expected(dim)}, found {_numbers(line.split()[1:])}")
        if len(word) > LONGEST_WORD:
            raise Damaged(
                f"line {number:,}: its word is longer than {LONGEST_WORD:,} bytes: these are not word vectors"
            )
        if not rows.wants(word, f"line {number:,}"):
            continue
        try:
            numbers = list(map(float, parts[1:]))
        except ValueError:
            numbers = []
        if not numbers or (b"_" in line and not all(map(_is_number, parts[1:]))):  # Python takes 1_0 for 10
            raise Damaged(f"line {number:,}: {_expected(dim)}, found {_numbers(line.split()[1:])}")
        rows.add(numbers)


def _expected(dim: int) -> str:
    return f"expected a word and {dim} numbers"
