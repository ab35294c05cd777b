"""Tokens as columns, and tables over token forms: what makes rules, dictionaries and classifiers fast."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from .view import View

T = TypeVar("T")

_ABSENT: Any = object()


class FormTable(dict[str, T], Generic[T]):
    """A memo over token forms: `table[form]` is computed once and kept, in at most `size` entries.

    Texts repeat their words, so a fact about a form (its lower case, its dictionary node, its row of weights) costs one
    dictionary look-up: `list(map(table.__getitem__, view.tokens.forms))`. Memory stays bounded and results do not depend on
    history: where half the room is taken, what was not asked for since then gives way to what comes.
    """

    __slots__ = ("_before", "compute", "size")

    def __init__(self, compute: Callable[[str], T], size: int = 10_000) -> None:
        super().__init__()
        self.compute = compute
        self.size = size
        self._before: dict[str, T] = {}

    def __missing__(self, form: str) -> T:
        value: T = self._before.pop(form, _ABSENT)
        if value is _ABSENT:
            value = self.compute(form)
        if 2 * len(self) >= self.size:
            self._before = dict(self)
            self.clear()
        self[form] = value
        return value

    def __reduce__(self) -> tuple[type[FormTable[T]], tuple[Callable[[str], T], int]]:
        return type(self), (self.compute, self.size)


_LOWER: FormTable[str] = FormTable(str.lower)


class TokenTable:
    """The tokens of a view as parallel lists, in text order.

    `begins` and `ends` are code points; `forms[i]` is the text of token i, `lowers[i]` its lower case.
    """

    __slots__ = ("__dict__", "_view", "begins", "ends", "forms")

    def __init__(self, text: str, begins: list[int], ends: list[int], view: View | None = None) -> None:
        self._view = view
        self.begins = begins
        self.ends = ends
        self.forms = [text[b:e] for b, e in zip(begins, ends, strict=True)]

    @cached_property
    def lowers(self) -> list[str]:
        return list(map(_LOWER.__getitem__, self.forms))

    @property
    def pos(self) -> list[str]:
        """Penn tags, empty strings where no tagger ran. Leave the list alone."""
        from .types import Token

        return [""] * len(self.begins) if self._view is None else self._view.feature(Token, "pos")

    def __len__(self) -> int:
        return len(self.begins)

    def at(self, offset: int) -> int:
        """Index of the first token that ends after `offset`; `len(self)` where there is none."""
        return bisect_left(self.ends, offset + 1)

    def __repr__(self) -> str:
        return f"<TokenTable of {len(self.begins)}>"
