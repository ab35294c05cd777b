"""Small files of word vectors, written by hand, byte by byte where the format is binary."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

ROWS: dict[str, list[float]] = {"fever": [1.0, -0.5, 0.25], "émeute": [0.0, 2.5, -1.0], "mg": [1e-3, 3.0, 4.0]}
"""Words and numbers that 32-bit floats hold as they are, but for 1e-3."""

GLOVE = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in ROWS.items()).encode()
WORD2VEC = b"3 3\n" + GLOVE


def binary(rows: Mapping[str | bytes, Sequence[float]] = ROWS, *, line_ends: bool = True) -> bytes:  # type: ignore[assignment]
    """word2vec's binary format."""
    dim = len(next(iter(rows.values())))
    made = f"{len(rows)} {dim}\n".encode()
    for word, row in rows.items():
        made += (word if isinstance(word, bytes) else word.encode()) + b" " + struct.pack(f"<{dim}f", *row)
        made += b"\n" if line_ends else b""
    return made


def fnv(ngram: str) -> int:
    """fastText's hash of an n-gram, said another way than in the code under test."""
    hashed = 2166136261
    for signed in struct.unpack(f"{len(ngram.encode())}b", ngram.encode()):
        hashed = (hashed ^ (signed % 2**32)) * 16777619 % 2**32
    return hashed


def fasttext(
    words: Sequence[str | bytes],
    matrix: Sequence[Sequence[float]],
    *,
    bucket: int = 4,
    shortest: int = 2,
    longest: int = 3,
    labels: Sequence[str] = (),
    version: int = 12,
    model: int = 2,
    pruned: Sequence[tuple[int, int]] | None = None,
    quantised: bool = False,
    magic: int = 793712314,
    dim: int | None = None,
) -> bytes:
    """A model of fastText: header, arguments, dictionary, input matrix, output matrix."""
    width = dim if dim is not None else len(matrix[0])
    made = struct.pack("<ii", magic, version)
    made += struct.pack("<12i", width, 5, 5, 1, 5, 1, 2, model, bucket, shortest, longest, 100)
    made += struct.pack("<d", 1e-4)
    made += struct.pack(
        "<iiiqq", len(words) + len(labels), len(words), len(labels), 99, -1 if pruned is None else len(pruned)
    )
    for kind, entries in ((0, words), (1, labels)):
        for entry in entries:
            made += (entry if isinstance(entry, bytes) else entry.encode()) + b"\0" + struct.pack("<qb", 7, kind)
    for pair in pruned or ():
        made += struct.pack("<ii", *pair)
    made += struct.pack("<b", quantised) + struct.pack("<qq", len(matrix), len(matrix[0]))
    for row in matrix:
        made += struct.pack(f"<{len(row)}f", *row)
    made += struct.pack("<b", 0) + struct.pack("<qq", len(words), width) + b"\0" * 4 * width * len(words)
    return made
