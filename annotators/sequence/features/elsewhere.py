"""The labels of the other lines of the document in which a word occurs."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice
from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, Words, check_minimum
from .columns import Column, empty
from .layout import LineHead

MOST = 4
"""Maximum number of labels of one word, in the order of the text."""

_SEVERAL = -1
"""Number of no line: the label is on several lines."""


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
        only_lines: dict[str, dict[str, int]] = {}  # of each word: its labels, with the line of each, or `_SEVERAL`
        for i, value in enumerate(heads):
            if isinstance(value, str) and value and self._is_eligible(forms[i]):
                labels = only_lines.setdefault(lowers[i], {})
                if labels.setdefault(value, line_of[i]) != line_of[i]:
                    labels[value] = _SEVERAL
        column, known = empty(words), dict[tuple[str, int], tuple[str, ...] | None]()
        for i, lower in enumerate(lowers):
            if lower in only_lines and self._is_eligible(forms[i]):
                key = lower, line_of[i]
                if key not in known:
                    others = (label for label, line in only_lines[lower].items() if line != line_of[i])
                    known[key] = tuple(islice(others, MOST)) or None
                column[i] = known[key]
        return column

    def _is_eligible(self, form: str) -> bool:
        return len(form) >= self.shortest and (form[0].isupper() or form[0].isdecimal())
