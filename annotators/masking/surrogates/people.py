"""Surrogates of names of people: each part of a name gets the same replacement wherever it occurs."""

from __future__ import annotations

import re

from ....pipeline.storage.lazy_regex import lazy_regex
from ...known_phi.person import nickname_table
from ..date_format import match_case
from ..operator import Mention
from . import pools
from .draws import Draws
from .identities import Identities, Person, sex_of_given, user_name_parts
from .names import NamePart, looks_like_initials, parts_of
from .shapes import same_shape

_LETTERS = "ABCDEFGHJKLMNPRSTW"
_RUNS = lazy_regex(r"[^\W\d_]+|[\W\d_]+")


class People:
    """The surrogates of one document's people.

    A surname and a given name each have one surrogate, so that a name alone, in another order or after `Mr.` is the same
    person as in full, in every document of the patient. A given name keeps its sex if a title, a relation or the lexicon
    shows it, or for patients the pronouns; a short form becomes one of the surrogate; initials follow the names they
    abbreviate.
    """

    def __init__(self, draws: Draws, identities: Identities) -> None:
        self._draws = draws
        self._identities = identities
        self._sexes: dict[str, str] = {}
        self._surnames = {name for person in identities.people for name in person.surname}
        for person in identities.people:
            sex = person.sex or (self._draws.choices.choice("FM", "sex", person.given[0]) if person.given else "")
            for given in person.given[:1]:
                self._sexes.setdefault(given, sex)
        for person in identities.people:
            for given in person.given[1:]:
                self._sexes.setdefault(given, self._sexes[person.given[0]])

    def name(self, mention: Mention, salt: str) -> str | None:
        """Return the text with its names replaced, or None if it contains none. `salt` distinguishes mentions of one value."""
        text, person = mention.text, self._identities.person(mention)
        if looks_like_initials(text):
            return self.initials(mention, salt)
        parts = parts_of(text)
        if not any(part.role for part in parts):
            return None
        return "".join(self._part(part, parts, person, salt) for part in parts)

    def initials(self, mention: Mention, salt: str) -> str | None:
        """Return the initials of the surrogate of the person they match in this document, or other letters if there is none."""
        text, person = mention.text, self._identities.person(mention)
        letters = [c for c in text if c.isalpha()]
        if not letters:
            return None
        if len(letters) > 5:
            groups = [run for run in _RUNS.findall(text) if run[0].isalpha()]
            if max(map(len, groups)) > 4:
                return self.name(mention, salt)
        if "/" in text:  # who dictated and who typed: SLR/kmb
            groups = [(group, self._identities.of_initials(group)) for group in re.split("(/)", text)]
            return "".join(self._initials(group, owner, salt) or group for group, owner in groups)
        return self._initials(text, person, salt)

    def _initials(self, text: str, person: Person | None, salt: str) -> str | None:
        letters = [c for c in text if c.isalpha()]
        if not letters:
            return None
        if len(letters) > 5:
            letter_by_letter = (self._letter(c, f"{salt}{i}") if c.isalpha() else c for i, c in enumerate(text))
            return "".join(match_case(new, c) for new, c in zip(letter_by_letter, text, strict=True))
        new = [self._letter(c, salt) for c in letters]
        if person and len(letters) > 1 and person.given and person.surname:
            new[0] = self._given(person.given[0], salt)[0]
            new[-1] = self._surname(person.surname[0], salt)[0]
            new[1:-1] = [self._given_letter(c, person, salt, i) for i, c in enumerate(letters[1:-1], 1)]
        if [c.casefold() for c in new] == [c.casefold() for c in letters]:
            new[0] = self._letter(letters[0], salt)
        replacements = iter(new)
        return "".join(match_case(next(replacements).upper(), c) if c.isalpha() else c for c in text)

    def user_name(self, mention: Mention, salt: str) -> str | None:
        """Return the user name made of the same parts of the surrogate of the person it fits, else one of the same shape."""
        person = self._identities.person(mention)
        made = self._handle(mention.text, person, salt) if person else ""
        return made or self._draws.retry(lambda choices: same_shape(mention.text, choices, f"user{salt}"))

    def local_part(self, text: str, salt: str) -> str:
        """Return the part before the `@` of an address: parts of the surrogate of the person whose name it contains, else
        another name."""
        local = text.partition("@")[0]
        person = self._identities.of_user_name(local)
        if person is not None:
            return self._handle(local, person, salt)
        given = self._draws.pick(pools.given_names(""), f"mail given {local.casefold()}", salt) or "mail"
        surname = self._draws.pick(pools.surnames(), f"mail surname {local.casefold()}", salt) or "box"
        return f"{given}.{surname}".lower()

    def _handle(self, text: str, person: Person, salt: str) -> str:
        roles = user_name_parts(text, person)
        if not roles:
            return ""
        given = self._given(person.given[0], salt) if person.given else ""
        surname = "".join(self._surname(word, salt) for word in person.surname)
        first = given[:1] or self._letter(person.first_letters[0] or "x", salt)
        words = {"given": given, "surname": surname, "initial": first, "last": surname[:1]}
        new = [words[role].lower() for role in roles]
        runs = _RUNS.findall(re.sub("['’]", "", text))
        if sum(run[0].isalpha() for run in runs) == len(new):  # smith_j, john.smith77
            made = iter(new)
            replaced = [next(made) if run[0].isalpha() else self._digits(run, salt) for run in runs]
        else:
            first_letter = next(i for i, run in enumerate(runs) if run[0].isalpha())
            tail = [self._digits(run, salt) for run in runs[first_letter + 1 :] if not run[0].isalpha()]
            replaced = [*(self._digits(run, salt) for run in runs[:first_letter]), *new, *tail]
        return match_case("".join(replaced), text)

    def _digits(self, run: str, salt: str) -> str:
        return same_shape(run, self._draws.choices, f"digits{salt}") or run

    def _part(self, part: NamePart, parts: list[NamePart], person: Person | None, salt: str) -> str:
        if not part.role:
            return part.text
        if part.role == "initials":
            before = [p for p in parts if p.role in ("initials", "given")]
            first = next(i for i, p in enumerate(before) if p is part)
            surname = self._abbreviated_surname(part, parts)
            if surname:
                return match_case(self._surname(surname, salt)[0].upper(), part.text)
            new = "".join(self._given_letter(c, person, salt, first + i) for i, c in enumerate(part.key))
            return match_case(new.upper(), part.text)
        return match_case(self._word(part, person, salt), part.text)

    def _abbreviated_surname(self, part: NamePart, parts: list[NamePart]) -> str:
        """Return the surname that a letter after a given name stands for, if one of the document begins with it: `Mary S.`"""
        names = [p for p in parts if p.role]
        if len(names) != 2 or names[0].role != "given" or names[1] is not part or len(part.key) != 1:
            return ""
        fitting = [name for name in self._surnames if name.startswith(part.key)]
        return fitting[0] if len(fitting) == 1 else ""

    def _word(self, part: NamePart, person: Person | None, salt: str) -> str:
        key = part.key
        is_given = part.role == "given"
        if part.role == "single" and person:
            is_given = key in person.given or not (key in person.surname or key in self._surnames)
        if not is_given:
            return self._surname(key, salt)
        full = person.given[0] if person and person.given else ""
        if full != key and full in nickname_table().get(key, ()):
            new = self._given(full, salt)
            short = [n.title() for n in nickname_table().get(new.casefold(), ()) if len(n) < len(new)]
            return next((n for n in short if self._draws.allows(n)), new)
        return self._given(key, salt)

    def _surname(self, key: str, salt: str) -> str:
        return self._draws.pick(pools.surnames(), f"surname {key}", salt) or "Doe"

    def _given(self, key: str, salt: str) -> str:
        sex = self._sexes.get(key) or sex_of_given(key)
        return self._draws.pick(pools.given_names(sex), f"given {key}", salt) or "Robin"

    def _given_letter(self, letter: str, person: Person | None, salt: str, index: int) -> str:
        """Return the initial of the surrogate's given name of this number (from 0) that a letter abbreviates."""
        names = person.given if person else []
        if index < len(names) and names[index][0] == letter.casefold():
            return self._given(names[index], salt)[0].upper()
        return self._letter(letter, salt)

    def _letter(self, letter: str, salt: str) -> str:
        others = "".join(c for c in _LETTERS if c.casefold() != letter.casefold())
        return self._draws.choices.choice(others, "initial", letter.casefold(), salt)
