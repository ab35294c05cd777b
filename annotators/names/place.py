"""Finds places: cities with their states or after `in`, states, counties, countries."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from ..lexicon import Entry
from . import cues
from . import words as w
from .cues import listed
from .found import Found, span_of
from .other import is_scale
from .shape import CAPITAL, LETTER, SHOUT, SMALL
from .sheet import Sheet
from .words import Words

_SHOWN = CAPITAL | SHOUT | LETTER
_LISTED = w.CITY | w.STATE | w.COUNTRY | w.PLACES_BEGIN
_LISTS = ("us_states", "countries", "provinces", "cities", "us_counties")
_KINDS = {
    "us_states": PhiKind.LOCATION_STATE,
    "provinces": PhiKind.LOCATION_STATE,
    "countries": PhiKind.LOCATION_COUNTRY,
    "cities": PhiKind.LOCATION_CITY,
    "us_counties": PhiKind.LOCATION_COUNTY,
}
_INNER = frozenset(["of", "the", "and", "de", "del", "la", "los", "las", "do", "da", "am", "."])
_LIVED = listed(
    "lives lived living resides residing resident moved born travelled traveled travelling traveling flew originally "
    "based hometown"
)
_OTHER_FORMS = ("code", "abbreviation", "demonym")


class Places:
    """The rules for one document."""

    def __init__(self, sheet: Sheet, words: Words) -> None:
        self.sheet = sheet
        self.words = words

    def find(self) -> Iterator[Found]:
        """Candidates with their confidence; spans may overlap."""
        sheet = self.sheet
        done = 0
        for i, facts in sheet.hot_facts:
            if i < done or not sheet.bits[i] & _SHOWN:
                continue
            if (
                sheet.forms[i] == "US"
                and not sheet.shouted
                and sheet.form(i - 1).lower() in ("the", "in", "from", "within", "to")
            ):
                yield span_of(sheet, i, i + 1, PhiKind.LOCATION_COUNTRY, 0.6, "country in initials")
                continue
            if sheet.forms[i] == "U" and sheet.form(i + 1) == ".":
                last = i + 4 + 2 * (sheet.forms[i + 2 : i + 6 : 2] == ["S", "A"])
                if sheet.form(i + 2) in ("S", "K") and sheet.forms[i + 3 : last : 2] == ["."] * ((last - i - 2) // 2):
                    yield span_of(sheet, i, last, PhiKind.LOCATION_COUNTRY, 0.6, "country in initials")
                    done = last
                continue
            if facts & _LISTED and not (sheet.form(i - 1) == "V" and sheet.form(i - 2).lower() == "factor"):
                last, entry = self._longest(i, facts)
                if entry is not None:
                    yield from self._weigh(i, last, entry)
                    done = last
                    continue
            if facts & (w.NAME | w.UNKNOWN):
                yield from self._by_shape(i)
        if sheet.small:
            for i in range(1, sheet.size):
                if sheet.bits[i - 1] & cues.IN and sheet.bits[i] & SMALL and sheet.facts(i) & _LISTED:
                    yield from self._small(i)

    def _longest(self, i: int, facts: int) -> tuple[int, Entry | None]:
        """The longest entry of the lists of places at token i, and its end."""
        sheet = self.sheet
        size = 1
        if facts & w.PLACES_BEGIN:
            while size < 5 and sheet.near(i + size - 1) and self._inner(i + size):
                size += 1
            while size > 1 and not sheet.bits[i + size - 1] & (CAPITAL | SHOUT):
                size -= 1
        length, entry = self._entry(sheet.forms[i : i + size])
        return i + max(length, 1), entry

    def _inner(self, i: int) -> bool:
        """Whether the name of a place of several words may go on with token i."""
        return bool(self.sheet.bits[i] & (CAPITAL | SHOUT)) or self.sheet.forms[i] in _INNER

    def _entry(self, tokens: list[str]) -> tuple[int, Entry | None]:
        """The longest entry of all lists that begins with the first token; of equals, the list asked first."""
        return self.words.longest_of(_LISTS, tokens, _OTHER_FORMS)

    def _weigh(self, first: int, last: int, entry: Entry) -> Iterator[Found]:
        """A place of the lists, by how much its name means other things and by what stands around it."""
        sheet = self.sheet
        facts, words = sheet.facts(first), last - first
        level = facts >> w.LEVEL if words == 1 else 0
        kind = _KINDS[entry.list]
        if sheet.form(last) in ("County", "Parish") and sheet.near(last - 1) and kind is not PhiKind.LOCATION_COUNTRY:
            yield span_of(sheet, first, last + 1, PhiKind.LOCATION_COUNTY, 0.9, "county")
            state = self._state_after(last + 1)
            if state:
                yield span_of(sheet, *state, PhiKind.LOCATION_STATE, 0.9, "county and state")
            return
        state = self._state_after(last)
        if state and kind is PhiKind.LOCATION_COUNTY:
            yield span_of(sheet, *state, PhiKind.LOCATION_STATE, 0.9, "county and state")
        if state and kind is PhiKind.LOCATION_CITY and level < 3 and not (words == 1 and facts & w.MONTH):
            if sheet.bits[state[0]] & (cues.CREDENTIAL | cues.UNSURE_CREDENTIAL) and self._after_given(first):
                return  # `Beatrice Holloway, MD`
            yield span_of(sheet, first, last, kind, 0.9, "city and state")
            yield span_of(sheet, *state, PhiKind.LOCATION_STATE, 0.9, "city and state")
            return
        if words == 1 and facts & (w.TERM | w.MONTH) and not self._lived(first):
            return
        if sheet.bit(last) & cues.FOLLOWS_EPONYM or self._followed_by_name(last):
            return
        inside = self._inside(first)
        if not inside and is_scale(sheet, last, bool(facts & w.EPONYM)):
            return
        person = words == 1 and bool(facts & w.OFTEN)
        unsure = words == 1 and bool(facts & w.UNSURE_PLACE or person or level)
        if entry.list == "countries":
            confidence = 0.85 if not unsure else 0.65 if inside else 0.2
        elif entry.list == "us_states":
            confidence = 0.85 if not unsure else 0.75 if inside and not level else 0.4
        elif entry.list == "provinces":
            confidence = 0.75 if inside and not level else 0.4
        elif entry.list == "us_counties":
            confidence = 0.9
        else:
            confidence = self._city(first, entry.population >= 100_000, inside, unsure, person, level, words)
        if self._lived(first) and level < 2:
            confidence = max(confidence, 0.75)
        abbreviation = entry.form.isupper() and entry.form == sheet.forms[first]
        if (
            words == 1
            and sheet.bits[first] & SHOUT
            and not sheet.shouted
            and len(sheet.forms[first]) < 5
            and not abbreviation
        ):
            confidence = min(confidence, 0.25)
        if confidence > 0.05:
            rule = f"{'in ' if inside else ''}{entry.list.removeprefix('us_')}"
            yield span_of(sheet, first, last, kind, confidence, rule)

    def _after_given(self, i: int) -> bool:
        """Whether a given name or an initial stands right before token i."""
        sheet = self.sheet
        j = i - 1 - (sheet.form(i - 1) == ".")
        return j >= 0 and bool(
            sheet.bits[j] & LETTER or (sheet.bits[j] & (CAPITAL | SHOUT) and sheet.facts(j) & w.GIVEN)
        )

    def _inside(self, i: int) -> bool:
        """Whether `in`, `near`, `from`, `in the` stands before token i."""
        sheet = self.sheet
        word, before = sheet.form(i - 1).lower(), sheet.bit(i - 1)
        if word == "the":
            return bool(sheet.bit(i - 2) & cues.IN)
        return bool(before & cues.IN) and (bool(before & SMALL) or word in ("in", "from"))

    def _city(self, first: int, big: bool, inside: bool, unsure: bool, person: bool, level: int, words: int) -> float:
        """Confidence in a city of the list without its state."""
        if not inside:
            return 0.4 if big and not unsure else 0.25 if words > 1 else 0.1
        if big and not unsure:
            return 0.8
        vague = self.sheet.form(first - 1).lower() in ("for", "of", "via", "to", "into")
        if level:
            return 0.4 if level < 2 and not vague else 0.0
        confidence = 0.65 if big or not person else 0.4
        return confidence - 0.25 if vague and not big else confidence

    def _followed_by_name(self, last: int) -> bool:
        """Whether the place is the first word of a longer name: `Houston Methodist`, `Paris Jackson`."""
        sheet = self.sheet
        if (
            not sheet.bit(last) & CAPITAL
            or last >= sheet.size
            or not sheet.near(last - 1)
            or not sheet.between(last - 1)
        ):
            return False
        facts = sheet.facts(last)
        return bool(facts & w.SURNAME and facts >> w.LEVEL < 2 and not facts & w.BLOCKED)

    def _state_after(self, last: int) -> tuple[int, int] | None:
        """The state after a comma: its code or its name."""
        sheet = self.sheet
        k = last
        if sheet.form(k) == ",":
            k += 1
        if k >= sheet.size or not sheet.near(k - 1):
            return None
        form, following = sheet.forms[k], sheet.forms[k + 1 : k + 2] if sheet.near(k) else []
        for name in ("us_states", "provinces"):
            length, entry = self.words.longest(name, [form, *following])
            if entry is None or not sheet.bits[k] & (CAPITAL | SHOUT):
                continue
            if entry.kind != "code":
                if k > last:
                    return k, k + length
            elif form.isupper() and (k > last or (self._zip(k + 1) and not sheet.bits[k] & cues.TITLE)):
                return k, k + length
        return None

    def _zip(self, k: int) -> bool:
        return self.sheet.form(k).isdigit() and len(self.sheet.form(k)) == 5

    def _lived(self, i: int) -> bool:
        """Whether `lives in`, `moved to`, `originally from` stands before token i."""
        return self.sheet.form(i - 2).lower() in _LIVED and bool(self.sheet.bit(i - 1) & cues.IN)

    def _by_shape(self, i: int) -> Iterator[Found]:
        """An unknown place that its company shows: `Qwertz, TX`, `Qwertz County`, `U.S.`"""
        sheet = self.sheet
        facts = sheet.facts(i)
        if sheet.bits[i] & CAPITAL and not facts & w.BLOCKED:
            if sheet.form(i + 1) == "County" and sheet.near(i) and (facts & (w.NAME | w.UNKNOWN)):
                yield span_of(sheet, i, i + 2, PhiKind.LOCATION_COUNTY, 0.85, "county")
                return
            if facts & (w.UNKNOWN | w.SURNAME) and self._lived(i) and not facts >> w.LEVEL:
                yield span_of(sheet, i, i + 1, PhiKind.LOCATION_CITY, 0.5, "unknown word after lives in")
            if facts & w.UNKNOWN and sheet.form(i + 1) == ",":
                state = self._state_after(i + 1)
                if state and not sheet.bits[state[0]] & (cues.CREDENTIAL | cues.UNSURE_CREDENTIAL):
                    yield span_of(sheet, i, i + 1, PhiKind.LOCATION_CITY, 0.7, "unknown word and state")
                    yield span_of(sheet, *state, PhiKind.LOCATION_STATE, 0.8, "unknown word and state")

    def _small(self, i: int) -> Iterator[Found]:
        """A place in small letters after `in`, in a text without capitals."""
        sheet = self.sheet
        facts = sheet.facts(i)
        if facts & w.BLOCKED or facts >> w.LEVEL or facts & w.DEMONYM:
            return
        length, entry = self._entry(self.sheet.forms[i : i + 3])
        if (
            entry is not None
            and (entry.list != "cities" or entry.population >= 100_000)
            and (not facts & w.OFTEN_GIVEN or self.sheet.lowers[i - 1] in ("in", "near"))
        ):
            last = i + length
            yield span_of(self.sheet, i, last, _KINDS[entry.list], 0.55, "place in small letters")
            size, state = self.words.longest("us_states", self.sheet.forms[last : last + 2])
            if entry.list == "cities" and state is not None and state.kind == "name":
                yield span_of(self.sheet, last, last + size, PhiKind.LOCATION_STATE, 0.55, "place in small letters")
