"""Finds words of masked values that a text divides or disguises: by spaces, a line break, tags, entities, or digits of OCR."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..known_phi.person_name import AFFIXES, PARTICLES
from ..known_phi.searchable_text import SearchableText, fold, spelling_variants
from ..names.words import Words
from .cut_words import SHORTEST, find_cut, prefixes
from .disguised_words import Candidate, find_disguised
from .letters import Letters
from .masked_values import MaskedValue
from .visible_text import plain

_WORD = lazy_regex(r"[^\W\d_]+")
_SPACED_HINT = lazy_regex(r"([ ]{1,2}|[._*·-])[^\W\d_]\1[^\W\d_](?![^\W_])")
_SPACED = lazy_regex(
    r"""(?<![^\W_]) [^\W\d_]
        (?P<joint>[ ]{1,2}|[._*·-]) [^\W\d_]                  # what divides the first two letters ...
        (?:(?P=joint)[^\W\d_])+ (?![^\W_])                    # ... divides all: `Z o r b l a t t`, `Z-o-r-b-l-a-t-t`
    """,
    re.VERBOSE,
)
_LINE_END = lazy_regex(r"[\n\r\v\f\x85\u2028\u2029][ \t>|]*(?:\d{1,6}[:.)|]?[ \t]+)?(?=[^\W\d_])")
_HEAD = lazy_regex(r"[^\W\d_]{1,40}(?![^\W_])")
_LONGEST = 40
"""Longer words are not names (letters)."""
_TAG_HINT = lazy_regex(r"[<\[][/!]?[A-Za-z-]")
_TAG = lazy_regex(r"<[^<>]*>|\[[^\[\]]*\]")
_TAGGED = lazy_regex(
    r"(?<![^\W_])[^\W\d_]+(?:(?:<[/!]?[A-Za-z-][^<>\n]{0,100}>|\[/?[A-Za-z]{1,8}\]){1,4}[^\W\d_]+)+(?![^\W_])"
)
_ENTITY = r"&(?:\#\d{1,7};?|\#x[0-9a-f]{1,6};?|[a-z][a-z0-9]{1,31};)"
_ENTITY_HINT = lazy_regex(_ENTITY, re.IGNORECASE)
_ENTITY_OR_LETTERS = lazy_regex(rf"{_ENTITY}|[^\W\d_]+", re.IGNORECASE)
_WITH_ENTITIES = lazy_regex(rf"(?<![^\W\d_])[^\W\d_]*(?:{_ENTITY}[^\W\d_]*)+", re.IGNORECASE)
_MISREAD = {
    "0": "o",
    "1": "i",
    "!": "i",
    "|": "i",
    "l": "i",
    "@": "a",
    "$": "s",
    "+": "t",
    "2": "z",
    "3": "e",
    "4": "a",
    "5": "s",
    "6": "g",
    "8": "b",
    "9": "g",
}
_SKELETON = str.maketrans(_MISREAD)
"""Gives one form to characters that OCR takes for each other: `Z0rb1att`, `Zorblatt` and `Zorbiatt`."""
_SHORTEST, _SHORTEST_MISREAD, _SHORTEST_WRAPPED, _SHORTEST_INSIDE = 3, 4, 5, 6
"""Shorter words are not searched for (letters)."""
_LONGER = lazy_regex(rf"[^\W_]{{{_SHORTEST_INSIDE + 1},{_LONGEST}}}")
_MOST_AROUND = 3
"""Letters before and after a name in a longer word: `jzorblatt`, `zorblattjm`; any digits may be there too."""
_DERIVED = frozenset("ia ian an ism ist oid ic".split())
"""Endings of words that are derived from names: a species, a syndrome."""
_NAMED = ("PERSON", "LOCATION", "ORGANIZATION")


class DividedWord(NamedTuple):
    """A word of a masked value: its span in the text, and its kind."""

    begin: int
    end: int
    kind: PhiKind


def find_divided_words(document: SearchableText, table: ValueWords) -> Iterator[DividedWord]:
    """Yield the words of masked names, places and organizations where a text divides them or writes digits for letters.

    The places of the text that have such a form are collected first and then looked up, so that the time does not depend on
    the number of values. Words of places and organizations that are also English words are not searched for.
    """
    text = document.text
    if not table.kinds:
        return
    letters = Letters(document)
    divided = letters.contain_divided(table.kinds)
    candidates = itertools.chain(
        *((_spaced(text), _wrapped(text)) if divided else ()),
        _marked_up(text),
        _misread(document),
        find_disguised(text, divided, letters.contain(table.wholes)),
    )
    for c in candidates:
        kind = table.kind_of(c)
        if kind is not None:
            yield DividedWord(c.begin, c.end, kind)
    may_cut = "&" in text or letters.contain(word for word in table.kinds if len(word) >= SHORTEST)
    for c in find_cut(document.folded, table.kinds, table.beginnings) if may_cut else ():
        kind = table.kind_of(c)
        if kind is not None:
            yield DividedWord(c.begin, c.end, kind)
    if letters.contain(table.people):
        yield from table.inside_longer(text)


def _spaced(text: str) -> Iterator[Candidate]:
    """Yield words written with something between all letters."""
    if _SPACED_HINT.search(text):
        for m in _SPACED.finditer(text):
            yield Candidate(m.start(), m.end(), fold("".join(_WORD.findall(m[0]))))


def _wrapped(text: str) -> Iterator[Candidate]:
    """Yield the last word of a line and the first one of the next line, as one word."""
    for m in _LINE_END.finditer(text):
        end = m.start()
        while end and text[end - 1] in " \t\r-":
            end -= 1
        begin = end
        while begin and text[begin - 1].isalpha() and end - begin < _LONGEST:
            begin -= 1
        head = _HEAD.match(text, m.end()) if begin < end and not text[begin - 1 : begin].isalnum() else None
        if head and end - begin + len(head[0]) >= _SHORTEST_WRAPPED:
            parts = fold(text[begin:end]), fold(head[0])
            yield Candidate(begin, head.end(), "".join(parts), parts=parts)


def _marked_up(text: str) -> Iterator[Candidate]:
    """Yield words with tags or entities inside."""
    if _TAG_HINT.search(text):
        for m in _TAGGED.finditer(text):
            yield Candidate(m.start(), m.end(), fold(plain(_TAG.sub("", m[0]))))
    if "&" in text and _ENTITY_HINT.search(text):
        for m in _WITH_ENTITIES.finditer(text):
            yield from _with_entities(m)


def _with_entities(match: re.Match[str]) -> Iterator[Candidate]:
    """Yield the words in letters and entities, which entities of other characters (`&nbsp;`) divide."""
    begin, word, entities = match.start(), "", 0
    for piece in _ENTITY_OR_LETTERS.finditer(match[0]):
        is_entity = piece[0].startswith("&")
        letters = plain(html.unescape(piece[0])) if is_entity else piece[0]
        if not letters or letters.isalpha():
            word, entities = word + letters, entities + is_entity
            continue
        if entities:
            yield Candidate(begin, match.start() + piece.start(), fold(word))
        begin, word, entities = match.start() + piece.end(), "", 0
    if entities:
        yield Candidate(begin, match.end(), fold(word))


def _misread(document: SearchableText) -> Iterator[Candidate]:
    """Yield words of more letters than digits."""
    text, reached = document.folded, 0
    for begin, end in document.each_number():
        beside = (begin and text[begin - 1].isalpha()) or text[end : end + 1].isalpha()
        if not beside or begin < reached:
            continue
        begin, reached = document.word_at(begin)
        word = text[begin:reached]
        if _SHORTEST_MISREAD <= len(word) <= _LONGEST and 2 * sum(map(str.isalpha, word)) >= len(word):
            yield Candidate(begin, reached, word, misread=True)


class ValueWords:
    """The words of values that divided words are compared with."""

    def __init__(self, values: Iterable[MaskedValue], words: Words) -> None:
        self._words = words
        self.kinds: dict[str, PhiKind] = {}
        self.wholes: dict[str, PhiKind] = {}
        """All words of a value as one word."""
        for value in values:
            if value.kind.top.name in _NAMED and not any(map(str.isdigit, value.text)):
                self._add(value)

    def _add(self, value: MaskedValue) -> None:
        person = value.kind.top is PhiKind.PERSON
        words = _WORD.findall(plain(value.text))
        for word in words:
            for form in spelling_variants(word) if len(word) >= _SHORTEST else ():
                if form not in AFFIXES and form not in PARTICLES and (person or not self._is_word(form)):
                    self.kinds.setdefault(form, value.kind)
        whole = fold("".join(words))
        if len(words) > 1 and len(whole) > _SHORTEST:
            self.kinds.setdefault(whole, value.kind)
            self.wholes.setdefault(whole, value.kind)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        return prefixes(self.kinds)

    @cached_property
    def _skeletons(self) -> Mapping[str, PhiKind]:
        return {w.translate(_SKELETON): kind for w, kind in self.kinds.items() if len(w) >= _SHORTEST_MISREAD}

    def kind_of(self, candidate: Candidate) -> PhiKind | None:
        """Return the kind of the value that a divided word belongs to. Two English words over the end of a line are not one
        word: `good` and `man`."""
        if candidate.misread:
            return self._skeletons.get(candidate.word.translate(_SKELETON))
        if candidate.parts == ("",):
            return self.wholes.get(candidate.word)
        kind = self.kinds.get(candidate.word)
        ordinary = kind is not None and bool(candidate.parts) and all(map(self._is_word, candidate.parts))
        return None if ordinary else kind

    def inside_longer(self, text: str) -> Iterator[DividedWord]:
        """Yield the words that contain a name of people, such as names of users."""
        names = {word: kind for word, kind in self.people.items() if not self._is_word(word)}
        for m in _LONGER.finditer(text):
            word = fold(m[0]).strip("0123456789")
            if len(word) < _SHORTEST_INSIDE or self._words.is_word(word):
                continue
            around = range(_MOST_AROUND + 1)
            cuts = ((before, len(word) - after) for before in around for after in around)
            inner = (word[b:e] for b, e in cuts if b or word[e:] not in _DERIVED)
            kind = next((names[part] for part in inner if part in names), None)
            if kind is not None and (len(word) < len(m[0]) or word not in names):
                yield DividedWord(m.start(), m.end(), kind)

    @cached_property
    def people(self) -> Mapping[str, PhiKind]:
        """The long words of names of people."""
        return {w: k for w, k in self.kinds.items() if k.top is PhiKind.PERSON and len(w) >= _SHORTEST_INSIDE}

    def _is_word(self, word: str) -> bool:
        return bool(word) and (self._words.level(word) > 0 or self._words.is_word(word))
