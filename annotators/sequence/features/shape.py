"""The shape of a form: letters and digits replaced by symbols of their class."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from string import ascii_lowercase, ascii_uppercase, digits

from ....pipeline.contract.component import part
from ....typesystem import FormTable
from ..feature import MAX_LENGTH, FormFeature, PlainFormFeature, normalize

_SYMBOLS = {"Lu": "X", "Lt": "X", "Ll": "x", "Lm": "x", "Lo": "o", "Nd": "d"}


_ASCII = str.maketrans(
    dict.fromkeys(ascii_uppercase, "X") | dict.fromkeys(ascii_lowercase, "x") | dict.fromkeys(digits, "d")
)


def _symbol(char: str) -> str:
    category = unicodedata.category(char)
    return _SYMBOLS.get(category, "" if category[0] == "M" else char)


_SYMBOL: FormTable[str] = FormTable(_symbol)
"""The symbol of a character in a shape."""
_CATEGORY: FormTable[str] = FormTable(unicodedata.category)
"""The Unicode general category of a character."""


def _shape(form: str) -> str:
    return "".join(map(_SYMBOL.__getitem__, normalize(form)))


_SHORT: FormTable[str] = FormTable(lambda shape: "".join(symbol for symbol, _ in groupby(shape)))
"""Shapes without repetitions of the same symbol."""


@part("char_pattern")
class CharPattern(FormFeature):
    """The Unicode general categories of the characters in normal form C, without repetitions of the same category; at most 32
    categories.

    Example: `Ab01` gives `char_pattern=LuLlNd`, `J.` `char_pattern=LuPo`.

    Source: VigiBase de-identifier, §5.5.2 and appendix B; The Unicode Standard, §4.5.
    """

    def of(self, form: str) -> str:
        categories = [category for category, _ in groupby(map(_CATEGORY.__getitem__, normalize(form)))]
        return "".join(categories[: MAX_LENGTH // 2])


@part("shape")
class Shape(PlainFormFeature):
    """The form with `X` for capitals, `x` for lower case letters, `o` for letters without case and `d` for digits. Other
    characters are unchanged, combining diacritics are removed.

    Example: `Smith-07` gives `shape=Xxxxx-dd`.

    Source: Collins 2002 (ACL), Ranking algorithms for named-entity extraction, with the symbols that are common today.
    """

    def of(self, form: str) -> str:
        return _shape(form)

    def of_plain(self, forms: list[str]) -> list[str]:
        return [form.translate(_ASCII) for form in forms]


@part("short_shape")
class ShortShape(PlainFormFeature):
    """The shape without repetitions of the same symbol.

    Example: `Smith-07` gives `short_shape=Xx-d`.

    Source: Collins 2002 (ACL); Settles 2004 (JNLPBA), under the name brief word class.
    """

    def of(self, form: str) -> str:
        return _SHORT[_shape(form)]

    def of_plain(self, forms: list[str]) -> list[str]:
        return [_SHORT[form.translate(_ASCII)] for form in forms]
