"""Compiled regular expressions in the user's cache: a command needs hundreds, and compiling them took a third of its start.

The file holds the code that Python's compiler made of each pattern, under a hash of the pattern and its flags. It is used by the
same build of Python only. Without it, the patterns are compiled as usual.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]
import contextlib
import hashlib
import json
import re
import sys
import time
from array import array
from typing import Any

from .kept_files import MOST, keep, kept

WORTHWHILE = 0.005
"""Seconds of compiling after which `save` writes the file."""

_Entry = tuple[int, int, int, dict[str, int], int]
"""Position and length of the code in the file, flags, named groups, and number of groups."""


class KeptRegexes:
    """Compiles patterns of this package, which contain no text of documents, with the help of a file."""

    def __init__(self) -> None:
        self._codes: array[int] = array("I")
        self._entries: dict[str, _Entry] | None = None
        self._new: dict[str, re.Pattern[str]] = {}
        self._seconds = 0.0

    def compile(self, pattern: str, flags: int) -> re.Pattern[str]:
        """Return `re.compile(pattern, flags)`."""
        if self._entries is None:
            self._entries = self._read()
        key = _key(pattern, flags)
        entry = self._entries.get(key)
        if entry is not None:
            with contextlib.suppress(Exception):
                begin, length, own_flags, groups, count = entry
                return _made(pattern, own_flags, self._codes[begin : begin + length].tolist(), groups, count)
        began = time.perf_counter()
        compiled = self._new[key] = re.compile(pattern, flags)
        self._seconds += time.perf_counter() - began
        return compiled

    def save(self) -> None:
        """Add the patterns that were not in the file, if compiling them took time. Does nothing if the cache is not writable."""
        if self._seconds < WORTHWHILE or self._entries is None:
            return
        full = len(self._codes) * self._codes.itemsize > MOST // 2
        codes, entries = (array("I"), {}) if full else (self._codes[:], dict(self._entries))
        for key, compiled in self._new.items():
            code = _code(compiled)
            if code is not None:
                entries[key] = len(codes), len(code), compiled.flags, dict(compiled.groupindex), compiled.groups
                codes.extend(code)
        self._new, self._seconds = {}, 0.0
        keep(_name(), json.dumps(entries).encode() + b"\n" + codes.tobytes())

    def _read(self) -> dict[str, _Entry]:
        content = kept(_name())
        if content is None:
            return {}
        end = content.index(b"\n")
        self._codes.frombytes(content[end + 1 :])
        entries: dict[str, _Entry] = json.loads(content[:end])
        return entries


def _key(pattern: str, flags: int) -> str:
    return hashlib.sha256(f"{flags} {pattern}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _made(pattern: str, flags: int, code: list[int], groups: dict[str, int], count: int) -> re.Pattern[str]:
    """Return the pattern with this code. Python checks that the code is well-formed."""
    names: list[str | None] = [None] * (count + 1)
    for name, number in groups.items():
        names[number] = name
    made: re.Pattern[str] = _sre.compile(pattern, flags, code, count, groups, tuple(names))
    return made


def _code(compiled: re.Pattern[str]) -> list[int] | None:
    """Return the code of a pattern; None if this build of Python has no way to it, or another one than we know."""
    with contextlib.suppress(Exception):
        from re import _compiler, _parser  # type: ignore[attr-defined]

        flags = compiled.flags & ~re.UNICODE  # which the parser adds
        code: list[int] = _compiler._code(_parser.parse(compiled.pattern, flags), flags)
        if _made(compiled.pattern, compiled.flags, code, dict(compiled.groupindex), compiled.groups) == compiled:
            return code
    return None


def _name() -> str:
    """Return the file for this build of Python: the code of patterns is only valid for it."""
    build: Any = sys.version, _sre.MAGIC, _sre.CODESIZE, sys.byteorder
    return f"regexes/{hashlib.sha256(repr(build).encode()).hexdigest()[:16]}"


KEPT = KeptRegexes()
"""Those of this process. The command line saves them when it ends."""
