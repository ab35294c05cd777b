"""The readings of a text: as written, and with escapes, entities and tags resolved."""

from __future__ import annotations

import bisect
import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from ...storage.lazy_regex import lazy_regex

_WRITTEN = lazy_regex(
    r"""\\u[0-9a-fA-F]{4} | \\["\\/bfnrt]                                        # JSON
      | &(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});         # XML and HTML
      | (?:%[0-9A-Fa-f]{2})+ | <[^<>]{0,1000}>                                   # addresses, tags
    """,
    re.VERBOSE,
)
_HINT = lazy_regex(r"[\\&%<]")
_TAG_IN_WORD = lazy_regex(r"(?<=[^\W\d_])(?:<[^<>]{0,1000}>)+(?=[^\W\d_])")
_JOINED = lazy_regex(f"(?P<joint>{_TAG_IN_WORD.pattern})|{_WRITTEN.pattern}", re.VERBOSE)


def readings(text: str) -> Iterator[tuple[str, Callable[[int], int]]]:
    """Yield a text as written, then with escapes, entities and tags resolved, each with a map to the offsets of the text."""
    yield text, lambda offset: offset
    if _HINT.search(text) is None:
        return
    if _WRITTEN.search(text):
        yield _resolved(text, _WRITTEN, _meaning)
    if "<" in text and _TAG_IN_WORD.search(text):
        yield _resolved(text, _JOINED, lambda m: "" if m["joint"] else _meaning(m))


def _resolved(
    text: str, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> tuple[str, Callable[[int], int]]:
    new, old, parts, length, at = [0], [0], list[str](), 0, 0
    for m in pattern.finditer(text):
        replacement = meaning(m)
        parts += (text[at : m.start()], replacement)
        length += m.start() - at + len(replacement)
        at = m.end()
        new.append(length)
        old.append(at)
    parts.append(text[at:])

    def to_old(offset: int) -> int:
        n = bisect.bisect_right(new, offset) - 1
        return old[n] + offset - new[n]

    return "".join(parts), to_old


def _meaning(match: re.Match[str]) -> str:
    """Return the characters that an escape, an entity or a tag stands for."""
    written = match.group()
    if written.startswith("\\u"):
        return chr(int(written[2:], 16))
    if written.startswith("\\"):
        return {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}.get(written[1], written[1])
    if written.startswith("&"):
        return html.unescape(written)
    return unquote(written) if written.startswith("%") else " "
