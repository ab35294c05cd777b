"""Patterns for the text directly before and after an expression, built from word lists; and text that google-re2 can read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from ...pipeline.storage.lazy_regex import lazy_regex

BEFORE = 48
AFTER = 32
"""Size of the context of guards, in code points."""


_SURROGATES = lazy_regex("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """Return the text with each lone surrogate replaced, one code point for one, because google-re2 reads UTF-8."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def spans(pattern: Any, text: str) -> Iterator[tuple[int, int]]:
    """Yield the code points of every match of a google-re2 pattern. Searching bytes and counting here is several times as fast
    as its search in `str`."""
    if text.isascii():
        for match in pattern.finditer(text.encode()):
            yield match.span()
        return
    data = encodable(text).encode()
    done = code_points = 0
    for match in pattern.finditer(data):
        begin, end = match.span()
        first = code_points + len(data[done:begin].decode())
        done, code_points = end, first + len(data[begin:end].decode())
        yield first, code_points


def compile_linear(pattern: str, max_mem: int = 8 << 20, *, ignore_case: bool = True) -> Any:
    """Compile a pattern with google-re2, without groups. `max_mem`: bytes of its automaton. Raises re2.error."""
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.never_capture = True
    options.log_errors = False
    options.max_mem = max_mem
    return re2.compile(pattern, options)


def expand_lists(pattern: str) -> str:
    """Replace each word list of a pattern, `<<on since date_of>>`, by an alternation.

    A word is itself a pattern, with `_` for a space.
    """

    def alternation(words: re.Match[str]) -> str:
        return "(?:" + "|".join(word.replace("_", "[ ]") for word in words[1].split()) + ")"

    return re.sub("<<(.*?)>>", alternation, pattern, flags=re.DOTALL)


class Before:
    """A pattern for text that ends where the expression begins.

    google-re2 searches from the end of the window; `re` tries every offset, which takes ten times as long. The character
    classes of google-re2 are ASCII, so that `re` searches windows with other characters.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = expand_lists(pattern)

    def search(self, window: str) -> object | None:
        """Return a match if the window ends with the pattern, else None."""
        return self._quick(window.encode()) if window.isascii() else self.exact.search(window)

    @cached_property
    def exact(self) -> re.Pattern[str]:
        """The pattern for `re`."""
        return lazy_regex(rf"(?:{self._pattern})\Z", re.IGNORECASE)

    @cached_property
    def _quick(self) -> Callable[[bytes], object | None]:
        import re2

        # `(?<![...])` only begins alternatives here, so it may be a character that is part of the match
        pattern = _NOT_BEHIND.sub(r"(?:\\A|[^\1])", self._pattern)
        try:
            quick: Callable[[bytes], object | None] = compile_linear(rf"(?:{pattern})\z").search
        except re2.error:  # other look-arounds
            return lambda window: self.exact.search(window.decode())
        return quick


class Ending:
    """A pattern that ends with `\\Z`, without look-arounds other than `(?<=...)`, of which `re` gives the groups.

    google-re2 first tells, from the end of the window and without look-arounds, whether it can match at all; `re` tries every
    offset.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._pattern, self._flags = pattern, flags

    def search(self, window: str) -> re.Match[str] | None:
        """Return the match of `re`, None if there is none."""
        if window.isascii() and not self._quick(window.encode()):
            return None
        return self.exact.search(window)

    @cached_property
    def exact(self) -> re.Pattern[str]:
        """The pattern for `re`."""
        return lazy_regex(self._pattern, self._flags)

    @property
    def linear(self) -> str:
        """The pattern for google-re2, without look-arounds, which it lacks."""
        pattern = _BEHIND.sub("", self._pattern).replace(r"\Z", r"\z")
        return f"(?i:{pattern})" if self._flags & re.IGNORECASE else pattern

    @cached_property
    def _quick(self) -> Callable[[bytes], object | None]:
        quick: Callable[[bytes], object | None] = compile_linear(self.linear, ignore_case=False).search
        return quick


class Endings:
    """Several endings; one search tells for most windows that none of them matches."""

    def __init__(self, *endings: Ending) -> None:
        self._endings = endings

    def may_match(self, window: str) -> bool:
        """Return False if no ending matches the window."""
        return not window.isascii() or self._quick(window.encode()) is not None

    @cached_property
    def _quick(self) -> Callable[[bytes], object | None]:
        pattern = "|".join(f"(?:{ending.linear})" for ending in self._endings)
        quick: Callable[[bytes], object | None] = compile_linear(pattern, ignore_case=False).search
        return quick


_BEHIND = lazy_regex(r"\(\?<=(?:[^\[\]()\\]|\\.|\[[^\]]+\])\)")
_NOT_BEHIND = lazy_regex(r"\(\?<!\[([^\]]+)\]\)")


def before(pattern: str) -> Before:
    """Return a pattern for text that ends where the expression begins."""
    return Before(pattern)


def after(pattern: str) -> re.Pattern[str]:
    """Return a pattern for text that begins where the expression ends."""
    return lazy_regex(expand_lists(pattern), re.IGNORECASE)


def anywhere(pattern: str) -> re.Pattern[str]:
    """Return a pattern for whole words anywhere in a window."""
    return lazy_regex(rf"\b{expand_lists(pattern)}\b", re.IGNORECASE)
