"""Brackets and quotation marks around a token."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left

from ....pipeline.contract.component import part
from ....typesystem import FormTable
from ..feature import TokenFeature, Words, check_minimum
from .columns import Column, empty

_QUOTES = frozenset('"“”„‟«»‹›＂「」『』〝〞')


def _depth_change(form: str) -> int:
    """Return 1 for a form that opens a bracket, -1 for one that closes a bracket, else 0. Runs of brackets (`[[`) count once."""
    if not form or form[0] in _QUOTES:
        return 0
    category = unicodedata.category(form[0])
    return 1 if category == "Ps" and form[0] != "‚" else -1 if category == "Pe" else 0


_DEPTH_CHANGE: FormTable[int] = FormTable(_depth_change)
_IS_QUOTE: FormTable[bool] = FormTable(lambda form: form[:1] in _QUOTES and form != "")


@part("brackets")
class Brackets(TokenFeature):
    """The nesting depth of brackets at the token, including the token itself; no value outside of brackets. The depth is reset
    at each sentence.

    Example: `(` `born` `1950` `)` all give `brackets=1`.

    Source: own; aliases, glosses and codes of structured notes are in brackets.
    """

    in_label = ("deepest",)

    deepest: int = 3
    """Maximum depth that is distinguished; greater depths have the same value."""

    def __post_init__(self) -> None:
        check_minimum(1, deepest=self.deepest)

    def column(self, words: Words) -> Column:
        changes = list(map(_DEPTH_CHANGE.__getitem__, words.forms))
        column = empty(words)
        brackets = [i for i, change in enumerate(changes) if change]
        if not brackets:
            return column
        names = [None, *map(str, range(1, self.deepest + 1))]
        deepest = self.deepest
        for first, last in words.sentences:
            depth, filled = 0, first
            for i in brackets[bisect_left(brackets, first) : bisect_left(brackets, last)]:
                begin = i if changes[i] > 0 else i + 1
                if depth:
                    column[filled:begin] = [names[min(depth, deepest)]] * (begin - filled)
                filled = begin
                depth = max(depth + changes[i], 0)
            if depth:
                column[filled:last] = [names[min(depth, deepest)]] * (last - filled)
        return column


@part("quoted")
class Quoted(TokenFeature):
    """The token is between quotation marks or is one of them. A mark of any script opens a quotation if none is open, else it
    closes it. Apostrophes are not quotation marks. Quotations end at the end of the sentence.

    Example: `“` `Bill` `”` all give `quoted`.

    Source: own; nicknames and reported speech.
    """

    def column(self, words: Words) -> Column:
        marks = list(map(_IS_QUOTE.__getitem__, words.forms))
        column = empty(words)
        if not any(marks):
            return column
        for first, last in words.sentences:
            inside = False
            for i in range(first, last):
                if marks[i] or inside:
                    column[i] = ""
                inside ^= marks[i]
        return column
