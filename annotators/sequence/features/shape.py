"""The shape of a form: letters and digits replaced by classes."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from ....pipeline.contract.component import part
from ..feature import FormFeature
from ..tidy import LONGEST, tidy


class _Sign(dict[str, str]):
    """The class of a character in a shape; filled on demand, bounded by the size of Unicode."""

    def __missing__(self, char: str) -> str:
        category = unicodedata.category(char)
        if category in ("Lu", "Lt"):
            sign = "X"
        elif category in ("Ll", "Lm"):
            sign = "x"
        elif category == "Lo":
            sign = "o"
        elif category == "Nd":
            sign = "d"
        else:
            sign = "" if category[0] == "M" else char
        self[char] = sign
        return sign


class _Category(dict[str, str]):
    """Unicode's general category of a character; filled as characters come up."""

    def __missing__(self, char: str) -> str:
        category = self[char] = unicodedata.category(char)
        return category


_SIGN = _Sign()
_CATEGORY = _Category()


@part("char_pattern")
class CharPattern(FormFeature):
    """The Unicode general categories of the characters, each run of one category written once. In normal form C; at most
    32 categories.

    Example: `Ab01` gives `char_pattern=LuLlNd`, `J.` `char_pattern=LuPo`.

    Source: VigiBase de-identifier, §5.5.2 and appendix B; The Unicode Standard, §4.5.
    """

    def of(self, form: str) -> str:
        merged: list[str] = []
        last = ""
        for char in tidy(form):
            category = _CATEGORY[char]
            if category != last:
                merged.append(category)
                last = category
        return "".join(merged[: LONGEST // 2])


@part("shape")
class Shape(FormFeature):
    """The form with `X` for capitals, `x` for small letters, `o` for letters without case, `d` for digits; other characters
    stay, single diacritics are dropped.

    Example: `Smith-07` gives `shape=Xxxxx-dd`.

    Source: Collins 2002 (ACL), Ranking algorithms for named-entity extraction; the letters are those customary today.
    """

    def of(self, form: str) -> str:
        return "".join(map(_SIGN.__getitem__, tidy(form)))


@part("short_shape")
class ShortShape(FormFeature):
    """The shape with each run of one sign written once.

    Example: `Smith-07` gives `short_shape=Xx-d`.

    Source: Collins 2002 (ACL); Settles 2004 (JNLPBA), there as brief word class.
    """

    def of(self, form: str) -> str:
        return "".join(sign for sign, _ in groupby(map(_SIGN.__getitem__, tidy(form))))
