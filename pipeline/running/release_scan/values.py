"""The values that were masked in a document, as keyed hashes of their forms, and where each of them is searched for."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ....annotators.known_phi.person_name import PARTICLES, parse_name
from ....annotators.names.words import Words
from ....typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, Leak, MaskedSpan, Phi, PhiKind, RecordField
from ...contract.component import Component
from ...contract.resources import load
from .tokens import FORM, LONGEST, LONGEST_NUMBER, NUMBER, FormTable, Hasher, Tokens, forms_array, words_of

NAME, OWN, ALL = 1, 2, 3
"""Places in which a form is searched for: in the names of the document's own files, in its own outputs too, in everything."""
KINDS = "PERSON LOCATION ORGANIZATION ID PHONE FAX EMAIL URL IP DATE AGE PROFESSION OTHER".split()
NOT_SEARCHED = {
    "short": "too short",
    "common": "ordinary words",
    "ages": "ages, years and parts of dates",
    "permitted": "permitted by the leak gate, or equal to a replacement",
}
"""Why a value is not searched for, for reports."""
_NOT_VALUES = ("LOCATION_DEPARTMENT", "LOCATION_ROOM")
_SHORTEST_WORD, _SHORTEST_NAME = 3, 7
_SHORTEST_CODE, _SHORTEST_LONG_CODE = 5, 7
_SHORTEST_OWN_NUMBER = 6
_KEY_ID = 4


class ScanValues(NamedTuple):
    """The masked values of a document."""

    key: str
    """Id of the key of the hashes."""
    forms: Any
    """Array of `FORM`: what must not occur."""
    permitted: Any
    """Array of `FORM`: what may occur in this document, because its masked text shows it on purpose."""
    not_searched: dict[str, int]
    """Number of values that are not searched for, by keys of `NOT_SEARCHED`."""

    def to_plain(self) -> list[Any]:
        """Return JSON data, from which `of` restores the object."""
        packed = (base64.b64encode(array.tobytes()).decode() for array in (self.forms, self.permitted))
        return [self.key, *packed, self.not_searched]

    @classmethod
    def of(cls, plain: Sequence[Any]) -> ScanValues:
        forms, permitted = (np.frombuffer(base64.b64decode(text), FORM) for text in plain[1:3])
        return cls(str(plain[0]), forms, permitted, dict(plain[3]))


def key_id(key: bytes) -> str:
    """Return an id of a key, from which the key cannot be derived."""
    return hashlib.blake2b(b"scan", key=key, digest_size=_KEY_ID).hexdigest()


_Table = dict[tuple[int, int], tuple[int, int, int, int, tuple[str, ...]]]
"""Hash, size, kind, reach and words of forms, by hash and size."""


class _Form(NamedTuple):
    words: tuple[str, ...]
    reach: int

    def number(self) -> str:
        """Return the digits if it is a number with any separators."""
        return self.words[0][1:] if self.words[0].startswith("#") else ""


