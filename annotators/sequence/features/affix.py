"""The ends of a form: its last and its first characters."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import FormFeature
from .tidy import LONGEST, label, tidy

_AT_MOST = 16


@dataclass(kw_only=True, eq=False, repr=False)
class _Affix(FormFeature):
    lower: bool = False
    """In lower case, so that `Mann` and `mann` are one value."""

    @property
    def label(self) -> str:
        return label(self.name, "lower" if self.lower else "")

    def _tail(self, form: str, n: int) -> str | None:
        form = tidy(form[-LONGEST:])
        if len(form) < n:
            return None
        begin = len(form) - n
        while begin and not form[begin].isascii() and unicodedata.category(form[begin])[0] == "M":
            begin -= 1
        return form[begin:].lower() if self.lower else form[begin:]

    def _start(self, form: str, n: int) -> str | None:
        form = tidy(form)
        if len(form) < n:
            return None
        end = n
        while end < len(form) and not form[end].isascii() and unicodedata.category(form[end])[0] == "M":
            end += 1
        return form[:end].lower() if self.lower else form[:end]


@dataclass(kw_only=True, eq=False, repr=False)
class _Suffix(_Affix):
    size: ClassVar[int]

    def of(self, form: str) -> str | None:
        return self._tail(form, self.size)


@dataclass(kw_only=True, eq=False, repr=False)
class _Prefix(_Affix):
    size: ClassVar[int]

    def of(self, form: str) -> str | None:
        return self._start(form, self.size)


@part("suffix2")
class Suffix2(_Suffix):
    """The last two characters; nothing for shorter forms.

    Example: `Lindqvist` gives `suffix2=st`.

    Source: VigiBase de-identifier, Table 8 (2-gram suffix).
    """

    size = 2


@part("suffix3")
class Suffix3(_Suffix):
    """The last three characters; nothing for shorter forms.

    Example: `Lindqvist` gives `suffix3=ist`.

    Source: VigiBase de-identifier, Table 8 (3-gram suffix).
    """

    size = 3


@part("suffix4")
class Suffix4(_Suffix):
    """The last four characters; nothing for shorter forms.

    Example: `Lindqvist` gives `suffix4=vist`.

    Source: Ratnaparkhi 1996 (EMNLP), who looks at suffixes of up to four characters.
    """

    size = 4


@part("prefix2")
class Prefix2(_Prefix):
    """The first two characters; nothing for shorter forms.

    Example: `Lindqvist` gives `prefix2=Li`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    size = 2


@part("prefix3")
class Prefix3(_Prefix):
    """The first three characters; nothing for shorter forms.

    Example: `Lindqvist` gives `prefix3=Lin`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    size = 3


@part("prefix4")
class Prefix4(_Prefix):
    """The first four characters; nothing for shorter forms.

    Example: `Lindqvist` gives `prefix4=Lind`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    size = 4


def _checked(length: int) -> None:
    if not 1 <= length <= _AT_MOST:
        raise ValueError(f"length: expected a whole number from 1 to {_AT_MOST}, got {length}")


@part("suffix")
class Suffix(_Affix):
    """The last `length` characters; nothing for shorter forms. A diacritic that is alone takes its letter along.

    Example: `suffix:4` of `Lindqvist` gives `suffix:4=vist`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    argument: ClassVar[str] = "length"
    length: int = 3
    """Code points, 1 to 16."""

    def __post_init__(self) -> None:
        _checked(self.length)

    @property
    def label(self) -> str:
        return label(self.name, str(self.length), "lower" if self.lower else "")

    def of(self, form: str) -> str | None:
        return self._tail(form, self.length)


@part("prefix")
class Prefix(_Affix):
    """The first `length` characters; nothing for shorter forms. Diacritics stay with their letter.

    Example: `prefix:4` of `Lindqvist` gives `prefix:4=Lind`.

    Source: Ratnaparkhi 1996 (EMNLP).
    """

    argument: ClassVar[str] = "length"
    length: int = 3
    """Code points, 1 to 16."""

    def __post_init__(self) -> None:
        _checked(self.length)

    @property
    def label(self) -> str:
        return label(self.name, str(self.length), "lower" if self.lower else "")

    def of(self, form: str) -> str | None:
        return self._start(form, self.length)
