"""The layout of semi-structured notes: lines, the labels of fields, and the whitespace between tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import ClassVar

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ..feature import MAX_LENGTH, TokenFeature, Words, normalize
from .columns import Column, empty

_BREAK = lazy_regex("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_COLON = lazy_regex(r"[:：](?!//)(?!(?<=\d.)\d)")  # no colon of a time or an address
_DIGIT = lazy_regex(r"\d")
_BULLET = lazy_regex(r"^[\W_]+")
_LETTER = lazy_regex(r"[^\W\d_]")


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of every line that is not empty, without the line break."""
    begin = 0
    for line_break in _BREAK.finditer(text):
        if line_break.start() > begin:
            yield begin, line_break.start()
        begin = line_break.end()
    if begin < len(text):
        yield begin, len(text)


def head(text: str) -> str:
    """Return the label of a field as a value: in lower case, digits as 0, without bullet; empty if it contains no letter."""
    text = _BULLET.sub("", " ".join(text.split()).lower())
    return normalize(_DIGIT.sub("0", text)).strip() if _LETTER.search(text) else ""


@part("line_head")
class LineHead(TokenFeature):
    """The label at the beginning of the token's line: the text before the first colon, if it is short. Tokens of the label
    itself and its colon have the feature without value. Digits are replaced by 0.

    Example: in the line `Nombre: Ana` the token `Ana` gives `line_head=nombre`, `Nombre` gives `line_head`.

    Source: own; semi-structured notes such as those of MEDDOCAN (Marimon et al. 2019) and discharge letters.
    """

    in_label = ("longest",)
    varied: ClassVar[bool] = True

    longest: int = 40
    """Maximum length of a label in code points; longer text before a colon is not a label."""

    def __post_init__(self) -> None:
        if not 1 <= self.longest <= MAX_LENGTH:
            raise ValueError(f"longest: expected a whole number from 1 to {MAX_LENGTH}, got {self.longest}")

    def column(self, words: Words) -> Column:
        column, text, begins, done = empty(words), words.view.text, words.begins, 0
        if ":" not in text and "：" not in text:
            return column
        for begin, end in lines(text):
            colon = _COLON.search(text, begin, min(end, begin + self.longest + 3))
            if colon is None or colon.start() > begin + self.longest:
                continue
            value = head(text[begin : colon.start()])
            if not value:
                continue
            first = bisect_left(begins, begin, done)
            own = bisect_left(begins, colon.end(), first)
            done = bisect_left(begins, end, own)
            column[first:own] = [""] * (own - first)
            column[own:done] = [value] * (done - own)
        return column


@part("field")
class Field(TokenFeature):
    """The word before the nearest colon to the left on the line: the field of a token in a line with several fields.
    That word and its colon have the feature without value. Digits are replaced by 0.

    Example: in `Médico: Ana Ruiz NºCol: 28` the token `28` gives `field=nºcol`, `Ruiz` gives `field=médico`.

    Source: own; as `line_head`.
    """

    varied: ClassVar[bool] = True

    def column(self, words: Words) -> Column:
        column, text = empty(words), words.view.text
        if ":" not in text and "：" not in text:
            return column
        begins, ends = words.begins, words.ends
        breaks = [line_break.start() for line_break in _BREAK.finditer(text)]
        value, until, filled = "", 0, 0
        for colon in _COLON.finditer(text):
            i = bisect_left(begins, colon.start())
            if i == 0 or i == len(begins) or begins[i] != colon.start() or ends[i - 1] > colon.start():
                continue
            line = bisect_left(breaks, colon.start())
            if line and begins[i - 1] < breaks[line - 1]:
                continue
            name = head(words.forms[i - 1][:MAX_LENGTH])
            if not name:
                continue
            stop = min(until, i - 1)
            column[filled:stop] = [value] * (stop - filled)
            column[i - 1] = column[i] = ""
            value, filled = name, i + 1
            until = bisect_left(begins, breaks[line], filled) if line < len(breaks) else len(begins)
        column[filled:until] = [value] * (until - filled)
        return column


@part("line_position")
class LinePosition(TokenFeature):
    """The number of the token in its line, from 1, for the first tokens; `last` for the last token.

    Example: in the line `Nombre: Ana` the tokens give `line_position=1`, `=2`, and both `=3` and `=last`.

    Source: own; names and addresses are on separate lines in letters and headers.
    """

    in_label = ("cap",)

    cap: int = 3
    """Number of tokens at the beginning of a line that have a number."""

    def __post_init__(self) -> None:
        if not 1 <= self.cap <= 99:
            raise ValueError(f"cap: expected a whole number from 1 to 99, got {self.cap}")

    def column(self, words: Words) -> Column:
        column, begins, done = empty(words), words.begins, 0
        names = [str(i + 1) for i in range(self.cap)]
        for begin, end in lines(words.view.text):
            first = bisect_left(begins, begin, done)
            done = bisect_left(begins, end, first)
            if first == done:
                continue
            counted = min(done - first, self.cap)
            column[first : first + counted] = names[:counted]
            last = column[done - 1]
            column[done - 1] = (last, "last") if isinstance(last, str) else "last"
        return column


@part("blank_before")
class BlankBefore(TokenFeature):
    """The whitespace before the token, unless it is a single space: none (`joined`), a tab or several spaces (`wide`), a line
    break (`line`), an empty line (`paragraph`); `start` for the first token.

    Example: the `.` of `Dr.` gives `blank_before=joined`.

    Source: own; other features do not show the token boundaries within words and the columns of tables.
    """

    def column(self, words: Words) -> Column:
        column, text = empty(words), words.view.text
        if not column:
            return column
        column[0] = "start"
        for i, (end, begin) in enumerate(zip(words.ends, words.begins[1:], strict=False), 1):
            if begin == end:
                column[i] = "joined"
            elif begin != end + 1 or text[end] != " ":
                column[i] = _gap(text, end, begin)
        return column


def _gap(text: str, begin: int, end: int) -> str | None:
    first = _BREAK.search(text, begin, end)
    if first is not None:
        return "line" if _BREAK.search(text, first.end(), end) is None else "paragraph"
    gap = text[begin:end]
    return "wide" if "\t" in gap or len(gap) > 1 else None
