"""Finds the entries of a lexicon in a sequence of tokens, with one walk from each token that an entry may begin with."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import compress
from operator import itemgetter
from typing import Literal, NamedTuple

from .lexicon import Entry, Lexicon, case_fits
from .normalization import NORMAL, SEPARATOR

Longest = Literal["none", "group", "all"]

SKIP_RUN, SKIP_TOTAL = 2, 4
"""Number of tokens that may be skipped in a row and in total, as in cTAKES' OverlapJCasTermAnnotator."""
SKIP_PENALTY = 0.9
"""Factor of the confidence for each skipped token."""
MAX_STEPS = 20_000
"""Number of steps from word to word that a matcher caches before it clears the cache."""

_NOWHERE = (-1, -1)
_ALL = "\0"  # not the name of a group
_StepMatch = tuple[int, str, Entry, float]
"""Number of tokens, the group or list within which it competes, the entry, and the confidence."""
_State = tuple[int, str, float, int]
"""Index of the lexicon, a prefix of its keys, the confidence, and the number of letters of a misspelt token (0: none)."""


class LexiconMatch(NamedTuple):
    """An entry that matches the tokens `first` to `last` (half-open)."""

    first: int
    last: int
    entry: Entry
    confidence: float
    """1 for an exact match; 1 - 1 / letters if a word of that many letters is misspelt; times 0.9 for each skipped token."""


Near = Callable[[str], tuple[str, ...]]
"""Returns the dictionary words of which a word in normal form may be a misspelling."""


class Matcher:
    """Finds entries of one or more lexicons in one pass.

    `longest`: `group` (or `list`) drops a match inside another of its group (list), `all` one inside any other, `none` keeps
    all; in every case a span has one match per group (list), the one with the highest confidence, else of the first lexicon
    and list. `plurals`: an English plural also matches its singular. `skip`: up to two tokens in a row, four in total, may be
    between the tokens of an entry. `near` returns for each lexicon a function that corrects unknown words; one token of a
    match may be such a word, and `near_length` returns the minimum number of its letters for an entry.
    """

    def __init__(
        self,
        *lexicons: Lexicon,
        groups: Collection[str] | None = None,
        longest: Longest | Literal["list"] = "group",
        plurals: bool = True,
        skip: bool = False,
        near: Callable[[Lexicon], Near] | None = None,
        near_length: Callable[[Entry], int] = lambda entry: 0,
    ) -> None:
        self._lexicons = lexicons
        lists = [(i, header["name"]) for i, lexicon in enumerate(lexicons) for header in lexicon.headers]
        self._order = {which: rank for rank, which in reversed(list(enumerate(lists)))}
        self._groups = None if groups is None else frozenset(groups)
        self._longest, self._skip, self._near_length = longest, skip, near_length
        self._readings = [_Readings(lexicon, plurals, near(lexicon) if near else None) for lexicon in lexicons]
        self._corrects = near is not None
        self._steps = 0
        self._root = _Step(self, (), tuple([(i, "", 1.0, 0) for i in range(len(lexicons))]), [])

    def find(self, forms: list[str], breaks: Collection[int] = ()) -> list[LexiconMatch]:
        """Return the matches in a sequence of tokens, by first token, longer ones first.

        With `skip`, no match extends over a token whose index is in `breaks` (the first tokens of sentences).
        """
        if self._steps > MAX_STEPS:
            self._root = _Step(self, (), self._root.states, [])
            self._steps = 0
        matches: list[LexiconMatch] = []
        reach: dict[str, tuple[int, int]] = {}
        keep, count, new = self._longest, len(forms), tuple.__new__  # LexiconMatch(...) would cost twice as much
        within_scope = keep in ("group", "list")
        starts = list(map(self._root.__getitem__, forms))
        for first in compress(range(count), starts):
            step = starts[first]
            found = step.found  # type: ignore[union-attr]  # compress leaves out the Nones
            if self._skip:
                found = self._with_gaps(forms, first, breaks)
            else:
                index = first + 1
                while index < count and step.states:  # type: ignore[union-attr]
                    step = step[forms[index]]  # type: ignore[index]
                    if step is None:
                        break
                    index += 1
                    if step.found:
                        found = step.found + found
            for tokens, scope, entry, confidence in found:
                last = first + tokens
                begin, end = reach.get(scope, _NOWHERE)
                if end == last and begin == first:
                    continue  # this span has a match of the group
                if within_scope:
                    if end >= last:
                        continue
                elif keep == "all":
                    begin, end = reach.get(_ALL, _NOWHERE)
                    if end > last or (end == last and begin != first):
                        continue
                    reach[_ALL] = (first, last)
                reach[scope] = (first, last)
                matches.append(new(LexiconMatch, (first, last, entry, confidence)))
        return matches

    def _with_gaps(self, forms: list[str], first: int, breaks: Collection[int]) -> list[_StepMatch]:
        """Return every entry that begins at one token, with skipped tokens between its own."""
        found: list[_StepMatch] = []
        count = len(forms)

        def go(step: _Step, at: int, sure: float, left: int) -> None:
            found.extend([(at - first, scope, entry, sure * confidence) for _, scope, entry, confidence in step.found])
            for gap in range(min(SKIP_RUN, left) + 1):
                if at + gap >= count or at + gap in breaks or not step.states:
                    return
                following = step[forms[at + gap]]
                if following is not None:
                    go(following, at + gap + 1, sure * SKIP_PENALTY**gap, left - gap)

        start = self._root[forms[first]]
        if start is not None:
            go(start, first + 1, 1.0, SKIP_TOTAL)
        found.sort(key=lambda match: (-match[0], -match[3]))  # stable: of equal ones that of the first lexicon is first
        return found

    def begins(self, form: str) -> bool:
        """Return False if it is certain without a step that no entry begins with the token, as with most words."""
        self._steps += 1
        normal = NORMAL[form]
        if self._corrects or "-" in normal:
            return True
        forms = [normal, *singulars(normal)] if normal.endswith("s") else [normal]
        return any(lexicon.compiled.longest(word) for lexicon in self._lexicons for word in forms)

    def step(self, before: _Step, form: str) -> _Step | None:
        """Return the step for one more token: the entries that end with it and those that continue; None if there are none."""
        self._steps += 1
        path = (*before.path, form)
        found: list[tuple[float, int, _StepMatch]] = []
        states: list[_State] = []
        for which, prefix, sure, misspelt in before.states:
            lexicon = self._lexicons[which]
            for part, confidence in self._readings[which][form]:
                if confidence < 1.0 and misspelt:
                    continue  # one misspelt word is enough
                if not prefix and not lexicon.compiled.longest(part.partition(SEPARATOR)[0]):
                    continue  # most words begin no entry
                key, now = prefix + part, sure * confidence
                letters = len(form) if confidence < 1.0 else misspelt
                continuing = lexicon.compiled.trie.iterkeys(key)
                longer = next(continuing, None)
                if longer == key:
                    longer = next(continuing, None)
                    for entry in lexicon.entries_of_key(key):
                        if self._fits(entry, path, letters):
                            scope = entry.list if self._longest == "list" else entry.group
                            found.append((-now, self._order[which, entry.list], (len(path), scope, entry, now)))
                if longer is not None:
                    states.append((which, key, now, letters))
        found.sort(key=itemgetter(0, 1))
        return _Step(self, path, tuple(states), [match for _, _, match in found]) if found or states else None

    def _fits(self, entry: Entry, tokens: tuple[str, ...], misspelt: int) -> bool:
        """Return whether group and case are right, and a misspelt word is long enough and not an abbreviation."""
        if self._groups is not None and entry.group not in self._groups:
            return False
        if misspelt and (entry.exact or misspelt < self._near_length(entry)):
            return False
        return case_fits(entry, tokens)


