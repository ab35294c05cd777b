"""Surrogates of names of people: each part of a name gets the same replacement wherever it occurs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..date_format import match_case
from ..operator import KeyedHash, Mention
from . import pools

_RUN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[\W\d_]+?(?=[^\W\d_]|$)")
_POSSESSIVE = re.compile(r"['’][sS]$")
_BEFORE = frozenset({"dr", "mr", "mrs", "ms", "miss", "mx", "prof", "professor", "doctor", "sir"})
_AFTER = frozenset({"jr", "sr", "ii", "iii", "iv", "md", "phd", "rn", "dds", "mbbs", "frcp", "facp", "esq"})
_PARTICLES = frozenset("van von de der den del della di da dos du la le ter ten zu af bin ibn al el".split())


@dataclass(slots=True)
class _Part:
    text: str
    role: str
    """`given`, `surname`, `single` (one or the other), `initial`, or empty for kept parts: titles, particles, punctuation."""

    @property
    def key(self) -> str:
        return self.text.casefold()


@dataclass(slots=True)
class _Roles:
    """Roles of name parts, learned from the full names of a document."""

    given: set[str] = field(default_factory=set)
    surname: set[str] = field(default_factory=set)
    people: list[tuple[str, str]] = field(default_factory=list)
    """(given name, surname) pairs in text order."""
    words: set[str] = field(default_factory=set)
    """Every part of every name; none of them may be a surrogate."""


class People:
    """The surrogates of one document's people.

    A given name keeps its sex if the lexicon knows it; a surname alone or after `Mr.` is the same as with a given name
    elsewhere; two names never get the same surrogate; initials follow the names they abbreviate.
    """

    def __init__(self, choices: KeyedHash, mentions: Iterable[Mention]) -> None:
        self._choices = choices
        self._roles = _Roles()
        self._surrogates: dict[tuple[str, str, str], str] = {}
        self._used: dict[str, str] = {}
        for mention in mentions:
            self._learn(parts_of(mention.text))

    def name(self, text: str, salt: str) -> str | None:
        """Return the text with its names replaced, or None if it contains none. `salt` distinguishes mentions of one value."""
        parts = parts_of(text)
        if not any(part.role for part in parts):
            return None
        return "".join(self._part(part, parts, salt) for part in parts)

    def initials(self, text: str, salt: str) -> str | None:
        """Return the initials of the surrogate of the person they match in this document, or other letters if there is none."""
        letters = [c for c in text if c.isalpha()]
        if not letters or len(letters) > 5:
            return None
        first, last = letters[0].casefold(), letters[-1].casefold()
        person = next((p for p in self._roles.people if p[0][0] == first and p[1][0] == last), None)
        new = [self._letter(c, salt) for c in letters]
        if person and len(letters) > 1:
            new[0] = self._word("given", person[0], salt)[0]
            new[-1] = self._word("surname", person[1], salt)[0]
        if [c.casefold() for c in new] == [c.casefold() for c in letters]:
            new[0] = self._letter(letters[0], salt)
        replacements = iter(new)
        return "".join(match_case(next(replacements).upper(), c) if c.isalpha() else c for c in text)

    def local_part(self, text: str) -> str:
        """Return `given.surname` for an e-mail address."""
        given = self._choices.choice(pools.given_names(""), "mail given", text.casefold())
        return f"{given}.{self._choices.choice(pools.surnames(), 'mail surname', text.casefold())}".lower()

    def _learn(self, parts: list[_Part]) -> None:
        roles = self._roles
        for part in parts:
            if part.role:
                roles.words.add(part.key)
            if part.role in ("given", "surname"):
                (roles.given if part.role == "given" else roles.surname).add(part.key)
        given = next((p.key for p in parts if p.role == "given"), None)
        surname = next((p.key for p in parts if p.role == "surname"), None)
        if given and surname and (given, surname) not in roles.people:
            roles.people.append((given, surname))

    def _part(self, part: _Part, parts: list[_Part], salt: str) -> str:
        if not part.role:
            return part.text
        if part.role == "initial":
            surname = next((p.key for p in parts if p.role == "surname"), "")
            given = next((g for g, s in self._roles.people if s == surname and g[0] == part.key[0]), None)
            new = self._word("given", given, salt)[0] if given else self._letter(part.text, salt)
            return match_case(new.upper(), part.text)
        role = self._role(part.key) if part.role == "single" else part.role
        return match_case(self._word(role, part.key, salt), part.text)

    def _role(self, key: str) -> str:
        if key in self._roles.surname or key in self._roles.given:
            return "surname" if key in self._roles.surname else "given"
        given, surname = pools.lexicon("given_names").entry(key.title()), pools.lexicon("surnames").entry(key.title())
        return "given" if given and (surname is None or given.share > surname.share) else "surname"

    def _word(self, role: str, key: str, salt: str) -> str:
        surrogate = self._surrogates.get((role, key, salt))
        if surrogate is None:
            surrogate = self._surrogates[role, key, salt] = next(self._unused(role, key, salt))
            self._used.setdefault(surrogate.casefold(), f"{role} {key}")
        return surrogate

    def _unused(self, role: str, key: str, salt: str) -> Iterator[str]:
        entry = pools.lexicon("given_names").entry(key.title()) if role == "given" else None
        pool = pools.given_names(entry.sex if entry else "") if role == "given" else pools.surnames()
        for attempt in range(20 * len(pool)):
            name = self._choices.choice(pool, role, key, salt, str(attempt))
            user = self._used.get(name.casefold(), f"{role} {key}")
            if name.casefold() not in self._roles.words and user == f"{role} {key}":
                yield name
        yield from (name for name in pool if name.casefold() not in self._roles.words)

    def _letter(self, letter: str, salt: str) -> str:
        others = "".join(c for c in "ABCDEFGHJKLMNPRSTW" if c.casefold() != letter.casefold())
        return self._choices.choice(others, "initial", letter.casefold(), salt)


def parts_of(text: str) -> list[_Part]:
    """Return the parts of a name in order; joined, they are the text."""
    parts: list[_Part] = []
    for run in _RUN.findall(text):
        possessive = _POSSESSIVE.search(run)
        if possessive and possessive.start():
            parts += [_Part(run[: possessive.start()], "name"), _Part(possessive.group(), "")]
        else:
            parts.append(_Part(run, "name" if run[0].isalpha() else ""))
    names = [p for p in parts if p.role]
    after_name = False
    for i, part in enumerate(names):
        side = _title_side(part.text)
        is_title = side in ("both", "after" if after_name else "before")
        if is_title or (part.key in _PARTICLES and i + 1 < len(names)):
            part.role = ""
            continue
        after_name = True
        if len(part.text) == 1:
            part.role = "initial"
    _assign_roles(parts)
    return parts


def _assign_roles(parts: list[_Part]) -> None:
    names = [p for p in parts if p.role]
    words = [p for p in names if p.role == "name"]
    comma = next((i for i, p in enumerate(parts) if not p.role and "," in p.text), len(parts))
    after = [p for p in parts[comma:] if p.role]
    titled = bool(parts) and parts[0].key in _BEFORE
    for part in words:
        if after and any(p.role for p in parts[:comma]):
            part.role = "given" if any(p is part for p in after) else "surname"
        elif len(names) == 1:
            part.role = "surname" if titled else "single"
        else:
            part.role = "surname" if part is words[-1] else "given"
    for i in range(len(parts) - 3, -1, -1):  # O'Brien-Jones: both halves are one surname
        if parts[i].role == "given" and parts[i + 1].text == "-" and parts[i + 2].role == "surname":
            parts[i].role = "surname"


def _title_side(word: str) -> str:
    """Return on which side of a name a title is written, `before`, `after` or `both`; empty for other words and for names."""
    low = word.casefold()
    if low in _BEFORE or low in _AFTER:
        return "before" if low in _BEFORE else "after"
    entry = pools.lexicon("person_titles").entry(word)
    if entry is None or pools.lexicon("given_names").has(word) or pools.lexicon("surnames").has(word):
        return ""
    return entry.columns["side"]
