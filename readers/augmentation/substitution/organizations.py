"""Other hospitals and organizations: other proper words, mostly with the same words for the kind of institution."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ...synthetic.draws import Draws
from .letters import key_of, like, other_digits
from .place_words import ProperWords, cue_words, listed, proper_name, words

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_NO_LETTER = frozenset("of the and for at in de la".split())
_TAIL = 0.25
"""Share of names that get other words for the kind of institution, or none."""
_BARE = 0.35
_CONNECTOR = re.compile(r"(?:[\s&/,+-]|\b(?:of|the|and|for|at|de|la)\b)+$")
_ENDINGS = ("MC", "GH", "RMC", "MH", "UH", "H", "CH", "HC", "MG")


@cache
def _kinds() -> dict[str, str]:
    """Return the kinds of well-known organizations by name in lower case."""
    return {form.lower(): kind for form, kind in listed("organizations", "kind")}


@cache
def _of_kind(kind: str) -> tuple[str, ...]:
    return tuple(form for form, k in listed("organizations", "kind") if k == kind)


class Organizations:
    """Replaces the institutions of one document. `full_names`: their names, of which shorter mentions may be initials."""

    def __init__(self, full_names: Iterable[str], draws: Draws) -> None:
        self._draws = draws
        self._words = ProperWords(draws, proper_name)
        self._memo: dict[str, str] = {}
        self._initials: dict[str, str] = {}
        for name in full_names:
            self._initials.setdefault(initials_of(name), name)

    def name(self, text: str, *, hospital: bool) -> str:
        """Return the other institution in the form of this mention."""
        key = key_of(text)
        if key not in self._memo:
            self._memo[key] = self._drawn(text, hospital)
        return like(self._memo[key], text)

    def _drawn(self, text: str, hospital: bool) -> str:
        if is_acronym(text):
            return self._acronym(text, hospital)
        kind = _kinds().get(text.lower(), "")
        if kind and self._draws.chance(0.5):
            return self._draws.pick(_of_kind(kind))
        new = self._words.replaced(text, cue_words())
        if new == text:  # words for institutions only: Royal Southern
            return f"{proper_name(self._draws)} {self._draws.pick(words('hospital-tail' if hospital else 'organization-tail'))}"
        if "\n" not in text and self._draws.chance(_TAIL):
            return self._other_tail(text, new, hospital)
        return other_digits(new, self._draws, spoken=False)

    def _other_tail(self, text: str, new: str, hospital: bool) -> str:
        """Return the name with another tail, or without."""
        tail = re.search(r"(?:\s+[^\W\d_]+(?:['\u2019][^\W\d_]+)*\.?)+$", new)
        proper = new[: tail.start()] if tail and new.split()[0].lower() not in cue_words() else new
        proper = _CONNECTOR.sub("", proper)
        if self._draws.chance(_BARE):
            return proper
        return f"{proper} {self._draws.pick(words('hospital-tail' if hospital else 'organization-tail'))}"

    def _acronym(self, text: str, hospital: bool) -> str:
        full = self._initials.get("".join(c for c in text if c.isalpha()).lower(), "")
        if full and (new := initials_of(self.name(full, hospital=hospital)).upper()) and len(new) > 1:
            return new
        first = "".join([self._draws.pick("ABCDEFGHJKLMNPRSTVW") for _ in range(self._draws.between(1, 2))])
        if hospital:
            return first + self._draws.pick(_ENDINGS)
        return first + "".join([self._draws.pick("ABCDEFHILMNPRSTU") for _ in range(max(len(text) - len(first), 1))])


def is_acronym(text: str) -> bool:
    bare = text.replace(".", "")
    return bare.isalpha() and bare.isupper() and 2 <= len(bare) <= 5


def initials_of(name: str) -> str:
    """Return the first letters of the words of a name in lower case; empty for one word."""
    found = [w[0] for w in _WORD.findall(name) if w.lower() not in _NO_LETTER]
    return "".join(found).lower() if len(found) > 1 else ""
