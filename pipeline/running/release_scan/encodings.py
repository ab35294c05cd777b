"""The text of a file in pieces, in UTF-8 and in the other encodings that its bytes may have."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from ...storage.lazy_regex import lazy_regex

CHUNK = 1 << 20
"""Bytes that are read at once."""
_OVERLAP = 2_000
"""Code points, or bytes, of a chunk that the next one repeats, so that no value is divided."""
_WHITE = lazy_regex(r"\s")
_WHITE_BYTE = re.compile(rb"[ \t\r\n]")
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the next one
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF32_BE, "utf-32"),
)
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_UNIT = {"utf-16": 2, "utf-16-le": 2, "utf-16-be": 2, "utf-32": 4, "utf-32-le": 4, "utf-32-be": 4}
_REPLACED = "\ufffd"
_C1 = {n: char for n in range(0x80, 0xA0) if (char := bytes([n]).decode("cp1252", "ignore"))}


class Piece(NamedTuple):
    """A part of a file: its text, its first byte in the file or member, and the member, or an empty string."""

    text: str
    begin: int
    member: str
    encoding: str = "utf-8"


def western(data: bytes) -> str:
    """Return the text of bytes in Windows-1252, and in ISO 8859-1 for the bytes that it leaves open: one character for each."""
    return data.decode("latin-1").translate(_C1)


def text_pieces(
    file: IO[bytes], member: str = "", length: int | None = None, begin: int | None = None
) -> Iterator[Piece]:
    """Yield the text of a file in pieces that overlap, from its current offset on, at most `length` bytes. `begin`: the offset of
    its first byte, if that is not where the file is.

    The text is read as UTF-8, or as what a byte order mark says. A piece that is not UTF-8 is read again as Windows-1252,
    one with NUL bytes as UTF-16 and UTF-32.
    """
    begin = begin if begin is not None else file.tell() if length is not None else 0
    encoding, carried, decoder, before = "", "", None, b""
    offset = begin
    while True:
        data = file.read(CHUNK if length is None else min(CHUNK, length)) if length != 0 else b""
        if decoder is None:
            encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
            decoder = codecs.getincrementaldecoder(encoding)("replace")
        length = None if length is None else length - len(data)
        new = decoder.decode(data, not data)
        if not data and not new:
            return
        text = carried + new
        yield Piece(text, offset - byte_length(carried, encoding), member, encoding)
        if encoding == "utf-8":
            yield from _read_again(before + data, offset - len(before), begin, member, not_utf8=_REPLACED in text)
        if not data:
            return
        offset += len(data)
        carried, before = _end(text), _end_of_bytes(before + data)


def _read_again(data: bytes, offset: int, begin: int, member: str, *, not_utf8: bool) -> Iterator[Piece]:
    if not_utf8:
        yield Piece(western(data), offset, member, "latin-1")
    for encoding in _WIDE if b"\0" in data else ():
        skipped = -(offset - begin) % _UNIT[encoding]  # characters begin at multiples of the unit
        yield Piece(data[skipped:].decode(encoding, "replace"), offset + skipped, member, encoding)


def byte_length(text: str, encoding: str = "utf-8") -> int:
    """Return the length of a text in bytes, without a byte order mark."""
    if encoding == "latin-1":
        return len(text)
    encoding = f"{encoding}-le" if encoding in ("utf-16", "utf-32") else encoding
    return len(text.encode(encoding, "surrogatepass"))


def _end(text: str) -> str:
    """Return the end of a chunk from the first white space in it, so that it does not begin inside a word."""
    tail = text[-_OVERLAP:]
    white = _WHITE.search(tail)
    return tail[white.start() :] if white else tail


def _end_of_bytes(data: bytes) -> bytes:
    tail = data[-_OVERLAP:]
    white = _WHITE_BYTE.search(tail)
    return tail[white.start() :] if white else tail