class ValueCollector:
    """Collects the masked values of documents."""

    def __init__(self, key: bytes, engines: Sequence[Component]) -> None:
        self.key = key_id(key)
        self._hasher = Hasher(key)
        self._engines = engines
        self._gated = any(Leak in engine.outputs for engine in engines)

    @cached_property
    def _words(self) -> Words:
        """The lists of the leak gate, which decide what is an ordinary word."""
        given = (getattr(e, "words", None) for e in self._engines if Leak in e.outputs)
        return next((w for w in given if isinstance(w, Words)), None) or load(Words, "english")

    def collect(self, cas: Cas) -> ScanValues:
        """Return the forms of every value that was masked in a document."""
        counts: Counter[str] = Counter()
        if not (cas.has_view(DEIDENTIFIED_VIEW) and cas.has_view(INITIAL_VIEW)):
            return ScanValues(self.key, forms_array(()), forms_array(()), {})
        wanted: _Table = {}
        for kind, text, normal in dict.fromkeys(_masked(cas)):
            forms = list(self._forms(kind, text, normal, counts))
            self._add(wanted, kind, forms)
        permitted: _Table = {}
        for kind, text in dict.fromkeys(_shown(cas)):
            self._add(permitted, kind, [f for f in self._forms(kind, text, "", Counter()) if f.reach == ALL])
        standing = self._standing(cas, wanted)
        for form in [form for form in wanted if form in standing]:
            permitted[form] = wanted.pop(form)
            counts["permitted"] += 1
        forms, shown = (forms_array(row[:4] for row in table.values()) for table in (wanted, permitted))
        return ScanValues(self.key, forms, shown, dict(sorted(counts.items())))

    def _add(self, table: _Table, kind: PhiKind, forms: Iterable[_Form]) -> None:
        name = kind.top.name
        number = KINDS.index(name if name in KINDS else "OTHER")
        for form in forms:
            digits = form.number()
            if digits:
                digest, size = self._hasher.number(digits), len(digits) | NUMBER
            else:
                digest, size = self._hasher.words(form.words[:LONGEST]), len(form.words[:LONGEST])
            before = table.get((digest, size))
            table[digest, size] = digest, size, number, max(form.reach, before[3] if before else 0), form.words

    def _standing(self, cas: Cas, wanted: _Table) -> set[tuple[int, int]]:
        """Return the forms that the masked text shows on purpose: all if a leak gate checked it, else those that occur only in
        replacements."""
        masked = cas.view(DEIDENTIFIED_VIEW)
        words = words_of(masked.text)
        seen, digits = set(words), "".join(filter(str.isdecimal, words))
        possible = [row[:4] for row in wanted.values() if _may_occur(row[4], seen, digits)]
        if not possible:  # as in most documents: nothing needs to be hashed
            return set()
        table = FormTable(forms_array(possible))
        shown = {(p.digest, p.size) for p in Tokens(masked.text, self._hasher).find(table)}
        if self._gated or not shown:
            return shown
        pieces, offset = list[str](), 0
        for span in masked.select(MaskedSpan):
            pieces += (masked.text[offset : span.begin], "|" * (span.end - span.begin))
            offset = span.end
        readable = Tokens("".join((*pieces, masked.text[offset:])), self._hasher)
        return shown - {(p.digest, p.size) for p in readable.find(table)}

    def _forms(self, kind: PhiKind, text: str, normal: str, counts: Counter[str]) -> Iterator[_Form]:
        """Yield the forms of a value."""
        top, words = kind.top.name, words_of(text)
        if top == "AGE" or kind.name in _NOT_VALUES or top == "PROFESSION" or not words:
            counts["ages" if top == "AGE" else "common" if words else "short"] += 1
            return
        if top == "DATE":
            forms = _dates(words, normal)
            reason = "ages"
        elif top == "PERSON" and not any(map(str.isdecimal, words)):
            forms, reason = self._people(text), "common"
        elif top in ("EMAIL", "URL", "IP"):
            forms, reason = _addresses(words, top), "short"
        elif top in ("LOCATION", "ORGANIZATION") and not all(map(str.isdecimal, words)):
            forms, reason = self._phrases(words, top), "common"
        else:
            forms, reason = self._codes(words), "short"
        found = [form for form in forms if form.words]
        if not any(form.reach > NAME for form in found):
            counts[reason] += 1
        yield from found

    def _people(self, text: str) -> Iterator[_Form]:
        """Yield a name in both orders, without its middle names, and each of its parts."""
        name = parse_name(" ".join(text.split()))
        given, family = (tuple(w for part in p for w in words_of(part)) for p in (name.given, name.family))
        single = tuple(words_of(name.either))
        first = tuple(words_of(name.given[0])) if name.given else ()
        orders = dict.fromkeys(((*given, *family), (*family, *given), (*first, *family), (*family, *first)))
        for order in orders:
            if given and family and len(order) > 1:
                long = sum(map(len, order)) >= _SHORTEST_NAME and not all(map(self._is_common, order))
                yield _Form(order, ALL if long else OWN)
        for part in (*name.given, *name.family, name.whole_family, " ".join(single)):
            yield from self._word(words_of(part))

    def _phrases(self, words: list[str], top: str) -> Iterator[_Form]:
        """Yield a place or an organization in full."""
        if len(words) == 1:
            yield from self._word(words)
            return
        address = (
            top == "LOCATION" and words[0].isdecimal() and any(len(w) > 3 and not self._is_common(w) for w in words)
        )
        yield _Form(tuple(words), ALL if address and len(words) > 2 else OWN)
        if address:
            yield _Form(tuple(words[:2]), OWN)  # `12 Quellmore`

    def _word(self, words: Sequence[str]) -> Iterator[_Form]:
        """Yield a word that is not an ordinary one, or the words that a hyphen or apostrophe joins."""
        if len(words) > 1:
            is_name = sum(map(len, words)) > _SHORTEST_WORD and not all(w in PARTICLES for w in words)
        else:
            is_name = bool(words) and len(words[0]) >= _SHORTEST_WORD and not self._is_common(words[0])
        if is_name:
            yield _Form(tuple(words), OWN)

    def _codes(self, words: list[str]) -> Iterator[_Form]:
        """Yield a number with any separators, or a code."""
        numbers = [w for w in words if w.isdecimal()]
        digits, length = "".join(numbers), sum(map(len, words))
        if len(numbers) == len(words):
            for form in dict.fromkeys((digits, digits.lstrip("0"), digits[1:] if len(digits) == 11 else digits)):
                if 4 <= len(form) <= LONGEST_NUMBER:
                    yield _Form((f"#{form}",), ALL if len(form) >= _SHORTEST_OWN_NUMBER else NAME)
        elif numbers:
            reach = OWN if length >= _SHORTEST_CODE else NAME
            yield _Form(tuple(words), ALL if length >= _SHORTEST_LONG_CODE and len(digits) > 3 else reach)
            longest = max(numbers, key=len)
            if _SHORTEST_OWN_NUMBER <= len(longest) <= LONGEST_NUMBER:
                yield _Form((f"#{longest}",), OWN)
        else:
            yield from self._word(words)

    def _is_common(self, word: str) -> bool:
        return bool(self._words.level(word)) or self._words.is_word(word)


