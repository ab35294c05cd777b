"""The labels of the other lines of the document in which a word occurs."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, Words, check_minimum
from .columns import Column, empty
from .layout import LineHead

MOST = 4
"""Maximum number of labels of one word, in the order of the text."""

_BREAK = re.compile("[\n\r]")
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
        forms, lowers, begins = words.forms, words.lowers, words.begins
        breaks = [found.start() for found in _BREAK.finditer(words.view.text)]
        only_lines: dict[str, dict[str, int]] = {}  # of each word: its labels, with the line of each, or `_SEVERAL`
        for i, value in enumerate(LineHead().column(words)):
            if value and self._is_eligible(forms[i]):
                labels, line = only_lines.setdefault(lowers[i], {}), bisect_left(breaks, begins[i])
                if labels.setdefault(str(value), line) != line:
                    labels[str(value)] = _SEVERAL
        column, known = empty(words), dict[tuple[str, int], tuple[str, ...] | None]()
        for i in [i for i, lower in enumerate(lowers) if lower in only_lines]:
            if self._is_eligible(forms[i]):
                key = lowers[i], bisect_left(breaks, begins[i])
                if key not in known:
                    others = (label for label, line in only_lines[key[0]].items() if line != key[1])
                    known[key] = tuple(islice(others, MOST)) or None
                column[i] = known[key]
        return column

    def _is_eligible(self, form: str) -> bool:
        return len(form) >= self.shortest and (form[0].isupper() or form[0].isdecimal())
