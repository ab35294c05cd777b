"""Decides which mentions of names in a document belong to one person."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import PhiKind
from ...known_phi.person import nickname_table
from ..operator import Context, Mention
from . import pools
from .names import TITLES_BEFORE, NamePart, generation_of, is_surname, looks_like_initials, parts_of, titles_of

_MALE = (
    "mr sir master mister husband hubby father dad daddy son brother bro uncle grandfather grandad grandpa grandson nephew "
    "boyfriend "
    "stepfather stepson bf gentleman"
)
_FEMALE = (
    "mrs ms miss madam wife mother mum mom mummy daughter dtr dau sister sis aunt aunty auntie grandmother grandma gran "
    "granddaughter "
    "niece girlfriend stepmother stepdaughter gf sr-in-law lady"
)
_SEX_OF = {**dict.fromkeys(_MALE.split(), "M"), **dict.fromkeys(_FEMALE.split(), "F")}
_WORD_BEFORE = lazy_regex(r"([A-Za-z-]+)[\s.,:(\"]{1,3}$")
_WORD_AFTER = lazy_regex(r"\s*[(,-]\s*(?:(?:his|her|the|pt's|patient's|their)\s+)?([A-Za-z]+)(?:-in-law)?\b")
_PATIENT_SEX = lazy_regex(
    r"\b(?:(?P<F>she|her|hers|herself|woman|female|lady|girl)|(?P<M>he|his|him|himself|man|male|gentleman|boy))\b", re.I
)
_STAFF = frozenset({PhiKind.PERSON_DOCTOR, PhiKind.PERSON_REPORTER})
_LAY = frozenset({PhiKind.PERSON_PATIENT, PhiKind.PERSON_RELATIVE})
_MOST_CANDIDATES = 50
"""People of one name that are compared with a mention: the latest ones, so that the time stays proportional to the text."""
_USER_SEPARATORS = lazy_regex(r"[._\-\d@'’]+")


@dataclass(slots=True)
class Person:
    """One person of a document. Names are folded."""

    given: list[str] = field(default_factory=list)
    """Given names, the fullest form of the first one, then the others; empty if only initials or the surname are known."""
    surname: list[str] = field(default_factory=list)
    initials: str = ""
    """Initials of given names that are not known, folded."""
    generation: str = ""
    sex: str = ""
    """`F` or `M` if a title, a relation or the lexicon of given names shows it, else empty."""
    kinds: set[PhiKind] = field(default_factory=set)
    number: int = 0
    """Number in the order of first appearance, from 1."""
    latest: int = 0
    """Begin of the latest mention so far."""

    @property
    def first_letters(self) -> tuple[str, str]:
        """Return the first letters of the given name and of the surname, empty if unknown."""
        if not self.given and not self.surname:
            return self.initials[:1], self.initials[1:][-1:]
        return (self.given[0][0] if self.given else self.initials[:1], self.surname[0][0] if self.surname else "")


@dataclass(slots=True)
class Form:
    """One mention of a name, taken apart."""

    mention: Mention
    parts: list[NamePart]
    sex: str
    titled: bool = False
    """A title precedes the mention, so one word is rather a surname."""
    person: Person | None = None

    def words(self, role: str) -> list[str]:
        return [p.key for p in self.parts if p.role == role]

    @property
    def initials(self) -> str:
        return "".join(c for p in self.parts if p.role == "initials" for c in p.key)


class Identities:
    """The people of a document. Full names decide first; then initials with a surname, surnames and given names alone,
    initials and user names join the person they fit, the most recent one if there are several; others are
    people of their own.

    Two names are one person if surname and given name agree (short forms included) and neither second given name,
    generation (`Jr`), nor sex contradicts. A surname alone does not join staff with a patient or relative.
    """

    def __init__(self, context: Context) -> None:
        self.people: list[Person] = []
        self._by_begin: dict[int, Person] = {}
        self._index: dict[str, list[Person]] = {}
        mentions = [m for m in context.of_kind(PhiKind.PERSON) if any(c.isalpha() for c in m.text)]
        forms = [Form(m, parts_of(m.text), _sex_beside(context, m), _follows_title(context, m)) for m in mentions]
        names = [f for f in forms if f.mention.kind not in (PhiKind.PERSON_INITIALS, PhiKind.PERSON_USERNAME)]
        names = [f for f in names if not looks_like_initials(f.mention.text) and any(p.role for p in f.parts)]
        users = [f for f in forms if f.mention.kind is PhiKind.PERSON_USERNAME]
        self._assign([f for f in names if f.words("given") and f.words("surname")], self._fits_full)
        self._assign([f for f in names if f.initials and f.words("surname")], self._fits_initials)
        self._assign([f for f in names if f.words("surname")], self._fits_surname)
        self._assign(names, self._fits_single)
        self._assign([f for f in forms if f.mention.kind is not PhiKind.PERSON_USERNAME], self._fits_letters)
        self._assign(users, self._fits_user_name)
        count = 0
        for form in forms:
            if form.person is not None and not form.person.number:
                form.person.number = count = count + 1
        self._by_begin = {f.mention.begin: f.person for f in forms if f.person is not None}
        self._learn_patient_sex(context)

    @classmethod
    def of(cls, context: Context) -> Identities:
        """Return the people of a document while it is masked, computed once."""
        return context.remember(cls, "identities", lambda: cls(context))

    def person(self, mention: Mention) -> Person | None:
        """Return the person whom a mention names; None for a mention of other kinds, or one without letters."""
        found = self._by_begin.get(mention.begin)
        return found if found is not None and mention.kind.top is PhiKind.PERSON else None

    def of_user_name(self, text: str) -> Person | None:
        """Return the person whose name a user name, or an address before its `@`, consists of."""
        letters = letters_of_user_name(text)
        return next((p for p in self._index.get(f"user {letters}", ()) if user_name_parts(text, p)), None)

    def of_initials(self, text: str) -> Person | None:
        """Return the person whose full name two to four letters abbreviate, rather staff than others."""
        found = [p for key in _letter_keys(text) for p in self._index.get(key, ()) if p.given and p.surname]
        return next((p for p in found if p.kinds & _STAFF), next(iter(found), None))

    def _assign(self, forms: Sequence[Form], fits: Callable[[Form, Person], bool]) -> None:
        """Give each form without a person one that fits, or a new one."""
        for form in forms:
            if form.person is not None:
                continue
            at = form.mention.begin
            candidates = [p for key in _keys_of_form(form) for p in self._index.get(key, ())[-_MOST_CANDIDATES:]]
            candidates = [p for p in candidates if fits(form, p)]
            same_kind = [p for p in candidates if form.mention.kind in p.kinds]
            before = [p for p in (same_kind or candidates) if p.latest <= at]
            person = max(before, key=lambda p: p.latest, default=next(iter(same_kind or candidates), None))
            if person is None:
                person = Person(latest=at)
                self.people.append(person)
            _join(form, person)
            for key in _keys_of_person(person):
                listed = self._index.setdefault(key, [])
                if not any(p is person for p in listed[-_MOST_CANDIDATES:]):
                    listed.append(person)

    def _fits_full(self, form: Form, person: Person) -> bool:
        given, initials = form.words("given"), form.initials
        if form.words("surname") != person.surname or not person.given or not related(given[0], person.given[0]):
            return False
        second = [*[g[0] for g in given[1:]], *initials]
        known = [*[g[0] for g in person.given[1:]], *person.initials]
        full = [g for g in given[1:] if g not in person.given[1:]] and person.given[1:]
        return not (second and known and second[0] != known[0]) and not full and _agree(form, person)

    def _fits_initials(self, form: Form, person: Person) -> bool:
        first = person.first_letters[0]
        letters = form.initials
        known = [*[g[0] for g in person.given[1:]], *person.initials[not person.given :]]
        differs = len(letters) > 1 and known and letters[1] != known[0]
        return form.words("surname") == person.surname and letters[0] == first and not differs and _agree(form, person)

    def _fits_surname(self, form: Form, person: Person) -> bool:
        return form.words("surname") == person.surname and not _apart(form, person) and _agree(form, person)

    def _fits_single(self, form: Form, person: Person) -> bool:
        words = form.words("single")
        if not words:
            return False
        if words[0] in person.surname:
            return words[0] == person.surname[0] and not _apart(form, person) and _agree(form, person)
        return any(related(words[0], given) for given in person.given) and _agree(form, person)

    def _fits_letters(self, form: Form, person: Person) -> bool:
        letters = [c for c in form.mention.text.casefold() if c.isalpha()]
        return 1 < len(letters) < 5 and (letters[0], letters[-1]) == person.first_letters

    def _fits_user_name(self, form: Form, person: Person) -> bool:
        return form.mention.kind is PhiKind.PERSON_USERNAME and bool(user_name_parts(form.mention.text, person))

    def _learn_patient_sex(self, context: Context) -> None:
        """Give patients of unknown sex that of most pronouns of the document."""
        unknown = [p for p in self.people if not p.sex and PhiKind.PERSON_PATIENT in p.kinds]
        if unknown:
            found = [m.lastgroup or "" for m in _PATIENT_SEX.finditer(context.text)]
            female, male = found.count("F"), found.count("M")
            for person in unknown:
                person.sex = "F" if female > 2 * male else "M" if male > 2 * female else ""


def related(one: str, other: str) -> bool:
    """Return whether two folded given names are equal, or one is a short form of the other."""
    return one == other or other in nickname_table().get(one, ())


def user_name_parts(text: str, person: Person) -> list[str]:
    """Return which parts of a person's name a user name consists of: `given`, `surname`, `initial`; empty if none fits.

    `jsmith`, `john.smith`, `smithj`, `smith`, `johns`, with digits and punctuation anywhere between and after them.
    """
    letters = letters_of_user_name(text)
    for pattern, roles in _user_names(person):
        if letters == pattern:
            return roles
    return []


def letters_of_user_name(text: str) -> str:
    return _USER_SEPARATORS.sub("", text.casefold())


def _user_names(person: Person) -> list[tuple[str, list[str]]]:
    surname = _USER_SEPARATORS.sub("", "".join(person.surname))
    given = _USER_SEPARATORS.sub("", person.given[0]) if person.given else ""
    first, last = person.first_letters
    patterns: list[tuple[str, list[str]]] = [
        (given + surname, ["given", "surname"]),
        (surname + given, ["surname", "given"]),
        (first + surname, ["initial", "surname"]),
        (surname + first, ["surname", "initial"]),
        (given + last, ["given", "last"]),
        (surname, ["surname"]),
        (given, ["given"]),
    ]
    known = {"given": given, "initial": first, "surname": surname, "last": last}
    return [(pattern, roles) for pattern, roles in patterns if len(pattern) > 2 and all(known[r] for r in roles)]


def _keys_of_form(form: Form) -> list[str]:
    """Return the keys under which the people are listed whom a form may name."""
    if form.mention.kind is PhiKind.PERSON_USERNAME:
        return [f"user {letters_of_user_name(form.mention.text)}"]
    if surname := form.words("surname"):
        return [f"surname {surname[0]}"]
    if single := form.words("single"):
        names = [single[0], *nickname_table().get(single[0], ())]
        return [f"surname {single[0]}", *(f"given {name}" for name in names), *_letter_keys(form.mention.text)]
    return _letter_keys(form.mention.text)


def _letter_keys(text: str) -> list[str]:
    letters = [c for c in text.casefold() if c.isalpha()]
    return [f"letters {letters[0]}{letters[-1]}"] if 1 < len(letters) < 5 else []


def _keys_of_person(person: Person) -> list[str]:
    keys = [*(f"surname {name}" for name in person.surname), *(f"given {name}" for name in person.given)]
    keys += [f"user {pattern}" for pattern, _ in _user_names(person)]
    return [*keys, f"letters {''.join(person.first_letters)}"]


@cache
def sex_of_given(key: str) -> str:
    """Return the sex of a given name, folded, if the lexicon knows one."""
    entry = pools.lexicon("given_names").entry(key.title())
    sex = entry.columns.get("sex", "") if entry else ""
    return sex if sex in ("F", "M") else ""


def _join(form: Form, person: Person) -> None:
    form.person = person
    person.latest = max(person.latest, form.mention.begin)
    if form.mention.kind is not PhiKind.PERSON:
        person.kinds.add(form.mention.kind)
    if form.mention.kind is PhiKind.PERSON_USERNAME:
        return
    if form.mention.kind is PhiKind.PERSON_INITIALS or looks_like_initials(form.mention.text):
        if not person.given and not person.surname:
            person.initials = "".join(c for c in form.mention.text.casefold() if c.isalpha())
        return
    person.generation = person.generation or generation_of(form.parts)
    given, surname = form.words("given"), form.words("surname")
    if not given and not surname and (single := form.words("single")) and not person.given and not person.surname:
        known = pools.lexicon("surnames").has(single[0].title())
        kind = form.mention.kind
        may_be_given = form.sex or (
            kind is PhiKind.PERSON_RELATIVE and pools.lexicon("given_names").has(single[0].title())
        )
        is_given = may_be_given or not is_surname(single[0]) or (kind in _LAY and not known)
        given, surname = (single, []) if is_given and not form.titled else ([], single)
    person.surname = person.surname or surname
    if given and (not person.given or len(given[0]) > len(person.given[0])):
        person.given[:1] = given[:1]
    person.given += given[len(person.given) :] if person.given and given else []
    person.initials = person.initials or form.initials
    person.sex = form.sex or person.sex or (sex_of_given(person.given[0]) if person.given else "")


def _apart(form: Form, person: Person) -> bool:
    """Return whether a surname alone is not this person's: staff is neither patient nor relative, the patient no relative."""
    own, kinds = form.mention.kind, person.kinds
    if own not in _STAFF | _LAY or not kinds or own in kinds:
        return False
    return not (own in _STAFF and kinds & _STAFF)


def _agree(form: Form, person: Person) -> bool:
    generation = generation_of(form.parts)
    same_generation = not generation or not person.generation or generation == person.generation
    return same_generation and not (form.sex and person.sex and form.sex != person.sex)


def _follows_title(context: Context, mention: Mention) -> bool:
    before = _WORD_BEFORE.search(context.text, max(mention.begin - 24, 0), mention.begin)
    return before is not None and before.group(1).casefold() in TITLES_BEFORE


def _sex_beside(context: Context, mention: Mention) -> str:
    """Return the sex that a title or a relation shows, in the mention or beside it: `Mrs. Smith`, `wife Mary`, `Kim (son)`."""
    titles = [_SEX_OF[t] for t in titles_of(parts_of(mention.text)) if t in _SEX_OF]
    before = _WORD_BEFORE.search(context.text, max(mention.begin - 24, 0), mention.begin)
    after = _WORD_AFTER.match(context.text, mention.end, mention.end + 30)
    words = [match.group(1).casefold().removesuffix("-in-law") for match in (before, after) if match is not None]
    return next((sex for sex in (*titles, *(_SEX_OF.get(word, "") for word in words)) if sex), "")
