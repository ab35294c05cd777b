"""Interprets line ends for the sentence rules: a wrapped line continues; headings, fields and list items end a sentence."""

from __future__ import annotations

import re
from typing import Literal

from ...pipeline.storage.lazy_regex import lazy_regex

NewlineBreaks = Literal["auto", "line", "blank-line"]

NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"
BULLETS = "*•▪●◦‣∙■□➢►✓\uf0b7\uf0a7"
_NEWLINE = lazy_regex(r"\r\n|[\n\r\x0b\x85\u2028]")
_PARAGRAPH = lazy_regex(r"[\x0c\u2029]")
_LIST_ITEM = lazy_regex(f"(?:[-–—#+>{re.escape(BULLETS)}]|\\(?(?:\\d{{1,3}}|[a-zA-Z]|[ivxIVX]{{1,4}})[.)])\\s")
_FIELD = lazy_regex(r"[^\W\d_][^\n\r:.?!]{0,40}:(?:\s|\Z)")
_HEADING = lazy_regex(r"[^\n\r]{3,60}(?=[\n\r]|\Z)")

_NARROWEST, _WIDEST = 60, 130  # code points; shorter lines are fields and lists, longer ones are whole paragraphs
_HALF_LINE = 40  # code points; a lower-case letter after a line of this length continues it


def wrap_width(text: str) -> int:
    """Return the width in code points at which lines are wrapped: the 9th decile of lines of 40 to 130; 0 for unwrapped text."""
    lengths = [n for n in map(len, text.splitlines()) if n]
    middle = sorted(n for n in lengths if _HALF_LINE <= n <= _WIDEST)
    if not middle or (sum(n > _WIDEST for n in lengths)) * 4 > len(lengths):
        return 0
    width = middle[(len(middle) - 1) * 9 // 10]
    return width if width >= _NARROWEST else 0


def ends_sentence(text: str, line: int, end: int, after: int, width: int, mode: NewlineBreaks) -> bool:
    """Return True if a sentence ends with the line `line:end`, where `end:after` is white space that begins with a line end.

    Blank lines, form feeds and paragraph separators always end one. Otherwise `line` ends one at each line end,
    `blank-line` at none, and `auto` wherever wrapping at `width` does not explain the line end.
    """
    space = text[end:after]
    if _PARAGRAPH.search(space) or (len(space) > 1 and len(_NEWLINE.findall(space)) > 1):
        return True
    if mode != "auto":
        return mode == "line"
    first, last, length = text[after], text[end - 1 : end], end - line
    if first in ",;:)" or (last == "," and not _FIELD.match(text, after)):
        return False
    if _LIST_ITEM.match(text, after):
        return True
    if first.islower() and length >= _HALF_LINE and last not in ".!?:":
        return False
    if first.isupper() and _FIELD.match(text, after):
        return True
    if width:
        word = text[after : after + width].split(None, 1)[0]
        if length + 1 + len(word) > width:
            heading = _HEADING.match(text, after)
            return bool(heading and heading[0].isupper() and not text[line:end].isupper())
    return True


def is_bullet(text: str, offset: int) -> bool:
    """Return True if the bullet character at `offset`, after white space, begins an item: `* 6pm:`, not `3 * 4` or `***`."""
    if text[offset] != "*":
        return True
    before = text[max(0, offset - 8) : offset].rstrip()[-1:]
    separate = text[offset + 1 : offset + 2].isspace() and text[offset + 2 : offset + 3].isalnum()
    return separate and not (before.isdigit() or before == "*")


def item_number(text: str, start: int, mark: int) -> tuple[int, int] | None:
    """Return offset and value of the number or letter before the `.` or `)` at `mark` if it can be that of a list item.

    White space must precede it, with no bracket open since `start`; `a` counts as 1.
    """
    if not text[mark - 1 : mark].isalnum():
        return None
    first = mark - 1
    while first > start and mark - first <= 3 and text[first - 1].isdigit():
        first -= 1
    label = text[first:mark]
    if first > start and not text[first - 1].isspace():
        return None
    if label.isdecimal():
        value = int(label)
    elif text[mark] == ")" and "a" <= label <= "z":
        value = ord(label) - ord("a") + 1
    else:
        return None
    return None if in_brackets(text, start, mark) else (first, value)


def in_brackets(text: str, start: int, offset: int) -> bool:
    """Return True if a round bracket that opened less than 80 code points before `offset`, but after `start`, is still open."""
    opened = text.rfind("(", max(start, offset - 80), offset)
    return opened >= 0 and text.find(")", opened, offset) < 0
