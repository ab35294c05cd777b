"""Tokens as columns, and tables over token forms, which make rules, dictionaries and classifiers fast."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_ABSENT: Any = object()


class FormTable(dict[str, T], Generic[T]):
    """A cache over token forms: `table[form]` is computed once and kept, in at most `size` entries.

    Words repeat within texts, so a fact about a form (its lower case, its dictionary node, its row of weights) costs one
    dictionary lookup: `list(map(table.__getitem__, view.tokens.forms))`. Memory stays bounded, and results do not depend on
    history: once half of the entries are used, those that are not requested again are replaced by new ones.
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

    def fill(self, forms: Iterable[str], compute: Callable[[list[str]], Iterable[T]]) -> None:
        """Compute the values of the forms that have none together. Those of more forms than fit are computed when requested."""
        missing = [form for form in dict.fromkeys(forms) if form not in self][: self.size // 2]
        if not missing:
            return
        before = self._before
        values = {form: before.pop(form) for form in missing if form in before}
        new = [form for form in missing if form not in values] if values else missing
        if new:
            values.update(zip(new, compute(new), strict=True))
        if 2 * (len(self) + len(values)) > self.size:
            self._before = dict(self)
            self.clear()
        self.update(values)

    def __reduce__(self) -> tuple[type[FormTable[T]], tuple[Callable[[str], T], int]]:
        return type(self), (self.compute, self.size)


class TokenTable:
    """The tokens of a view as parallel lists, in text order.

    `begins` and `ends` are code points; `forms[i]` is the text of token i, `lowers[i]` its lower case.
    """

    __slots__ = ("__dict__", "_read_pos", "begins", "ends", "forms")

    def __init__(
        self, text: str, begins: list[int], ends: list[int], read_pos: Callable[[], list[str]] | None = None
    ) -> None:
        self.begins = begins
        self.ends = ends
        once: dict[str, str] = {}
        keep = once.setdefault  # words repeat: each form is one string
        self.forms = [keep(form, form) for form in (text[b:e] for b, e in zip(begins, ends, strict=True))]
        self._read_pos = read_pos

    @cached_property
    def lowers(self) -> list[str]:
        once = {form: form.lower() for form in dict.fromkeys(self.forms)}
        return list(map(once.__getitem__, self.forms))

    @property
    def pos(self) -> list[str]:
        """Penn tags, empty strings if no tagger ran. Do not change the list."""
        return [""] * len(self.begins) if self._read_pos is None else self._read_pos()

    def __len__(self) -> int:
        return len(self.begins)

    def at(self, offset: int) -> int:
        """Return the index of the first token that ends after `offset`, or `len(self)`."""
        return bisect_left(self.ends, offset + 1)

    def __repr__(self) -> str:
        return f"<TokenTable of {len(self.begins)}>"
