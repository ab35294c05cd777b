"""Names of people: each part of a name becomes another one, the same wherever the part stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..date_layout import in_case
from ..operator import Mention
from . import pools
from .keyed_choices import KeyedChoices

_RUN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[\W\d_]+?(?=[^\W\d_]|$)")
_POSSESSIVE = re.compile(r"['’][sS]$")
_BEFORE = frozenset({"dr", "mr", "mrs", "ms", "miss", "mx", "prof", "professor", "doctor", "sir"})
_AFTER = frozenset({"jr", "sr", "ii", "iii", "iv", "md", "phd", "rn", "dds", "mbbs", "frcp", "facp", "esq"})
_PARTICLES = frozenset(
    {
        "van",
        "von",
        "de",
        "der",
        "den",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "du",
        "la",
        "le",
        "ter",
        "ten",
        "zu",
        "af",
        "bin",
        "ibn",
        "al",
        "el",
    }
)


@dataclass(slots=True)
class _Part:
    text: str
    role: str
    """`given`, `surname`, `single` (one or the other), `initial`, or empty for what stays: titles, particles, punctuation."""

    @property
    def key(self) -> str:
        return self.text.casefold()


@dataclass(slots=True)
class _Known:
    """What the fuller names of a document say about the parts."""

    given: set[str] = field(default_factory=set)
    surname: set[str] = field(default_factory=set)
    people: list[tuple[str, str]] = field(default_factory=list)
    """(given name, surname) pairs in text order."""
    words: set[str] = field(default_factory=set)
    """Every part of every name: no surrogate may be one of them."""


class People:
    """The surrogates of one document's people.

    A given name keeps its sex where the lexicon knows it; a surname said alone or after `Mr.` is the surname said with a
    given name elsewhere; two names never get one surrogate; initials follow the names they stand for.
    """

    def __init__(self, draws: KeyedChoices, mentions: Iterable[Mention]) -> None:
        self._draws = draws
        self._known = _Known()
        self._made: dict[tuple[str, str, str], str] = {}
        self._used: dict[str, str] = {}
        for mention in mentions:
            self._learn(parts_of(mention.text))

    def name(self, text: str, salt: str) -> str | None:
        """The text with its names replaced; None where it holds none. `salt` tells mentions apart that may differ."""
        parts = parts_of(text)
        if not any(part.role for part in parts):
            return None
        return "".join(self._part(part, parts, salt) for part in parts)

    def initials(self, text: str, salt: str) -> str | None:
        """Initials replaced by those of the person they fit in this document, by other letters where they fit nobody."""
        letters = [c for c in text if c.isalpha()]
        if not letters or len(letters) > 5:
            return None
        first, last = letters[0].casefold(), letters[-1].casefold()
        person = next((p for p in self._known.people if p[0][0] == first and p[1][0] == last), None)
        new = [self._letter(c, salt) for c in letters]
        if person and len(letters) > 1:
            new[0] = self._word("given", person[0], salt)[0]
            new[-1] = self._word("surname", person[1], salt)[0]
        if [c.casefold() for c in new] == [c.casefold() for c in letters]:
            new[0] = self._letter(letters[0], salt)
        shown = iter(new)
        return "".join(in_case(next(shown).upper(), c) if c.isalpha() else c for c in text)

    def local_part(self, text: str) -> str:
        """`given.surname` for an e-mail address."""
        given = self._draws.choice(pools.given_names(""), "mail given", text.casefold())
        return f"{given}.{self._draws.choice(pools.surnames(), 'mail surname', text.casefold())}".lower()

    def _learn(self, parts: list[_Part]) -> None:
        known = self._known
        for part in parts:
            if part.role:
                known.words.add(part.key)
            if part.role in ("given", "surname"):
                (known.given if part.role == "given" else known.surname).add(part.key)
        given = next((p.key for p in parts if p.role == "given"), None)
        surname = next((p.key for p in parts if p.role == "surname"), None)
        if given and surname and (given, surname) not in known.people:
            known.people.append((given, surname))

    def _part(self, part: _Part, parts: list[_Part], salt: str) -> str:
        if not part.role:
            return part.text
        if part.role == "initial":
            surname = next((p.key for p in parts if p.role == "surname"), "")
            given = next((g for g, s in self._known.people if s == surname and g[0] == part.key[0]), None)
            new = self._word("given", given, salt)[0] if given else self._letter(part.text, salt)
            return in_case(new.upper(), part.text)
        role = self._role(part.key) if part.role == "single" else part.role
        return in_case(self._word(role, part.key, salt), part.text)

    def _role(self, key: str) -> str:
        if key in self._known.surname or key in self._known.given:
            return "surname" if key in self._known.surname else "given"
        given, surname = pools.lexicon("given_names").entry(key.title()), pools.lexicon("surnames").entry(key.title())
        return "given" if given and (surname is None or given.share > surname.share) else "surname"

    def _word(self, role: str, key: str, salt: str) -> str:
        made = self._made.get((role, key, salt))
        if made is None:
            made = self._made[role, key, salt] = next(self._fresh(role, key, salt))
            self._used.setdefault(made.casefold(), f"{role} {key}")
        return made

    def _fresh(self, role: str, key: str, salt: str) -> Iterator[str]:
        entry = pools.lexicon("given_names").entry(key.title()) if role == "given" else None
        pool = pools.given_names(entry.sex if entry else "") if role == "given" else pools.surnames()
        for attempt in range(20 * len(pool)):
            chosen = self._draws.choice(pool, role, key, salt, str(attempt))
            other = self._used.get(chosen.casefold(), f"{role} {key}")
            if chosen.casefold() not in self._known.words and other == f"{role} {key}":
                yield chosen
        yield from (name for name in pool if name.casefold() not in self._known.words)

    def _letter(self, letter: str, salt: str) -> str:
        others = "".join(c for c in "ABCDEFGHJKLMNPRSTW" if c.casefold() != letter.casefold())
        return self._draws.choice(others, "initial", letter.casefold(), salt)


def parts_of(text: str) -> list[_Part]:
    """A name in parts, in order; joined they give the text again."""
    parts: list[_Part] = []
    for run in _RUN.findall(text):
        owner = _POSSESSIVE.search(run)
        if owner and owner.start():
            parts += [_Part(run[: owner.start()], "name"), _Part(owner.group(), "")]
        else:
            parts.append(_Part(run, "name" if run[0].isalpha() else ""))
    names = [p for p in parts if p.role]
    seen = False
    for i, part in enumerate(names):
        side = _title(part.text)
        if side == "both" or side == ("after" if seen else "before") or (part.key in _PARTICLES and i + 1 < len(names)):
            part.role = ""
            continue
        seen = True
        if len(part.text) == 1:
            part.role = "initial"
    _assign(parts)
    return parts


def _assign(parts: list[_Part]) -> None:
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


def _title(word: str) -> str:
    """Where a title stands, `before`, `after` or `both`; empty for what is no title or could be a name."""
    low = word.casefold()
    if low in _BEFORE or low in _AFTER:
        return "before" if low in _BEFORE else "after"
    entry = pools.lexicon("person_titles").entry(word)
    if entry is None or pools.lexicon("given_names").has(word) or pools.lexicon("surnames").has(word):
        return ""
    return entry.columns["side"]
