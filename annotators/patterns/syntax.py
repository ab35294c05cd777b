"""Pattern syntax of rule files: named fragments, patterns over several lines, and what google-re2 refuses, with the way out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...pipeline.errors import nearest

MAX_MEMORY = 16 << 20
"""Bytes one compiled pattern, or the combined pass of a rule file, may use for its automaton."""

_PIECE = re.compile(
    r"[^\\\[{\s#]+|\\Q.*?\\E|\\[pPx]\{[^{}]*\}|\\.|\[|\{([A-Za-z][A-Za-z0-9_]*)\}|\s+|\#[^\n]*|.", re.DOTALL
)
_CLASS = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\[pPx]\{[^{}]*\}|\\.|[^\]\\])*\]", re.DOTALL)


class PatternError(ValueError):
    """A pattern cannot be used; the message says why and what to write instead."""


def expand(
    pattern: str, fragments: Mapping[str, str], memo: dict[str, str] | None = None, _open: tuple[str, ...] = ()
) -> str:
    """The pattern with `{name}` replaced by the fragment of that name, in a group of its own.

    A pattern that contains a line break is verbose: white space and `# comments` in it mean nothing (write `[ ]` or `\\ `
    for a blank, `[#]` for the sign). `memo` keeps expanded fragments from call to call. Raises PatternError for unknown
    fragments and for fragments that contain themselves.
    """
    memo = {} if memo is None else memo
    verbose = "\n" in pattern
    made: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "[" and (found := _CLASS.match(pattern, at)):
            made.append(found[0])
            at = found.end()
            continue
        piece = _PIECE.match(pattern, at)
        assert piece is not None  # the last branch takes any character
        at = piece.end()
        name, text = piece[1], piece[0]
        if name is not None:
            if name in _open:
                raise PatternError(f"fragment {name} contains itself: {' > '.join((*_open, name))}")
            if name not in fragments:
                raise PatternError(f"no fragment called {name}{nearest(name, fragments)}")
            if name not in memo:
                memo[name] = expand(fragments[name], fragments, memo, (*_open, name))
            made.append(f"(?:{memo[name]})")
        elif verbose and (text.isspace() or (text[0] == "#" and len(text) >= 1)):
            continue
        elif not verbose and text[0] == "#" and len(text) > 1:
            made.append("#")
            at = piece.start() + 1  # no comment in a one-line pattern: read on behind the sign
        else:
            made.append(text)
    return "".join(made)


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> Any:
    """The compiled google-re2 pattern. Raises PatternError that names the construct and what to use instead."""
    import re2

    try:
        return re2.compile(wrap(pattern, ignore_case), re2_options())
    except re2.error as error:
        raise PatternError(explain(error.args[0] if error.args else "")) from None


def wrap(pattern: str, ignore_case: bool) -> str:
    """The pattern with its case rule."""
    return f"(?i:{pattern})" if ignore_case else pattern


def re2_options() -> Any:
    """Options of every pattern here: quiet, with a bounded automaton."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    return options


_INSTEAD = {
    "(?=": ("look-ahead", "mark a `group` and write what follows behind it, or use `after` context"),
    "(?!": ("negative look-ahead", "use `not_after` context or a `filter`"),
    "(?<=": ("look-behind", "mark a `group` and write what precedes in front of it, or use `before` context"),
    "(?<!": ("negative look-behind", "use `not_before` context or a `filter`; `boundary` keeps hits off words already"),
    "(?>": ("atomic group", "write `(?:`: matching takes linear time anyway"),
    "(?(": ("conditional", "write two patterns"),
    "(?P": ("back-reference", "write the alternatives out, or a `validator` that compares the parts"),
    "(?#": ("inline comment", "write the pattern over several lines and use `# comments`"),
    "++": ("possessive quantifier", "write the plain one: matching takes linear time anyway"),
    "*+": ("possessive quantifier", "write the plain one: matching takes linear time anyway"),
    "?+": ("possessive quantifier", "write the plain one: matching takes linear time anyway"),
}
_ESCAPES = {
    "\\Z": "write `\\z` for the end of the text",
    "\\u": "write `\\x{...}` for a code point",
    "\\U": "write `\\x{...}` for a code point",
    "\\N": "write `\\x{...}` for a code point",
    "\\h": "write `[ \\t]`",
    "\\R": "write `\\r?\\n`",
    "\\K": "mark a `group`",
}


def explain(message: bytes | str) -> str:
    """google-re2's message in words: the construct it refuses and the one to use instead."""
    text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
    reason, _, found = text.partition(": ")
    if reason == "invalid escape sequence":
        if found[1:2].isdigit():
            return f"back-reference {found} is not supported: write the alternatives out, or use a `validator`"
        return f"escape {found} is not supported" + (f": {_ESCAPES[found[:2]]}" if found[:2] in _ESCAPES else "")
    if reason == "invalid repetition size":
        numbers = [int(n) for n in re.findall(r"\d+", found)]
        if numbers == sorted(numbers):
            return f"repeat {found} counts to more than 1000 (nested repeats multiply): write `+` or `*`, or a smaller bound"
        return f"repeat {found} has its bounds in the wrong order"
    if reason in ("invalid perl operator", "invalid named capture group", "bad repetition operator"):
        for length in (4, 3, 2):
            if found[:length] in _INSTEAD:
                name, instead = _INSTEAD[found[:length]]
                return f"{name} `{found}` is not supported: {instead}"
        return f"`{found}` is not supported" + (": use `case: ignore`, or `(?i:...)`" if found.startswith("(?") else "")
    if reason.startswith("pattern too large"):
        return "the pattern is too large: use smaller repeats, or fewer alternatives (a long list belongs under `deny`)"
    return text
