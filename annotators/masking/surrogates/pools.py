"""Pools of surrogates: common names and places of the shipped lexicons, read once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ....pipeline.contract.resources import load
from ...lexicon import Lexicon
from ...lexicon.lexicon import pack_files
from ...lexicon.loaders import pack

Row = dict[str, str]

_COMMON_GIVEN = 0.01
_COMMON_SURNAME = 0.005
"""Percent of the population of the USA in 1990: common enough to be recognized as a name."""
_TOWN = 15_000


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

    def fits(row: Row) -> bool:
        plain = row["ambiguous"] == "0" and row["form"].replace(" ", "").isalpha() and row["form"].isascii()
        return row["country"] == country and int(row["population"] or 0) >= _TOWN and plain

    towns = _forms("cities", fits)
    return towns if len(towns) >= 20 else cities("US")


@cache
def named(list_name: str, column: str, value: str) -> tuple[str, ...]:
    """Return the entries of a list whose column has the value."""
    return _forms(list_name, lambda row: row.get(column) == value)


@cache
def counties() -> tuple[str, ...]:
    return _forms("us_counties", lambda row: True)


def _forms(name: str, fits: Callable[[Row], bool]) -> tuple[str, ...]:
    """Return the fitting entries of a shipped list in the order of its file, which is that of their forms."""
    source = pack.read(pack_files()[name], {})
    rows = (dict(zip(source.columns, t.columns.split("\t"), strict=False), form=t.form) for t in source.terms)
    return tuple(dict.fromkeys([row["form"] for row in rows if fits(row)]))


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
