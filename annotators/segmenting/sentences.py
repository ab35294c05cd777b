"""Finds the ends of sentences in clinical prose: rules for the marks that can end one, in a single pass over the text.

Decisions depend on the word before a mark, the text after it and, for line ends, the layout of the text. Nothing is
learned; abbreviations and beginners of sentences are data (`abbreviations.py`). Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from ...pipeline.storage.lazy_regex import lazy_regex
from .abbreviations import (
    BEFORE_NUMBER,
    BEGINNERS,
    FILE_ENDINGS,
    LETTERED,
    NAME_PARTS,
    NEVER_LAST,
    SHORT_WORDS,
    SOMETIMES_LAST,
)
from .line_ends import BULLETS, NEWLINES, NewlineBreaks, ends_sentence, in_brackets, is_bullet, item_number, wrap_width

_STOPS = ".!?…"
_WIDE_STOPS = "。！？｡؟۔।॥։።"  # always end a sentence
_CLOSERS = "\"';)]}”’»」』）】"
_OPENERS = "\"'([{“‘«「『（【¿¡"
_MARK = lazy_regex(
    rf"""[{re.escape(_STOPS + _WIDE_STOPS + BULLETS + NEWLINES)})]      # a class at the start makes the search fast
    (?: (?<= [a-z][a-z]\.) (?= \ [A-Z]) ()                            # group 1: end of a sentence unless an abbreviation
      | (?: (?<= [)\]%]\.) | (?<= \d{{4}}\.) | (?<= [./-]\d\.) | (?<= [./-]\d\d\.) ) (?= \ [A-Z]) ()   # 2: end
      | (?<! [.)])
      | (?<= \.) (?: (?! \d) | (?<= [^\W\d_]{{4}} \.))               # not in 2.5
      | (?<= \)) (?: (?<= \s[0-9a-z]\)) | (?<= \s\d\d\)) | (?<= \A[0-9a-z]\)))
    )""",
    re.VERBOSE,
)
_SPACES = lazy_regex(r"\s*+")
_WORD = lazy_regex(r"[^\W\d_]*+")
_LAST_WORD = lazy_regex(r"[^\W\d_]*\Z")
_VOWEL = lazy_regex(r"[aeiouy]")
_INITIALS = lazy_regex(r"(?:[^\W\d_]\.-?)*[^\W\d_]\Z")
_ADDRESS = lazy_regex(r"@|://|www\.", re.IGNORECASE)
_BEFORE_ITEM = _OPENERS + BULLETS + " \t\n\r\xa0-–—#"
_LONGEST_ITEM = 500  # code points; an enumeration ends if its next item is not within these
_FAR = 24  # code points read for the word before a stop; longer words are not abbreviations


class SentenceRules:
    """`breaks(text)` returns the offsets at which sentences end; `spans` groups tokens between them.

    `newline_breaks`: the meaning of a single line end (see the segmenter). `abbreviations`: further words, with or without
    their last full stop, after which no sentence ends.
    """

    def __init__(self, newline_breaks: NewlineBreaks = "auto", abbreviations: Iterable[str] = ()) -> None:
        self.newline_breaks = newline_breaks
        self._never = NEVER_LAST | {a.strip().rstrip(".").lower() for a in abbreviations} - {""}
        self._abbreviated = self._never | NAME_PARTS | BEFORE_NUMBER | SOMETIMES_LAST

    def spans(self, text: str, begins: list[int], ends: list[int], max_tokens: int) -> tuple[list[int], list[int]]:
        """Return begins and ends of the sentences over the given tokens, each of at most `max_tokens` tokens."""
        firsts = [0] if begins else []
        token, count = 0, len(begins)
        for offset in self.breaks(text):
            token = bisect_left(begins, offset, token)
            if token == count:
                break
            if token - firsts[-1] > max_tokens:
                firsts.extend(range(firsts[-1] + max_tokens, token, max_tokens))
            if token > firsts[-1]:
                firsts.append(token)
        if firsts:
            firsts.extend(range(firsts[-1] + max_tokens, count, max_tokens))
        return [begins[i] for i in firsts], [*(ends[i - 1] for i in firsts[1:]), *ends[-1:]]

    def breaks(self, text: str) -> list[int]:
        """Return the offsets between sentences, ascending: each is after a stop or before the start of the next sentence."""
        cuts: list[int] = []
        size = len(text)
        width = -1  # of wrapped lines; measured at the first line end
        start = 0  # of the current sentence, with white space before it
        line = 0  # start of the current line
        done = 0  # marks before this offset are processed
        items = _Enumeration()
        for mark in _MARK.finditer(text):
            i = mark.start()
            if i < done:
                continue
            char, plain, cut = mark[0], mark.lastindex, -1
            if plain == 2 or (
                plain and self._is_word(text[max(text.rfind(" ", max(0, i - _FAR), i) + 1, i - _FAR) : i])
            ):
                cut = i + 1
            elif char in _STOPS:
                after = _after_closers(text, i)
                if after == size:
                    break
                if text[after] in _STOPS:
                    continue  # the last of several decides
                item = items.dotted(text, start, i) if char == "." and text[i - 1 : i].isdigit() else None
                cut = item if item is not None else after if self._ends(text, i, after, start) else -1
            elif char in NEWLINES:
                if width < 0:
                    width = wrap_width(text) if self.newline_breaks == "auto" else 0
                done = _end_of_space(text, i)
                if done == size:
                    break
                if ends_sentence(text, line, i, done, width, self.newline_breaks):
                    cut = i
                line = done
            elif char == ")":
                cut = items.bracketed(text, start, i)
            elif char in _WIDE_STOPS:
                cut = _after_closers(text, i)
            elif (i == 0 or text[i - 1].isspace()) and is_bullet(text, i):
                cut = i
            if cut >= 0:
                cuts.append(cut)
                start = cut
        return cuts

    def _is_word(self, word: str) -> bool:
        return word.isalpha() and word.lower() not in self._abbreviated

    def _ends(self, text: str, stop: int, after: int, start: int) -> bool:
        """Return True if a sentence ends at the stop; `after` is the first code point after it and its closing marks."""
        if not text[after].isspace():
            return self._ends_without_space(text, stop, after, start)
        offset = _end_of_space(text, after)
        if offset == len(text) or text[offset] in ")]},;":
            return False
        bracket = text[offset] in "(["
        while offset + 1 < len(text) and text[offset] in _OPENERS:
            offset += 1
        first, before = text[offset], text[stop - 1 : stop]
        small = first.islower() and _run(text, offset).islower() and not _has_digit(_run(text, offset))  # not mRNA, p53
        if text[stop] in "?!":  # not in `? allergy`, `(?)`
            alone = not before or before.isspace() or before in _OPENERS
            return not alone and not (small and after > stop + 1)
        if not before or before.isspace() or text[stop] == "…" or text[max(0, stop - 2) : stop] == "..":
            return not (small or first.isdigit())
        word = _word_before(text, stop, start)
        if small:
            return after == stop + 1 and before != "." and self._ends_small(word) and not in_brackets(text, start, stop)
        if "." in word and len(word.rsplit(".", 1)[1]) == 1 and not _INITIALS.match(word):
            word = word[-1]  # an initial without a space before it: `Dra.C. Lara`
        if len(word) == 1 and word.isupper():
            heads = text[max(start, stop - 2 * _FAR) : stop].split()[-2:-1]
            return _begins(text, offset) or (heads != [] and heads[0].lower() in LETTERED)
        low = word.lower()
        if low in self._abbreviated:
            if low in self._never:
                return False
            if low in NAME_PARTS:
                return _begins(text, offset)
            if low in BEFORE_NUMBER:
                return not _has_digit(_run(text, offset))
            return first.isupper() and not bracket
        if _INITIALS.match(word):
            return _begins(text, offset)
        tail = _LAST_WORD.search(low)
        return not (tail and tail[0] != low and tail[0] in self._never)

    def _ends_small(self, word: str) -> bool:
        """Return True if a stop after `word` ends a sentence although a lower-case letter follows, as in hurried notes."""
        if not word[-1:].isalpha():
            return word != ""
        if word.lower() in self._abbreviated:
            return False
        last = _LAST_WORD.search(word.lower())
        low = last[0] if last else ""
        if low in self._abbreviated:
            return False
        if len(low) < 4:
            return low in SHORT_WORDS and len(word) == len(low)
        return not low.isascii() or _VOWEL.search(low) is not None

    def _ends_without_space(self, text: str, stop: int, after: int, start: int) -> bool:
        """Return True if a sentence ends at a stop without a space after it: `hepatitis.XXOn`, not `J.Smith` or `x@y.Com`."""
        first, second, before = text[after], text[after + 1 : after + 2], text[stop - 1 : stop]
        follows = _WORD.match(text, after)
        word = follows[0] if follows else ""
        capitalized = first.isupper() and (second.islower() or word in ("I", "A"))
        if text[stop] != ".":
            return capitalized and before.isalnum() and text[stop] != "…"
        if not (first.isupper() or first.isdigit()) or before in (".", "") or before.isspace():
            return False
        if word.lower() in FILE_ENDINGS:
            return False
        left = _word_before(text, stop, start)
        tail = _LAST_WORD.search(left)
        last = tail[0] if tail else ""
        low = left.lower()
        if not left or _ADDRESS.search(text, max(start, stop - 2 * _FAR), after + 2 * _FAR):
            return False
        if low in self._abbreviated or last.lower() in self._abbreviated:
            return low in SOMETIMES_LAST and capitalized and _begins(text, after)
        if first.isdigit():
            return len(last) >= 4 and last == left
        if not last:  # a number, a bracket, a sign
            return capitalized
        if len(last) == 1:
            return False
        return capitalized or (last.islower() and len(last) > 2)


@dataclass(slots=True)
class _Enumeration:
    """A running enumeration: the number of its next item, and the offset of its last item."""

    next: int = 1
    last: int = 0

    def dotted(self, text: str, start: int, stop: int) -> int | None:
        """Return the offset of the item `2.` if a sentence ends before it, -1 if none does; None for other numbers."""
        number = item_number(text, start, stop)
        if number is None:
            return None
        begin, value = number
        if not text[max(start, begin - _FAR) : begin].strip(_BEFORE_ITEM):
            self.last, self.next = begin, value + 1
            return -1
        if value == self.next > 1 and stop - self.last < _LONGEST_ITEM:
            self.last, self.next = begin, value + 1
            return begin
        return None

    def bracketed(self, text: str, start: int, mark: int) -> int:
        """Return the offset of the item `2)` that ends at `mark`; -1 for other brackets."""
        number = item_number(text, start, mark)
        expected = (1, self.next) if mark - self.last < _LONGEST_ITEM else (1,)
        if number is None or number[1] not in expected or text[mark + 1 : mark + 2] in ("", ")", ",", "."):
            return -1
        self.last, self.next = number[0], number[1] + 1
        return number[0]


def _after_closers(text: str, stop: int) -> int:
    """Return the offset after a stop and the quotes and brackets that close with it, at most four."""
    after = stop + 1
    while after < len(text) and after - stop < 5 and text[after] in _CLOSERS:
        after += 1
    return after


def _begins(text: str, offset: int) -> bool:
    """Return True if the word at `offset` is one that begins sentences."""
    word = _WORD.match(text, offset)
    return word is not None and word[0][:1].isupper() and word[0].lower() in BEGINNERS


def _word_before(text: str, stop: int, start: int) -> str:
    """Return the text before `stop` from white space or `start`, shortened, without brackets, quotes and further stops."""
    return "".join(text[max(start, stop - _FAR) : stop].rsplit(None, 1)[-1:]).strip(_OPENERS).rstrip(".")


def _run(text: str, offset: int) -> str:
    """Return the text at `offset` up to the next white space, shortened; empty if there is only white space."""
    return "".join(text[offset : offset + _FAR].split(None, 1)[:1])


def _has_digit(run: str) -> bool:
    return any(map(str.isdigit, run))


def _end_of_space(text: str, offset: int) -> int:
    spaces = _SPACES.match(text, offset)
    return spaces.end() if spaces else offset
