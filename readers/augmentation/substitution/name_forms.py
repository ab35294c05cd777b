"""Parts of a person's name as it is written: given names, surname, initials, and what stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .letters import key_of
from .origins import given_shares, sex_of, surname_shares

_WORD = r"[^\W\d_]+(?:['\u2019\u02bb`][^\W\d_]+)*\.?"
_TOKEN = re.compile(rf"{_WORD}(?:-{_WORD})*|.", re.DOTALL)
_POSSESSIVE = re.compile(r"['\u2019][sS]$")
_SUFFIXES = frozenset("jr sr ii iii iv v md phd rn np pa do dds bsc mph lpn cnm pharmd esq".split())
_TITLES = frozenset("dr mr mrs ms miss mx prof sir sister nurse rev fr pastor judge officer".split())
_PARTICLES = frozenset(
    "van von vom der den de del della di da das do dos du la le las los ter ten zu zur af bin ibn al el abu ben "
    "mac ní nic ap o ó st 't y e".split()
)


TITLE = re.compile(
    r"(?i)\b(?:dr|mr|mrs|ms|miss|mx|prof|professor|doctor|nurse|sister|officer|judge|rev|pastor|capt|sgt|det|attending)\b[.:]?\s*$"
)
"""A title before a name."""
_INITIALS = re.compile(r"(?i)\binitials\b[\s:(\"'=]*$")
_LETTER = re.compile(r"[^\W\d_]|.", re.DOTALL)


@dataclass(slots=True)
class Part:
    """A part of a name. `role`: `given`, `surname`, `single` (one or the other), `initial`, `initials`, `han`; empty: stays."""

    text: str
    role: str
    spelled: str = ""
    """The separator of the letters of a name that is spelled out."""

    @property
    def key(self) -> str:
        return key_of(self.text.replace(self.spelled, "") if self.spelled else self.text)


def parse(text: str, before: str = "") -> list[Part]:
    """Return the parts of a name in order; joined, they are the text. `before`: the text before it, such as `Dr. `.

    A text with digits or in a script without capitals has no parts with a role.
    """
    letters = [c for c in text if c.isalpha()]
    if letters and all("\u4e00" <= c <= "\u9fff" for c in text):
        return [Part(text, "han")]
    if not letters or any(c.isdecimal() for c in text) or letters[0].lower() == letters[0].upper():
        return [Part(text, "")]
    if len(letters) < 6 and _INITIALS.search(before):
        return [Part(run, "initial" if run.isalpha() else "") for run in _LETTER.findall(text)]
    if spelled := _spelled(text):
        return [Part(text, "single", spelled)]
    parts = _tokens(text)
    words = [p for p in parts if p.role == "word"]
    for n, word in enumerate(words):
        bare = word.text.rstrip(".").casefold()
        after = n > 0 and bare in _SUFFIXES and (len(bare) > 1 or not word.text.islower())
        if after or (bare in _TITLES and n + 1 < len(words)):
            word.role = ""
    words = [p for p in words if p.role]
    if len(words) == 1:
        words[0].role = "surname" if TITLE.search(before) and not _is_letters(words[0].text) else _single(words[0].text)
    elif words:
        _assign(parts, words)
    return _grouped(parts)


def _spelled(text: str) -> str:
    """Return the separator of a name that is spelled out (`n a i r`, `S-M-I-T-H`); empty for other names."""
    match = re.fullmatch(r"[^\W\d_](?:([ \-])[^\W\d_])(?:\1[^\W\d_]){2,}", text)
    return match[1] if match else ""


def _tokens(text: str) -> list[Part]:
    parts: list[Part] = []
    for token in _TOKEN.findall(text):
        if not token[0].isalpha():
            if parts and not parts[-1].role:
                parts[-1].text += token
            else:
                parts.append(Part(token, ""))
            continue
        stop = "." if token.endswith(".") and token.casefold() != "st." else ""
        token = token.removesuffix(stop)
        possessive = _POSSESSIVE.search(token)
        end = possessive.start() if possessive else len(token)
        parts.append(Part(token[:end], "word"))
        if token[end:] + stop:
            parts.append(Part(token[end:] + stop, ""))
    return parts


def _is_letters(word: str) -> bool:
    """Return whether a word is initials rather than a name: `JKL`, `jtw`."""
    if len(word) == 1:
        return True
    if not 2 <= len(word) <= 4 or not (word.isupper() or word.islower()) or not word.isalpha():
        return False
    low = word.casefold()
    if low in given_shares() or low in surname_shares():
        return len(word) == 2 and word.isupper()
    return len(word) < 4 or not re.search(r"[aeiouy]", low)


def _single(word: str) -> str:
    if _is_letters(word):
        return "initial" if len(word) == 1 else "initials"
    return "single"


def _assign(parts: list[Part], words: list[Part]) -> None:
    """Set the roles of two or more words."""
    comma = next((n for n, p in enumerate(parts) if not p.role and re.search(r"[,^]", p.text)), len(parts))
    before = [p for p in parts[:comma] if p.role]
    after = [p for p in parts[comma:] if p.role]
    if all(len(w.text) == 1 for w in words):
        for word in words:
            word.role = "initial"
    elif before and after:
        _give(before, "surname")
        _give(after, "given")
    elif _ends_in_initials(words):
        first = "given" if len(words) == 2 and _is_given(words[0].key) else "surname"
        for word in words:
            word.role = (
                "initials" if word is words[-1] and len(word.text) > 1 else first if word is words[0] else "initial"
            )
    elif (
        words[0].text.isupper() and len(words[0].text) > 2 and not words[-1].text.isupper() and words[0].text.isalpha()
    ):
        _give(words[:1], "surname")
        _give(words[1:], "given")
    else:
        start = len(words) - 1
        while start > 1 and words[start - 1].text.rstrip(".").casefold() in _PARTICLES:
            start -= 1
        if start == 1 and words[0].key.rstrip(".") in _PARTICLES and words[0].key not in sex_of():
            start = 0
        _give(words[:start], "given")
        _give(words[start:], "surname")


def _ends_in_initials(words: list[Part]) -> bool:
    """Return whether a surname comes first and initials follow: `Vlachou M`, `Smith JR`."""
    head, *tail = [w.text for w in words]
    return len(head) > 2 and all(len(t) == 1 or (len(t) == 2 and t.isupper() and not head.isupper()) for t in tail)


def _is_given(key: str) -> bool:
    given, surname = given_shares().get(key), surname_shares().get(key)
    return given is not None and (surname is None or given > surname)


def _give(words: list[Part], role: str) -> None:
    for word in words:
        word.role = role if len(word.text) > 1 else "initial"


def _grouped(parts: list[Part]) -> list[Part]:
    """Join the words of one surname, and particles with the given name after them."""
    found: list[Part] = []
    for part in parts:
        blank = len(found) > 1 and not found[-1].role and not found[-1].text.strip()
        head = found[-2] if blank else None
        particle = head is not None and head.text.split()[-1].casefold() in _PARTICLES and part.role == "given"
        if (
            head is not None
            and head.role == part.role
            and (part.role == "surname" or (part.role == "given" and particle))
        ):
            head.text += found.pop().text + part.text
        else:
            found.append(part)
    return found
