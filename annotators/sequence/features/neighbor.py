"""Pairs of neighboring words."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FormTable
from ..feature import TokenFeature, Words
from ..tidy import LONGEST, label, tidy
from .columns import Column

_HALF: FormTable[str] = FormTable(lambda form: tidy(form)[: LONGEST // 2 - 1])


def pairs(forms: list[str], words: Words) -> Column:
    """`first|second` at every token that has a next one in its sentence; each half at most 31 code points."""
    halves = list(map(_HALF.__getitem__, forms))
    column: Column = [f"{a}|{b}" for a, b in pairwise(halves)]
    column += [None] * (len(forms) - len(column))
    for _, last in words.sentences:
        column[last - 1] = None
    return column


@part("neighbours")
class Neighbors(TokenFeature):
    """The forms of the token and the one after it, within a sentence. The window looks at the pair with the token before, too.

    Example: `Dr Smith` gives `neighbours=dr|smith` at `Dr`.

    Source: Sha and Pereira 2003 (NAACL), Shallow parsing with conditional random fields.
    """

    varied: ClassVar[bool] = True

    lower: bool = True
    """In lower case."""
    window: tuple[int, int] | None = (-1, 0)
    """First and last pair looked at, by its first token. Left as it is: the pairs that the token is part of."""

    @property
    def label(self) -> str:
        return label(self.name, "" if self.lower else "case")

    def column(self, words: Words) -> Column:
        return pairs(words.lowers if self.lower else words.forms, words)
