"""The labels of the other lines of the document in which a word occurs."""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, Words, check_minimum
from .columns import Column, empty
from .layout import LineHead

MOST = 4
"""Maximum number of labels of one word, in the order of the text."""


@part("elsewhere")
class Elsewhere(TokenFeature):
    """The labels (`line_head`) of other lines of the document that contain the same word, ignoring case. Only for words that
    begin with a capital and for numbers.

    Example: if one line is `Médico: Ana Ruiz`, in `Remitido por: Dra. Ruiz, Calle Mayor` on another line the token `Ruiz`
    gives `elsewhere=médico`, and `Mayor` has no value.

    Source: own; non-local features after Finkel et al. 2005 (ACL) and Krishnan and Manning 2006 (ACL).
    """

    in_label = ("shortest",)
    varied: ClassVar[bool] = True

    shortest: int = 2
    """Minimum length of a word in code points; shorter words are ignored."""

    def __post_init__(self) -> None:
        check_minimum(1, shortest=self.shortest)

    def column(self, words: Words) -> Column:
        heads, forms, lowers = LineHead().column(words), words.forms, words.lowers
        breaks = [i for i, c in enumerate(words.view.text) if c in "\n\r"]
        line_of = [bisect_left(breaks, begin) for begin in words.begins]
        lines_by_label: dict[str, dict[str, list[int]]] = {}
        for i, value in enumerate(heads):
            if isinstance(value, str) and value and self._is_eligible(forms[i]):
                lines_by_label.setdefault(lowers[i], {}).setdefault(value, []).append(line_of[i])
        column = empty(words)
        for i, lower in enumerate(lowers):
            if lower in lines_by_label and self._is_eligible(forms[i]):
                own = line_of[i]
                values = [v for v, lines in lines_by_label[lower].items() if any(n != own for n in lines)]
                column[i] = tuple(values[:MOST]) or None
        return column

    def _is_eligible(self, form: str) -> bool:
        return len(form) >= self.shortest and (form[0].isupper() or form[0].isdecimal())
