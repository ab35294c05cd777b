"""The binary format of word2vec: a header line, then words, each with a blank and its numbers as 32-bit floats."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from .reading import LONGEST_WORD, Content, Damaged, Rows, header_of
from .text_format import check_count

_CHUNK = 1 << 20


def read_binary(file: BinaryIO, head: bytes, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read the format of word2vec's C program (`-binary 1`), little-endian, with or without line ends between rows.

    Raises Damaged.
    """
    expected, dim, start = header_of(head)
    rows = Rows(dim, limit, only)
    file.seek(start)
    width, data, at = 4 * dim, b"", 0
    kept: list[bytes] = []
    while not rows.full and rows.read < expected:
        if len(data) - at < width + LONGEST_WORD + 2:
            data, at = data[at:] + file.read(max(_CHUNK, 2 * width)), 0
        where = f"row {rows.read + 1:,} of {expected:,}"
        while data[at : at + 1] == b"\n":
            at += 1
        if at >= len(data):
            break
        blank = data.find(b" ", at, at + LONGEST_WORD + 1)
        if blank < 0 and len(data) - at > LONGEST_WORD:
            raise Damaged(f"{where}: no blank ends its word: damaged")
        if blank < 0 or blank + 1 + width > len(data):
            raise Damaged(f"{where}: the file ends in it: cut off")
        if rows.wants(data[at:blank], where):
            kept.append(data[blank + 1 : blank + 1 + width])
            if len(kept) * width >= _CHUNK:
                _pack(rows, kept)
        at = blank + 1 + width
    _pack(rows, kept)
    check_count(rows, expected)
    if not rows.full and (data[at:].strip() or file.read(64).strip()):
        raise Damaged(f"the header says {expected:,} words, but more follows: damaged")
    return rows.content()


def _pack(rows: Rows, kept: list[bytes]) -> None:
    if kept:
        rows.add_block(np.frombuffer(b"".join(kept), dtype="<f4").astype(np.float32).reshape(-1, rows.dim))
        kept.clear()