class _Readings(dict[str, tuple[tuple[str, float], ...]]):
    """Maps a token to (key part, confidence): as it is, split at hyphens, as a singular, or corrected."""

    def __init__(self, lexicon: Lexicon, plurals: bool, near: Near | None) -> None:
        super().__init__()
        self.words, self.plurals, self.near = lexicon.compiled.words, plurals, near

    def __missing__(self, form: str) -> tuple[tuple[str, float], ...]:
        if len(self) >= MAX_STEPS:
            self.clear()
        normal = NORMAL[form]
        readings = [(normal + SEPARATOR, 1.0)]
        if "-" in normal[1:-1]:
            readings.append((normal.replace("-", SEPARATOR) + SEPARATOR, 1.0))
        if self.plurals and not form.isupper():
            readings += [(s + SEPARATOR, 1.0) for s in singulars(normal) if s in self.words]
        if self.near is not None and len(readings) == 1 and normal not in self.words:
            sure = 1.0 - 1.0 / max(len(normal), 2)
            readings += [(word + SEPARATOR, sure) for word in self.near(normal)]
        self[form] = result = tuple(readings)
        return result


class _Step(dict[str, "_Step | None"]):
    """A prefix of entries, in tokens: maps the next token, as written, to the longer prefix. Filled on demand."""

    __slots__ = ("found", "matcher", "path", "states")

    def __init__(
        self, matcher: Matcher, path: tuple[str, ...], states: tuple[_State, ...], found: list[_StepMatch]
    ) -> None:
        super().__init__({"": None})  # never empty, so always true
        self.matcher, self.path, self.states, self.found = matcher, path, states, found

    def __missing__(self, form: str) -> _Step | None:
        matcher = self.matcher
        step = self[form] = matcher.step(self, form) if self.path or matcher.begins(form) else None
        return step


def singulars(word: str) -> list[str]:
    """Return possible singulars of a lower-case English word; none for words that look singular."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or not word.isalpha():
        return []
    if word.endswith("ies") and len(word) > 4:
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        return [word[:-1], word[:-2]]
    return [word[:-1]]
