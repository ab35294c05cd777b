"""Ages that only their place tells: after a name, a birth date or a relative, before a sex, between delimiters, in a column.

`Rosa Diaz, 66,`, `son Eli (14)`, `83 / F`, `39 yr,`, `mother: MI 52`, `| 41 |`. One pattern finds the numbers, then families of
places are tried in order. Each is a pair of tests of the text before and after: a number in another place is never marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from ...pipeline.storage.lazy_regex import lazy_regex
from . import cues
from . import places as at
from .match import AgeMatch

_YEARS = r"years?|yrs?\.?|y/?o|y|ys|[al]\.(?=[,)])|thn|jr|jaar|anos|años|ans"
_LESS = r"months?|mos?|mths?|m/o|weeks?|wks?|days?|d|hours?|hrs?"
_MORE = (
    r"(?:[ ,-]{0,2}(?:and[ -])?\d{1,2}(?:/12|[ -]?(?:months?|mos?|mths?"
    r"|mth|m|weeks?|wks?|days?|d)(?![a-z]))|[ ]\d{1,2}/12)?(?:-old)?"
)
_NUMBER = lazy_regex(
    r"(?P<span>(?P<n>\d(?<![\w.%°$#&].)\d{0,2})(?:½|[ ]1/2)?"
    rf"(?:[ -]?(?P<unit>{_YEARS}|{_LESS})(?![a-z]|/(?![mf]\b)){_MORE})?)"
    r"(?P<sex>(?:[ ]{0,2}[/,|][ ]{0,2}|[ ]{0,4})(?:[MFmf]|male|female"
    r"|[LR]H[MF]|wahine|t[aā]ne)(?![\w'’&+-]|\.\w|/(?![a-z]))|(?!/[a-z]))"
    r"(?![\w°%½]|[.:,/–-]\d|['’+])",
    re.IGNORECASE,
)
"""It begins with a digit and not with what is before it, because `re` looks for a first character quickly."""
_CELL = lazy_regex(
    rf'[ ~"]*(?P<span>(?P<n>\d{{1,3}})(?:[ ]?(?P<unit>{_YEARS}|{_LESS})(?![a-z]))?)(?![\w.]*\d)', re.IGNORECASE
)
_UNITS = {**dict.fromkeys("ytjal", "years"), "m": "months", "w": "weeks", "d": "days", "h": "hours"}
_MOST = {"years": 112, "months": 60, "weeks": 104, "days": 120, "hours": 99}
CONFIDENCE = {"event n": 0.8, "name n": 0.9, "relative n": 0.9, "someone is n": 0.9}
"""The share of ages among the spans of a family, as a level, if below .95 (measured on the training
part of phi_notes: spans of the family that overlap any mark)."""
_WORDS = lazy_regex(r"[^\W\d_]+")
_WINDOW = 64
_WIDEST = 40
"""Maximum size of catheters, in French."""
_LAST = lazy_regex(r"(?:(?P<word>@|[^\W\d_](?:[\w'’.-]*[\w.])?))?(?P<gap>[^\w@]*)\Z")


class Place:
    """A number in a text: its match, and the line before and after it."""

    def __init__(self, text: str, match: re.Match[str]) -> None:
        self.text, self.match = text, match
        number, unit, sex = match.group("n", "unit", "sex")
        self.n = int(number)
        self.unit = _UNITS[unit[0].lower()] if unit else ""
        """The unit of the number; empty if none is written."""
        self.sex = sex.strip(" /,|") if sex else ""
        """The sex behind the number, as written; empty if there is none."""
        begin, end = match.span("span")
        window = text[max(0, begin - _WINDOW) : begin]
        self.before = window[window.rfind("\n") + 1 :]
        self.behind = text[end : end + 40]
        """The text after the number and its unit, with the sex."""
        self.after = text[match.end() : match.end() + 40] if sex else self.behind

    @cached_property
    def ends(self) -> bool:
        """True if the text after it can follow an age without a unit."""
        return at.ENDS.match(self.behind) is not None

    @cached_property
    def kin(self) -> bool:
        """True if the text before names a relationship."""
        return not at.KIN_WORDS.isdisjoint(_WORDS.findall(self.before.lower()))

    @cached_property
    def relative(self) -> bool:
        """True directly after a relationship, with or without a name in lower case."""
        if not at.RELATIVE.may_match(self.before) or not self.kin:
            return False
        return bool(at.KIN_BEFORE.search(self.before) or at.LOWER_KIN.search(self.before))

    @cached_property
    def opens(self) -> bool:
        """True at the beginning of a line."""
        return not self.before.strip(" \t*-–•>~")

    @cached_property
    def _last(self) -> re.Match[str]:
        window = self.before[-28:]
        end = len(window)
        while end and not (window[end - 1].isalnum() or window[end - 1] in "_@"):
            end -= 1
        # the last word has no blank, so that the search begins behind the blank before it
        return _LAST.search(window, window.rfind(" ", 0, end) + 1)  # type: ignore[return-value]  # it matches an empty text

    @property
    def word(self) -> str:
        """The last word or sign before the number; empty if a digit or nothing is there."""
        return self._last["word"] or ""

    @property
    def gap(self) -> str:
        """The blanks and signs between that word and the number."""
        return self._last["gap"]


def find_bare_ages(text: str) -> Iterator[AgeMatch]:
    """Yield the ages that only their place tells, in order. Linear in the length of the text."""
    cells = [cell for span in at.age_columns(text) if (cell := _CELL.match(text, *span))]
    in_columns = {offset for cell in cells for offset in range(*cell.span("span"))}
    for cell in cells:
        begin, end = cell.span("span")
        yield AgeMatch(
            begin, end, "age column", float(cell["n"]), float(cell["n"]), _UNITS[(cell["unit"] or "y")[0].lower()]
        )
    for match in _NUMBER.finditer(text):
        place = Place(text, match)
        unit = place.unit or "years"
        if place.n > _MOST[unit]:
            continue
        begin = match.start("span")
        rule = "" if begin in in_columns else _family(place)
        if rule:
            upward = place.before.endswith((">", "≥", "> ", "over "))
            end = match.end("span") - text[: match.end("span")].endswith(".")
            yield AgeMatch(begin, end, rule, float(place.n), float(place.n), unit, upward, CONFIDENCE.get(rule, 1.0))


def _family(place: Place) -> str:
    """Return the name of the family of places, empty if the number is not an age."""
    if place.n > 1 and (place.match["unit"] or "").lower() in ("month", "week", "day", "hour"):
        return ""  # 8 week check, ASQ 10 month
    if place.unit == "years" and place.n >= 89:
        return "n years, over 88"
    if not (place.sex or place.unit or _promising(place)):
        return ""
    if at.measured(place.before, place.word) or (not place.sex and at.MEASURE_AFTER.match(place.after)):
        return ""
    return next((name for name, test in _FAMILIES if test(place)), "")


def _promising(place: Place) -> bool:
    """Return False for most numbers that no family can claim: no test of a longer text is needed."""
    if not place.ends:
        return place.behind[1:2].isupper() and place.word == "d."
    word = place.word
    if not word or word[0].isupper() or place.gap.strip() or word.lower() in at.LOWER_WORDS:
        return True
    return place.relative


def _sex(place: Place) -> bool:
    """`83 F`, `66F`, `34y / F`: not a catheter, a temperature, an amount."""
    if (
        not place.sex
        or at.PLURAL_AFTER.match(place.after)
        or at.DEVICE_AFTER.match(place.after)
        or at.DEVICE_BEFORE.search(place.before)
    ):
        return False
    if len(place.sex) == 3 or place.sex.lower() in ("wahine", "tane", "tāne"):
        return True
    if place.sex in "mf":
        return not place.match["sex"].startswith(("/", ",")) and _lower_sex(place)
    if place.sex in "MF" and not place.unit:
        return _letter(place)
    if place.sex.isupper() and place.n > 12 and place.before.endswith("  "):
        return True
    return len(place.sex) == 1 or bool(at.named(place.before, sure=True) or place.opens or at.CUE.search(place.before))


def _letter(place: Place) -> bool:
    """`66F`, `83 M`: a name before what could also be a fever, a catheter, a number of children."""
    if at.named(place.before, sure=True):
        return True
    if at.AMOUNT_AFTER.match(place.after) or at.WARM_AFTER.match(place.after) or at.MOVED.search(place.before):
        return False
    if cues.IT_BEFORE.search(place.before) or cues.AIR_BEFORE.search(place.before):
        return False
    if place.sex == "F" and place.n <= _WIDEST:
        apart = place.before.endswith("  ") or place.after.startswith(("  ", ",", ";", " w/", " with"))
        free = apart or place.opens or at.CUE.search(place.before)
        return place.n > 12 and bool(free) and not cues.FRENCH_AFTER.match(place.after)
    most = 95 if place.sex == "F" and not place.opens else 100
    return 13 <= place.n < most


def _lower_sex(place: Place) -> bool:
    """`lorenzo quintanilla 24m, 5150 day 2`: a name or `pt` before, a boundary after; not metres, minutes, months."""
    if not 13 <= place.n <= 110 or place.unit or not at.ENDS.match(place.after):
        return False
    if at.named(place.before, sure=True) or at.CUE.search(place.before):
        return True
    touching = place.match["sex"] == place.sex and place.after.startswith(("  ", ", "))
    return touching and place.n > 17 and at.WORD_BEFORE.search(place.before) is not None


def _sex_before(place: Place) -> bool:
    """`M/66`, `F / 46 /`, `Male / 23`, `female, 54`, `Faye F 39`."""
    word = place.word.lower()
    return (word in at.SEXES or word == "of") and at.SEX_BEFORE.search(place.before) is not None and place.ends


def _name(place: Place) -> bool:
    """`Rosa Diaz, 66,`, `Elias (14)`, `DIAZ, ROSA   66`: a full name, a titled name, the name of a relative."""
    if place.unit not in ("", "years") and at.DURATION_AFTER.match(place.behind):
        return False
    sure = bool(place.sex or place.unit in ("years", "months"))
    listed = at.RECORD_AFTER.match(place.behind) is not None
    if place.before.endswith(", ") and at.SOMEONE_AFTER.match(place.behind) and at.ONE_NAME.search(place.before):
        return not place.unit and place.n < 111
    before_comma = place.before.endswith(", ") and not place.unit and at.COMMA_ENDS.match(place.behind)
    if before_comma and at.NAME_COMMA.search(place.before):
        return True
    return place.ends and at.named(place.before, sure=sure, listed=listed)


def _bracket(place: Place) -> bool:
    """`Eli (9), Hugo (5)`, `Eli (14) helps`."""
    return place.before.endswith("(") and place.unit in ("", "years") and at.bracketed(place.before, place.behind)


def _kin(place: Place) -> bool:
    """`kids 17 and 12`, `sons (11 and 8)`, `mother 84`, `twins, 4)`."""
    return place.relative and place.ends


def _event(place: Place) -> bool:
    """`colon cancer at 58`, `smoking since 14`, `father: MI 52`, `walked at 14 months`."""
    if not place.ends:
        return word_died(place)
    if place.word.lower() in at.AT and place.gap == " ":
        clock = not place.unit and place.n <= 24 and at.CLOCK.search(place.before)
        return bool(at.EVENT.search(place.before) and not clock)
    return not place.unit and place.n > 19 and at.FAMILY_EVENT.search(place.before) is not None


def word_died(place: Place) -> bool:
    """Return True for `father d. 58 MI`."""
    return place.word == "d." and place.n > 12 and place.behind[1:2].isupper() and place.kin


_LEVEL = lazy_regex(
    r"\b(?:(?i:peaked|nadir|creat(?:inine)?|lactate|glucose|bili(?:rubin)?|platelets|plts?|urea|sats?|crp|wcc|hb|alp|alt|ck|egfr)"
    r"|Cr|K|Na)\b[^.\n]{0,24}\Z"
)
"""A level of the laboratory before `now 96`."""


def _spoken(place: Place) -> bool:
    """`Connie is 49 and`, `now 63,`, `I'm nearly 60,`, `aged 6`."""
    if place.unit not in ("", "years") or _LEVEL.search(place.before):
        return False
    return place.word.lower() in at.LOWER_WORDS and at.IS.search(place.before[-24:]) is not None and place.ends


def _born(place: Place) -> bool:
    """`14/08/1955 (67)`, `07-Jul-1944 / 80`: the years between the birth date and a year that the document names."""
    born = at.BORN.search(place.before[-40:]) if at.may_follow_date(place.before) else None
    if born is None or (place.unit not in ("", "years") and not born["x"]):
        return False
    if born["x"]:
        return True
    year = int(born["y"] or born["z"])
    return place.ends and at.year_named(place.text, year + place.n)


def _field(place: Place) -> bool:
    """`Name/Age/Sex: Abdi, Hodan / 34y`, `| 31 |` after a name, `/ 90 /`."""
    if at.age_label(place.before):
        return not at.DURATION_AFTER.match(place.behind)
    if place.unit != "years" or at.DURATION_AFTER.match(place.behind) or at.SPENT.search(place.before):
        return False
    if place.n > 29 and place.before.endswith(", ") and place.behind.startswith(","):
        return True
    return bool(at.YEARS_BEFORE.search(place.before) and at.YEARS_AFTER.match(place.behind))


_FAMILIES: tuple[tuple[str, Callable[[Place], bool]], ...] = (
    ("n then sex", _sex),
    ("sex then n", _sex_before),
    ("birth date n", _born),
    ("name n", _name),
    ("name in a list n", _bracket),
    ("relative n", _kin),
    ("event n", _event),
    ("someone is n", _spoken),
    ("field n", _field),
)
