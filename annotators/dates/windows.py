"""Patterns for the text just before and just after a hit, made from word lists; and text that google-re2 can read."""

from __future__ import annotations

import re

BEFORE = 48
AFTER = 32
"""How far the guards look, in code points."""


_SURROGATES = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with each lone surrogate replaced, one code point for one: google-re2 reads UTF-8."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def any_of(*lists: str) -> str:
    """One alternative for each word of the lists; a word is a pattern, with `_` for a blank."""
    return "(?:" + "|".join(word.replace("_", "[ ]") for words in lists for word in words.split()) + ")"


def before(pattern: str) -> re.Pattern[str]:
    """Matches text that ends where the hit begins."""
    return re.compile(rf"(?:{pattern})\Z", re.IGNORECASE)


def after(pattern: str) -> re.Pattern[str]:
    """Matches text that begins where the hit ends."""
    return re.compile(pattern, re.IGNORECASE)


def anywhere(pattern: str) -> re.Pattern[str]:
    """Matches whole words anywhere in a window."""
    return re.compile(rf"\b{pattern}\b", re.IGNORECASE)
