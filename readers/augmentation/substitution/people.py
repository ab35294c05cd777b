"""Other people for those of a document: the same one for all mentions of a person, in any form of the name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from ...synthetic.draws import Draws
from .letters import like, natural, other_digits, plain
from .name_forms import Part, parse
from .origins import Family, SeenNames, given_shares, sex_of, surname_shares

_SEX = re.compile(
    r"(?i)\b(?:(mrs|ms|miss|mother|mom|wife|daughter|sister|aunt|grandmother)"
    r"|mr|father|dad|husband|son|brother|uncle|grandfather)\b\W*$"
)
_HAN_SURNAMES, _HAN_GIVEN = "王李張劉陳楊黃趙吳周徐孫馬朱胡林", "偉芳娜敏靜麗強磊軍洋勇艷傑娟濤明超秀霞平國玲華英"
_FAVORITES = "ABCDEFGHJKLMNPRSTW"


@cache
def nicknames() -> dict[str, tuple[str, ...]]:
    """Return short and pet forms by given name, in lower case."""
    lines = files("caspipe.configs").joinpath("lexicons", "nicknames.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition(":") for line in lines if line and not line.startswith("#")]
    return {name: tuple(forms.split()) for name, _, forms in rows}


class People:
    """Replaces the people of one document.

    People who share a surname are one family, which is replaced or stays as a whole. `mentions`: (text, text before it) of
    every span with a name.
    """

    def __init__(
        self, mentions: Iterable[tuple[str, str]], draws: Draws, seen: SeenNames, *, share: float, pool: float
    ) -> None:
        self._draws, self._seen, self._share, self._pool = draws, seen, share, pool
        self._people: dict[tuple[str, str], None] = {}
        """(given name, surname) of each full name."""
        self._given: set[str] = set()
        self._surnames: set[str] = set()
        self._sex: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._families: dict[str, Family | None] = {}
        self._new: dict[tuple[str, str], str] = {}
        self._used: set[str] = set()
        self._letters: dict[str, str] = {}
        for text, before in mentions:
            self._learn(parse(text, before), before)

    def name(self, text: str, before: str, *, mostly_given: bool = False) -> str:
        """Return the name of the other person in the form of this mention, or the text itself if it stays.

        `mostly_given`: a name alone is a given name unless something else says that it is a surname.
        """
        parts = parse(text, before)
        if not any(p.role for p in parts):
            return text
        if all(p.role in ("", "initial", "initials") for p in parts):
            return self._initials(parts)
        if mostly_given:
            for part in parts:
                if part.role == "single" and part.key not in self._surnames:
                    part.role = "given"
        return "".join([self._part(part, parts) for part in parts])

    def user_name(self, text: str) -> str:
        """Return a user name, or the first part of an address, made of the new names if the old one is made of the old names."""
        forms = self._forms()
        found = False

        def other(match: re.Match[str]) -> str:
            nonlocal found
            new = forms.get(plain(match[0]))
            found = found or new is not None
            return match[0] if new is None else like(new, match[0])

        changed = re.sub(r"[^\W\d_]+", other, text)
        if not found:
            family = Family(self._draws, self._seen, self._pool)
            given, surname = plain(family.given("")), plain(family.surname())
            forms_of_names = (given[:1] + surname, f"{given}.{surname}", f"{given}_{surname[:1]}", surname + given[:1])
            new = self._draws.pick(forms_of_names)
            digits = re.search(r"\d*$", text)
            changed = text[: len(text) - len(text.lstrip("@"))] + like(new, text) + (digits[0] if digits else "")
        return other_digits(changed, self._draws, spoken=False)

    def _learn(self, parts: list[Part], before: str) -> None:
        given = [p.key for p in parts if p.role == "given"]
        surname = next((p.key for p in parts if p.role == "surname"), "")
        self._given.update(given)
        if surname:
            self._surnames.add(surname)
        for key in given:
            self._link(key, surname or given[0])
        if given and surname:
            self._people.setdefault((given[0], surname))
        known = next((sex_of()[key] for key in given if key in sex_of()), "")
        for key in given[1:] if known else ():
            if key not in sex_of():
                self._sex.setdefault(key, known)
        sex = _SEX.search(before)
        first = given[0] if given else next((p.key for p in parts if p.role == "single"), "")
        if sex and first:
            self._sex.setdefault(first, "female" if sex[1] else "male")

    def _root(self, key: str) -> str:
        while self._links.get(key, key) != key:
            key = self._links[key]
        return key

    def _link(self, one: str, other: str) -> None:
        first, second = sorted((self._root(one), self._root(other)))
        self._links[second] = first

    def _family(self, key: str) -> Family | None:
        """Return the family that replaces the one of a name, None if it stays."""
        root = self._root(key)
        if root not in self._families:
            replaced = self._draws.chance(self._share)
            self._families[root] = Family(self._draws, self._seen, self._pool) if replaced else None
        return self._families[root]

    def _part(self, part: Part, parts: list[Part]) -> str:
        if part.role == "initial":
            return self._initial(part, parts)
        if part.role == "initials":
            return self._of_surname(part, parts)
        if part.role == "han":
            return self._han(part.text)
        if not part.role:
            return part.text
        role = part.role if part.role != "single" else self._role(part.key)
        new = self._word(role, part.key)
        if not new:
            return part.text
        if part.spelled:
            return part.spelled.join([like(c, part.text) for c in plain(new)])
        if "\n" in part.text and " " in new:
            new = new.replace(" ", "\n", 1)
        return like(new, part.text)

    def _han(self, text: str) -> str:
        """Return another Chinese name in Chinese characters."""
        if self._family(text) is None:
            return text
        if ("han", text) not in self._new:
            given = "".join([self._draws.pick(_HAN_GIVEN) for _ in text[1:]])
            self._new["han", text] = self._draws.pick(_HAN_SURNAMES) + given
        return self._new["han", text]

    def _role(self, key: str) -> str:
        """Return the role of a name alone: as in a full name of the document, else the more common one."""
        if key in self._surnames:
            return "surname"
        if key in self._given or self._long_form(key):
            return "given"
        given, surname = given_shares().get(key), surname_shares().get(key)
        return "given" if given is not None and (surname is None or given > surname) else "surname"

    def _long_form(self, key: str) -> str:
        """Return the given name of the document for which a name is a short form."""
        return next((name for name in sorted(self._given) if key != name and key in nicknames().get(name, ())), "")

    def _word(self, role: str, key: str) -> str:
        """Return the new given name or surname; empty if it stays."""
        if (role, key) in self._new:
            return self._new[role, key]
        long = self._long_form(key) if role == "given" else ""
        family = self._family(long or key)
        if family is None:
            new = ""
        elif long:
            full = self._word("given", long)
            new = next((form.title() for form in nicknames().get(full.lower(), ())), full)
        else:
            new = self._unused(family, role, key)
        self._new[role, key] = new
        return new

    def _unused(self, family: Family, role: str, key: str) -> str:
        sex = self._sex.get(key) or sex_of().get(key.split("-")[0], "")
        name = ""
        for _ in range(20):
            name = family.surname() if role == "surname" else family.given(sex)
            low = name.casefold()
            if low not in self._used and low not in self._surnames and low not in self._given:
                break
        self._used.add(name.casefold())
        return name

    def _initial(self, part: Part, parts: list[Part]) -> str:
        """Return the initial of the new given name of the person with this initial and surname, or another letter."""
        surname = next((p.key for p in parts if p.role == "surname"), "")
        if not surname and parts[-1 if parts[-1].role else -2] is part:
            return self._surname_initial(part, parts)
        anchor = surname or next((p.key for p in parts if p.role == "given"), "")
        if anchor and self._family(anchor) is None:
            return part.text
        given = next((g for g, s in self._people if s == surname and g[0] == part.key[0]), "")
        new = self._word("given", given)[:1] if given else self._letter(f"{anchor} {part.key}")
        return like(new.upper(), part.text)

    def _surname_initial(self, part: Part, parts: list[Part]) -> str:
        """Return the initial of the new surname of a person written `Lily T.`"""
        given = next((p.key for p in parts if p.role == "given"), "")
        surname = next((s for g, s in self._people if g == given and s[0] == part.key[0]), "")
        if (given and self._family(given) is None) or len(parts) < 2:
            return part.text
        new = self._word("surname", surname)[:1] if surname else self._letter(f"{given} {part.key}")
        return like(plain(new).upper() or "X", part.text)

    def _of_surname(self, part: Part, parts: list[Part]) -> str:
        surname = next((p.key for p in parts if p.role == "surname"), "")
        if surname and self._family(surname) is None:
            return part.text
        return like("".join([self._letter(f"{surname} {c}") for c in part.key]), part.text)

    def _initials(self, parts: list[Part]) -> str:
        """Return the initials of the new name of the person they belong to, or of another one."""
        old = "".join([p.key for p in parts if p.role])
        person = (
            next((p for p in self._people if p[0][0] == old[0] and p[1][0] == old[-1]), None) if len(old) > 1 else None
        )
        if person is None and not self._draws.chance(self._share) and old not in self._letters:
            self._letters[old] = old
        if old not in self._letters:
            new = [self._letter(f"{old} {n}") for n in range(len(old))]
            if person is not None:
                new[0] = (self._word("given", person[0]) or person[0])[0]
                new[-1] = (self._word("surname", person[1]) or person[1])[0]
            self._letters[old] = "".join([plain(c)[:1] or "x" for c in new])
        letters = iter(self._letters[old])
        return "".join([_cased(next(letters), c) if p.role else c for p in parts for c in p.text])

    def _letter(self, what: str) -> str:
        if what not in self._letters:
            self._letters[what] = self._draws.pick(_FAVORITES)
        return self._letters[what]

    def _forms(self) -> dict[str, str]:
        """Return the forms of the replaced names in addresses: `jsmith`, `smithj`, `john`."""
        forms: dict[str, str] = {}
        for given, surname in self._people:
            if self._family(surname) is None:
                continue
            new_given, new_surname = plain(self._word("given", given)), plain(self._word("surname", surname))
            g, s = plain(given), plain(surname)
            if not (g and s and new_given and new_surname):
                continue
            forms[g[0] + s], forms[s + g[0]] = new_given[0] + new_surname, new_surname + new_given[0]
            forms[g + s], forms[s + g] = new_given + new_surname, new_surname + new_given
            forms[g + s[0]], forms[g], forms[s] = new_given + new_surname[0], new_given, new_surname
        return forms


def _cased(letter: str, old: str) -> str:
    return letter.upper() if old.isupper() else letter.lower()


def collect(text: str, before: str, seen: SeenNames) -> None:
    """Add the names in a mention to those of the corpus."""
    parts = parse(text, before)
    if sum(p.role in ("given", "surname") for p in parts) < 2:
        return
    for part in parts:
        if part.role == "surname":
            seen.add(natural(part.text.replace("\n", " ")), "surname")
        elif part.role == "given" and (sex := sex_of().get(part.key)):
            seen.add(natural(part.text.replace("\n", " ")), sex)
