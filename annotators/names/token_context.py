"""One document as the name rules read it: tokens with their shapes, cues, and what lies between them."""

from __future__ import annotations

from bisect import bisect_left

from ...typesystem import Sentence, View
from . import cues, words
from .shape import HOT, SHOUT, SHOWN
from .words import Words


class TokenContext:
    """The tokens of a view as lists, with what rules ask about them. Indexes are token numbers, ends exclusive."""

    def __init__(self, view: View, lists: Words) -> None:
        tokens = view.tokens
        self.text = view.text
        self.lowers = tokens.lowers
        self.begins, self.ends, self.forms = tokens.begins, tokens.ends, tokens.forms
        if not view.text.isascii() and not _UNSEEN.isdisjoint(self.forms):
            self._leave_out_unseen()
        self.bits = list(map(lists.marks.__getitem__, self.forms))
        self.size = len(self.forms)
        self._facts, self._known = lists.facts, dict[int, int]()
        self.hot = [i for i, b in enumerate(self.bits) if b & HOT]
        """Tokens that any rule can begin at."""
        self.shown = [i for i in self.hot if self.bits[i] & SHOWN]
        """Tokens with a capital."""
        self.hot_facts = [(i, self._facts[self.forms[i]]) for i in self.hot]
        self._known.update(self.hot_facts)
        starts, _ = view.spans(Sentence)
        self.sentence_starts = {bisect_left(self.begins, s) for s in starts} or {0}
        if self._block_phrases(lists):
            self.hot_facts = [(i, self._known[i]) for i in self.hot]
        """The tokens that any rule can begin at, with what they can be, in text order."""
        shouts = sum([self.bits[i] & SHOUT for i in self.shown]) // SHOUT
        capitals = len(self.shown) - shouts
        smalls = self.size - len(self.shown)
        self.shouted = shouts > smalls + 2 * capitals and shouts > 3
        """Written in capitals throughout."""
        self.small = smalls > 8 * len(self.shown) and all(self.form(i + 1) == ":" for i in self.shown)
        """Written without capitals, those of speakers (`DOCTOR:`) aside."""

    def _leave_out_unseen(self) -> None:
        """Drops the tokens that nobody sees, such as a zero-width space between `Dr.` and the name."""
        kept = [i for i, form in enumerate(self.forms) if form not in _UNSEEN]
        self.lowers, self.forms = [self.lowers[i] for i in kept], [self.forms[i] for i in kept]
        self.begins, self.ends = [self.begins[i] for i in kept], [self.ends[i] for i in kept]

    def _block_phrases(self, lists: Words) -> bool:
        """Blocks the words of makers, brands and medical terms of several words, whatever each may be alone.

        True where there are any.
        """
        facts_of, found = self._known, False
        for i in self.shown:
            facts = facts_of[i]
            if not facts & (words.MAKERS_BEGIN | words.TERMS_BEGIN | words.EPONYMS_BEGIN) or i + 1 == self.size:
                continue
            if facts & words.BLOCKED and not facts & words.MAKERS_BEGIN and self.forms[i] != "St":
                continue  # no name that a term could be taken for; `St. John's wort` begins with such a word
            tokens = self.forms[i : i + 5]
            size, _ = lists.longest("not_organizations", tokens) if facts & words.MAKERS_BEGIN else (0, None)
            if size < 2 and facts & words.TERMS_BEGIN:
                size, _ = lists.longest("medical", tokens)
            if size < 2 and facts & words.EPONYMS_BEGIN and self.title_before(i) is None:
                size, _ = lists.longest("eponyms", tokens)
            if size > 1:
                found = True
                for j in range(i, i + size):
                    facts_of[j] = words.BLOCKED | words.TERM | (self.facts(j) & ~_BLOCKABLE)
        return found

    def facts(self, i: int) -> int:
        """What token i can be (`words.GIVEN` ...); 0 outside the document."""
        value = self._known.get(i)
        if value is None:
            if not 0 <= i < self.size:
                return 0
            value = self._known[i] = self._facts[self.forms[i]]
        return value

    def between(self, i: int) -> str:
        """The characters between token i and the next one."""
        return self.text[self.ends[i] : self.begins[i + 1]]

    def near(self, i: int) -> bool:
        """Whether token i and the next stand together: at most two blanks, or one line end that ends no sentence."""
        if i + 1 >= self.size:
            return False
        gap = self.begins[i + 1] - self.ends[i]
        return gap == 0 or (gap <= 2 and not self.breaks(i))

    def breaks(self, i: int) -> bool:
        """Whether a line ends after token i that is no wrapped line: the sentence ends there too."""
        if "\n" not in self.text[self.ends[i] : self.begins[i + 1]]:
            return False
        return i + 1 in self.sentence_starts or self.text.count("\n", self.ends[i], self.begins[i + 1]) > 1

    def tokens(self, i: int, most: int) -> list[str]:
        """Token i and those that stand together with it after it, at most so many in all."""
        last = i + 1
        while last < i + most and self.near(last - 1):
            last += 1
        return self.forms[i:last]

    def starts(self, i: int) -> bool:
        """Whether a sentence, a line or an item of a list begins with token i: its capital says nothing."""
        if i == 0 or i in self.sentence_starts:
            return True
        before = self.forms[i - 1]
        if before in _OPENERS or self.breaks(i - 1):
            return True
        return before in _QUOTES and (i < 2 or i - 1 in self.sentence_starts or self.forms[i - 2] in _OPENERS)

    def is_free(self, i: int) -> bool:
        """Whether token i is a word of the text, no piece of an e-mail address, a path or a code."""
        text, begin, end = self.text, self.begins[i], self.ends[i]
        if begin and not (text[begin - 1].isspace() or text[begin - 1] in "\"'“‘(["):
            return False
        return end == len(text) or (
            text[end] not in "@_/\\0123456789" and not text[end : end + 2].lstrip(".").isalnum()
        )

    def before(self, i: int) -> int:
        """The token before i in the same sentence, past blanks, quotes and brackets; -1 where there is none."""
        j = i - 1
        while j >= 0 and self.forms[j] in _QUOTES:
            j -= 1
        if j < 0 or self.breaks(j):
            return -1
        return j

    def title_before(self, i: int) -> int | None:
        """The title directly before token i (its full stop skipped), None where there is none."""
        k = i - 1
        if k >= 0 and self.forms[k] == "." and k and self.bits[k - 1] & (cues.TITLE | cues.WEAK_TITLE):
            k -= 1
        if k < 0 or not self.bits[k] & (cues.TITLE | cues.WEAK_TITLE):
            return None
        if self.breaks(i - 1) and not (k < i - 1 and self.text.count("\n", self.ends[k], self.begins[i]) == 1):
            return None  # only `Dr.` with its full stop is sure to go on in the next line
        return k

    def form(self, i: int) -> str:
        """The form of token i; empty outside the document."""
        return self.forms[i] if 0 <= i < self.size else ""

    def bit(self, i: int) -> int:
        """The bits of token i; 0 outside the document."""
        return self.bits[i] if 0 <= i < self.size else 0


_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_BLOCKABLE = words.NAME | words.OFTEN | words.UNKNOWN | words.EPONYM | words.CITY | words.PLACES_BEGIN
_OPENERS = frozenset([".", "!", "?", ":", ";", "•", "-", "*", "–", "—", "...", "…", "/", "·", "=", ">", "|", "\\"])
_QUOTES = frozenset(['"', "'", "“", "”", "‘", "’", "(", "[", "«", "»"])
