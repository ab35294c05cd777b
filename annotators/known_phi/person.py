"""Finds the people of the record in a text: full names, single parts, initials, short forms, typos."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..names.words import Words
from .person_name import PersonName
from .searchable_text import PhiMatch, SearchableText, fold, offsets_of, spelling_variants


@cache
def nickname_table() -> Mapping[str, tuple[str, ...]]:
    """Return, by folded given name, its other forms, in both directions: `william` -> `bill`, ...; `bill` -> `william`."""
    table: dict[str, dict[str, None]] = {}
    for line in (files("caspipe.configs") / "lexicons" / "nicknames.txt").read_text(encoding="utf-8").splitlines():
        name, _, forms = line.partition(": ")
        for form in () if line.startswith("#") else forms.split():
            table.setdefault(name, {})[form] = None
            table.setdefault(form, {})[name] = None
    return {name: tuple(forms) for name, forms in table.items()}


_GAP = lazy_regex(
    r"(?:,?\s{1,3}|-|,)(?:[a-z]\.?\s{1,2}|(?:(?:van|von|de|der|den|del|la|di|da|dos|el|al|bin|st)\.?\s){1,3})?$"
)
_INITIAL_BEFORE = lazy_regex(r"(?<![\w'.])(?:[a-z](?:\.\s?|\s)){1,2}$")
_INITIAL_AFTER = lazy_regex(r",?\s([a-z])(?:\.|(?![\w']))")
_INITIALS_CUE = lazy_regex(r"(?:\b(?:patient|pt|initials|subject|mr|mrs|ms|dr|name|signed|by)\b[\s.:,=#]{0,3}|\()$")


@dataclass(frozen=True, slots=True)
class _NameForm:
    text: str
    part: int
    """The part of the name: 1 given, 2 surname, 4 both or unknown."""
    word: int
    """A number that spellings and short forms of one word share."""
    rule: str
    level: int
    fuzzy: bool


@dataclass(frozen=True, slots=True)
class _PartMatch:
    begin: int
    end: int
    form: _NameForm
    edits: int = 0


class PersonMatcher:
    """Finds one person of the record.

    `shortest_fuzzy` is the length in letters from which a part is also found with one edit (optimal string alignment:
    a letter changed, left out, added, or two swapped).
    """

    def __init__(self, name: PersonName, kind: PhiKind, words: Words, nicknames: bool, shortest_fuzzy: int) -> None:
        self.kind = kind
        self.words = words
        self.shortest_fuzzy = shortest_fuzzy
        self.value = " ".join((*name.given, name.whole_family or " ".join(name.family), name.either)).strip()
        self.initials = name.initials
        self.firsts = {1: {fold(g[0]) for g in name.given}, 2: {fold(f[0]) for f in name.family}}
        self.forms = self._build_forms(name, nicknames)

    def _build_forms(self, name: PersonName, nicknames: bool) -> list[_NameForm]:
        forms: dict[str, _NameForm] = {}
        number = 0

        def add(word: str, part: int, rule: str, fuzzy: bool = True) -> None:
            for text in spelling_variants(word):
                if len(text) > 1 and text not in forms:
                    level = 0 if " " in text else self.words.level(text)
                    forms[text] = _NameForm(text, part, number, rule, level, fuzzy and text.isalpha())

        if name.whole_family:
            add(name.whole_family, 2, "surname", fuzzy=False)
        for words, part, rule in (
            (name.given, 1, "given name"),
            (name.family, 2, "surname"),
            ((name.either,), 4, "name"),
        ):
            for word in words:
                number += 1
                add(word, part, rule)
                if nicknames and part != 2:
                    for short in nickname_table().get(fold(word), ()):
                        add(short, 1, "short form", fuzzy=False)
                pieces = re.split(r"[-'’‐‑]", word)
                if len(pieces) > 1:
                    add("".join(pieces), part, rule)
                    add(" ".join(pieces), part, rule, fuzzy=False)
                    for piece in pieces:
                        if len(piece) > 2:
                            number += 1
                            add(piece, part, rule)
        return list(forms.values())

    def find(self, document: SearchableText) -> Iterator[PhiMatch]:
        """Yield every mention of this person; overlapping matches are merged."""
        matches = [
            _PartMatch(offset, offset + len(n.text), n) for n in self.forms for offset in document.word_offsets(n.text)
        ]
        taken = {(f.begin, f.end) for f in matches}
        for form in self.forms:
            if form.fuzzy and len(form.text) >= 3:
                matches.extend(f for f in self._near(document, form) if (f.begin, f.end) not in taken)
        matches.sort(key=lambda m: (m.begin, -m.end, m.edits))
        kept: list[tuple[int, int, float, str]] = []
        chain: list[_PartMatch] = []
        for item in matches:
            if chain and item.begin < chain[-1].end:
                continue
            if chain and not self._joined(document, chain, item):
                kept.extend(self._resolve_chain(document, chain))
                chain = []
            chain.append(item)
        kept.extend(self._resolve_chain(document, chain))
        kept.extend(self._initials(document))
        kept.sort()
        end = -1
        for begin, stop, confidence, rule in kept:
            if begin >= end:
                yield PhiMatch(begin, stop, self.kind, confidence, rule, self.value)
                end = stop

    def _near(self, document: SearchableText, form: _NameForm) -> Iterator[_PartMatch]:
        """Yield words one edit away: such a word begins with the first half of the name, ends with the second, or swaps the
        two letters between the halves."""
        text, folded = form.text, document.folded
        size, half = len(text), len(text) // 2
        head, tail = text[:half], text[half:]
        swapped = text[: half - 1] + text[half] + text[half - 1] + text[half + 1 :]
        seen: set[int] = set()
        for piece, at_begin in ((head, True), (tail, False), (swapped, True)):
            for offset in offsets_of(folded, piece):
                edge = offset - 1 if at_begin else offset + len(piece)
                if not (0 <= edge < len(folded) and folded[edge].isalnum()):
                    begin, end = document.word_at(offset)
                    if begin not in seen and size - 1 <= end - begin <= size + 1:
                        seen.add(begin)
                        word = folded[begin:end]
                        if word != text and _distance()(word, text, score_cutoff=1) <= 1:
                            yield _PartMatch(begin, end, form, 1)

    def _joined(self, document: SearchableText, chain: list[_PartMatch], right: _PartMatch) -> bool:
        """Return whether a match continues a mention: it is another word of the name, after only a space, a comma, an initial or
        a particle."""
        left = chain[-1]
        if right.begin - left.end > 14 or any(f.form.word == right.form.word for f in chain):
            return False
        if right.form.level > 1 and not document.lower_case and document.text[right.begin].islower():
            return False  # `Young will stay`
        return _GAP.match(document.folded, left.end, right.begin) is not None

    def _resolve_chain(
        self, document: SearchableText, chain: list[_PartMatch]
    ) -> Iterator[tuple[int, int, float, str]]:
        """Yield the mentions in a chain of matches: all of it if several parts support each other, else the single parts that are
        mentions on their own."""
        if not chain:
            return
        exact = [f for f in chain if not f.edits]
        parts = {f.form.part for f in chain}
        letters = sum(f.end - f.begin for f in chain)
        if len(chain) > 1 and len(parts) > 1 and (exact or letters >= 8):
            begin, end = self._widened(document, chain[0], chain[-1])
            confidence = 1.0 if len(exact) == len(chain) else 0.9 if exact else 0.75
            yield begin, end, confidence, "known full name"
            return
        for item in chain:
            begin, end = self._widened(document, item, item)
            wider = (begin, end) != (item.begin, item.end)
            confidence = self._single(document, item, wider)
            if confidence:
                fuzzy = ", one edit" if item.edits else ""
                yield begin, end, confidence, f"known {item.form.rule}{fuzzy}"

    def _single(self, document: SearchableText, item: _PartMatch, wider: bool) -> float:
        """Return the confidence in one part on its own, 0 if it is more likely an ordinary word."""
        level = item.form.level
        word = document.folded[item.begin : item.end]
        if item.edits:
            level = max(level, 1) if not self.words.is_word(word) else max(2, self.words.level(word))
        if len(word) == 2:
            level = max(level, 2)
        cue = document.cue(item.begin, item.end) if level or item.edits else 0
        if wider:
            cue = max(cue, 2)
        if item.edits:
            return self._misspelled(document, item, word, level, cue)
        case = document.case(item.begin, item.end)
        if len(word) <= 4 and case == "capital" and document.text[item.begin : item.end].isupper():
            level, case = max(level, 2), "initial"  # `PIP`, `ART`: more likely an abbreviation than a name
            cue = document.cue(item.begin, item.end)
        if level == 0 or cue == 3:
            return 0.99
        before, after = document.pauses(item.begin, item.end)
        if case == "capital":
            return 0.9
        if cue > (level if case == "lower" else level - 1) - (1 if after else 0):
            return 0.85
        if level == 1 and (case in ("initial", "heading") or (before and after)):
            return 0.7
        return 0.0

    def _misspelled(self, document: SearchableText, item: _PartMatch, word: str, level: int, cue: int) -> float:
        """Return the confidence in a word one edit away from a part."""
        name, text = item.form.text, document.text
        case = document.case(item.begin, item.end)
        if level > 2:  # `While`, `and`: only with a capital after a title
            return 0.7 if cue == 3 and case != "lower" else 0.0
        if cue >= 2:
            return 0.8
        if level >= 2:
            return 0.6 if case == "capital" and len(name) >= self.shortest_fuzzy and word[0] == name[0] else 0.0
        if len(name) < self.shortest_fuzzy:
            shown = case == "capital" or (document.lower_case and all(document.pauses(item.begin, item.end)))
            return 0.7 if len(name) > 3 and (cue or (shown and not text[item.begin : item.end].isupper())) else 0.0
        if word[0] != name[0] and len(name) < self.shortest_fuzzy + 1 and case == "lower" and not cue:
            return 0.75 if sorted(word) == sorted(name) or word[1:] == name or name[1:] == word else 0.5
        return 0.8

    def _widened(self, document: SearchableText, first: _PartMatch, last: _PartMatch) -> tuple[int, int]:
        """Return the span with an initial of the missing part before or after it: `B. White`, `Brian W.`, `White, B`."""
        folded, begin, end = document.folded, first.begin, last.end
        if first is not last:
            return begin, end
        wanted = self.firsts[1] if first.form.part == 2 else self.firsts[2] if first.form.part == 1 else set()
        before = _INITIAL_BEFORE.search(folded, max(0, begin - 8), begin)
        if before and first.form.part != 1 and self._capital(document, before.start()):
            letters = {c for c in before.group() if c.isalpha()}
            if (letters & wanted) if wanted else "." in before.group():
                return before.start(), end
        after = _INITIAL_AFTER.match(folded, end)
        if after and after.group(1) in wanted and self._capital(document, after.start(1)):
            return begin, after.end()
        return begin, end

    def _capital(self, document: SearchableText, offset: int) -> bool:
        return document.lower_case or document.text[offset].isupper()

    def _initials(self, document: SearchableText) -> Iterator[tuple[int, int, float, str]]:
        """Yield the initials, in either order: with full stops anywhere, without them only after a cue for initials."""
        letters = self.initials
        if not 2 <= len(letters) <= 4:
            return
        orders = dict.fromkeys(
            (letters, letters[-1] + letters[:-1], letters[0] + letters[-1], letters[-1] + letters[0])
        )
        folded = document.folded
        for order in orders:
            for text in (".".join(order), ". ".join(order)):
                for offset in document.word_offsets(text):
                    end = offset + len(text)
                    end += folded.startswith(".", end)
                    spelled = folded[end : end + 2]  # `b.w.c`: part of something longer
                    if (
                        self._capital(document, offset)
                        and not (offset and folded[offset - 1] == ".")
                        and not (spelled[:1].isalnum() or spelled[1:] == ".")
                    ):
                        yield offset, end, 0.9, "known initials"
            for offset in document.word_offsets(order):
                end = offset + len(order)
                if document.text[offset:end].isupper() and _INITIALS_CUE.search(folded, max(0, offset - 12), offset):
                    yield offset, end, 0.8, "known initials"


@cache
def _distance() -> Any:
    """Return the optimal string alignment distance, imported when the first name is searched for."""
    from rapidfuzz.distance import OSA

    return OSA.distance
