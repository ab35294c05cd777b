"""Surrogates of places and organizations: proper words are replaced, words for the type of place are kept."""

from __future__ import annotations

import re

from ....typesystem import PhiKind
from ..date_format import match_case
from ..operator import KeyedHash
from . import pools
from .shapes import same_shape

_RUN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[\W_]+")
_FUNCTION_WORDS = frozenset("of the and for at in on de la du des".split())
_HOSPITAL_WORDS = frozenset(
    "st saint sint san santa general regional memorial community medical center centre health children's women's veterans "
    "county city national north south east west".split()
)
"""Words in the names of organizations that do not identify one."""
_ROOM_WORDS = frozenset("room bed ward floor suite bay unit level block wing".split())  # english: ok
_LIST_OF = {
    PhiKind.LOCATION_CITY: "cities",
    PhiKind.LOCATION_COUNTRY: "countries",
    PhiKind.LOCATION_STATE: "us_states",
}


def other_place(text: str, kind: PhiKind, choices: KeyedHash, salt: str) -> str | None:
    """Return another place of the same type; None if the kind has no surrogates or the text contains no proper word."""
    if kind is PhiKind.LOCATION_STREET:
        return _replace_words(text, choices, salt, "street_words", frozenset())
    if kind is PhiKind.LOCATION_ROOM:
        return _replace_words(text, choices, salt, "street_words", _ROOM_WORDS)
    if kind is PhiKind.LOCATION_ZIP:
        return same_shape(text, choices, f"zip{salt}")
    if kind is PhiKind.LOCATION_COUNTY:
        return _choose(pools.counties(), text, choices, salt)
    if (
        kind in (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_CLINIC, PhiKind.LOCATION_FACILITY)
        or kind.top is PhiKind.ORGANIZATION
    ):
        return _replace_words(text, choices, salt, "organization_cues", _HOSPITAL_WORDS)
    if kind in (*_LIST_OF, PhiKind.LOCATION):
        return _choose(_pool(text, kind), text, choices, salt)
    return None


def _pool(text: str, kind: PhiKind) -> tuple[str, ...]:
    """Return the pool of places of the same type as the text, as far as the lexicons know it."""
    own_list = _LIST_OF.get(kind, "us_states")
    for name in sorted(("us_states", "countries", "provinces", "cities"), key=lambda name: name != own_list):
        entries = pools.lexicon(name).entries(text)
        if not entries or (kind in _LIST_OF and name not in (own_list, "provinces")):
            continue
        if name == "cities":
            return pools.cities(max(entries, key=lambda e: e.population).columns.get("country", "US"))
        if name == "provinces":
            return pools.named("provinces", "country", entries[0].columns.get("country", ""))
        return pools.named(name, "kind", entries[0].kind)
    if kind is PhiKind.LOCATION_COUNTRY:
        return pools.named("countries", "kind", "name")
    return pools.named("us_states", "kind", "name") if kind is PhiKind.LOCATION_STATE else pools.cities("US")


def _choose(pool: tuple[str, ...], text: str, choices: KeyedHash, salt: str) -> str | None:
    key = " ".join(text.casefold().split())
    for attempt in range(200):
        place = choices.choice(pool, "place", key, salt, str(attempt))
        if place.casefold() != key:
            return match_case(place, text) if len(text) > 2 else place
    return None


def _replace_words(text: str, choices: KeyedHash, salt: str, cues: str, kept_words: frozenset[str]) -> str | None:
    """Return the text with its numbers and proper words replaced, or None if it has none."""
    runs = _RUN.findall(text)
    kept = [_is_kept(runs, i, cues, kept_words) for i in range(len(runs))]
    new = "".join(run if keep else _replace(run, choices, salt) for run, keep in zip(runs, kept, strict=True))
    return new if new != text else None


def _is_kept(runs: list[str], index: int, cues: str, kept_words: frozenset[str]) -> bool:
    """Return whether a run only names the type of place. Followed by another word, it is a name: Orchard Street, Lake Shore."""
    run = runs[index]
    if not run[0].isalpha() or run in _FUNCTION_WORDS or run.casefold() in kept_words:
        return not run[0].isdecimal()
    entry = pools.lexicon(cues).entry(run)
    if entry is None or (len(run) == 2 and run.isupper() and index and "," in runs[index - 1]):  # Omaha, NE
        return False
    following = runs[index + 2] if index + 2 < len(runs) and runs[index + 1].isspace() else ""
    after = pools.lexicon(cues).entry(following)
    if cues != "street_words":
        return after is None
    return entry.kind != "type" or not following.isalpha() or (after is not None and after.kind != "type")


def _replace(run: str, choices: KeyedHash, salt: str) -> str:
    if run[0].isdecimal():
        return same_shape(run, choices, f"number{salt}") or run
    if len(run) <= 5 and run.isupper():  # an abbreviation: MGH, NHS, IL
        return same_shape(run, choices, f"letters{salt}") or run
    possessive = "'s" if run.lower().endswith(("'s", "’s")) else ""
    word = run[: len(run) - len(possessive)]
    return match_case(_surname(word, choices, salt), word) + run[len(word) :]


def _surname(word: str, choices: KeyedHash, salt: str) -> str:
    for attempt in range(200):
        name = choices.choice(pools.surnames(), "proper word", word.casefold(), salt, str(attempt))
        if name.casefold() != word.casefold():
            return name
    return "Northside"
