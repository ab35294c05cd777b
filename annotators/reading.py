"""A text as the rules read it: every blank a space, lines wrapped inside a sentence joined; offsets are those of the text."""

from __future__ import annotations

from functools import lru_cache

from ..pipeline.storage.lazy_regex import lazy_regex

_BLANKS = dict.fromkeys([0xA0, 0x1680, 0x180E, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF], " ")
"""Unicode blanks: no-break, thin, narrow, figure, ideographic, zero-width and others."""
_CONFUSED = lazy_regex(r"[lIO](?:(?<=[\d/-].)[\d/-]|(?<=[\d/-][lO])\b|(?<=\b[lO])\d)")
"""`1l/`, `/O9`; it begins with the letter and not with what is before it, because `re` looks for a first character quickly."""
_DIGIT = lazy_regex(r"\d")
_DIGITS = str.maketrans("lIO", "110")
_SCANNED = lazy_regex(
    r"(?<![\w/-])[\dlIO]{1,2}[ ]?(?P<s>[/-])[ ]?[\dlIO]{1,2}[ ]?(?P=s)[ ]?[\dlIO]{2,4}(?![\w/-])"
    r"|(?<![\w/-])[\dlO]{4}-[\dlO]{1,2}-[\dlO]{1,2}(?!\w)"
    r"|(?<![\w/])[lO1-3]?[\dlO][ ]?/[ ]?(?:[lO1-3][\dlO]|\d)(?![\w/])|(?<!\w)[12l][09O][\dlO]{2}(?![\w.])"
)
"""Dates in a scanned text, in which letters stand for the digits one and zero: `O9/l4/25`."""
_LINE_END = lazy_regex(r"\n[ \t]?(?=([a-z])|\d)")
_BEFORE_WRAP = frozenset("abcdefghijklmnopqrstuvwxyz0123456789,")
"""Characters after which a line can have been wrapped."""
_LEADING = lazy_regex(r"[ \t](?:on|in|of|at|to|by|the|and|was|is|for|aged?|since|until|dated|from)[ \t\r]*\Z")
"""Words that do not end a line before a number, unless the line is wrapped."""
_RUNNING = 40
"""Minimum length of a line, in code points, that can have been wrapped inside a sentence."""


@lru_cache(1)  # dates and ages read the same text
def as_read(text: str) -> str:
    """Return the text with a space for each Unicode blank and for each line break inside a running sentence.

    The result has the same length, so that its offsets are offsets of the text.
    """
    if _CONFUSED.search(text):
        text = _SCANNED.sub(lambda m: m[0].translate(_DIGITS) if _DIGIT.search(m[0]) else m[0], text)
    if not text.isascii():
        text = text.translate(_BLANKS)
    return _unwrapped(text)


def _unwrapped(text: str) -> str:
    """Return the text with spaces for the line breaks in a sentence, each with at most one blank before and after it."""
    parts: list[str] = []
    done = 0
    for line_end in _LINE_END.finditer(text):
        begin, end = line_end.span()
        if text[begin - 1 : begin] == "\r":
            begin -= 1
        if text[begin - 1 : begin] in (" ", "\t"):
            begin -= 1
        if text[begin - 1 : begin] not in _BEFORE_WRAP or begin - text.rfind("\n", 0, begin) <= _RUNNING:
            continue
        if line_end[1] or _LEADING.search(text, begin - 12, begin):
            parts += (text[done:begin], " " * (end - begin))
            done = end
    return "".join((*parts, text[done:])) if parts else text
