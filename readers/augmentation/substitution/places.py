"""Other towns, states, countries, streets, postal codes and areas."""

from __future__ import annotations

import re
import string
from functools import cache

from ...synthetic.draws import Draws
from ...synthetic.names import names
from ...synthetic.sections import rows
from .letters import key_of, like, other_digits
from .place_words import ProperWords, area_name, country_of, landscape, listed, some_place, towns, words

_STREET_RUN = re.compile(r"[^\W\d_]+(?:['\u2019.-][^\W\d_]+)*|\d+|[\W_]")
_ORDINAL = re.compile(r"\b(\d+)(st|nd|rd|th)\b", re.IGNORECASE)
_OTHER_STYLE = 0.12
"""Share of streets written in the style of any country."""
_HOME = 0.75
"""Share of towns replaced by one of the same country."""


@cache
def _area_words() -> frozenset[str]:
    return frozenset(words("area-word")) | _street_words()


@cache
def _street_words() -> frozenset[str]:
    marks = {form.lower() for form, _ in listed("street_words", "kind")}
    return frozenset(marks | {word.lower() for word in words("street-keep")})


class PlaceNames:
    """Replaces the places of one document; equal ones by equal ones."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._memo: dict[tuple[str, str], str] = {}
        self._areas = ProperWords(draws, area_name)

    def city(self, text: str) -> str:
        return like(self._once("city", text, self._city), text)

    def state(self, text: str) -> str:
        return self._listed("state", text, self._state(text))

    def country(self, text: str) -> str:
        forms = dict(listed("countries", "kind"))
        short = len(text) <= 3
        kind = "name" if not short else forms.get(text, "code")
        found = tuple(f for f, k in listed("countries", "kind") if k == kind and (len(f) <= 3) == short)
        return self._listed("country", text, found or tuple(f for f, k in listed("countries", "kind") if k == "name"))

    def county(self, text: str) -> str:
        counties = tuple(form for form, _ in listed("us_counties", "states"))
        bare = tuple(form.rpartition(" ")[0] for form in counties)
        return self._listed("county", text, counties if "county" in text.lower() else bare)

    def area(self, text: str) -> str:
        """Return another county, neighborhood, landmark or road."""
        return self._once("area", text, self._area)

    def zip(self, text: str) -> str:
        return self._once("zip", text, self._zip)

    def street(self, text: str) -> str:
        return like(self._once("street", text, self._street), text)

    def _once(self, what: str, text: str, draw: object) -> str:
        key = (what, key_of(text))
        if key not in self._memo:
            assert callable(draw)
            self._memo[key] = draw(text)
        return self._memo[key]

    def _listed(self, what: str, text: str, found: tuple[str, ...]) -> str:
        new = self._once(what, text, lambda _: self._draws.pick(found))
        return new if len(text) < 4 and new.isupper() and text.isupper() else like(new, text)

    def _city(self, text: str) -> str:
        draws = self._draws
        if len(text) <= 4 and text.isupper():
            return draws.pick(words("abbreviated-city"))
        country = country_of().get(key_of(text), "")
        same = towns().get(country, ())
        if len(same) > 5 and country != "US" and draws.chance(_HOME):
            return draws.pick(same)
        share = draws.unit()
        if share < 0.55:
            return some_place(draws).city
        if share < 0.65:
            return landscape(draws)
        others = towns()
        return draws.pick(others["US"] if share < 0.8 else others[draws.pick(sorted(others))])

    def _state(self, text: str) -> tuple[str, ...]:
        states = rows("us_states", "form", "kind")
        kind = next((k for f, k in states if f.casefold() == text.casefold()), "")
        if kind:
            return tuple(f for f, k in states if k == kind)
        provinces = rows("provinces", "form", "country", "kind")
        found = next(((c, k) for f, c, k in provinces if f.casefold() == text.casefold()), None)
        if found:
            return tuple(f for f, c, k in provinces if (c, k) == found)
        return tuple(f for f, k in states if k == ("code" if len(text) == 2 else "name"))

    def _area(self, text: str) -> str:
        new = self._areas.replaced(_ORDINAL.sub(self._ordinal, text), _area_words())
        return other_digits(new, self._draws, spoken=False)

    def _zip(self, text: str) -> str:
        if re.fullmatch(r"\d{5}(?:-\d{4})?", text) and self._draws.chance(0.7):
            new = some_place(self._draws).zip
            if re.fullmatch(r"\d{5}(?:-\d{4})?", new) and len(new) == len(text):
                return new
        letters = re.sub(r"[A-Z]", lambda m: self._draws.pick("ABCDEFGHJKLMNPRSTUWXY"), text)
        letters = re.sub(r"[a-z]", lambda m: self._draws.pick(string.ascii_lowercase), letters)
        return other_digits(letters, self._draws)

    def _ordinal(self, match: re.Match[str]) -> str:
        number = self._draws.between(1, 10 ** min(len(match[1]), 3) - 1)
        return like(f"{number}{_th(number)}", match[0])

    def _street(self, text: str) -> str:
        if "\n" not in text and self._draws.chance(_OTHER_STYLE):
            return self._styled(self._draws.weighted((("us", 5), ("uk", 2), ("de", 1), ("fr", 1), ("in", 1))))
        text = _ORDINAL.sub(self._ordinal, text)
        runs = _STREET_RUN.findall(text)
        out: list[str] = []
        n = 0
        while n < len(runs):
            run = runs[n]
            if run.isdecimal() and not (n + 1 < len(runs) and runs[n + 1].lower() in ("st", "nd", "rd", "th")):
                out.append(other_digits(run, self._draws))
            elif not self._is_proper(run):
                out.append(run)
            else:
                while n + 2 < len(runs) and runs[n + 1] == " " and self._is_proper(runs[n + 2]):
                    n += 2
                out.append(self._street_name(run))
            n += 1
        return "".join(out)

    def _is_proper(self, run: str) -> bool:
        low = run.lower().rstrip(".")
        if not run[0].isalpha() or len(run) == 1 or (len(run) == 2 and run.isupper()):
            return False
        return low not in _street_words()

    def _street_name(self, old: str) -> str:
        draws = self._draws
        low = old.lower()
        end = next((e for e in words("street-end") if low.endswith(e) and len(low) > len(e) + 2), "")
        if end:
            return draws.pick(words("stem")) + end
        share = draws.unit()
        if share < 0.45:
            return draws.pick(words("street-name"))
        return names().surname(draws, invent=draws.chance(0.3)) if share < 0.75 else landscape(draws)

    def _styled(self, style: str) -> str:
        draws = self._draws
        number = draws.between(1, 199)
        return draws.pick(words(f"{style}-street")).format(
            n=draws.between(1, 9999),
            u=draws.between(1, 99),
            name=draws.pick(words("street-name")),
            type=draws.pick(words("type")),
            uktype=draws.pick(words("uktype")),
            direction=draws.pick(("N", "S", "E", "W", "NE", "NW", "N.", "West")),
            ordinal=f"{number}{_th(number)}",
            stem=draws.pick(words("stem")),
            de=draws.pick(("de", "du", "de la", "des")),
            surname=names().surname(draws),
        )


def _th(number: int) -> str:
    return "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