def _may_occur(form: tuple[str, ...], words: set[str], digits: str) -> bool:
    """Return False if the words of a form, or the digits of a number, are not all in a text. `digits`: all digits of the text."""
    return form[0][1:] in digits if form[0].startswith("#") else words.issuperset(form[:LONGEST])


def _dates(words: list[str], normal: str) -> Iterator[_Form]:
    """Yield a date with day, month and year, as written and in ISO 8601."""
    if len(words) > 2 and any(len(w) == 4 and w.isdecimal() for w in words):
        yield _Form(tuple(words), OWN)
    parts = normal.split("-")
    if len(parts) == 3 and all(map(str.isdecimal, parts)):
        yield _Form(tuple(parts), OWN)


def _addresses(words: list[str], top: str) -> Iterator[_Form]:
    """Yield an e-mail, web or network address. Web addresses are also names of code systems."""
    if sum(map(len, words)) >= _SHORTEST_CODE and len(words) > 1:
        yield _Form(tuple(words), ALL if top == "EMAIL" else OWN)


def _masked(cas: Cas) -> Iterator[tuple[PhiKind, str, str]]:
    """Yield kind, text and normalized value of everything that was masked."""
    text = cas.text
    normal = {phi.begin: phi.value for phi in cas.select(Phi) if phi.value}
    for span in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan):
        begin = span.original_begin
        yield span.kind, text[begin : span.original_end], normal.get(begin, "")
    for item in cas.select(RecordField):
        if item.operator and item.masked != item.value:
            yield item.kind, item.value, item.value


def _shown(cas: Cas) -> Iterator[tuple[PhiKind, str]]:
    """Yield kind and text of replacements other than placeholders, and of Phi that a policy keeps readable."""
    masked = cas.view(DEIDENTIFIED_VIEW)
    spans = masked.select(MaskedSpan)
    for span in spans:
        text = masked.text[span.begin : span.end]
        if text and not text.startswith("["):
            yield span.kind, text
    hidden = {span.original_begin for span in spans}
    for phi in cas.select(Phi):
        if phi.begin not in hidden:
            yield phi.kind, cas.text[phi.begin : phi.end]
    for item in cas.select(RecordField):
        if item.masked:
            yield item.kind, item.masked
