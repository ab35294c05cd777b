"""Pools of surrogates: common names and places of the shipped lexicons, read once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ....pipeline.contract.resources import load
from ...lexicon import Lexicon
from ...lexicon.lexicon import pack_files
from ...lexicon.loaders import pack
from .regions import zip3_of

Row = dict[str, str]

_COMMON_GIVEN = 0.01
_COMMON_SURNAME = 0.005
"""Percent of the population of the USA in 1990: common enough to be recognized as a name."""
_NOT_TOWNS = frozenset(
    "The Community Station Junction Section Center Township Khurd Sector Fort Base District Village".split()
)
_TOWN = 15_000
_SMALL_TOWN = 5_000


def lexicon(name: str) -> Lexicon:
    return load(Lexicon, name)


@cache
def given_names(sex: str) -> tuple[str, ...]:
    """Return common given names of one sex (`F`, `M`), or of both for anything else, without everyday words."""
    sexes = (sex,) if sex in ("F", "M") else ("F", "M")
    return _forms("given_names", lambda row: row["sex"] in sexes and _share(row) >= _COMMON_GIVEN and _word(row))


@cache
def surnames() -> tuple[str, ...]:
    """Return common surnames without everyday words."""
    return _forms("surnames", lambda row: _share(row) >= _COMMON_SURNAME and _word(row))


@cache
def cities(country: str) -> tuple[str, ...]:
    """Return towns of 15,000 people or more in a country (ISO 3166 letters), or those of the USA if there are too few."""
    found = _towns_abroad(country)
    return found if len(found) >= 20 else _towns_abroad("US")


@cache
def towns(state: str) -> tuple[str, ...]:
    """Return towns of 5,000 people or more in a state of the USA (postal code)."""
    return _forms(
        "cities",
        lambda row: row["country"] == "US" and row["state"] == state and _plain(row) and _people(row) >= _SMALL_TOWN,
    )


@cache
def states() -> tuple[str, ...]:
    """Return the states of the USA (postal codes) with towns enough to choose from."""
    rows = [row for row in _rows("us_states") if row["kind"] == "code"]
    return tuple(row["state"] for row in rows if len(towns(row["state"])) >= 10 and zip3_of(row["state"]))


@cache
def state_forms(state: str) -> dict[str, str]:
    """Return the name, code and, if there is one, abbreviation of a state of the USA, by their kind."""
    forms: dict[str, str] = {}
    for row in _rows("us_states"):
        if row["state"] == state:
            forms.setdefault(row["kind"], row["form"])
    return forms


@cache
def countries() -> tuple[str, ...]:
    """Return countries (ISO 3166 letters) with a name, a word for their people, and towns enough to choose from."""
    people = {row["iso2"] for row in _rows("countries") if row["kind"] == "demonym"}
    names = [row["iso2"] for row in _rows("countries") if row["kind"] == "name" and row["ambiguous"] == "0"]
    return tuple(dict.fromkeys(c for c in names if c in people and c != "US" and len(_towns_abroad(c)) >= 20))


@cache
def country_forms(country: str, kind: str) -> tuple[str, ...]:
    """Return the forms of a kind (`name`, `demonym`) for a country."""
    return _forms("countries", lambda row: row["iso2"] == country and row["kind"] == kind)


@cache
def named(list_name: str, column: str, value: str) -> tuple[str, ...]:
    """Return the entries of a list whose column has the value."""
    return _forms(list_name, lambda row: row.get(column) == value)


@cache
def counties(state: str) -> tuple[str, ...]:
    """Return the counties of a state of the USA, of all states if it is empty."""
    return _forms("us_counties", lambda row: not state or state in row["states"].split())


def is_county_word(word: str) -> bool:
    return word.casefold() in ("county", "parish", "borough", "municipio", "area")


@cache
def _towns_abroad(country: str) -> tuple[str, ...]:
    return tuple(town for c, town in _large_towns() if c == country)


@cache
def _large_towns() -> tuple[tuple[str, str], ...]:
    return tuple((row["country"], row["form"]) for row in _rows("cities") if _plain(row) and _people(row) >= _TOWN)


def _forms(name: str, fits: Callable[[Row], bool]) -> tuple[str, ...]:
    """Return the fitting entries of a shipped list in the order of its file, which is that of their forms."""
    return tuple(dict.fromkeys([row["form"] for row in _rows(name) if fits(row)]))


@cache
def _rows(name: str) -> tuple[Row, ...]:
    source = pack.read(pack_files()[name], {})
    return tuple(dict(zip(source.columns, t.columns.split("\t"), strict=False), form=t.form) for t in source.terms)


def _people(row: Row) -> int:
    return int(row["population"] or 0)


def _plain(row: Row) -> bool:
    words = row["form"].split()
    named = all(word.isalpha() and word.istitle() and word not in _NOT_TOWNS for word in words)
    return row["ambiguous"] == "0" and named and row["form"].isascii() and len(words) < 3


def _share(row: Row) -> float:
    return float(row["share"] or 0)


def _word(row: Row) -> bool:
    form = row["form"]
    return row["ambiguous"] == "0" and form.isalpha() and form.isascii() and len(form) > 2


PROFESSIONS = (
    "accountant", "architect", "baker", "barber", "bookkeeper", "bricklayer", "bus driver", "butcher", "carpenter", "cashier",
    "chemist", "cook", "dairy farmer", "dentist", "electrician", "engineer", "firefighter", "florist", "gardener", "hairdresser",
    "journalist", "lawyer", "librarian", "machinist", "mail carrier", "mechanic", "musician", "painter", "photographer", "pilot",
    "plumber", "police officer", "receptionist", "salesperson", "secretary", "social worker", "tailor", "teacher", "translator",
    "truck driver", "waiter", "warehouse worker", "welder",
)  # fmt: skip

LANGUAGES = (
    "Albanian", "Amharic", "Arabic", "Armenian", "Bengali", "Bulgarian", "Burmese", "Cantonese", "Croatian", "Czech",
    "Danish", "Dutch",
    "English", "Farsi", "Finnish", "French", "Georgian", "German", "Greek", "Gujarati", "Hebrew", "Hindi", "Hmong", "Hungarian",
    "Icelandic", "Italian", "Japanese", "Khmer", "Korean", "Kurdish", "Lithuanian", "Malay", "Mandarin", "Nepali",
    "Norwegian", "Pashto",
    "Polish", "Portuguese", "Punjabi", "Romanian", "Russian", "Serbian", "Somali", "Spanish", "Swahili", "Swedish",
    "Tagalog", "Tamil",
    "Telugu", "Thai", "Tigrinya", "Turkish", "Ukrainian", "Urdu", "Vietnamese", "Yoruba",
)  # fmt: skip
