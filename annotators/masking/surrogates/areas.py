"""Tells in which country, state and region the places of a document lie."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ....pipeline.storage.lazy_regex import lazy_regex
from ...lexicon import Entry
from . import pools
from .addresses import BRITISH_CODE, CANADIAN_CODE, IRISH_CODE, Piece
from .facilities import names_a_type
from .postal import REGIONS, Region, nation_of
from .regions import state_of_zip
from .systems import country_of_health_system

USA = "US"
IRISH_COUNTY = lazy_regex(r"(?i)(?:co\.?|county)\s+")
_NEAR = 40
"""Characters between a town and the postal code of another line or field: `Kilfinane   Eircode V35`."""
LARGE = 100_000
"""People of a town that is recognized in the name of an organization."""


@dataclass(frozen=True, slots=True)
class Area:
    """The location of a place: country (ISO 3166), state of the USA or region elsewhere; empty if unknown."""

    country: str = ""
    state: str = ""


def find_home(groups: list[list[Piece]], text: str) -> str:
    """Return the country in which most addresses of the document lie, else that of its health system, else the USA."""
    stated = [area.country for group in groups if len(group) > 1 and (area := stated_area(group)).country]
    towns = [probable_town(p.text) for group in groups for p in group if p.kind == "city"]
    votes = Counter(stated or [e.columns.get("country", "") for e in towns if e is not None and is_known_town(e)])
    system = country_of_health_system(text) if not stated else ""
    return system or max(sorted(votes), key=lambda c: (votes[c], c == USA), default=USA) or USA


def find_nation(groups: list[list[Piece]]) -> str:
    """Return the part of the United Kingdom in which the first address lies that states one; empty for England."""
    areas = (stated_area(group) for group in groups)
    return next((nation for area in areas if (nation := nation_of_area(area))), "")


def stated_area(group: list[Piece]) -> Area:
    """Return the area that the pieces of an address state by themselves."""
    countries = [country_named(p.text) for p in group if p.kind == "country"]
    for piece in group:
        state = us_state(piece.text) if piece.kind == "state" else None
        if state is not None:
            return Area(USA, state.columns["state"])
        region = region_named(piece.text) if piece.kind in ("region", "state") else None
        if region is not None:
            return Area(region.country, region.name)
        if piece.kind == "region" and IRISH_COUNTY.match(piece.text):
            return Area("IE", piece.key)
        if piece.kind == "region":
            provinces = pools.lexicon("provinces").entries(piece.text)
            return Area(provinces[0].columns.get("country", "") if provinces else "")
    for piece in group:
        if piece.kind == "zip":
            town = next((p for p in group if p.kind == "city"), None)
            digits = piece.text[:5].isdecimal()
            abroad = digits and town is not None and (town.begin > piece.begin or not largest_town(town.text, USA))
            largest = largest_town(town.text, "") if town is not None and abroad else None
            if largest is not None:
                return Area(largest.columns.get("country", ""))
            if town is not None and digits and town.begin > piece.begin:  # 99880 Waltershausen: not as in the USA
                return Area(countries[0] if countries else "")
            state_code = state_of_zip(piece.text)
            if piece.text[:5].isdecimal() and len(piece.text) in (5, 10) and state_code and countries in ([], [USA]):
                return Area(USA, state_code)
            for country, pattern in (("CA", CANADIAN_CODE), ("GB", BRITISH_CODE)):
                code = pattern.fullmatch(piece.text.strip())
                if code is not None and countries in ([], [country]):
                    return Area(country, f"postal area {code.group(1)}")
            if IRISH_CODE.fullmatch(piece.text.strip()) and not countries:
                return Area("IE")
    return Area(countries[0] if countries else "")


def towns_of_codes(groups: list[list[Piece]]) -> dict[int, Piece]:
    """Return, by the begin of each postal code, the town of its address, else the one shortly before it."""
    found: dict[int, Piece] = {}
    last: Piece | None = None
    for group in groups:
        own = next((p for p in group if p.kind == "city" or (p.kind == "other" and not names_a_type(p.text))), None)
        for piece in group:
            near = last is not None and 0 <= piece.begin - last.end <= _NEAR
            town = own or (last if near else None)
            if piece.kind == "zip" and town is not None:
                found[piece.begin] = town
        last = own or last
    return found


def nation_of_area(area: Area) -> str:
    """Return the nation of the United Kingdom to which an area belongs; empty for England and other countries."""
    if area.country != "GB":
        return ""
    known = next((r.nation for r in REGIONS if r.country == "GB" and r.name == area.state), "")
    return known or nation_of(area.state.removeprefix("postal area ")) if area.state else ""


def us_state(text: str) -> Entry | None:
    return pools.lexicon("us_states").entry(text.strip().rstrip(".")) or pools.lexicon("us_states").entry(text.strip())


def region_named(text: str) -> Region | None:
    key = IRISH_COUNTY.sub("co. ", text.casefold().strip(" ."))
    entry = pools.lexicon("provinces").entry(text)
    full = (entry.columns.get("full", "") if entry else "").casefold()
    return next((r for r in REGIONS if r.name.casefold() in (key, full) or (r.code and r.code.casefold() == key)), None)


def country_named(text: str) -> str:
    entry = pools.lexicon("countries").entry(text.strip().rstrip(".")) or pools.lexicon("countries").entry(text.strip())
    return entry.columns.get("iso2", "") if entry else ""


def probable_town(words: str) -> Entry | None:
    """Return the town that a name without a country means: a large one anywhere, else one in the USA, else any."""
    largest = largest_town(words, "")
    return largest if largest is not None and largest.population >= LARGE else largest_town(words, USA) or largest


def is_known_town(town: Entry) -> bool:
    """Return whether a text of the USA may mean a town without its country: small ones abroad have namesakes at home."""
    return town.population >= LARGE or town.columns.get("country") == USA


def largest_town(words: str, country: str) -> Entry | None:
    """Return the largest town of a name, in a country if one is given."""
    entries = pools.lexicon("cities").entries(words)
    return max(
        (e for e in entries if country in ("", e.columns.get("country", ""))), key=lambda e: e.population, default=None
    )
