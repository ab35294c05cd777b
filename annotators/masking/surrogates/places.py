"""Places and organisations: proper words replaced, words that say what sort of thing it is kept."""

from __future__ import annotations

import re

from ....typesystem import PhiKind
from ..date_layout import in_case
from . import pools
from .keyed_choices import KeyedChoices
from .shapes import shaped

_RUN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[\W_]+")
_SMALL = frozenset({"of", "the", "and", "for", "at", "in", "on", "de", "la", "du", "des"})
_HOUSE = frozenset(
    {
        "st",
        "saint",
        "sint",
        "san",
        "santa",
        "general",
        "regional",
        "memorial",
        "community",
        "medical",
        "center",
        "centre",
        "health",
        "children's",
        "women's",
        "veterans",
        "county",
        "city",
        "national",
        "north",
        "south",
        "east",
        "west",
    }
)
"""Words in the names of organisations that name none."""
_ROOM = frozenset({"room", "bed", "ward", "floor", "suite", "bay", "unit", "level", "block", "wing"})


def place(text: str, kind: PhiKind, draws: KeyedChoices, salt: str) -> str | None:
    """Another place of the same sort; None where there is no surrogate for the kind or the text shows no proper word."""
    if kind is PhiKind.LOCATION_STREET:
        return _words(text, draws, salt, "street_words", frozenset())
    if kind is PhiKind.LOCATION_ROOM:
        return _words(text, draws, salt, "street_words", _ROOM)
    if kind is PhiKind.LOCATION_ZIP:
        return shaped(text, draws, f"zip{salt}")
    if kind is PhiKind.LOCATION_COUNTY:
        return _chosen(pools.counties(), text, draws, salt)
    if (
        kind in (PhiKind.LOCATION_HOSPITAL, PhiKind.LOCATION_CLINIC, PhiKind.LOCATION_FACILITY)
        or kind.top is PhiKind.ORGANIZATION
    ):
        return _words(text, draws, salt, "organization_cues", _HOUSE)
    if kind in (PhiKind.LOCATION_STATE, PhiKind.LOCATION_COUNTRY, PhiKind.LOCATION_CITY, PhiKind.LOCATION):
        return _chosen(_like(text, kind), text, draws, salt)
    return None


def _like(text: str, kind: PhiKind) -> tuple[str, ...]:
    """The pool of places of the same sort as the text, as far as the lexicons know it."""
    order = {
        PhiKind.LOCATION_CITY: "cities",
        PhiKind.LOCATION_COUNTRY: "countries",
        PhiKind.LOCATION_STATE: "us_states",
    }
    lists = sorted(
        ("us_states", "countries", "provinces", "cities"), key=lambda name: name != order.get(kind, "us_states")
    )
    for name in lists:
        entries = pools.lexicon(name).entries(text)
        if not entries or (kind in order and name not in (order[kind], "provinces")):
            continue
        if name == "cities":
            return pools.cities(max(entries, key=lambda e: e.population).columns.get("country", "US"))
        if name == "provinces":
            return pools.named("provinces", "country", entries[0].columns.get("country", ""))
        return pools.named(name, "kind", entries[0].kind)
    if kind is PhiKind.LOCATION_COUNTRY:
        return pools.named("countries", "kind", "name")
    return pools.named("us_states", "kind", "name") if kind is PhiKind.LOCATION_STATE else pools.cities("US")


def _chosen(pool: tuple[str, ...], text: str, draws: KeyedChoices, salt: str) -> str | None:
    said = " ".join(text.casefold().split())
    for attempt in range(200):
        made = draws.choice(pool, "place", said, salt, str(attempt))
        if made.casefold() != said:
            return in_case(made, text) if len(text) > 2 else made
    return None


def _words(text: str, draws: KeyedChoices, salt: str, cues: str, also: frozenset[str]) -> str | None:
    """The text with its numbers and proper words replaced; None where it has none."""
    runs = _RUN.findall(text)
    stays = [_stays(runs, i, cues, also) for i in range(len(runs))]
    new = "".join(run if stay else _other(run, draws, salt) for run, stay in zip(runs, stays, strict=True))
    return new if new != text else None


def _stays(runs: list[str], at: int, cues: str, also: frozenset[str]) -> bool:
    """Whether a run says only what sort of thing it is. With a word behind it, it is a name: Orchard Street, Lake Shore."""
    run = runs[at]
    if not run[0].isalpha() or run in _SMALL or run.casefold() in also:
        return not run[0].isdecimal()
    entry = pools.lexicon(cues).entry(run)
    if entry is None or (len(run) == 2 and run.isupper() and at and "," in runs[at - 1]):  # Omaha, NE
        return False
    following = runs[at + 2] if at + 2 < len(runs) and runs[at + 1].isspace() else ""
    after = pools.lexicon(cues).entry(following)
    if cues != "street_words":
        return after is None
    return entry.kind != "type" or not following.isalpha() or (after is not None and after.kind != "type")


def _other(run: str, draws: KeyedChoices, salt: str) -> str:
    if run[0].isdecimal():
        return shaped(run, draws, f"number{salt}") or run
    if len(run) <= 5 and run.isupper():  # an abbreviation: MGH, NHS, IL
        return shaped(run, draws, f"letters{salt}") or run
    owner = "'s" if run.lower().endswith(("'s", "’s")) else ""
    word = run[: len(run) - len(owner)]
    return in_case(_surname(word, draws, salt), word) + run[len(word) :]


def _surname(word: str, draws: KeyedChoices, salt: str) -> str:
    for attempt in range(200):
        chosen = draws.choice(pools.surnames(), "proper word", word.casefold(), salt, str(attempt))
        if chosen.casefold() != word.casefold():
            return chosen
    return "Northside"
