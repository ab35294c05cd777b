"""Surrogates of telephone numbers: of ranges for fiction, in the country and the area of the surrogate places."""

from __future__ import annotations

import re
from collections.abc import Callable

from ....pipeline.storage.lazy_regex import lazy_regex
from ..operator import KeyedHash
from .area_codes import TOLL_FREE
from .shapes import filled, same_shape

AreaCodes = Callable[[str], tuple[str, ...] | None]
"""Returns the area codes to which numbers of an area move; empty if unknown, None where the plan of North America is not used."""

_EXTENSION = lazy_regex(r"(?i)\b(?:ext|extension|x)\.?\s*\d+\s*$")
_BRITISH = lazy_regex(r"(?P<mobile>07)\d{9}|0[12]\d{9}")
"""National numbers of the United Kingdom; Ofcom reserves 07700 900000 to 900999, 01632 960000 to 960999 and the others below for
fiction."""
_BRITISH_AREAS = {
    3: ("0207946", "0289018", "0292018"),
    4: ("0113496", "0114496", "0121496", "0131496", "0141496", "0161496"),
}
_AUSTRALIAN = lazy_regex(r"(?P<mobile>04)\d{8}|0[2378]\d{8}")
_AUSTRALIAN_MOBILES = ("0491570006", "0491570110", "0491570156", "0491570157", "0491570158", "0491570159")
"""National numbers of Australia; ACMA reserves these mobile numbers, and 5550 0000 to 5550 9999 of each area, for fiction."""
_FICTION = {
    "DE": (("03023125", "06990009", "04066969", "02214710", "08999998"), ("0171392", "01760406")),
    "FR": (("019900", "026191", "035301", "046571", "053649"), ("063998",)),
    "IE": (("02091",), ("02091",)),
    "SE": (("0846500", "0313900", "0406280"), ("0701740",)),
}
"""Beginnings of numbers for fiction, of areas and of mobile telephones: Bundesnetzagentur, Arcep, ComReg, PTS."""
_MOBILES = {"DE": ("01",), "FR": ("06", "07"), "IE": ("08",), "SE": ("07",)}
_CALLING_CODES = {"44": "GB", "61": "AU", "49": "DE", "33": "FR", "353": "IE", "46": "SE"}
_NORTH_AMERICA = frozenset({"US", "CA", ""})
_COUNTRY_CODE = lazy_regex(r"\s*\+(?P<code>1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})")


def phone(text: str, choices: KeyedHash, home: str = "", areas: AreaCodes = lambda code: ()) -> str | None:
    """Return a fictional number with the punctuation of the text, of the plan of `home` (ISO 3166) or of its country code.

    North America: 555-0100 to 555-0199, with an area code of the surrogate places. The United Kingdom, Ireland, Australia,
    Germany, France and Sweden: numbers that their regulators reserve for fiction. Elsewhere no range is reserved: the first
    digits of the class of number (`0`, `07`) stay, and the last seven are 555 0 and three drawn ones. Shorter numbers: by shape.
    """
    ending = _EXTENSION.search(text)
    extension = same_shape(ending.group(), choices, "extension") if ending else ""
    main = text[: ending.start()] if ending else text
    digits = "".join(c for c in main if c.isdecimal())
    if len(digits) < 7:
        return same_shape(text, choices, "phone")
    if extension and ending:  # the word before the digits is not a part of the number
        word = re.match(r"\D*", ending.group())
        extension = (word.group() if word else "") + "".join(c for c in extension if c.isdecimal())
    made = _abroad(main, digits, choices, home) or _north_american(main, digits, choices, areas)
    return made + (extension or "")


