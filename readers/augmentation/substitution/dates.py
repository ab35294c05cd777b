"""Other dates: all dates of a document move by the same number of days, mostly in their own form."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterable

from ...synthetic.draws import Draws
from .letters import like

_MONTHS = tuple(calendar.month_name)[1:]
_DAYS = tuple(calendar.day_name)
_MON = (
    r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<day>\d{1,2})(?P<th>(?i:st|nd|rd|th))?"
_YEAR = r"(?P<year>\d{4}|'?\d{2})"
_SEP = r"[\s,./\-]*"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})",
        r"(?P<one>\d{1,2})(?P<sep>[-/.]|\s?/\s?)(?P<two>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})",
        r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})",
        rf"{_DAY}(?:\s+of\b)?{_SEP}{_MON}\.?(?:{_SEP}{_YEAR})?",
        rf"{_MON}\.?{_SEP}{_DAY}(?!\d)(?:[\s,./\-]+(?P<year>\d{{4}}|'\d{{2}}))?",
        rf"{_MON}(?P<sep>[-/]){_DAY}(?P=sep)(?P<year>\d{{2}})",
        rf"{_MON}\.?\s*{_DAY}\s*[,/]\s*(?P<year>\d{{2}})",
        rf"{_MON}\.?[\s,./\-]*(?P<year>\d{{4}}|'\d{{2}})",
        rf"{_MON}[-/](?P<year>\d{{2}})",
        rf"{_MON}\.?",
        r"(?P<month>\d{1,2})[/-](?P<year>\d{4})",
        r"(?P<year>\d{4})[-/](?P<month>\d{1,2})",
        r"(?P<one>\d{1,2})[-/.](?P<two>\d{1,2})",
        r"(?P<day>\d{1,2})(?P<th>st|nd|rd|th)",
        r"(?P<year>(?:19|20)\d{2}|'\d{2})",
    )
)
_RANGE = re.compile(
    rf"(?P<first>\d{{1,2}})(?P<dash>\s*(?:-|\u2013|to|/|&|and)\s*)(?P<rest>\d{{1,2}}\s+{_MON}.*)",
    re.IGNORECASE | re.DOTALL,
)
_MONTH_FIRST = re.compile(
    rf"(?P<head>{_MON}\.?\s*)(?P<first>\d{{1,2}})(?P<dash>\s*[-\u2013]\s*)(?P<last>\d{{1,2}})(?P<tail>,?(?:\s*\d{{4}})?)",
    re.IGNORECASE,
)
_FULL = (
    "{m}/{d}/{Y}", "{m}/{d}/{y}", "{mm}/{dd}/{Y}", "{mm}/{dd}/{y}", "{dd}-{Mon}-{Y}", "{dd}{MON}{Y}", "{Mon} {d}, {Y}",
    "{Month} {d}, {Y}", "{d} {Month} {Y}", "{d} {Mon} {Y}", "{Y}-{mm}-{dd}", "{dd}.{mm}.{Y}", "{dd}/{mm}/{Y}", "{d}-{Mon}-{y}",
    "{mm}-{dd}-{Y}", "{Month} {d}{th}, {Y}", "{d}{th} {Month} {Y}",
)  # fmt: skip
_NO_YEAR = (
    "{m}/{d}",
    "{mm}/{dd}",
    "{d} {Mon}",
    "{Mon} {d}",
    "{Month} {d}",
    "{Month} {d}{th}",
    "{d}/{m}",
    "{d}{th} {Month}",
)
_NO_DAY = ("{Mon} {Y}", "{mm}/{Y}", "{Mon}-{Y}", "{Month} {Y}", "{MON}{Y}", "{Y}-{mm}")
_DECADE = re.compile(r"(?P<head>(?:19|20)?)(?P<tens>\d)0s")
_WEEKDAY = re.compile(r"[^\W\d_]+")
_SEASONS = ("spring", "summer", "autumn", "fall", "winter")
_SEASON = re.compile(rf"(?i)\b(?:{'|'.join(_SEASONS)})\b")
_HOLIDAYS = (
    "Christmas", "Christmas Eve", "Christmas Day", "New Year's", "New Year's Eve", "New Year's Day", "Easter", "Easter Sunday",
    "Good Friday", "Thanksgiving", "Labor Day", "Memorial Day", "Halloween", "Valentine's Day", "July 4th", "4th of July",
    "Mother's Day", "Father's Day", "St Patrick's Day", "Boxing Day", "Bank Holiday Monday", "Diwali", "Eid", "Ramadan",
    "Passover", "Hanukkah", "Lunar New Year", "Tet", "Columbus Day", "Veterans Day", "MLK Day", "Presidents' Day", "Juneteenth",
    "Canada Day", "Australia Day",
)  # fmt: skip


class Dates:
    """Replaces the dates of one document. `texts`: its dates, which show the order of day and month and whether zeros lead."""

    def __init__(self, texts: Iterable[str], draws: Draws, *, reform: float) -> None:
        self._draws = draws
        self.days = draws.between(20, 1500) * (-1 if draws.chance(0.7) else 1)
        texts = list(texts)
        pairs = [(int(m["one"]), int(m["two"])) for t in texts if (m := _match(t)) and "one" in m.groupdict()]
        self._day_first = sum(a > 12 for a, _ in pairs) > sum(b > 12 for _, b in pairs)
        self._padded = any(re.search(r"(?<!\d)0\d(?!\d)", t) for t in texts)
        self._forms = [draws.pick(f) if draws.chance(reform) else "" for f in (_FULL, _NO_YEAR, _NO_DAY)]
        self._memo: dict[tuple[str, str], str] = {}

    def date(self, text: str) -> str:
        """Return another date, or the text if its form is unknown."""
        if after := _MONTH_FIRST.fullmatch(text):
            return self._month_first(after)
        ranged = _RANGE.fullmatch(text)
        if ranged:
            return self._range(ranged)
        match = _match(text)
        if match:
            return self._moved(match, text)
        parts = re.split(r"(\s*(?:-|\u2013|to|through|and)\s*)", text, maxsplit=1)
        if len(parts) == 3 and (first := _match(parts[0])) and (second := _match(parts[2])):
            return self._moved(first, parts[0], keep=True) + parts[1] + self._moved(second, parts[2], keep=True)
        return text

    def year(self, text: str) -> str:
        """Return another year or decade."""
        years = round(self.days / 365.25) or 1
        if match := re.fullmatch(r"'?\d{2}", text):
            return text[:-2] + f"{(int(match[0][-2:]) + years) % 100:02d}"
        if match := re.fullmatch(r"(?:19|20)\d{2}", text):
            return str(int(text) + years)
        if match := _DECADE.fullmatch(text):
            return f"{match['head']}{(int(match['tens']) + self._draws.between(1, 9)) % 10}0s"
        return text

    def weekday(self, text: str) -> str:
        """Return other weekdays in the forms of these."""
        return _WEEKDAY.sub(lambda match: self._weekday(match[0]), text)

    def holiday(self, text: str) -> str:
        return like(self._once("holiday", text, _HOLIDAYS), text)

    def words(self, text: str) -> str:
        """Return a date in words, a season, a weekday or a year, with these replaced."""
        low = text.lower()
        if any(season in low for season in _SEASONS):
            return _SEASON.sub(self._season, text)
        weekday = self.weekday(text)
        return weekday if weekday != text else self.year(text)

    def _season(self, match: re.Match[str]) -> str:
        new = self._once("season", match[0], _SEASONS)
        return like(new.capitalize() if match[0][0].isupper() else new, match[0])

    def _once(self, what: str, text: str, choices: tuple[str, ...]) -> str:
        key = (what, text.casefold())
        if key not in self._memo:
            self._memo[key] = self._draws.pick(choices)
        return self._memo[key]

    def _weekday(self, word: str) -> str:
        low = word.lower()
        names = [day.lower() for day in _DAYS]
        plural = low.endswith("s") and low[:-1] in names
        bare = low[:-1] if plural else low
        number = next((n for n, name in enumerate(names) if bare == name or bare in _short_forms(name)), None)
        if number is None:
            return word
        new = _DAYS[(number + self.days) % 7]
        return like((new if bare == names[number] else new[:3]) + "s" * plural, word)

    def _range(self, match: re.Match[str]) -> str:
        """Return `12-14 March` moved, within one month."""
        rest = match["rest"]
        old = re.match(r"\d+", rest)
        assert old is not None
        first, last = int(match["first"]), int(old[0])
        begin, length = self._days_within(first, last)
        month = re.sub(rf"(?i){_MON}", lambda m: self._month_moved(m[0]), rest[old.end() :], count=1)
        return f"{begin}{match['dash']}{begin + length}{month}"

    def _month_moved(self, old: str) -> str:
        return _month_like(1 + (_month(old) - 1 + self.days // 30) % 12, old)

    def _month_first(self, match: re.Match[str]) -> str:
        """Return `March 12-14` moved, within one month."""
        begin, length = self._days_within(int(match["first"]), int(match["last"]))
        head = self._month_moved(match["mon"]) + match["head"][len(match["mon"]) :]
        return f"{head}{begin}{match['dash']}{begin + length}{match['tail']}"

    def _days_within(self, first: int, last: int) -> tuple[int, int]:
        length = last - first if 0 < last - first < 27 else 1
        return 1 + (first + abs(self.days)) % (28 - length), length

    def _moved(self, match: re.Match[str], text: str, *, keep: bool = False) -> str:
        groups = {k: v for k, v in match.groupdict().items() if v is not None}
        day_first = self._order(groups)
        if "one" in groups:
            groups["day"], groups["month"] = (
                (groups["one"], groups["two"]) if day_first else (groups["two"], groups["one"])
            )
        old = _date(groups)
        if old is None:
            return text
        try:
            new = old + datetime.timedelta(days=self.days)
        except OverflowError:
            return text
        form = "" if keep else self._form(groups)
        if form:
            return _written(form, new, upper="mon" in groups and groups["mon"].isupper(), lower=text.islower())
        return self._like(match, groups, new, day_first)

    def _form(self, groups: dict[str, str]) -> str:
        """Return the form in which a date with these parts is written; empty for its own."""
        if ("month" not in groups and "mon" not in groups) or not ("day" in groups or "year" in groups):
            return ""
        return self._forms[2 if "day" not in groups else 0 if "year" in groups else 1]

    def _order(self, groups: dict[str, str]) -> bool:
        """Return whether the day is the first of two numbers."""
        if "one" not in groups:
            return False
        one, two = int(groups["one"]), int(groups["two"])
        return one > 12 or (two <= 12 and self._day_first)

    def _like(self, match: re.Match[str], groups: dict[str, str], new: datetime.date, day_first: bool) -> str:
        """Return the new date in the form of the old one."""
        values: dict[str, str] = {}
        padded = self._padded or (len(match[0]) == 8 and match[0].isdecimal())
        for name in ("day", "month", "one", "two"):
            if match.groupdict().get(name) is None:
                continue
            is_day = name == "day" or ((name == "one") == day_first and name in ("one", "two"))
            number = new.day if is_day else new.month
            zero = padded and (len(match[name]) == 2 or "th" not in groups)
            values[name] = f"{number:02d}" if zero else str(number)
        if "year" in groups:
            old = groups["year"]
            values["year"] = f"{new.year:04d}" if len(old) == 4 else old[:-2] + f"{new.year % 100:02d}"
        if "mon" in groups:
            values["mon"] = _month_like(new.month, groups["mon"])
        if "th" in groups:
            values["th"] = like(_th(new.day), groups["th"])
        text, last = "", 0
        for begin, end, name in sorted(
            (match.start(n), match.end(n), n) for n in values if match.groupdict().get(n) is not None
        ):
            text += match.string[last:begin] + values[name]
            last = end
        return text + match.string[last:]


def _short_forms(name: str) -> list[str]:
    return [name[:n] for n in range(3, 6)] + (["weds"] if name == "wednesday" else [])


def _match(text: str) -> re.Match[str] | None:
    return next((m for form in _FORMS if (m := form.fullmatch(text)) is not None), None)


def _month(word: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, 1) if name.lower().startswith(word.lower()[:3]))


def _month_like(month: int, old: str) -> str:
    name = _MONTHS[month - 1]
    return like(name if len(old) > 4 or old.lower() in ("june", "july") else name[:3], old)


def _date(groups: dict[str, str]) -> datetime.date | None:
    """Return a date with these parts and defaults for the missing ones, or None if the day does not exist."""
    year = int(groups["year"].lstrip("'")) if "year" in groups else 2019
    year += 0 if year > 99 else 2000 if year < 40 else 1900
    month = _month(groups["mon"]) if "mon" in groups else int(groups.get("month", "6"))
    try:
        return datetime.date(year, month, int(groups.get("day", "15")))
    except ValueError:
        return None


def _th(day: int) -> str:
    return "th" if day // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _written(form: str, day: datetime.date, *, upper: bool, lower: bool) -> str:
    month = _MONTHS[day.month - 1]
    text = form.format(
        m=day.month, mm=f"{day.month:02d}", d=day.day, dd=f"{day.day:02d}", Y=f"{day.year:04d}", y=f"{day.year % 100:02d}",
        Mon=month[:3], MON=month[:3].upper(), Month=month, th=_th(day.day),
    )  # fmt: skip
    return text.upper() if upper else text.lower() if lower else text
