"""Replaces the gold spans of a document by other values of their kinds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ....typesystem import PhiKind
from ...synthetic.draws import Draws
from ..pieces import Mark, Piece
from .ages import Ages
from .contacts import Contacts
from .corpus import CONTEXT, Corpus, is_person
from .dates import Dates
from .letters import key_of, like, other_characters
from .organizations import Organizations, is_acronym
from .people import People
from .place_words import institution_class, listed, words
from .places import PlaceNames

_PREGNANT = re.compile(
    r"(?i)\bG\d ?P\d|\b(?:pregnan|gravida|fetal|foetal|postpartum|antenatal|obstetric|gestation|breastfe)"
)
_REFORM = 0.2
"""Share of documents in which dates get another form."""
_POOLED = (PhiKind.LOCATION, PhiKind.ORGANIZATION, PhiKind.PROFESSION)
"""First-level kinds whose values can come from other documents."""
_SHAPED = (PhiKind.ID, PhiKind.PHONE, PhiKind.FAX)
"""First-level kinds whose forms can come from other documents."""


def substituted(pieces: Sequence[Piece], draws: Draws, corpus: Corpus, *, share: float, pool: float) -> list[Piece]:
    """Return the document with a share of its values replaced: equal values, and mentions of one person, by equal ones."""
    values = _Values(pieces, draws, corpus, share, pool)
    found: list[Piece] = []
    before = ""
    for text, mark in pieces:
        found.append((text, None) if mark is None else (values.other(text, mark, before), mark))
        before = (before + text)[-CONTEXT:]
    return found


class _Values:
    def __init__(self, pieces: Sequence[Piece], draws: Draws, corpus: Corpus, share: float, pool: float) -> None:
        self._draws, self._corpus, self._share, self._pool = draws, corpus, share, pool
        mentions: list[tuple[str, str]] = []
        before = ""
        for text, mark in pieces:
            if mark is not None and is_person(mark.kind):
                mentions.append((text, before))
            before = (before + text)[-CONTEXT:]
        spans = [(text, mark) for text, mark in pieces if mark is not None]
        self._people = People(mentions, draws, corpus.names, share=share, pool=pool)
        self._dates = Dates([t for t, m in spans if m.kind.top is PhiKind.DATE], draws, reform=_REFORM)
        self._moves_dates = draws.chance(share)
        fertile = any(_PREGNANT.search(text) for text, mark in pieces if mark is None)
        self._ages, self._places = Ages(draws, fertile=fertile), PlaceNames(draws)
        self._contacts = Contacts(self._people, draws)
        institutions = [t for t, m in spans if _is_institution(m.kind) and not is_acronym(t)]
        self._organizations = Organizations(institutions, draws)
        self._memo: dict[tuple[str, str], str] = {}
        self._by_kind = self._table()

    def other(self, text: str, mark: Mark, before: str) -> str:
        """Return the value that replaces a span, never empty and without blanks at its ends."""
        kind = mark.kind
        if is_person(kind):
            new = self._people.name(text, before, mostly_given=kind is PhiKind.PERSON_RELATIVE)
        elif kind.top is PhiKind.DATE:
            new = self._date(text, kind) if self._moves_dates else text
        else:
            key = (kind.top.name, key_of(text))
            if key not in self._memo:
                self._memo[key] = self._drawn(text, kind) if self._draws.chance(self._share) else ""
            new = like(self._memo[key], text) if self._memo[key] else text
        return new if new.strip() == new and new else text

    def _date(self, text: str, kind: PhiKind) -> str:
        special = {
            PhiKind.DATE_YEAR: self._dates.year,
            PhiKind.DATE_WEEKDAY: self._dates.weekday,
            PhiKind.DATE_HOLIDAY: self._dates.holiday,
        }
        if kind in special:
            return special[kind](text)
        new = self._dates.date(text)
        return new if new != text else self._dates.words(text)

    def _drawn(self, text: str, kind: PhiKind) -> str:
        seen = self._corpus.of(kind) if kind.top in (*_POOLED, *_SHAPED) else ()
        if len(seen) > 1 and "\n" not in text and self._draws.chance(self._pool):
            if kind.top not in _POOLED:
                text = self._draws.pick(seen)
            elif not _is_institution(kind):
                return self._draws.pick(seen)
            elif not is_acronym(text):
                similar = self._corpus.institutions(kind, institution_class(text))
                return self._draws.pick(similar or seen)
        change = self._by_kind.get(kind) or self._by_kind.get(kind.top)
        return change(text) if change else text

    def _table(self) -> dict[PhiKind, Callable[[str], str]]:
        places, contacts, institutions = self._places, self._contacts, self._organizations
        return {
            PhiKind.AGE: self._ages.age,
            PhiKind.AGE_OVER_89: lambda text: self._ages.age(text, old=True),
            PhiKind.LOCATION: places.area,
            PhiKind.LOCATION_CITY: places.city,
            PhiKind.LOCATION_STATE: places.state,
            PhiKind.LOCATION_COUNTRY: places.country,
            PhiKind.LOCATION_COUNTY: places.county,
            PhiKind.LOCATION_STREET: places.street,
            PhiKind.LOCATION_ZIP: places.zip,
            PhiKind.LOCATION_ROOM: self._characters,
            PhiKind.LOCATION_COORDINATES: self._characters,
            PhiKind.LOCATION_DEPARTMENT: lambda text: text,
            PhiKind.LOCATION_HOSPITAL: lambda text: institutions.name(text, hospital=True),
            PhiKind.LOCATION_CLINIC: lambda text: institutions.name(text, hospital=True),
            PhiKind.ORGANIZATION: lambda text: institutions.name(text, hospital=False),
            PhiKind.PROFESSION: lambda text: self._draws.pick(listed("professions", "ambiguous"))[0],
            PhiKind.PHONE: contacts.phone,
            PhiKind.PHONE_PAGER: self._characters,
            PhiKind.FAX: contacts.phone,
            PhiKind.ID: contacts.number,
            PhiKind.EMAIL: contacts.email,
            PhiKind.PERSON_USERNAME: contacts.user_name,
            PhiKind.URL: contacts.url,
            PhiKind.IP: contacts.internet,
            PhiKind.IP_MAC: self._characters,
            PhiKind.OTHER: self._other,
        }

    def _characters(self, text: str) -> str:
        return other_characters(text, self._draws)

    def _other(self, text: str) -> str:
        """Return another language or religion; other values stay."""
        for name in ("language", "religion"):
            if key_of(text) in {word.lower() for word in words(name)}:
                return self._draws.pick(words(name))
        return text


def _is_institution(kind: PhiKind) -> bool:
    return kind in (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_CLINIC) or kind.top is PhiKind.ORGANIZATION
