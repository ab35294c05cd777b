"""Suffixes and prefixes of a form."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, ClassVar

from ....pipeline.contract.component import part
from ..feature import MAX_LENGTH, PlainFormFeature, make_label, normalize

_AT_MOST = 16


@dataclass(kw_only=True, eq=False, repr=False)
class _Affix(PlainFormFeature):
    lower: bool = False
    """Convert to lower case, so that `Mann` and `mann` have the same value."""
    at_end: ClassVar[bool]
    size: ClassVar[int]
    in_label = ("lower",)

    def of(self, form: str) -> str | None:
        return self._cut(form, self.size)

    def of_plain(self, forms: list[str]) -> list[str | None]:
        return self._cut_plain(forms, self.size)

    def _cut_plain(self, forms: list[str], n: int) -> list[str | None]:
        if self.lower:
            forms = [form.lower() for form in forms]
        cut = slice(-n, None) if self.at_end else slice(n)
        return [form[cut] if len(form) >= n else None for form in forms]

    def _cut(self, form: str, n: int) -> str | None:
        form = normalize(form[-MAX_LENGTH:] if self.at_end else form)
        if len(form) < n:
            return None
        cut, step = (len(form) - n, -1) if self.at_end else (n, 1)
        while 0 < cut < len(form) and not form[cut].isascii() and unicodedata.category(form[cut])[0] == "M":
            cut += step
        affix = form[cut:] if self.at_end else form[:cut]
        return affix.lower() if self.lower else affix


def _of_size(size: int, number: str, at_end: bool, example: str, source: str) -> type[_Affix]:
    """Return the feature of the last or the first `size` characters."""
    name = f"{'suffix' if at_end else 'prefix'}{size}"
    doc = f"""The {"last" if at_end else "first"} {number} characters; no value for shorter forms.

    Example: `Lindqvist` gives `{name}={example}`.

    Source: {source}.
    """
    content: dict[str, Any] = {"__doc__": doc, "at_end": at_end, "size": size}
    return part(name)(type(name.title(), (_Affix,), content))


_RATNAPARKHI = "Ratnaparkhi 1996 (EMNLP)"
Suffix2 = _of_size(2, "two", True, "st", "VigiBase de-identifier, Table 8 (2-gram suffix)")
Suffix3 = _of_size(3, "three", True, "ist", "VigiBase de-identifier, Table 8 (3-gram suffix)")
Suffix4 = _of_size(4, "four", True, "vist", f"{_RATNAPARKHI}, who uses suffixes of up to four characters")
Prefix2 = _of_size(2, "two", False, "Li", _RATNAPARKHI)
Prefix3 = _of_size(3, "three", False, "Lin", _RATNAPARKHI)
Prefix4 = _of_size(4, "four", False, "Lind", _RATNAPARKHI)


@dataclass(kw_only=True, eq=False, repr=False)
class _OfLength(_Affix):
    argument: ClassVar[str] = "length"
    length: int = 3
    """Code points, 1 to 16."""

    def __post_init__(self) -> None:
        if not 1 <= self.length <= _AT_MOST:
            raise ValueError(f"length: expected a whole number from 1 to {_AT_MOST}, got {self.length}")

    @property
    def label(self) -> str:
        return make_label(self.name, str(self.length), "lower" if self.lower else "")

    def of(self, form: str) -> str | None:
        return self._cut(form, self.length)

    def of_plain(self, forms: list[str]) -> list[str | None]:
        return self._cut_plain(forms, self.length)


@part("suffix")
class Suffix(_OfLength):
    """The last `length` characters; no value for shorter forms. Combining diacritics are not separated from their letter.

    Example: `suffix:4` of `Lindqvist` gives `suffix:4=vist`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    at_end = True


@part("prefix")
class Prefix(_OfLength):
    """The first `length` characters; no value for shorter forms. Combining diacritics are not separated from their letter.

    Example: `prefix:4` of `Lindqvist` gives `prefix:4=Lind`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    at_end = False
