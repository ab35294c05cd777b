"""Pattern syntax of rule files: named fragments, patterns over several lines, and explanations of what google-re2 rejects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...pipeline.errors import nearest
from ...pipeline.storage.lazy_regex import lazy_regex

MAX_MEMORY = 16 << 20
"""Maximum number of bytes for the automaton of one pattern or one combined pass."""

_PIECE = lazy_regex(
    r"[^\\\[{\s#]+|\\Q.*?\\E|\\[pPx]\{[^{}]*\}|\\.|\[|\{([A-Za-z][A-Za-z0-9_]*)\}|\s+|\#[^\n]*|.", re.DOTALL
)
CHARACTER_CLASS = r"\[\^?\]?(?:\[:\^?\w+:\]|\\[pPx]\{[^{}]*\}|\\.|[^\]\\])*\]"
"""A character class of google-re2, as a pattern."""
_CLASS = lazy_regex(CHARACTER_CLASS, re.DOTALL)


class PatternError(ValueError):
    """A pattern is invalid; the message says why and what to write instead."""


def expand(
    pattern: str, fragments: Mapping[str, str], memo: dict[str, str] | None = None, _open: tuple[str, ...] = ()
) -> str:
    """Return the pattern with `{name}` replaced by the fragment of that name, in a group of its own.

    A pattern that contains a line break is verbose: white space and `# comments` in it are ignored (write `[ ]` or `\\ `
    for a space, `[#]` for the sign). `memo` caches expanded fragments across calls. Raises PatternError for unknown
    fragments and for fragments that contain themselves.
    """
    memo = {} if memo is None else memo
    verbose = "\n" in pattern
    parts: list[str] = []
    offset = 0
    while offset < len(pattern):
        if pattern[offset] == "[" and (char_class := _CLASS.match(pattern, offset)):
            parts.append(char_class[0])
            offset = char_class.end()
            continue
        piece = _PIECE.match(pattern, offset)
        assert piece is not None  # the last branch matches any character
        offset = piece.end()
        name, text = piece[1], piece[0]
        if name is not None:
            if name in _open:
                raise PatternError(f"fragment {name} contains itself: {' > '.join((*_open, name))}")
            if name not in fragments:
                raise PatternError(f"no fragment called {name}{nearest(name, fragments)}")
            if name not in memo:
                memo[name] = expand(fragments[name], fragments, memo, (*_open, name))
            parts.append(f"(?:{memo[name]})")
        elif verbose and (text.isspace() or text[0] == "#"):
            continue
        elif not verbose and text[0] == "#" and len(text) > 1:
            parts.append("#")
            offset = piece.start() + 1  # a one-line pattern has no comments: continue after the sign
        else:
            parts.append(text)
    return "".join(parts)


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> Any:
    """Compile a pattern with google-re2. Raises PatternError that names the construct and what to use instead."""
    import re2

    try:
        return re2.compile(wrap(pattern, ignore_case), re2_options())
    except re2.error as error:
        raise PatternError(explain(error.args[0] if error.args else "")) from None


def wrap(pattern: str, ignore_case: bool) -> str:
    """Return the pattern with its case rule."""
    return f"(?i:{pattern})" if ignore_case else pattern


def re2_options() -> Any:
    """Return the options of all patterns of rule files: no logging, with a bounded automaton."""
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
    **dict.fromkeys(
        ("++", "*+", "?+"), ("possessive quantifier", "write the plain one: matching takes linear time anyway")
    ),
}
_ESCAPES = {
    "\\Z": "write `\\z` for the end of the text",
    **dict.fromkeys(("\\u", "\\U", "\\N"), "write `\\x{...}` for a code point"),
    "\\h": "write `[ \\t]`",
    "\\R": "write `\\r?\\n`",
    "\\K": "mark a `group`",
}


def explain(message: bytes | str) -> str:
    """Explain a message of google-re2: the construct it rejects and the one to use instead."""
    text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
    reason, _, construct = text.partition(": ")
    if reason == "invalid escape sequence":
        if construct[1:2].isdigit():
            return f"back-reference {construct} is not supported: write the alternatives out, or use a `validator`"
        return f"escape {construct} is not supported" + (
            f": {_ESCAPES[construct[:2]]}" if construct[:2] in _ESCAPES else ""
        )
    if reason == "invalid repetition size":
        numbers = [int(n) for n in re.findall(r"\d+", construct)]
        if numbers == sorted(numbers):
            return f"repeat {construct} counts to more than 1000 (nested repeats multiply): write `+` or `*`, or a smaller bound"
        return f"repeat {construct} has its bounds in the wrong order"
    if reason in ("invalid perl operator", "invalid named capture group", "bad repetition operator"):
        for length in (4, 3, 2):
            if construct[:length] in _INSTEAD:
                name, instead = _INSTEAD[construct[:length]]
                return f"{name} `{construct}` is not supported: {instead}"
        return f"`{construct}` is not supported" + (
            ": use `case: ignore`, or `(?i:...)`" if construct.startswith("(?") else ""
        )
    if reason.startswith("pattern too large"):
        return "the pattern is too large: use smaller repeats, or fewer alternatives (a long list belongs under `deny`)"
    return text
