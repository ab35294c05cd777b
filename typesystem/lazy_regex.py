"""Regular expressions compiled when first used: hundreds of them at import would take most of a command's start."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyRegex:
    """Stands for the compiled pattern, whose methods it takes over at first use: later calls cost nothing more."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        for own in (
            "match",
            "search",
            "fullmatch",
            "finditer",
            "findall",
            "split",
            "sub",
            "groups",
            "groupindex",
            "flags",
        ):
            setattr(self, own, getattr(compiled, own))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return lazy_regex, (self.pattern, self._flags)

    def __repr__(self) -> str:
        return f"lazy_regex({self.pattern!r}, {self._flags})"


def lazy_regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile(pattern, flags)`, put off until it is used; a faulty pattern is not told before."""
    return cast("re.Pattern[str]", _LazyRegex(pattern, int(flags)))
