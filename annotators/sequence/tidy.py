"""Normalization of text for names of attributes: short, composed, without control characters."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 64
"""Code points of a value at most. Longer forms are cut: a key, an encoded file or a glued table is not a word."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def tidy(text: str) -> str:
    """Return the first 64 code points in normal form C; control characters, line ends and lone surrogates become U+FFFD.

    Composed and decomposed spellings of a word give one value, and CRFsuite, which reads UTF-8 up to the first NUL,
    can hold every value.
    """
    text = text[:LONGEST]
    if text.isascii():
        return text if text.isprintable() else _CONTROL.sub("\ufffd", text)
    text = unicodedata.normalize("NFC", text)[:LONGEST]
    return text if text.isprintable() else _CONTROL.sub("\ufffd", text)


def label(name: str, *details: str) -> str:
    """How a feature with other than default parameters is called in attributes: `suffix:4:lower`. Never with a `=` in it."""
    return tidy(":".join((name, *(d for d in details if d)))).replace("=", "_")