def _abroad(main: str, digits: str, choices: KeyedHash, home: str) -> str:
    """Return a number of another plan than that of North America; empty if this is none."""
    code = _COUNTRY_CODE.match(main)
    if code is not None and code["code"] != "1":
        rest = re.match(r"(?:\D*\(0\))?\D*", main[code.end() :])
        begin = code.end() + (rest.end() if rest else 0)
        national = "0" + "".join(c for c in main[begin:] if c.isdecimal())
        country = _CALLING_CODES.get(code["code"], "other")
        new = _national("0" + main[begin:], national, choices, country)
        return main[:begin] + new[1:]
    if home not in _NORTH_AMERICA and code is None and not digits.startswith("1"):
        return _national(main, digits, choices, home)
    if (code is None and home in ("",)) or digits[0] == "0":
        british, australian = _BRITISH.fullmatch(digits), _AUSTRALIAN.fullmatch(digits)
        return _national(main, digits, choices, "GB" if british else "AU") if british or australian else ""
    return ""


def _national(main: str, digits: str, choices: KeyedHash, country: str) -> str:
    """Return a national number of a country with the punctuation of `main`."""
    if country == "GB" and (british := _BRITISH.fullmatch(digits)) is not None:
        return filled(main, _british(main, digits, british.group("mobile"), choices))
    if country == "AU" and (australian := _AUSTRALIAN.fullmatch(digits)) is not None:
        if australian.group("mobile"):
            return filled(main, choices.choice([n for n in _AUSTRALIAN_MOBILES if n != digits], "line", digits))
        return filled(
            main, f"0{choices.choice('2378', 'area', digits)}5550{choices.number(10_000, 'line', digits):04d}"
        )
    beginnings = _FICTION.get(country)
    if beginnings is not None and digits[0] == "0":
        is_mobile = digits.startswith(_MOBILES[country])
        begin = choices.choice(beginnings[is_mobile], "area", digits[:4])
        if len(digits) > len(begin):
            rest = len(digits) - len(begin)
            return filled(main, begin + f"{choices.number(10**rest, 'line', digits):0{rest}d}")
    if country == "GB" and digits[0] == "0" and len(digits) > 8:  # a digit too many or too few
        rest = len(digits) - 8
        return filled(main, f"01632960{choices.number(10**rest, 'line', digits):0{rest}d}")
    kept = 2 if digits[0] == "0" else 1
    new = same_shape(digits[kept:], choices, "phone") or digits[kept:]
    return filled(main, digits[:kept] + (f"{new[:-7]}5550{new[-3:]}" if len(new) >= 7 else new))


def _british(main: str, digits: str, mobile: str | None, choices: KeyedHash) -> str:
    last = f"{choices.number(1000, 'line', digits):03d}"
    first = re.match(r"\D*(\d+)", main)
    areas = _BRITISH_AREAS.get(len(first[1]) if first else 0)
    if mobile or areas is None:
        return ("07700900" if mobile else "01632960") + last
    return f"{choices.choice(areas, 'area', digits[:4])}0{last}"


def _north_american(main: str, digits: str, choices: KeyedHash, areas: AreaCodes) -> str:
    ten = digits[-10:]
    area = _area_code(choices, ten, areas)
    line = f"55501{choices.number(100, 'line', digits):02d}"
    if digits.endswith(line):
        line = f"{line[:5]}{(int(line[5:]) + 1) % 100:02d}"
    new = {7: line, 10: area + line, 11: f"1{area}{line}" if digits[0] == "1" else ""}.get(len(digits), "")
    return filled(main, new) if new else f"{area}-555-{line[3:]}"


def _area_code(choices: KeyedHash, digits: str, areas: AreaCodes) -> str:
    """Return an area code of the surrogate places, else one that the plan does not reserve: N11, N9X, 37X, 96X, 555."""
    old = digits[:3] if len(digits) == 10 else ""
    if old in TOLL_FREE:
        return choices.choice([code for code in TOLL_FREE if code != old], "toll free", old)
    known = [code for code in areas(old) or () if code != old]
    if known:
        return choices.choice(known, "area", old)
    for attempt in range(100):
        code = str(200 + choices.number(800, "area", old or digits, str(attempt)))
        if code[1] != "9" and code[1:] != "11" and code[:2] not in ("37", "96") and code != "555":
            return code
    return "202"
