"""Escape text for XML attributes, and replace characters that XML 1.0 cannot express."""

from __future__ import annotations

import re

from ..errors import CasError

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 forbids, even as character references."""

_SPECIAL = re.compile('[&<>"\t\n\r\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]')
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
"""The ampersand comes first, since all others contain it."""

SUBSTITUTE = "\ufffd"


def substitute(character: str) -> str:
    """Return the substitute of a forbidden character: a space for white space (form feed ...), else U+FFFD."""
    return " " if character.isspace() else SUBSTITUTE


def replace_illegal(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Replace forbidden characters one for one. Return the text and (offset, code point) of each replaced character."""
    lost = [(m.start(), ord(m.group())) for m in ILLEGAL.finditer(text)]
    return (ILLEGAL.sub(lambda m: substitute(m.group()), text), lost) if lost else (text, lost)


def restore(text: str, lost: list[tuple[int, int]]) -> str:
    """Undo `replace_illegal` at the positions where the substitute is unchanged."""
    characters = list(text)
    for offset, code in lost:
        if 0 <= offset < len(characters) and characters[offset] == substitute(chr(code)):
            characters[offset] = chr(code)
    return "".join(characters)


class IllegalCharacterError(CasError):
    """A string contains a character that XML 1.0 cannot express, and the caller asked for an error."""


class Escaper(dict[str, str]):
    """A cache from strings to escaped attribute values, `escaper[text]`, for one document.

    `lossy` collects the strings that lost characters. Raises TypeError for anything but str.
    """

    __slots__ = ("lossy", "strict")

    def __init__(self, strict: bool = False) -> None:
        super().__init__()
        self.strict = strict
        self.lossy: set[str] = set()

    def __missing__(self, text: str) -> str:
        if not isinstance(text, str):
            raise TypeError(f"expected str, got {type(text).__name__}")
        escaped = text
        if _SPECIAL.search(text):
            if ILLEGAL.search(text):
                if self.strict:
                    raise IllegalCharacterError("a character that XML 1.0 cannot carry")
                self.lossy.add(text)
                escaped, _ = replace_illegal(text)
            for character, entity in _ENTITIES.items():  # `str.translate` is much slower over a whole text
                escaped = escaped.replace(character, entity)
        self[text] = escaped
        return escaped
