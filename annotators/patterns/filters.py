"""Named plausibility checks that may veto a hit: what only looks like an identifier. Checksums are not among them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...pipeline.errors import nearest
from .tlds import COUNTRY, GENERIC, UNSAFE
from .validators import VALIDATORS, digits

Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """A named check; a hit it refuses is no hit."""

    name: str
    check: Check
    description: str


FILTERS: dict[str, Filter] = {}


def hit_filter(name: str) -> Callable[[Check], Check]:
    """Registers a check under `name`, for `filter: name` in rule files. Raises ValueError where the name is taken."""

    def enter(check: Check) -> Check:
        other = FILTERS.get(name)
        place = (check.__module__, check.__qualname__)
        if other is not None and (other.check.__module__, other.check.__qualname__) != place:
            raise ValueError(f"filter {name} is claimed twice: by {other.check.__module__} and by {check.__module__}")
        FILTERS[name] = Filter(name, check, (check.__doc__ or "").strip().split("\n")[0])
        return check

    return enter


def find_filter(name: str) -> Filter:
    """The filter called `name`. Raises LookupError with the nearest name, or the reason why a validator is none."""
    if name in FILTERS:
        return FILTERS[name]
    if name in VALIDATORS or name.startswith("stdnum."):
        raise LookupError(f"{name} is a validator, and a failed checksum never vetoes masking: write `validator: {name}`")
    raise LookupError(f"no filter called {name!r}{nearest(name, FILTERS)}")


@hit_filter("has_digit")
def has_digit(text: str) -> bool:
    """It contains a digit."""
    return any(c.isdigit() for c in text)


@hit_filter("has_letter_and_digit")
def has_letter_and_digit(text: str) -> bool:
    """It contains a letter and a digit."""
    return any(c.isalpha() for c in text) and has_digit(text)


_YEARS = re.compile(r"(?:19|20)[0-9]{2}")
_YMD = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_DMY = re.compile(r"(?:(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?:19|20)[0-9]{2}")
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9](?:[0-9]{3})?)?")
_WRITTEN_DATE = re.compile(
    r"(?:[0-9]{1,2}[-/. ](?:[0-9]{1,2}|[A-Za-z]{3,9})[-/. ](?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}[-/.](?:[0-9]{1,2}|[A-Za-z]{3})[-/.][0-9]{1,2}"
    r"|[0-9]{1,2}-?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*-?[0-9]{2,4})",
    re.IGNORECASE,
)


@hit_filter("not_date")
def not_date(text: str) -> bool:
    """It is no date and no year: 20210405, 2021-04-05, 3/4/21, 19-Jan-2021, 2021; nor such a date with a clock time."""
    if _WRITTEN_DATE.fullmatch(text):
        return False
    number = text.replace("T", "").replace("t", "").replace(" ", "") if len(text) > 8 else text
    if not number.isdigit():
        return True
    if _YEARS.fullmatch(number) or _YMD.fullmatch(number) or _DMY.fullmatch(number):
        return False
    return not (len(number) > 8 and _YMD.fullmatch(number[:8]) and _CLOCK.fullmatch(number[8:]))


@hit_filter("not_date_range")
def not_date_range(text: str) -> bool:
    """It is neither a date nor two years: 2019-2021, 2019/20."""
    return not_date(text) and not re.fullmatch(r"(?:19|20)[0-9]{2}\s?[-/]\s?(?:(?:19|20)[0-9]{2}|[0-9]{2})", text)


@hit_filter("known_tld")
def known_tld(text: str) -> bool:
    """The host of an address without scheme ends in a known top-level domain, and is no word with a missing blank."""
    host = re.split(r"[/?#:]", text, maxsplit=1)[0].rstrip(".")
    labels = host.split(".")
    top = labels[-1]
    if top.lower() not in COUNTRY and top.lower() not in GENERIC:
        return False
    if labels[0].lower() == "www":
        return True
    if top[0].isupper() and not (host.isupper() or any(c.isupper() for c in labels[-2])):
        return False  # `arm.The`: a sentence ends and the next begins
    if top[0].isupper() and not top.isupper():
        return False
    return not (top.lower() in UNSAFE and len(labels) == 2 and "-" not in labels[0] and not has_digit(labels[0]))


_HANDLE_WORDS = frozenset(
    """noon midnight bedtime home work night hs rest discharge clinic hospital lunch dinner breakfast school baseline time
    that this the which there approximately around about least most all once pm am""".split()
)


@hit_filter("not_at_word")
def not_at_word(text: str) -> bool:
    """What stands behind an `@` is no word for a time or a place: @noon, @home."""
    return text.lstrip("@").lower() not in _HANDLE_WORDS


@hit_filter("two_kinds_of_hex")
def two_kinds_of_hex(text: str) -> bool:
    """A hexadecimal code holds both letters and digits: no word and no plain number."""
    return has_letter_and_digit(text)


_COMPOUND = re.compile(
    r"(?:PF|LY|GSK|JNJ|RO|MK|AZD|BMS|ABT|BAY|CNTO|MEDI|AMG|ABBV|BI|SAR|TAK|BNT|VX|GS|REGN|NVX|INO|CVN|CAS|RS|HGNC|OMIM"
    r"|NCT|EUCTR|ISRCTN|PMID|PMC|DOI|ISBN|ISSN|LOT|EXP|NDC|CPT|ICD|COVID|SARS|IL|CD|HLA|HBA|CYP)[- ]?[0-9]",
    re.IGNORECASE,
)


@hit_filter("not_compound")
def not_compound(text: str) -> bool:
    """It is no name of a study drug (PF-07302048), registry number, publication or code of medicine."""
    return not _COMPOUND.match(text)


@hit_filter("ten_digits_or_more")
def ten_digits_or_more(text: str) -> bool:
    """It holds at least ten digits."""
    return len(digits(text)) >= 10


@hit_filter("e164_length")
def e164_length(text: str) -> bool:
    """It holds 7 to 15 digits, the lengths of ITU-T E.164 (an extension may follow)."""
    number = re.split(r"[a-zA-Z#]", text.strip(), maxsplit=1)[0]
    return 7 <= len(digits(number)) <= 15
