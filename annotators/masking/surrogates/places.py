"""Surrogates of towns, regions, countries and postal codes that agree with each other."""

from __future__ import annotations

from ....pipeline.storage.lazy_regex import lazy_regex
from ..date_format import match_case
from ..operator import Context, KeyedHash, Mention
from . import pools
from .addresses import Piece, addresses_of, pieces_of, text_with
from .area_codes import area_codes_of, place_of_area_code
from .areas import (
    IRISH_COUNTY,
    LARGE,
    USA,
    Area,
    country_named,
    find_home,
    find_nation,
    is_known_town,
    largest_town,
    nation_of_area,
    region_named,
    stated_area,
    towns_of_codes,
    us_state,
)
from .draws import Draws
from .facilities import is_facility, names_a_type, other_street, replaced_words
from .postal import REGIONS, Region, postal_code, towns_of
from .regions import state_of_zip, zip3_of
from .shapes import same_shape

_COUNTRY_PREFIX = lazy_regex(r"[A-Z]{1,3}-(?=\d)")
_NEW_WORLD = ("CA", "AU")
"""Countries with codes of states and known postal areas: where an address moves that names its state and its country."""


class Places:
    """The surrogates of one document's places.

    A state becomes another state, and its towns, counties and postal codes become some of that state, wherever they
    occur. Outside the USA regions and their towns change together. A country changes only if the text names it, and its
    places with it.
    """

    def __init__(self, draws: Draws, context: Context) -> None:
        self._draws = draws
        self._named: set[str] = set()
        self._areas: dict[int, Area] = {}
        self._of_city: dict[str, Area] = {}
        self._pieces: dict[int, Piece] = {}
        groups = addresses_of(context)
        for group in groups:
            self._learn(group)
        self._home = find_home(groups, context.text)
        self._nation = find_nation(groups)
        for group in groups:
            area = self._area(group)
            self._areas.update((piece.begin, area) for piece in group)
            self._pieces.update((piece.begin, piece) for piece in group)
        self._town_of = towns_of_codes(groups)
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
        if (state := us_state(words)) is not None and (state.kind == "name" or is_code):
            return self._state(words, Area(USA, state.columns["state"]), salt)
        region = region_named(words)
        if region is not None and (words.isupper() or not region.code or words == region.name):
            return self._state(words, Area(region.country, region.name), salt)
        town = largest_town(words, self._home)
        if key in self._of_city or (town is not None and town.population >= LARGE and not town.ambiguous):
            piece = Piece(-1, -1, "city", words)
            return self._replace(piece, self._area([piece]), salt)
        return None

    def area_codes(self, area_code: str) -> tuple[str, ...] | None:
        """Return the area codes of the state or province to which the places of an area code move.

        Empty if the code is not known, None if the document is of a country without such codes.
        """
        country, state = place_of_area_code(area_code)
        if self._home not in (USA, "CA"):
            return None
        region = region_named(state) if country == "CA" else None
        target = self._target(Area(country, region.name if region else state), "") if state else None
        if target is None and not state:
            areas = (a for a in self._areas.values() if a.state and a.country in (USA, "CA"))
            target = self._target(next(areas, Area()), "")
        return area_codes_of(target.code if isinstance(target, Region) else target or "")

    @property
    def home(self) -> str:
        """The country of the document (ISO 3166)."""
        return self._home

    def _learn(self, group: list[Piece]) -> None:
        """Remember in which country and state the towns of an address lie, and which countries are named as such."""
        if not any(piece.kind == "city" for piece in group) and any(piece.kind == "zip" for piece in group):
            for piece in [p for p in group if p.kind == "other"][:1]:
                piece.kind = "city"
        area = stated_area(group)
        for piece in group:
            country = country_named(piece.text) if piece.kind == "country" else ""
            if country and (country != USA or len(group) > 1):
                self._named.add(country)
            if piece.kind == "city":
                known = self._of_city.setdefault(piece.key, area)
                if (area.state and not known.state) or not known.country:
                    self._of_city[piece.key] = area

    def _area(self, group: list[Piece]) -> Area:
        stated = stated_area(group)
        if stated.state:
            return stated
        for piece in group:
            if piece.kind == "city" or piece.key in self._of_city:
                known = self._of_city.get(piece.key, Area())
                if known.state and stated.country in ("", known.country):
                    return known
                country = stated.country or known.country
                town = largest_town(piece.text, country or self._home) or largest_town(piece.text, country)
                if town is not None and (country or self._home != USA or is_known_town(town)):
                    return Area(town.columns.get("country", ""), town.columns.get("state", "") or "")
                return Area(country or self._home)
            if piece.kind == "county":
                states = [e.columns["states"].split() for e in pools.lexicon("us_counties").entries(piece.text)]
                if states and not stated.country:
                    return Area(USA, states[0][0])
        return Area(stated.country or self._home)

    def _replace(self, piece: Piece, area: Area, salt: str) -> str:
        new = self._new(piece, area, salt)
        if new is None and piece.kind != "zip" and any(c.isalpha() for c in piece.text):
            new = self._town(piece.key, Area(self._home), salt)
        if new is None:
            new = self._draws.retry(lambda choices: same_shape(piece.text, choices, f"place{salt}")) or piece.text
        is_code = len(piece.text) <= (4 if piece.kind == "country" else 2)
        return new if is_code else match_case(new, piece.text)

    def _new(self, piece: Piece, area: Area, salt: str) -> str | None:
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
        if piece.kind in ("city", "other") and is_facility(piece.text):
            return replaced_words(piece.text, self._draws, self.known_place, salt)
        is_town = area.country != USA and towns_of(area.country) and not names_a_type(piece.text)
        if piece.kind == "other" and not is_town:
            replaced = replaced_words(piece.text, self._draws, self.known_place, salt)
            if replaced:
                return replaced
        return self._town(piece.key, area, salt)

    def _town(self, key: str, area: Area, salt: str) -> str | None:
        country = self._target_country(area.country, bool(area.state))
        target = self._target(area, salt)
        listed = tuple(towns_of(country, self._nation if country == "GB" else None))
        anywhere = pools.cities(country or USA)
        if listed:
            anywhere = listed if len(self._of_city) * 2 < len(listed) else (*listed, *anywhere)
        pool = target.towns if isinstance(target, Region) else pools.towns(target) if target else anywhere
        what = (f"town {key}", area.country, salt)
        return self._draws.pick(pool, *what) or self._draws.pick(anywhere, *what)

    def _state(self, text: str, area: Area, salt: str) -> str | None:
        own = us_state(text)
        region = region_named(text)
        if own is None and region is None and not IRISH_COUNTY.match(text):
            others = pools.lexicon("provinces").entries(text)
            country = others[0].columns.get("country", "") if others else ""
            return self._draws.pick(pools.named("provinces", "country", country), f"province {text.casefold()}", salt)
        area = Area(USA, own.columns["state"]) if own is not None and area.country in ("", USA) else area
        if region is not None and not area.state:
            area = Area(region.country, region.name)
        county = IRISH_COUNTY.match(text)
        if own is None and region is None and county is not None:
            area = Area("IE", text.casefold())
        target = self._target(area, salt)
        if county is not None and isinstance(target, Region):
            return f"{county.group()}{IRISH_COUNTY.sub('', target.name)}"
        is_code = text.isupper() and len(text) <= 3
        if isinstance(target, Region):
            return target.code if is_code and target.code else target.name
        kind = own.kind if own is not None else "code" if is_code else "name"
        forms = pools.state_forms(target or "")
        form = forms.get(kind) or forms.get("name")
        return f"{form.rstrip('.')}." if form and kind == "abbreviation" and text.endswith(".") else form

    def _county(self, text: str, area: Area, salt: str) -> str | None:
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

    def _zip(self, piece: Piece, area: Area, salt: str) -> str | None:
        code = piece.text.strip()
        prefix = _COUNTRY_PREFIX.match(code)
        may_be_zip = area.country in ("", USA) and code[:5].isdecimal() and len(code) >= 5
        own = Area(USA, state_of_zip(code)) if may_be_zip else area
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
        return _zip_code(self._draws, code, target if isinstance(target, str) else "", salt)

    def _postal_code(
        self, country: str, target: Region | str | None, piece: Piece, code: str, area: Area, salt: str
    ) -> str:
        """Return a postal code of the town beside it, else of the region or country."""
        town = self._town_of.get(piece.begin)
        known = (
            target.codes if isinstance(target, Region) else towns_of(country, self._nation if country == "GB" else None)
        )
        there = (
            known.get(self._town(town.key, self._areas.get(town.begin, area), salt) or "") if town is not None else None
        )
        like = f"{code} {salt}" if " " in code or not salt else code

        def make(choices: KeyedHash) -> str:
            beginning = there or choices.choice(tuple(known.values()), "postal prefix", code.casefold(), salt)
            return postal_code(country, beginning, like, choices)

        return self._draws.retry(make) or make(self._draws.choices)

    def _country_name(self, text: str, salt: str) -> str | None:
        entry = pools.lexicon("countries").entry(text)
        country = self._target_country(country_named(text), False, salt, named=True)
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
        moved = country == USA and country in self._named
        regions = moved or country in self._with_states
        pool = _NEW_WORLD if regions and not (named and country not in self._named) else pools.countries()
        others = tuple(c for c in pool if c != country)
        names = {pools.country_forms(c, "name")[0]: c for c in others}
        chosen = self._draws.pick(tuple(names), f"country {country}", salt if has_state else "")
        return names.get(chosen or "", others[0])

    def _target(self, area: Area, salt: str) -> Region | str | None:
        """Return the state of the USA, or the region elsewhere, to which places of an area move; None if its state is unknown."""
        if not area.state:
            return None
        country = self._target_country(area.country, True)
        if country == USA:
            names = {pools.state_forms(s)["name"]: s for s in pools.states() if s != area.state}
            return names.get(self._draws.pick(tuple(names), f"state {area.state}", salt) or "")
        nation = nation_of_area(area)
        regions = {r.name: r for r in REGIONS if r.country == country and r.nation == nation and r.name != area.state}
        return regions.get(self._draws.pick(tuple(regions), f"state {area.state}", salt) or "")


def _zip_code(draws: Draws, code: str, state: str, salt: str) -> str | None:
    """Return another ZIP code of a state, of any state if it is empty."""
    prefixes = zip3_of(state) or tuple(p for state in pools.states() for p in zip3_of(state))

    def make(choices: KeyedHash) -> str:
        prefix = choices.choice(prefixes, "zip", code, salt)
        rest = same_shape(code[5:], choices, f"zip {code}") if code[5:] else ""
        return f"{prefix}{choices.number(100, 'zip end', code, salt):02d}{rest}"

    return draws.retry(make)
