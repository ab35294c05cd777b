"""The binary format of word2vec: a header line, then for each word its bytes, a space and 32-bit floats."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from .reading import LONGEST_WORD, Content, DamagedVectors, Rows, header_of
from .text_format import check_count

_CHUNK = 1 << 20


def read_binary(file: BinaryIO, head: bytes, limit: int | None, only: frozenset[str] | None) -> Content:
    """Read the little-endian format of the original program (`-binary 1`), with or without line ends between rows.

    Raises DamagedVectors.
    """
    expected, dim, start = header_of(head)
    rows = Rows(dim, limit, only)
    file.seek(start)
    width, data, offset = 4 * dim, b"", 0
    kept: list[bytes] = []
    while not rows.full and rows.read < expected:
        if len(data) - offset < width + LONGEST_WORD + 2:
            data, offset = data[offset:] + file.read(max(_CHUNK, 2 * width)), 0
        where = f"row {rows.read + 1:,} of {expected:,}"
        while data[offset : offset + 1] == b"\n":
            offset += 1
        if offset >= len(data):
            break
        space = data.find(b" ", offset, offset + LONGEST_WORD + 1)
        if space < 0 and len(data) - offset > LONGEST_WORD:
            raise DamagedVectors(f"{where}: no space after its word: damaged")
        if space < 0 or space + 1 + width > len(data):
            raise DamagedVectors(f"{where}: the file ends in it: cut off")
        if rows.wants(data[offset:space], where):
            kept.append(data[space + 1 : space + 1 + width])
            if len(kept) * width >= _CHUNK:
                _pack(rows, kept)
        offset = space + 1 + width
    _pack(rows, kept)
    check_count(rows, expected)
    if not rows.full and (data[offset:].strip() or file.read(64).strip()):
        raise DamagedVectors(f"the header states {expected:,} words, but more data follow: damaged")
    return rows.content()


def _pack(rows: Rows, kept: list[bytes]) -> None:
    if kept:
        rows.add_block(np.frombuffer(b"".join(kept), dtype="<f4").astype(np.float32).reshape(-1, rows.dim))
        kept.clear()
