"""The outline of a pattern: the same pattern over letters, digits and signs, which stand for all letters and digits.

Patterns of numbers differ in the digits and letters that they allow, and a combined pass over them has a state for each
combination. Their outlines have few classes of characters, so that many of them share a pass with few states.
"""

from __future__ import annotations

import re
from functools import cache

from ...pipeline.storage.lazy_regex import lazy_regex
from .syntax import CHARACTER_CLASS, re2_options

LETTER = r"[A-Za-z\x{17f}\x{212a}]"
"""A letter in any case; two letters beyond ASCII have the lower case `s` and `k`."""
DIGIT = "[0-9]"
_BEYOND_ASCII = r"\x{80}-\x{10ffff}"
_TOKEN = lazy_regex(
    r"(?P<group>\((?:\?(?:P?<\w+>|[a-zA-Z-]*:|[a-zA-Z-]+\)))?)|(?P<repeat>\{[0-9]+(?:,[0-9]*)?\})|(?P<unknown>\\[QpPC])"
    rf"|(?P<escape>\\x\{{[^{{}}]*\}}|\\.)|(?P<set>{CHARACTER_CLASS})|(?P<character>.)",
    re.DOTALL,
)
_REPEAT = r"(?:[?*+]|\{[0-9]+(?:,[0-9]*)?\})?"
_LETTERS = lazy_regex(rf"(?:{re.escape(LETTER)}{_REPEAT})+")
_MANDATORY = lazy_regex(rf"{re.escape(LETTER)}(?![?*]|\{{0)")
_ESCAPES = {r"\w": "[A-Za-z0-9_]", r"\W": "(?s:.)", r"\D": "(?s:.)", r"\S": "(?s:.)"}
_ASCII = "".join(map(chr, range(128)))


def outline(pattern: str) -> str:
    """Return a pattern that occurs in every text in which `pattern` occurs; the pattern itself if its syntax is unknown.

    `[A-Z]{2}-?0[1-9]{3}mg` becomes letters, perhaps a hyphen, four digits, letters.
    """
    parts: list[str] = []
    for token in _TOKEN.finditer(pattern):
        sort, text = token.lastgroup, token[0]
        if sort == "unknown":
            return pattern
        if sort == "set":
            text = _outline_of_set(text)
        elif sort == "escape":
            text = _ESCAPES.get(text, text)
        elif sort == "character" and text.isascii():
            text = LETTER if text.isalpha() else DIGIT if text.isdigit() else text
        parts.append(text)
    return _LETTERS.sub(_any_number, "".join(parts))


def _any_number(letters: re.Match[str]) -> str:
    return LETTER + ("+" if _MANDATORY.search(letters[0]) else "*")


@cache
def _outline_of_set(characters: str) -> str:
    """Return a character class with all letters if the class has one, and all digits if it has one."""
    import re2

    members = re2.compile(characters, re2_options()).findall(_ASCII)
    letters, digits = any(map(str.isalpha, members)), any(map(str.isdigit, members))
    signs = "".join(rf"\x{ord(c):02x}" for c in members if not c.isalnum())
    beyond = not characters.isascii() or "\\" in characters or characters.startswith(("[^", "[[:^"))
    if letters and not (digits or signs or beyond):
        return LETTER
    return f"[{'0-9' * digits}{LETTER[1:-1] * letters}{signs}{_BEYOND_ASCII * beyond}]"
