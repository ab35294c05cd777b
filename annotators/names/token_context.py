"""The tokens of a document with their shapes, cues and the text between them, and the spans that the name rules find."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from ...typesystem import PhiKind, Sentence, View
from . import cues, words
from .cues import HOT, SHOUT, SHOWN
from .words import Words


class TokenContext:
    """The tokens of a view as lists, with queries for rules. Indexes are token numbers, ends exclusive."""

    def __init__(self, view: View, lists: Words) -> None:
        tokens = view.tokens
        self.lists, self.makers = lists, lists.lists["not_organizations"]
        self.text = view.text
        self.lowers = tokens.lowers
        self.begins, self.ends, self.forms = tokens.begins, tokens.ends, tokens.forms
        if not view.text.isascii() and not _UNSEEN.isdisjoint(self.forms):
            self._leave_out_unseen()
        lists.look_up(self.forms)
        self.bits = list(map(lists.marks.__getitem__, self.forms))
        self.size = len(self.forms)
        self._facts, self._known = lists.facts, dict[int, int]()
        self.hot = [i for i, b in enumerate(self.bits) if b & HOT]  # tokens that a rule can begin at
        self.shown = [i for i in self.hot if self.bits[i] & SHOWN]  # tokens with a capital
        self.hot_facts = [(i, self._facts[self.forms[i]]) for i in self.hot]
        self._known.update(self.hot_facts)
        starts, _ = view.spans(Sentence)
        self.sentence_starts = {bisect_left(self.begins, s) for s in starts} or {0}
        if self._block_phrases(lists):
            self.hot_facts = [(i, self._known[i]) for i in self.hot]
        """The tokens that a rule can begin at, with their lexical bits, in text order."""
        shouts = sum([self.bits[i] & SHOUT for i in self.shown]) // SHOUT
        capitals = len(self.shown) - shouts
        smalls = self.size - len(self.shown)
        self.shouted = shouts > smalls + 2 * capitals and shouts > 3  # the whole text is in capitals
        self.small = smalls > 8 * len(self.shown) and all(self.form(i + 1) == ":" for i in self.shown)
        """The text has no capitals, except those of speakers (`DOCTOR:`)."""

    def _leave_out_unseen(self) -> None:
        """Remove invisible tokens, such as a zero-width space between `Dr.` and the name."""
        kept = [i for i, form in enumerate(self.forms) if form not in _UNSEEN]
        self.lowers, self.forms = [self.lowers[i] for i in kept], [self.forms[i] for i in kept]
        self.begins, self.ends = [self.begins[i] for i in kept], [self.ends[i] for i in kept]

    def _block_phrases(self, lists: Words) -> bool:
        """Block the words of manufacturers, brands and medical terms of several words; return True if there are any."""
        facts_of, blocked = self._known, False
        for i in self.shown:
            facts = facts_of[i]
            if not facts & (words.MAKERS_BEGIN | words.TERMS_BEGIN | words.EPONYMS_BEGIN) or i + 1 == self.size:
                continue
            if facts & words.BLOCKED and not facts & words.MAKERS_BEGIN and self.forms[i] != "St":
                continue  # not a name that a term could be mistaken for; but `St. John's wort` begins with such a word
            tokens = self.forms[i : i + 5]
            size, _ = lists.longest("not_organizations", tokens) if facts & words.MAKERS_BEGIN else (0, None)
            if size < 2 and facts & words.TERMS_BEGIN:
                size, _ = lists.longest("medical products", tokens)
            if size < 2 and facts & words.EPONYMS_BEGIN and self.title_before(i) is None:
                size, _ = lists.longest("eponyms", tokens)
            if size > 1:
                blocked = True
                for j in range(i, i + size):
                    facts_of[j] = words.BLOCKED | words.TERM | (self.facts(j) & ~_BLOCKABLE)
        return blocked

    def facts(self, i: int) -> int:
        """Return the lexical bits of token i (`words.GIVEN` ...); 0 outside the document."""
        value = self._known.get(i)
        if value is None:
            if not 0 <= i < self.size:
                return 0
            value = self._known[i] = self._facts[self.forms[i]]
        return value

    def between(self, i: int) -> str:
        """Return the characters between token i and the next one."""
        return self.text[self.ends[i] : self.begins[i + 1]]

    def near(self, i: int) -> bool:
        """Return True if token i and the next belong together: at most two spaces, or one line end within a sentence."""
        if i + 1 >= self.size:
            return False
        gap = self.begins[i + 1] - self.ends[i]
        return gap == 0 or (gap <= 2 and not self.breaks(i))

    def breaks(self, i: int) -> bool:
        """Return True if the line and the sentence end after token i; False for a wrapped line."""
        if "\n" not in self.text[self.ends[i] : self.begins[i + 1]]:
            return False
        return i + 1 in self.sentence_starts or self.text.count("\n", self.ends[i], self.begins[i + 1]) > 1

    def tokens(self, i: int, most: int) -> list[str]:
        """Return token i and the tokens that belong together with it, at most `most` in all."""
        last = i + 1
        while last < i + most and self.near(last - 1):
            last += 1
        return self.forms[i:last]

    def starts(self, i: int) -> bool:
        """Return True if a sentence, a line or a list item begins with token i, so that its capital means nothing."""
        if i == 0 or i in self.sentence_starts:
            return True
        before = self.forms[i - 1]
        if before in _OPENERS or self.breaks(i - 1):
            return True
        return before in _QUOTES and (i < 2 or i - 1 in self.sentence_starts or self.forms[i - 2] in _OPENERS)

    def is_free(self, i: int) -> bool:
        """Return True if token i is a word of the text, not part of an e-mail address, a path or a code."""
        text, begin, end = self.text, self.begins[i], self.ends[i]
        if begin and not (text[begin - 1].isspace() or text[begin - 1] in "\"'“‘(["):
            return False
        return end == len(text) or (
            text[end] not in "@_/\\0123456789" and not text[end : end + 2].lstrip(".").isalnum()
        )

    def before(self, i: int) -> int:
        """Return the token before i in the same sentence, past quotes and brackets; -1 if there is none."""
        j = i - 1
        while j >= 0 and self.forms[j] in _QUOTES:
            j -= 1
        if j < 0 or self.breaks(j):
            return -1
        return j

    def title_before(self, i: int) -> int | None:
        """Return the title directly before token i or its full stop, None if there is none."""
        k = i - 1
        if k >= 0 and self.forms[k] == "." and k and self.bits[k - 1] & (cues.TITLE | cues.WEAK_TITLE):
            k -= 1
        if k < 0 or not self.bits[k] & (cues.TITLE | cues.WEAK_TITLE):
            return None
        if self.breaks(i - 1) and not (k < i - 1 and self.text.count("\n", self.ends[k], self.begins[i]) == 1):
            return None  # only `Dr.` with its full stop certainly continues in the next line
        return k

    def token_at(self, offset: int) -> int:
        """Return the token that contains a code point, or else the one before it; -1 if there is none."""
        return bisect_right(self.begins, offset) - 1

    def form(self, i: int) -> str:
        """Return the form of token i; empty outside the document."""
        return self.forms[i] if 0 <= i < self.size else ""

    def bit(self, i: int) -> int:
        """Return the bits of token i; 0 outside the document."""
        return self.bits[i] if 0 <= i < self.size else 0


_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_BLOCKABLE = words.NAME | words.OFTEN | words.UNKNOWN | words.EPONYM | words.CITY | words.PLACES_BEGIN
_OPENERS = frozenset([".", "!", "?", ":", ";", "•", "-", "*", "–", "—", "...", "…", "/", "·", "=", ">", "|", "\\"])
_QUOTES = frozenset(['"', "'", "“", "”", "‘", "’", "(", "[", "«", "»"])


class NameSpan(NamedTuple):
    """A span with its kind, confidence and rule; `first` and `last` are token numbers, `last` exclusive."""

    begin: int
    end: int
    kind: PhiKind
    confidence: float
    rule: str
    first: int
    last: int


def span_of(doc: TokenContext, first: int, last: int, kind: PhiKind, confidence: float, rule: str) -> NameSpan:
    """Return the span of tokens `first` to `last` (exclusive)."""
    return NameSpan(doc.begins[first], doc.ends[last - 1], kind, round(confidence, 2), rule, first, last)
