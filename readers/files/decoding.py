"""Decode bytes by a fixed rule: byte-order mark, else UTF-8, else Windows-1252."""

from __future__ import annotations

import codecs

from ...pipeline.errors import ReaderError

AUTO = "auto"
FALLBACK = "cp1252"

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

UNMARKED = "it looks like {} without a byte-order mark: say the encoding"

_WIDE = ("utf-32-le", "utf-16-le", "utf-16-be", "utf-32-be")
_FEWEST = 16
"""Minimum number of bytes for a guess."""


def check_encoding(encoding: str) -> None:
    """Raise ValueError for a name that is neither `auto` nor one of Python's text encodings."""
    if encoding != AUTO:
        try:
            " ".encode(encoding)
        except LookupError:
            raise ValueError(f"encoding: expected auto or the name of a text encoding, got {encoding!r}") from None


def decode(data: bytes, encoding: str = AUTO) -> tuple[str, str]:
    """Return the text, without a byte-order mark and with its newlines unchanged, and its encoding.

    `auto`: the encoding of a byte-order mark; else UTF-8; else Windows-1252. Raises ReaderError with the offset of the first
    invalid byte if the data are not in the encoding: no byte is replaced or left out. Also raises it for data that look like
    UTF-16 or UTF-32 without a mark: most of these are valid UTF-8, with a NUL between letters, in which no annotator would
    detect a name.
    """
    if encoding != AUTO:
        text, fault = _strict(data, encoding)
        if text is None:
            raise ReaderError(f"expected {encoding}, found a byte that is not at byte {fault}")
        return text.removeprefix("\ufeff") if codecs.lookup(encoding).name.startswith("utf") else text, encoding
    marked = mark(data)
    if marked:
        text, fault = _strict(data, marked)
        if text is None:
            raise ReaderError(
                f"expected {marked}, as the byte-order mark says, found a byte that is not at byte {fault}"
            )
        return text.removeprefix("\ufeff"), marked
    if wide := unmarked(data):
        raise ReaderError(UNMARKED.format(wide))
    text, fault = _strict(data, "utf-8")
    if text is not None:
        return text, "utf-8"
    text, second = _strict(data, FALLBACK)
    if text is None:
        raise ReaderError(f"neither UTF-8 (from byte {fault} on) nor Windows-1252 (byte {second}): say the encoding")
    return text, FALLBACK


def mark(data: bytes) -> str:
    """Return the encoding of a byte-order mark at the beginning; empty if there is none."""
    return next((name for bom, name in _MARKS if data.startswith(bom)), "")


def unmarked(data: bytes) -> str:
    """Return UTF-16 or UTF-32, in a byte order, if data without a byte-order mark seem to be in it; else an empty string."""
    if len(data) < _FEWEST or data.count(0) * 4 < len(data):
        return ""
    little = data[1::2].count(0) >= data[::2].count(0)  # the upper byte of a letter is the one that is 0
    for codec in _WIDE if little else _WIDE[::-1]:
        text = data[: len(data) // 4 * 4].decode(codec, "replace")  # the data may be cut off or damaged
        if (text.count("\0") + text.count("\ufffd")) * 8 <= len(text):
            return codec
    return ""


def _strict(data: bytes, encoding: str) -> tuple[str | None, int]:
    """Return the text, or None and the offset of the first invalid byte. The codec's own error would contain the document."""
    try:
        return data.decode(encoding), 0
    except UnicodeDecodeError as error:
        return None, error.start
    except UnicodeError:  # some codecs give no offset
        return None, 0
