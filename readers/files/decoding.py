"""From bytes to text by a rule that is stated and never guesses twice: byte-order mark, UTF-8, Windows-1252."""

from __future__ import annotations

import codecs

from ...pipeline.errors import ReaderError

AUTO = "auto"
FALLBACK = "cp1252"

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

UNMARKED = "it looks like {} without a byte-order mark: say the encoding"

_WIDE = ("utf-32-le", "utf-16-le", "utf-16-be", "utf-32-be")
_FEW = 16
"""Bytes too few to tell."""


def check_encoding(encoding: str) -> None:
    """Raises ValueError for a name that is neither `auto` nor a text encoding Python knows."""
    if encoding != AUTO:
        try:
            " ".encode(encoding)
        except LookupError:
            raise ValueError(f"encoding: expected auto or the name of a text encoding, got {encoding!r}") from None


def decode(data: bytes, encoding: str = AUTO) -> tuple[str, str]:
    """The text, without a byte-order mark and with its newlines as they are, and the encoding it was in.

    `auto`: what a byte-order mark says; else UTF-8; else Windows-1252. Raises ReaderError, with the offset of the first
    byte that does not fit, where the data are not in the encoding: nothing is replaced or left out. So it does for what
    looks like UTF-16 or UTF-32 without a mark: most of that is UTF-8 too, with a NUL between any two letters, in which no
    finder would see a name.
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
    """The encoding a byte-order mark at the beginning stands for; empty where there is none."""
    return next((name for bom, name in _MARKS if data.startswith(bom)), "")


def unmarked(data: bytes) -> str:
    """The encoding of two or four bytes a character that data without a byte-order mark seem to be in; empty for none."""
    if len(data) < _FEW or data.count(0) * 4 < len(data):
        return ""
    little = data[1::2].count(0) >= data[::2].count(0)  # the upper byte of a letter is the one that is 0
    for codec in _WIDE if little else _WIDE[::-1]:
        text = data[: len(data) // 4 * 4].decode(codec, "replace")  # perhaps cut off, or damaged somewhere
        if (text.count("\0") + text.count("\ufffd")) * 8 <= len(text):
            return codec
    return ""


def _strict(data: bytes, encoding: str) -> tuple[str | None, int]:
    """The text, or None and the offset of the first faulty byte. The codec's own error would carry the whole document."""
    try:
        return data.decode(encoding), 0
    except UnicodeDecodeError as error:
        return None, error.start
    except UnicodeError:  # some codecs say no more
        return None, 0
