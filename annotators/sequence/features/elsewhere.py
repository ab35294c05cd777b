"""The labels of the fields in which a word occurs on other lines of the document."""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, Words
from .columns import Column, empty
from .layout import LineHead

MOST = 4
"""Different labels that one word is given at most, in the order of the text."""


@part("elsewhere")
class Elsewhere(TokenFeature):
    """The labels (`line_head`) of other lines of the document that hold the same word, regardless of case. Only for words with a
    capital and for numbers.

    Example: if one line is `Médico: Ana Ruiz`, in `Remitido por: Dra. Ruiz, Calle Mayor` on another line the token `Ruiz`
    gives `elsewhere=médico`, and `Mayor` nothing.

    Source: own; non-local features after Finkel et al. 2005 (ACL) and Krishnan and Manning 2006 (ACL).
    """

    in_label = ("shortest",)
    varied: ClassVar[bool] = True

    shortest: int = 2
    """Words with fewer code points are not looked for."""

    def __post_init__(self) -> None:
        if self.shortest < 1:
            raise ValueError(f"shortest: expected a whole number of at least 1, got {self.shortest}")

    def column(self, words: Words) -> Column:
        heads, forms, lowers = LineHead().column(words), words.forms, words.lowers
        breaks = [i for i, c in enumerate(words.view.text) if c in "\n\r"]
        line_of = [bisect_left(breaks, begin) for begin in words.begins]
        held: dict[str, dict[str, list[int]]] = {}
        for i, value in enumerate(heads):
            if isinstance(value, str) and value and self._counts(forms[i]):
                held.setdefault(lowers[i], {}).setdefault(value, []).append(line_of[i])
        column = empty(words)
        for i, low in enumerate(lowers):
            found = held.get(low)
            if found is None or not self._counts(forms[i]):
                continue
            own = line_of[i]
            values = tuple([value for value, lines in found.items() if any(n != own for n in lines)][:MOST])
            column[i] = values or None
        return column

    def _counts(self, form: str) -> bool:
        return len(form) >= self.shortest and (form[0].isupper() or form[0].isdecimal())
