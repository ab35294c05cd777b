"""Finding the entries of a lexicon in a row of tokens: one trie walk from each token that an entry can begin with."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import compress
from typing import Literal, NamedTuple

from ...typesystem import FormTable
from .lexicon import Entry, Lexicon, case_fits
from .normal import NORMAL, SEPARATOR

Longest = Literal["none", "group", "all"]

SKIP_RUN, SKIP_TOTAL = 2, 4
"""Tokens that may be left out in a row and in all, as in cTAKES' OverlapJCasTermAnnotator."""
SKIP_PENALTY = 0.9
"""What each left-out token multiplies the confidence by."""


class Hit(NamedTuple):
    """An entry found at tokens `first` to `last` (half-open)."""

    first: int
    last: int
    entry: Entry
    confidence: float
    """1 for an exact match; 1 - 1 / letters where a word of that many letters was misspelt; x 0.9 for each skipped token."""


Near = Callable[[str], tuple[str, ...]]
"""Takes a word in normal form, gives the dictionary words that it may be a misspelling of."""


class Matcher:
    """Finds entries of one lexicon.

    `longest`: `group` drops a hit inside another of its group, `all` one inside any other, `none` keeps all; in every
    case a span has one hit per group, the one of highest confidence, else of the first source. `plurals`: an English plural
    also matches its singular. `skip`: entries may have up to two tokens in a row, four in all, between theirs.
    `near`: gives dictionary words for unknown ones; one token of a hit may be such a word.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        *,
        groups: Collection[str] | None = None,
        longest: Longest = "group",
        plurals: bool = True,
        skip: bool = False,
        near: Near | None = None,
        near_length: Callable[[Entry], int] = lambda entry: 0,
    ) -> None:
        self._lexicon = lexicon
        self._trie = lexicon.compiled.trie
        self._groups = None if groups is None else frozenset(groups)
        self._longest = longest
        self._plurals, self._skip, self._near, self._near_length = plurals, skip, near, near_length
        self._entries: FormTable[tuple[Entry, ...]] = FormTable(self._wanted)
        self._goes_on: FormTable[bool] = FormTable(self._has_prefix)
        self._parts: FormTable[tuple[tuple[str, float], ...]] = FormTable(self._readings)
        self._starts: FormTable[_Start | None] = FormTable(self._start)

    def find(self, forms: list[str], breaks: Collection[int] = ()) -> list[Hit]:
        """The hits in a row of tokens, by first token, longer ones first.

        With `skip`, no hit reaches over a token whose index is in `breaks` (the first tokens of sentences).
        """
        hits: list[Hit] = []
        reach: dict[str, tuple[int, int]] = {}
        keep, skip, count = self._longest, self._skip, len(forms)
        starts = list(map(self._starts.__getitem__, forms))
        for first in compress(range(count), starts):
            found, seconds = starts[first]  # type: ignore[misc]  # compress leaves out the Nones
            if seconds is not None and first + 1 < count and (skip or seconds[forms[first + 1]]):
                longer = self._walk(forms, first, breaks) if skip else self._straight(forms, first)
                found = [*longer, *found] if longer else found
            for tokens, entry, confidence in found:
                last, group = first + tokens, entry.group
                begin, end = reach.get(group, _NOWHERE)
                if end == last and begin == first:
                    continue  # this span has a hit of the group
                if keep == "group":
                    if end >= last:
                        continue
                elif keep == "all":
                    begin, end = reach.get("", _NOWHERE)
                    if end > last or (end == last and begin != first):
                        continue
                    reach[""] = (first, last)
                reach[group] = (first, last)
                hits.append(Hit(first, last, entry, confidence))
        return hits

    def _straight(self, forms: list[str], first: int) -> list[_Found]:
        """As `_walk` without skipping; quick as long as every token has one reading only."""
        readings = self._parts[forms[first]]
        found: list[_Found] = []
        key, at, count = "", first, len(forms)
        while len(readings) == 1:
            key += readings[0][0]
            if not self._goes_on[key]:
                break
            at += 1
            if at - first > 1:
                entries = self._entries[key]
                if entries:
                    tokens = forms[first:at]
                    found[:0] = [(at - first, e, 1.0) for e in entries if not e.exact or case_fits(e, tokens)]
            if at == count:
                break
            readings = self._parts[forms[at]]
        else:
            return self._walk(forms, first, ())
        return found

    def _walk(self, forms: list[str], first: int, breaks: Collection[int]) -> list[_Found]:
        """Every entry of two or more tokens that begins at one token, in any reading of its tokens."""
        found: list[_Found] = []
        parts, entries, goes_on, count, skip = self._parts, self._entries, self._goes_on, len(forms), self._skip

        def step(at: int, prefix: str, used: list[str], sure: float, misspelt: int, run: int, left: int) -> None:
            if at >= count or (skip and at > first and at in breaks):
                return
            form = forms[at]
            for part, confidence in parts[form]:
                if confidence < 1.0 and misspelt:
                    continue
                key = prefix + part
                if not goes_on[key]:
                    continue
                now, tokens = sure * confidence, [*used, form]
                letters = len(form) if confidence < 1.0 else misspelt
                if used:
                    found.extend([(at + 1 - first, e, now) for e in entries[key] if self._fits(e, tokens, letters)])
                step(at + 1, key, tokens, now, letters, 0, left)
            if skip and used and run < SKIP_RUN and left > 0:
                step(at + 1, prefix, used, sure * SKIP_PENALTY, misspelt, run + 1, left - 1)

        step(first, "", [], 1.0, 0, 0, SKIP_TOTAL)
        found.sort(key=_by_length)
        return found

    def _fits(self, entry: Entry, tokens: list[str], misspelt: int) -> bool:
        """Whether the case is right, and no abbreviation or too short a word was taken for misspelt."""
        if misspelt and (entry.exact or misspelt < self._near_length(entry)):
            return False
        return not entry.exact or case_fits(entry, tokens)

    # -- facts about a token form, each computed once ----------------------------------------------------------------

    def _wanted(self, key: str) -> tuple[Entry, ...]:
        found = self._lexicon.entries_of_key(key)
        return found if self._groups is None else tuple([e for e in found if e.group in self._groups])

    def _readings(self, form: str) -> tuple[tuple[str, float], ...]:
        """(key part, confidence) of the token as it is, as a singular, and of the words it may be a misspelling of."""
        normal = NORMAL[form]
        readings = [(normal + SEPARATOR, 1.0)]
        words = self._lexicon.compiled.words
        if self._plurals and not form.isupper():
            readings += [(s + SEPARATOR, 1.0) for s in singulars(normal) if s in words]
        if self._near is not None and len(readings) == 1 and normal not in words:
            sure = 1.0 - 1.0 / max(len(normal), 2)
            readings += [(word + SEPARATOR, sure) for word in self._near(normal)]
        return tuple(readings)

    def _has_prefix(self, key: str) -> bool:
        return next(self._trie.iterkeys(key), None) is not None

    def _start(self, form: str) -> _Start | None:
        """What can begin with this token: entries of one token, and a table of the tokens that may come second."""
        depths = [(part, sure, self._lexicon.depth(part[: -len(SEPARATOR)])) for part, sure in self._parts[form]]
        found = [
            (1, entry, sure)
            for part, sure, depth in depths
            if depth
            for entry in self._entries[part]
            if self._fits(entry, [form], len(form) if sure < 1.0 else 0)
        ]
        firsts = [part for part, _, depth in depths if depth > 1]
        if not found and not firsts:
            return None

        def second(following: str) -> bool:
            return any(self._goes_on[one + two] for one in firsts for two, _ in self._parts[following])

        return sorted(found, key=_by_length), FormTable(second, 10_000) if firsts else None


_NOWHERE = (-1, -1)
_Found = tuple[int, Entry, float]
"""Number of tokens, the entry, and how sure the match is."""
_Start = tuple[list[_Found], FormTable[bool] | None]


def _by_length(found: _Found) -> tuple[int, float]:
    return -found[0], -found[2]


def singulars(word: str) -> list[str]:
    """What the singular of a lower-case English word may be, likeliest first; empty for words that look singular."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or not word.isalpha():
        return []
    if word.endswith("ies") and len(word) > 4:
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        return [word[:-2], word[:-1]]
    return [word[:-1]]
