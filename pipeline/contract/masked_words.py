"""The values that were masked in a document, to recognize them in its metadata, its id and the names of its files.

They are short and come without the context from which the leak gate tells a name from a word. The test is therefore
stricter: one word of a name is enough.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, Self

from ...typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, MaskedSpan, PhiKind, RecordField

_READABLE = frozenset("keep age year zip3".split())
"""Operators that may leave a value as it is."""
_WORD = re.compile(r"[^\W\d_]+|\d+")
_RUN = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_NO_NAMES = frozenset(
    "doctor prof professor mrs miss mister sir dame lady lord rev father sister brother nurse judge capt col maj sgt herr frau "
    "senor senora monsieur madame van von der den del della das dos los las ter ten zur vom bin bint ben abu saint san".split()
)
"""Titles and particles: they identify no person."""
_CODES = frozenset({PhiKind.ID, PhiKind.PHONE, PhiKind.FAX, PhiKind.EMAIL, PhiKind.URL, PhiKind.IP})
_SHORTEST_NAME = 3
"""Letters from which one word of a name counts."""
_SHORTEST_INSIDE = 5
"""Letters from which a word of a name also counts inside of a longer one: `annasmith`."""
_SHORTEST_CODE = 4
"""Letters and digits from which a part of a code counts."""
_LOCAL_NUMBER = 7
"""Digits of a phone number without its area code."""
_OLDEST_READABLE = 89
"""HIPAA, 45 CFR 164.514(b)(2)(i)(C)."""


class _Folded(NamedTuple):
    """A text for comparisons."""

    words: tuple[str, ...]
    """Runs of letters and runs of digits: `mrn17` has two."""
    runs: tuple[str, ...]
    joined: str
    """All letters and digits."""

    @classmethod
    def of(cls, text: str) -> _Folded:
        folded = _fold(text)
        runs = tuple(_RUN.findall(folded))
        return cls(tuple(_WORD.findall(folded)), runs, "".join(runs))

    def contains(self, other: _Folded) -> bool:
        """Return whether the words of another text follow each other in this one."""
        n = len(other.words)
        return n > 0 and any(self.words[i : i + n] == other.words for i in range(len(self.words) - n + 1))


class MaskedWords:
    """The values that were masked in one document, and those that its record knows of people."""

    def __init__(self, values: Iterator[tuple[PhiKind, str]], shown: str = "") -> None:
        """`shown`: the masked text. Its words reveal nothing new."""
        self._values: dict[tuple[PhiKind, _Folded], None] = {}
        for kind, value in values:
            self._values[kind.top, _Folded.of(value)] = None
            if kind.top is PhiKind.EMAIL:  # `anna.smith` in front of `@`
                self._values[PhiKind.PERSON, _Folded.of(value.partition("@")[0])] = None
        self._shown: str | frozenset[str] = shown

    @classmethod
    def of(cls, cas: Cas) -> Self:
        """Return the values of a document."""
        shown = cas.view(DEIDENTIFIED_VIEW).text if cas.has_view(DEIDENTIFIED_VIEW) else ""
        return cls(_values(cas), shown)

    def occur_in(self, text: str) -> bool:
        """Return whether a text contains one of the values, a word of a name, or a part of a code; or is a part of a value."""
        found = _Folded.of(text)
        return bool(found.joined) and any(self._shows(found, kind, value) for kind, value in self._values)

    def _shows(self, found: _Folded, kind: PhiKind, value: _Folded) -> bool:
        if not value.joined:
            return False
        if kind is PhiKind.PERSON and not value.joined.isdigit():
            return _shows_name(found, value)
        if kind in _CODES:
            return _shows_code(found, value)
        if kind is PhiKind.AGE:
            return any(int(n) > _OLDEST_READABLE and n in found.words for n in value.words if n.isdecimal())
        if kind is PhiKind.DATE:
            return len(value.words) > 1 and found.contains(value)
        if len(value.joined) >= _SHORTEST_NAME and found.contains(value):
            return True
        return len(found.joined) > _SHORTEST_NAME and value.contains(found) and not self._is_shown(found)

    def _is_shown(self, found: _Folded) -> bool:
        """Return whether the masked text has all words of a text."""
        if isinstance(self._shown, str):
            self._shown = frozenset(_Folded.of(self._shown).words)
        return self._shown.issuperset(found.words)


def _fold(text: str) -> str:
    """Return the text in small letters, without diacritics and invisible characters, widths and ligatures unified."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf")).casefold()


def _shows_name(found: _Folded, value: _Folded) -> bool:
    """Return whether a text contains a name, or one word of it that is neither a title nor a particle."""
    if found.contains(value) or (len(value.joined) >= _SHORTEST_INSIDE and value.joined in found.joined):
        return True
    for word in value.words:
        if len(word) < _SHORTEST_NAME or word in _NO_NAMES:
            continue
        if word in found.words or (len(word) >= _SHORTEST_INSIDE and word in found.joined):
            return True
    return False


def _shows_code(found: _Folded, value: _Folded) -> bool:
    """Return whether a text contains a number, code or address, the part of it with digits, or is a part of it."""
    if len(value.joined) < _SHORTEST_CODE:
        return value.joined in found.runs
    if value.joined in found.joined:
        return True
    parts = [run for run in value.runs if len(run) >= _SHORTEST_CODE and not run.isalpha()]
    if any(part in found.joined for part in parts):
        return True
    digits = "".join(_DIGITS.findall(value.joined))
    if len(digits) >= _LOCAL_NUMBER and digits[-_LOCAL_NUMBER:] in "".join(_DIGITS.findall(found.joined)):
        return True
    return len(found.joined) >= _SHORTEST_CODE and not found.joined.isalpha() and found.joined in value.joined


def _values(cas: Cas) -> Iterator[tuple[PhiKind, str]]:
    """Yield kind and original of every masked span and masked field, and what the record knows of people."""
    if cas.has_view(INITIAL_VIEW):
        text = cas.text
        for view in cas.views:
            for span in view.select(MaskedSpan):
                original = text[span.original_begin : span.original_end]
                if span.operator not in _READABLE or view.text[span.begin : span.end] != original:
                    yield span.kind, original
        for field in cas.select(RecordField):
            if field.masked != field.value:
                yield field.kind, field.value
    for known in cas.known_phi:
        if known.kind.direct and len(known.value.strip()) > 1:
            yield known.kind, known.value
