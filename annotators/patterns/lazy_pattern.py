"""Patterns of google-re2 that are compiled on first use: few texts have anything that looks like most of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .syntax import compile_pattern


class LazyPattern:
    """A pattern that was compiled before, so that its groups are known and it has no fault."""

    def __init__(self, pattern: str, groups: int, groupindex: Mapping[str, int]) -> None:
        self.pattern, self.groups, self.groupindex = pattern, groups, groupindex

    @cached_property
    def search(self) -> Any:
        return compile_pattern(self.pattern).search

    @cached_property
    def fullmatch(self) -> Any:
        return compile_pattern(self.pattern).fullmatch

    def __repr__(self) -> str:
        return f"LazyPattern({self.pattern!r})"
