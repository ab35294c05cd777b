"""Pairs of neighboring words."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FormTable
from ..feature import MAX_LENGTH, TokenFeature, Words, make_label, normalize
from .columns import Column

_HALF: FormTable[str] = FormTable(lambda form: normalize(form)[: MAX_LENGTH // 2 - 1])


def pairs(forms: list[str], words: Words) -> Column:
    """Return `first|second` for every token with a next token in its sentence; each half has at most 31 code points."""
    halves = list(map(_HALF.__getitem__, forms))
    column: Column = [f"{a}|{b}" for a, b in pairwise(halves)]
    column += [None] * (len(forms) - len(column))
    for _, last in words.sentences:
        column[last - 1] = None
    return column


@part("neighbours")
class Neighbors(TokenFeature):
    """The forms of the token and of the next token of the sentence. The default window includes the pair with the previous token.

    Example: `Dr Smith` gives `neighbours=dr|smith` at `Dr`.

    Source: Sha and Pereira 2003 (NAACL), Shallow parsing with conditional random fields.
    """

    varied: ClassVar[bool] = True

    lower: bool = True
    """Convert to lower case."""
    window: tuple[int, int] | None = (-1, 0)
    """First and last pair, by its first token. Default: the two pairs that contain the token."""

    @property
    def label(self) -> str:
        return make_label(self.name, "" if self.lower else "case")

    def column(self, words: Words) -> Column:
        return pairs(words.lowers if self.lower else words.forms, words)
