"""Surrogates of towns, regions, countries and postal codes that agree with each other."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ...lexicon import Entry
from ..date_format import match_case
from ..operator import Context, KeyedHash, Mention
from . import pools
from .addresses import BRITISH_CODE, CANADIAN_CODE, IRISH_CODE, Piece, addresses_of, pieces_of, text_with
from .draws import Draws
from .facilities import names_a_type, other_street, replaced_words
from .postal import REGIONS, Region, nation_of, postal_code, towns_of
from .regions import state_of_zip, zip3_of
from .shapes import same_shape
from .systems import country_of_health_system

_USA = "US"
_IRISH_COUNTY = re.compile(r"(?i)(?:co\.?|county)\s+")
_COUNTRY_PREFIX = re.compile(r"[A-Z]{1,3}-(?=\d)")
_NEAR = 40
"""Characters between a town and the postal code of another line or field: `Kilfinane   Eircode V35`."""
_LARGE = 100_000
"""People of a town that is recognized in the name of an organization."""
_NEW_WORLD = ("CA", "AU")
"""Countries with codes of states and known postal areas: where an address moves that names its state and its country."""


@dataclass(frozen=True, slots=True)
class _Area:
    """The location of a place: country (ISO 3166), state of the USA or region elsewhere; empty if unknown."""

    country: str = ""
    state: str = ""


class Places:
    """The surrogates of one document's places.

    A state becomes another state, and its towns, counties and postal codes become some of that state, wherever they
    occur. Outside the USA regions and their towns change together. A country changes only if the text names it, and its
    places with it.
    """

    def __init__(self, draws: Draws, context: Context) -> None:
        self._draws = draws
        self._named: set[str] = set()
        self._areas: dict[int, _Area] = {}
        self._of_city: dict[str, _Area] = {}
        self._pieces: dict[int, Piece] = {}
        groups = addresses_of(context)
        for group in groups:
            self._learn(group)
        self._home = self._find_home(groups, context.text)
        self._nation = self._find_nation(groups)
        for group in groups:
            area = self._area(group)
            self._areas.update((piece.begin, area) for piece in group)
            self._pieces.update((piece.begin, piece) for piece in group)
        self._town_of = _towns_of_codes(groups)
        self._with_states = {area.country for area in self._areas.values() if area.state}

    def place(self, mention: Mention, salt: str) -> str | None:
        """Return the text with each place in it replaced; None if it contains none."""
        pieces = [self._pieces.get(piece.begin, piece) for piece in pieces_of(mention)]
        new = [self._replace(piece, self._areas.get(piece.begin) or self._area([piece]), salt) for piece in pieces]
        return text_with(mention, pieces, new) if pieces else None

    def known_place(self, words: str, salt: str) -> str | None:
        """Return the surrogate of a town or state in the name of an organization; None for other words."""
        key = " ".join(words.casefold().split())
        is_code = len(words) == 2 and words.isupper()
        if (state := _us_state(words)) is not None and (state.kind == "name" or is_code):
            return self._state(words, _Area(_USA, state.columns["state"]), salt)
        region = _region(words)
        if region is not None and (words.isupper() or not region.code or words == region.name):
            return self._state(words, _Area(region.country, region.name), salt)
        town = _largest(words, self._home)
        if key in self._of_city or (town is not None and town.population >= _LARGE and not town.ambiguous):
            piece = Piece(-1, -1, "city", words)
            return self._replace(piece, self._area([piece]), salt)
        return None

    def _learn(self, group: list[Piece]) -> None:
        """Remember in which country and state the towns of an address lie, and which countries are named as such."""
        if not any(piece.kind == "city" for piece in group) and any(piece.kind == "zip" for piece in group):
            for piece in [p for p in group if p.kind == "other"][:1]:
                piece.kind = "city"
        area = _stated_area(group)
        for piece in group:
            country = _country(piece.text) if piece.kind == "country" else ""
            if country and (country != _USA or len(group) > 1):
                self._named.add(country)
            if piece.kind == "city":
                known = self._of_city.setdefault(piece.key, area)
                if (area.state and not known.state) or not known.country:
                    self._of_city[piece.key] = area

    def _find_home(self, groups: list[list[Piece]], text: str) -> str:
        """Return the country in which most addresses of the document lie, else that of its health system, else the USA."""
        stated = [area.country for group in groups if len(group) > 1 and (area := _stated_area(group)).country]
        towns = [_probable(p.text) for group in groups for p in group if p.kind == "city"]
        votes = Counter(stated or [e.columns.get("country", "") for e in towns if e is not None and _is_known(e)])
        system = country_of_health_system(text) if not stated else ""
        return system or max(sorted(votes), key=lambda c: (votes[c], c == _USA), default=_USA) or _USA

    def _find_nation(self, groups: list[list[Piece]]) -> str:
        """Return the part of the United Kingdom in which the first address lies that states one; empty for England."""
        areas = (_stated_area(group) for group in groups)
        return next((nation for area in areas if (nation := _nation(area))), "")

    def _area(self, group: list[Piece]) -> _Area:
        stated = _stated_area(group)
        if stated.state:
            return stated
        for piece in group:
            if piece.kind == "city":
                known = self._of_city.get(piece.key, _Area())
                if known.state and stated.country in ("", known.country):
                    return known
                country = stated.country or known.country
                town = _largest(piece.text, country or self._home) or _largest(piece.text, country)
                if town is not None and (country or self._home != _USA or _is_known(town)):
                    return _Area(town.columns.get("country", ""), town.columns.get("state", "") or "")
                return _Area(country or self._home)
            if piece.kind == "county":
                states = [e.columns["states"].split() for e in pools.lexicon("us_counties").entries(piece.text)]
                if states and not stated.country:
                    return _Area(_USA, states[0][0])
        return _Area(stated.country or self._home)

    def _replace(self, piece: Piece, area: _Area, salt: str) -> str:
        new = self._new(piece, area, salt)
        if new is None and piece.kind != "zip" and any(c.isalpha() for c in piece.text):
            new = self._town(piece.key, _Area(self._home), salt)
        if new is None:
            new = self._draws.retry(lambda choices: same_shape(piece.text, choices, f"place{salt}")) or piece.text
        is_code = len(piece.text) <= (4 if piece.kind == "country" else 2)
        return new if is_code else match_case(new, piece.text)

    def _new(self, piece: Piece, area: _Area, salt: str) -> str | None:
        if piece.kind == "street":
            return other_street(piece.text, self._draws, salt)
        if piece.kind == "country":
            return self._country_name(piece.text, salt)
        if piece.kind == "zip":
            return self._zip(piece, area, salt)
        if piece.kind == "county":
            return self._county(piece.text, area, salt)
        if piece.kind in ("state", "region"):
            return self._state(piece.text, area, salt)
        is_town = area.country != _USA and towns_of(area.country) and not names_a_type(piece.text)
        if piece.kind == "other" and not is_town:
            replaced = replaced_words(piece.text, self._draws, self.known_place, salt)
            if replaced:
                return replaced
        return self._town(piece.key, area, salt)

    def _town(self, key: str, area: _Area, salt: str) -> str | None:
        country = self._target_country(area.country, bool(area.state))
        target = self._target(area, salt)
        listed = tuple(towns_of(country, self._nation if country == "GB" else None))
        anywhere = pools.cities(country or _USA)
        if listed:
            anywhere = listed if len(self._of_city) * 2 < len(listed) else (*listed, *anywhere)
        pool = target.towns if isinstance(target, Region) else pools.towns(target) if target else anywhere
        what = (f"town {key}", area.country, salt)
        return self._draws.pick(pool, *what) or self._draws.pick(anywhere, *what)

    def _state(self, text: str, area: _Area, salt: str) -> str | None:
        own = _us_state(text)
        region = _region(text)
        if own is None and region is None and not _IRISH_COUNTY.match(text):
            others = pools.lexicon("provinces").entries(text)
            country = others[0].columns.get("country", "") if others else ""
            return self._draws.pick(pools.named("provinces", "country", country), f"province {text.casefold()}", salt)
        area = _Area(_USA, own.columns["state"]) if own is not None and area.country in ("", _USA) else area
        if region is not None and not area.state:
            area = _Area(region.country, region.name)
        county = _IRISH_COUNTY.match(text)
        if own is None and region is None and county is not None:
            area = _Area("IE", text.casefold())
        target = self._target(area, salt)
        if county is not None and isinstance(target, Region):
            return f"{county.group()}{_IRISH_COUNTY.sub('', target.name)}"
        is_code = text.isupper() and len(text) <= 3
        if isinstance(target, Region):
            return target.code if is_code and target.code else target.name
        kind = own.kind if own is not None else "code" if is_code else "name"
        forms = pools.state_forms(target or "")
        form = forms.get(kind) or forms.get("name")
        return f"{form.rstrip('.')}." if form and kind == "abbreviation" and text.endswith(".") else form

    def _county(self, text: str, area: _Area, salt: str) -> str | None:
        target = self._target(area, salt)
        state = target if isinstance(target, str) else ""
        if isinstance(target, Region):
            return target.name
        types = {name.rpartition(" ")[0]: name.rpartition(" ")[2] for name in pools.counties(state)}
        new = self._draws.pick(tuple(types), f"county {text.casefold()}", salt)
        if new is None:
            return None
        last = text.split()[-1]
        if last.casefold().rstrip(".") in ("co", "cty"):
            return f"{new} {last}"
        return f"{new} {types[new]}" if pools.is_county_word(last) else new

    def _zip(self, piece: Piece, area: _Area, salt: str) -> str | None:
        code = piece.text.strip()
        prefix = _COUNTRY_PREFIX.match(code)
        own = _Area(_USA, state_of_zip(code)) if code[:5].isdecimal() and len(code) >= 5 else area
        target = self._target(area if area.state else own, salt)
        country = target.country if isinstance(target, Region) else self._target_country(area.country, False)
        if towns_of(country):
            made = self._postal_code(country, target, piece, code[prefix.end() :] if prefix else code, area, salt)
            return (prefix.group() if prefix and area.country == country else "") + made
        if prefix is not None:
            return prefix.group() + (
                self._draws.retry(lambda choices: same_shape(code[prefix.end() :], choices, f"place{salt}")) or code
            )
        if not (code[:5].isdecimal() and len(code) in (5, 9, 10)):
            return None
        prefixes = zip3_of(target if isinstance(target, str) else "")
        prefixes = prefixes or tuple(p for state in pools.states() for p in zip3_of(state))

        def make(choices: KeyedHash) -> str:
            prefix = choices.choice(prefixes, "zip", code, salt)
            rest = same_shape(code[5:], choices, f"zip {code}") if code[5:] else ""
            return f"{prefix}{choices.number(100, 'zip end', code, salt):02d}{rest}"

        return self._draws.retry(make)

    def _postal_code(
        self, country: str, target: Region | str | None, piece: Piece, code: str, area: _Area, salt: str
    ) -> str:
        """Return a postal code of the town beside it, else of the region or country."""
        town = self._town_of.get(piece.begin)
        known = (
            target.codes if isinstance(target, Region) else towns_of(country, self._nation if country == "GB" else None)
        )
        there = known.get(self._town(town.key, area, salt) or "") if town is not None else None
        like = f"{code} {salt}" if " " in code or not salt else code

        def make(choices: KeyedHash) -> str:
            beginning = there or choices.choice(tuple(known.values()), "postal prefix", code.casefold(), salt)
            return postal_code(country, beginning, like, choices)

        return self._draws.retry(make) or make(self._draws.choices)

    def _country_name(self, text: str, salt: str) -> str | None:
        entry = pools.lexicon("countries").entry(text)
        country = self._target_country(_country(text), False, salt, named=True)
        if not country:
            return self._draws.pick(pools.named("countries", "kind", "name"), f"country {text.casefold()}", salt)
        kind = entry.kind if entry is not None and entry.kind == "demonym" else "name"
        forms = pools.country_forms(country, kind)
        plural = [form for form in forms if form.endswith("s") == text.casefold().endswith("s")]
        return next(iter(plural if kind == "demonym" and plural else forms), None)

    def _target_country(self, country: str, has_state: bool, salt: str = "", named: bool = False) -> str:
        """Return the country to which the places of a country move: itself unless the text names it."""
        if not country or not (named or country in self._named):
            return country
        moved = country == _USA and country in self._named
        regions = moved or country in self._with_states
        pool = _NEW_WORLD if regions and not (named and country not in self._named) else pools.countries()
        others = tuple(c for c in pool if c != country)
        names = {pools.country_forms(c, "name")[0]: c for c in others}
        chosen = self._draws.pick(tuple(names), f"country {country}", salt if has_state else "")
        return names.get(chosen or "", others[0])

    def _target(self, area: _Area, salt: str) -> Region | str | None:
        """Return the state of the USA, or the region elsewhere, to which places of an area move; None if its state is unknown."""
        if not area.state:
            return None
        country = self._target_country(area.country, True)
        if country == _USA:
            names = {pools.state_forms(s)["name"]: s for s in pools.states() if s != area.state}
            return names.get(self._draws.pick(tuple(names), f"state {area.state}", salt) or "")
        nation = _nation(area)
        regions = {r.name: r for r in REGIONS if r.country == country and r.nation == nation and r.name != area.state}
        return regions.get(self._draws.pick(tuple(regions), f"state {area.state}", salt) or "")


def _stated_area(group: list[Piece]) -> _Area:
    """Return the area that the pieces of an address state by themselves."""
    countries = [_country(p.text) for p in group if p.kind == "country"]
    for piece in group:
        state = _us_state(piece.text) if piece.kind == "state" else None
        if state is not None:
            return _Area(_USA, state.columns["state"])
        region = _region(piece.text) if piece.kind in ("region", "state") else None
        if region is not None:
            return _Area(region.country, region.name)
        if piece.kind == "region" and _IRISH_COUNTY.match(piece.text):
            return _Area("IE", piece.key)
        if piece.kind == "region":
            provinces = pools.lexicon("provinces").entries(piece.text)
            return _Area(provinces[0].columns.get("country", "") if provinces else "")
    for piece in group:
        if piece.kind == "zip":
            town = next((p for p in group if p.kind == "city"), None)
            digits = piece.text[:5].isdecimal()
            abroad = digits and town is not None and (town.begin > piece.begin or not _largest(town.text, _USA))
            largest = _largest(town.text, "") if town is not None and abroad else None
            if largest is not None:
                return _Area(largest.columns.get("country", ""))
            state_code = state_of_zip(piece.text)
            if piece.text[:5].isdecimal() and len(piece.text) in (5, 10) and state_code and countries in ([], [_USA]):
                return _Area(_USA, state_code)
            for country, pattern in (("CA", CANADIAN_CODE), ("GB", BRITISH_CODE)):
                code = pattern.fullmatch(piece.text.strip())
                if code is not None and countries in ([], [country]):
                    return _Area(country, f"postal area {code.group(1)}")
            if IRISH_CODE.fullmatch(piece.text.strip()) and not countries:
                return _Area("IE")
    return _Area(countries[0] if countries else "")


def _towns_of_codes(groups: list[list[Piece]]) -> dict[int, Piece]:
    """Return, by the begin of each postal code, the town of its address, else the one shortly before it."""
    found: dict[int, Piece] = {}
    last: Piece | None = None
    for group in groups:
        own = next((piece for piece in group if piece.kind == "city"), None)
        for piece in group:
            near = last is not None and 0 <= piece.begin - last.end <= _NEAR
            town = own or (last if near else None)
            if piece.kind == "zip" and town is not None:
                found[piece.begin] = town
        last = own or last
    return found


def _nation(area: _Area) -> str:
    """Return the nation of the United Kingdom that an area lies in; empty for England and other countries."""
    if area.country != "GB":
        return ""
    known = next((r.nation for r in REGIONS if r.country == "GB" and r.name == area.state), "")
    return known or nation_of(area.state.removeprefix("postal area ")) if area.state else ""


def _us_state(text: str) -> Entry | None:
    return pools.lexicon("us_states").entry(text.strip().rstrip(".")) or pools.lexicon("us_states").entry(text.strip())


def _region(text: str) -> Region | None:
    key = _IRISH_COUNTY.sub("co. ", text.casefold().strip(" ."))
    entry = pools.lexicon("provinces").entry(text)
    full = (entry.columns.get("full", "") if entry else "").casefold()
    return next((r for r in REGIONS if r.name.casefold() in (key, full) or (r.code and r.code.casefold() == key)), None)


def _country(text: str) -> str:
    entry = pools.lexicon("countries").entry(text.strip().rstrip(".")) or pools.lexicon("countries").entry(text.strip())
    return entry.columns.get("iso2", "") if entry else ""


def _probable(words: str) -> Entry | None:
    """Return the town that a name without a country means: a large one anywhere, else one in the USA, else any."""
    largest = _largest(words, "")
    return largest if largest is not None and largest.population >= _LARGE else _largest(words, _USA) or largest


def _is_known(town: Entry) -> bool:
    """Return whether a text of the USA may mean a town without its country: small ones abroad have namesakes at home."""
    return town.population >= _LARGE or town.columns.get("country") == _USA


def _largest(words: str, country: str) -> Entry | None:
    """Return the largest town of a name, in a country if one is given."""
    entries = pools.lexicon("cities").entries(words)
    return max(
        (e for e in entries if country in ("", e.columns.get("country", ""))), key=lambda e: e.population, default=None
    )
