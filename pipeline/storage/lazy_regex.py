"""Regular expressions that are compiled on first use: compiling hundreds at import would dominate the start of a command."""

from __future__ import annotations

import re
from typing import Any, cast

from .kept_regexes import KEPT

_METHODS = "match search fullmatch finditer findall split sub subn groups groupindex flags".split()


class _LazyRegex:
    """A pattern that gets the methods of the compiled one on first use, so that later calls cost nothing more."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = KEPT.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return lazy_regex, (self.pattern, self._flags)

    def __repr__(self) -> str:
        return f"lazy_regex({self.pattern!r}, {self._flags})"


def lazy_regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return `re.compile(pattern, flags)`, compiled on first use; only then does a faulty pattern raise `re.error`."""
    return cast("re.Pattern[str]", _LazyRegex(pattern, int(flags)))
