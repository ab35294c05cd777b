"""Named days: their names, and the date of each in a given year if it can be calculated.

US federal holidays: 5 U.S.C. 6103. Holidays of lunar calendars depend on observation or on tables and have no date here.
"""

from __future__ import annotations

import datetime
import functools

from .interpretation import MONTHS, WEEKDAYS

_TABLE = """
New Year's Day | New Year's, New Years Day, New Years | 01-01
New Year's Eve | New Years Eve | 12-31
Twelfth Night | | 01-05
Epiphany | Three Kings Day | 01-06
Martin Luther King Day | Martin Luther King Jr. Day, Martin Luther King Jr Day, MLK Day | Monday 3 January
Groundhog Day | | 02-02
Valentine's Day | Valentines Day, St. Valentine's Day, St Valentine's Day | 02-14
Presidents' Day | Presidents Day, President's Day, Washington's Birthday | Monday 3 February
Shrove Tuesday | Mardi Gras, Fat Tuesday, Pancake Day | Easter -47
Ash Wednesday | | Easter -46
St. Patrick's Day | St Patrick's Day, St Patricks Day, St. Patricks Day, Saint Patrick's Day, St. Paddy's Day | 03-17
Palm Sunday | | Easter -7
Maundy Thursday | Holy Thursday | Easter -3
Good Friday | | Easter -2
Holy Saturday | | Easter -1
Easter | Easter Sunday, Easter Day | Easter 0
Easter Monday | | Easter 1
Orthodox Easter | | Orthodox 0
April Fools' Day | April Fools Day, April Fool's Day | 04-01
ANZAC Day | | 04-25
Earth Day | | 04-22
Cinco de Mayo | | 05-05
Mothering Sunday | | Easter -21
Mother's Day | Mothers Day, Mothers' Day | Sunday 2 May
Memorial Day | | Monday -1 May
Ascension Day | Ascension Thursday | Easter 39
Pentecost | Whit Sunday, Whitsun | Easter 49
Whit Monday | | Easter 50
Corpus Christi Day | Feast of Corpus Christi | Easter 60
Flag Day | | 06-14
Father's Day | Fathers Day, Fathers' Day | Sunday 3 June
Juneteenth | | 06-19
Midsummer's Day | Midsummer Day | 06-24
Canada Day | | 07-01
Independence Day | Fourth of July, 4th of July, July Fourth, July the Fourth | 07-04
Bastille Day | | 07-14
Labor Day | Labour Day | Monday 1 September
Patriot Day | | 09-11
Columbus Day | Indigenous Peoples' Day, Indigenous Peoples Day, Canadian Thanksgiving | Monday 2 October
Halloween | Hallowe'en, All Hallows' Eve | 10-31
All Saints' Day | All Saints Day | 11-01
All Souls' Day | All Souls Day, Day of the Dead, Dia de los Muertos, Día de los Muertos | 11-02
Bonfire Night | Guy Fawkes Night, Guy Fawkes Day | 11-05
Veterans Day | Veterans' Day, Veteran's Day, Remembrance Day, Armistice Day | 11-11
Election Day | | varies
Thanksgiving | Thanksgiving Day | Thursday 4 November
Black Friday | | Thursday 4 November 1
Cyber Monday | | Thursday 4 November 4
St. Nicholas Day | Saint Nicholas Day | 12-06
Christmas Eve | Xmas Eve, X-mas Eve | 12-24
Christmas | Christmas Day, Xmas, X-mas, Xmas Day, Christmastime, Christmas time | 12-25
Boxing Day | St. Stephen's Day, St Stephen's Day | 12-26
Kwanzaa | | 12-26
Australia Day | | 01-26
Waitangi Day | | 02-06
Republic Day | | varies
Victoria Day | | varies
May Day | | 05-01
Heritage Day | | varies
Freedom Day | | varies
Bank Holiday | August Bank Holiday, May Bank Holiday, Spring Bank Holiday, Summer Bank Holiday | varies
Super Bowl Sunday | | varies
Chinese New Year | Lunar New Year, Spring Festival | varies
Mid-Autumn Festival | Moon Festival | varies
Dragon Boat Festival | | varies
Ramadan | Ramadhan, Ramzan | varies
Eid | Eid al-Fitr, Eid ul-Fitr, Eid al-Adha, Eid ul-Adha, Eid-ul-Fitr, Eid-al-Fitr, Eid-al-Adha | varies
Ashura | | varies
Muharram | | varies
Diwali | Deepavali, Divali | varies
Holi | | varies
Navratri | Navaratri | varies
Dussehra | | varies
Raksha Bandhan | | varies
Passover | Pesach | varies
Rosh Hashanah | Rosh Hashana | varies
Yom Kippur | | varies
Sukkot | | varies
Hanukkah | Chanukah, Hanukah, Hannukah | varies
Purim | | varies
Shavuot | | varies
Lent | | varies
Advent | | varies
Nowruz | Norouz | varies
Vesak | | varies
Songkran | | varies
"""


def _load() -> tuple[dict[str, str], dict[str, str]]:
    names, rules = {}, {}
    for line in _TABLE.strip().splitlines():
        name, aliases, rule = (cell.strip() for cell in line.split("|"))
        rules[name] = rule
        for form in (name, *aliases.split(",")):
            if form.strip():
                names[form.strip().lower()] = name
    return names, rules


HOLIDAYS, _RULES = _load()
"""The English name of each holiday, by lower-case form with straight apostrophes."""

_PLAIN = (
    "christmas", "xmas", "x-mas", "thanksgiv", "easter", "hallowe", "hanuk", "chanuk", "hannuk", "ramad", "ramzan", "diwali",
    "deepavali", "valentine", "mother", "father", "new year's ", "new years ", "kwanza", "juneteenth", "cinco de", "yom kippur",
    "rosh hash", "mardi gras", "st. pat", "st pat", "chinese new",
)  # fmt: skip
ANY_CASE = frozenset(name for name in HOLIDAYS if name.startswith(_PLAIN))
"""Holidays that are recognized in lower case too; the rest are also ordinary words (`labor day`, `flag day`, `lent`)."""


@functools.lru_cache(1024)
def holiday_date(name: str, year: int | None) -> tuple[int | None, int | None]:
    """Return month and day of a holiday; (None, None) if it is unknown, has no rule, or moves and the year is unknown."""
    rule = _RULES.get(HOLIDAYS.get(name.lower().replace("’", "'"), ""), "varies")
    if rule == "varies":
        return None, None
    if rule[0].isdigit():
        month, day = map(int, rule.split("-"))
        return month, day
    if year is None or not 1900 <= year <= 2099:
        return None, None
    from dateutil import relativedelta
    from dateutil.easter import EASTER_ORTHODOX, easter

    first, number, *more = rule.split()
    if first in WEEKDAYS:
        weekday, month = relativedelta.weekday(WEEKDAYS.index(first))(int(number)), MONTHS.index(more[0]) + 1
        nth = relativedelta.relativedelta(day=1 if int(number) > 0 else 31, weekday=weekday)
        date = datetime.date(year, month, 1) + nth + datetime.timedelta(days=int(more[1]) if len(more) > 1 else 0)
    else:
        sunday = easter(year) if first == "Easter" else easter(year, EASTER_ORTHODOX)
        date = sunday + datetime.timedelta(days=int(number))
    return date.month, date.day
