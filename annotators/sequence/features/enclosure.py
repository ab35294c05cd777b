"""Brackets and quotation marks around a token."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left

from ....pipeline.contract.component import part
from ....typesystem import FormTable
from ..feature import TokenFeature, Words
from .columns import Column, empty

_QUOTES = frozenset('"“”„‟«»‹›＂「」『』〝〞')


def _turn(form: str) -> int:
    """1 for a form that opens a bracket, -1 for one that closes it, else 0. Runs of brackets (`[[`) count once."""
    if not form or form[0] in _QUOTES:
        return 0
    category = unicodedata.category(form[0])
    return 1 if category == "Ps" and form[0] != "‚" else -1 if category == "Pe" else 0


_TURN: FormTable[int] = FormTable(_turn)
_QUOTE: FormTable[bool] = FormTable(lambda form: form[:1] in _QUOTES and form != "")


@part("brackets")
class Brackets(TokenFeature):
    """How deep in brackets the token stands, its own bracket counted; nothing outside. Every sentence begins outside.

    Example: `(` `born` `1950` `)` all give `brackets=1`.

    Source: own; aliases, glosses and codes of structured notes are in brackets.
    """

    in_label = ("deepest",)

    deepest: int = 3
    """Deeper ones count as this deep."""

    def __post_init__(self) -> None:
        if self.deepest < 1:
            raise ValueError(f"deepest: expected a whole number of at least 1, got {self.deepest}")

    def column(self, words: Words) -> Column:
        turns = list(map(_TURN.__getitem__, words.forms))
        column = empty(words)
        if not any(turns):
            return column
        names = [None, *map(str, range(1, self.deepest + 1))]
        deepest = self.deepest
        turning = [i for i, turn in enumerate(turns) if turn]
        for first, last in words.sentences:
            depth, filled = 0, first
            for i in turning[bisect_left(turning, first) : bisect_left(turning, last)]:
                begin = i if turns[i] > 0 else i + 1
                if depth:
                    column[filled:begin] = [names[min(depth, deepest)]] * (begin - filled)
                filled = begin
                depth = max(depth + turns[i], 0)
            if depth:
                column[filled:last] = [names[min(depth, deepest)]] * (last - filled)
        return column


@part("quoted")
class Quoted(TokenFeature):
    """The token is between quotation marks, which count. Marks of any script open if none is open, and close
    otherwise; apostrophes do not count; every sentence begins outside.

    Example: `“` `Bill` `”` all give `quoted`.

    Source: own; nicknames and reported speech.
    """

    def column(self, words: Words) -> Column:
        marks = list(map(_QUOTE.__getitem__, words.forms))
        column = empty(words)
        if not any(marks):
            return column
        for first, last in words.sentences:
            inside = False
            for i in range(first, last):
                if marks[i]:
                    column[i] = ""
                    inside = not inside
                elif inside:
                    column[i] = ""
        return column
