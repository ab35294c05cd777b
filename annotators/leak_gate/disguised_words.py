"""Words of a text that are written in other ways than in their letters: encoded, in similar letters, joined, or cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...pipeline.storage.lazy_regex import lazy_regex
from ..known_phi.searchable_text import fold

_LETTERS = r"[^\W\d_]"
_HEX = r"[0-9A-Fa-f]"
_ESCAPE = rf"(?:(?:%{_HEX}{{2}})+|(?:={_HEX}{{2}})+|\\u{_HEX}{{4}}|\\u\{{{_HEX}{{1,6}}\}}|\\x{_HEX}{{2}})"
_ESCAPE_HINT = lazy_regex(r"%[2-9A-Fa-f]|=[2-9A-F][0-9A-F]|\\[ux]")
_ESCAPED = lazy_regex(rf"(?<![^\W\d_])(?:{_LETTERS})*(?:{_ESCAPE}(?:{_LETTERS})*)+")
_ONE_ESCAPE = lazy_regex(_ESCAPE)
_BYTES = lazy_regex(rf"[%=]({_HEX}{{2}})")
_CUT = lazy_regex(
    rf"(?<![^\W_]){_LETTERS}+(?:(?:[-\u2010\u2011'\u2019`\u00b7\u2022*_~^|/\\]{{1,4}}){_LETTERS}+)+(?![^\W_])"
)
_CUT_HINT = lazy_regex(rf"{_LETTERS}[-\u2010\u2011'\u2019`\u00b7\u2022*_~^|/\\]{{1,4}}{_LETTERS}")
_PAIR = lazy_regex(rf"(?<![^\W_])(?=({_LETTERS}{{2,40}})([ ]|[ ]?\u00a0)({_LETTERS}{{2,40}})(?![^\W_]))")
_SIGN_HINT = lazy_regex(r"[!|@$+](?<=[^\W_][!|@$+])[^\W_]")
_WITH_SIGNS = lazy_regex(r"(?<![^\W_])[^\W_]+(?:[!|@$+][^\W_]+)+(?![^\W_])")
_COMPOUND = lazy_regex(rf"(?<![^\W_]){_LETTERS}{{8,60}}(?![^\W_])")
_HUMP_HINT = lazy_regex(r"[A-Z](?:(?<=[a-z][A-Z])|(?<=[A-Z][A-Z])[a-z])")
"""In every word of ASCII letters that is not in small letters, in capitals, or has only its first letter as a capital."""
_HUMP = lazy_regex(r"[^\W\d_a-z]?[a-z]{3,}")
_LONGEST = 40

_LOOK_ALIKE = str.maketrans(
    dict(zip("аеорсухіјѕԁһӏԛԝвнкмтАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdhlqwbhkmtABEKMHOPCTYXIJS", strict=True))
    | dict(zip("αβεηικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abenikvoptuxyABEZHIKMNOPTYX", strict=True))
)
"""Latin letters for letters of Cyrillic and Greek that look like them (Unicode Technical Standard 39, confusables)."""
_FOREIGN = lazy_regex(r"[\u0370-\u03ff\u0400-\u052f]")
_MIXED = lazy_regex(rf"{_LETTERS}{{3,40}}")
_LATIN = lazy_regex(r"[A-Za-z\u00c0-\u024f]")


class Candidate(NamedTuple):
    """A word of the text that is not written in plain letters, and what it may say."""

    begin: int
    end: int
    word: str
    misread: bool = False
    parts: tuple[str, ...] = ()
    """The words into which signs or spaces divide it: if all are English, it is not one word."""


def find_disguised(text: str, divided: bool, joined: bool) -> Iterator[Candidate]:
    """Yield every word of the text that may be a disguised one, with its plain letters. Linear in the length of the text.

    `divided`: the text may divide one of the words that are searched for; `joined`: it may join several of them.
    """
    yield from _escaped(text)
    yield from _look_alike(text)
    if divided:
        yield from _cut(text)
        yield from _pairs(text)
    yield from _with_signs(text)
    yield from _compounds(text, joined)


def _escaped(text: str) -> Iterator[Candidate]:
    """Yield words with letters as `%5A` (URLs), `=5A` (quoted-printable), `\\u005a` or `\\x5a`."""
    if _ESCAPE_HINT.search(text):
        for m in _ESCAPED.finditer(text):
            word = _ONE_ESCAPE.sub(_decoded, m[0])
            if word.isalpha() and len(word) <= _LONGEST:
                yield Candidate(m.start(), m.end(), fold(word))


def _decoded(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] in "%=":
        return bytes.fromhex("".join(_BYTES.findall(found))).decode("utf-8", "replace")
    number = int(found[2:].strip("{}"), 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _look_alike(text: str) -> Iterator[Candidate]:
    """Yield words with Latin letters and others that look like them."""
    if not text.isascii() and _FOREIGN.search(text):
        for m in _MIXED.finditer(text):
            if _FOREIGN.search(m[0]):
                word = m[0].translate(_LOOK_ALIKE)
                if not _FOREIGN.search(word) and _LATIN.search(word):
                    yield Candidate(m.start(), m.end(), fold(word))


def _cut(text: str) -> Iterator[Candidate]:
    """Yield words that a mark cuts: `Zorb-latt`, `Zor**blatt`."""
    if _CUT_HINT.search(text):
        for m in _CUT.finditer(text):
            parts = tuple(map(fold, re.findall(rf"{_LETTERS}+", m[0])))
            yield Candidate(m.start(), m.end(), "".join(parts), parts=() if max(map(len, parts)) == 1 else parts)


def _pairs(text: str) -> Iterator[Candidate]:
    """Yield every two words side by side as one word: `Zorb latt`."""
    for m in _PAIR.finditer(text):
        if 5 <= len(m[1]) + len(m[3]) <= _LONGEST:
            parts = fold(m[1]), fold(m[3])
            yield Candidate(m.start(1), m.end(3), "".join(parts), parts=parts)


def _with_signs(text: str) -> Iterator[Candidate]:
    """Yield words with signs that OCR, or a writer who hides a word, puts for letters: `Zorb!att`, `Zorbl@tt`."""
    if _SIGN_HINT.search(text):
        for m in _WITH_SIGNS.finditer(text):
            if 4 <= len(m[0]) <= _LONGEST:
                yield Candidate(m.start(), m.end(), fold(m[0]), misread=True)


def _compounds(text: str, joined: bool) -> Iterator[Candidate]:
    """Yield long words, if they may be several words of a name, and the words in `JaneZorblatt`."""
    for m in _COMPOUND.finditer(text) if joined or not text.isascii() or _HUMP_HINT.search(text) else ():
        if joined:
            yield Candidate(m.start(), m.end(), fold(m[0]), parts=("",))
        if not (m[0].islower() or m[0].isupper() or m[0].istitle()):
            for hump in _HUMP.finditer(m[0]):
                if hump.end() - hump.start() >= 4:
                    begin = m.start() + hump.start()
                    yield Candidate(begin, m.start() + hump.end(), fold(hump[0]), parts=(fold(hump[0]),))
