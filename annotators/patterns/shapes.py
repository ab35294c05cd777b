"""Filters for the form of numbers and codes: dates, years, decimals, units, study drugs, web addresses."""

from __future__ import annotations

import ipaddress
import re

from ...pipeline.storage.lazy_regex import lazy_regex
from .validators import digits, has_digit, hit_filter

_COUNTRY = """
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc
    cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd
    ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh
    ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx
    my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd
    se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy
    uz va vc ve vg vi vn vu wf ws ye yt za zm zw
"""
_GENERIC = """
com org net edu gov mil int info biz aero coop museum mobi arpa app dev online site website blog cloud tech xyz club
    london berlin paris nyc tokyo local internal
"""
_UNSAFE = """
am as at be by do et go he id im in is it la me ms my no of on or pm re so to us mg ml al dr st pt
nr py sh pl rs md cc ps ai mk gz bz az ec tm cv vi so bb bs bw cm cd ht kg mm ng nm np pa pg pn ps sd tt vc
"""

COUNTRY = frozenset(_COUNTRY.split())
GENERIC = frozenset(_GENERIC.split())
UNSAFE = frozenset(_UNSAFE.split())
"""Country codes that are also words, units or abbreviations: alone they do not make `word.xx` an address."""


_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_NUMERIC = lazy_regex(r"([0-9]{1,2})([-/. ])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9])")
_YEAR_FIRST = lazy_regex(r"(?:19|20)[0-9]{2}([-/. ])([0-9]{1,2})\1([0-9]{1,2})(?![0-9])")
_WITH_MONTH = lazy_regex(
    rf"(?:[0-9]{{1,2}}[-/. ]?(?:{_MONTH})[a-z]*[-/., ]*(?:[0-9]{{4}}|[0-9]{{2}})"
    rf"|(?:19|20)[0-9]{{2}}[-/. ]?(?:{_MONTH})[a-z]*[-/. ]*[0-9]{{1,2}})(?![0-9])",
    re.IGNORECASE,
)
_YEAR = lazy_regex(r"(?:19|20)[0-9]{2}")
_YMD = lazy_regex(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_DMY = lazy_regex(
    r"(?:(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?:19|20)[0-9]{2}"
)
_TIME_SIGNS = lazy_regex(r"(?<=[0-9])[Tt ](?=[0-9])|[Zz]$")
_CLOCK = lazy_regex(r"(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9](?:[0-9]{3})?)?")


def leading_date(text: str) -> int:
    """Return the length of the date at the beginning of the text, 0 if there is none."""
    date = _NUMERIC.match(text)
    if date and _day_and_month(int(date[1]), int(date[3])) and (len(date[4]) == 2 or date[4][:2] in ("19", "20")):
        return date.end()
    date = _YEAR_FIRST.match(text)
    if date and _day_and_month(int(date[2]), int(date[3])):
        return date.end()
    date = _WITH_MONTH.match(text)
    return date.end() if date else 0


def _day_and_month(one: int, other: int) -> bool:
    return 1 <= min(one, other) <= 12 and 1 <= max(one, other) <= 31


@hit_filter("not_date")
def not_date(text: str) -> bool:
    """It is not a date or year: 20210405, 2021-04-05, 3/4/21, 19-Jan-2021, 2021; nor such a date with a clock time."""
    if leading_date(text) == len(text):
        return False
    number = _TIME_SIGNS.sub("", text) if len(text) > 8 else text
    if not number.isdigit():
        return True
    if _YEAR.fullmatch(number) or _YMD.fullmatch(number) or _DMY.fullmatch(number):
        return False
    return not (len(number) > 8 and _YMD.fullmatch(number[:8]) and _CLOCK.fullmatch(number[8:]))


@hit_filter("not_leading_date")
def not_leading_date(text: str) -> bool:
    """It does not begin with a written date: 04-05-2021 12, 2021-04-05-1."""
    end = leading_date(text)
    return end == 0 or (len(text[:end]) <= 8 and not _YEAR.search(text[:end]) and len(digits(text[end:])) > 1)


def _reject(name: str, description: str, pattern: str) -> None:
    """Register a filter that drops what matches a pattern in full."""
    compiled = lazy_regex(pattern)

    def check(text: str) -> bool:
        return compiled.fullmatch(text) is None

    check.__doc__ = description
    hit_filter(name)(check)


_reject(
    "not_years",
    "It is neither a year nor several years: 2019-2021, 2019/20, 2019 2020.",
    r"(?:19|20)[0-9]{2}(?:\s?[-/, ]\s?(?:19|20)[0-9]{2}){1,5}|(?:19|20)[0-9]{2}\s?[-/]\s?[0-9]{2}|(?:19|20)[0-9]{2}",
)
_reject(
    "not_age",
    "It is not an age with hyphens: 27-yr-old.",
    r"(?i)[0-9]{1,3}[-–](?:years?|yrs?|y|months?|mths?|mos?|weeks?|wks?|days?)(?:[-–]olds?|[-–]o)?",
)
_reject("not_year", "It is not a year from 1900 to 2099.", r"(?:19|20)[0-9]{2}")
_reject(
    "not_decimal",
    "It is not a decimal number or a range of decimals: 3.5, 3.5-5.0.",
    r"[0-9]{1,4}[.,][0-9]{1,4}(?:\s?[-/:]\s?[0-9]{1,4}(?:[.,][0-9]{1,4})?)?",
)
_reject(
    "not_trailing_unit",
    "It is not a number joined with a unit of measurement: 2000000MG.",
    r"[0-9]{1,7}(?:MG|MCG|UG|NG|KG|G|ML|DL|L|IU|U|MM|CM|M|KM|BPM|HRS?|H|MIN|S|SEC|MS|X|YO|YR|K|C|F|BP|[KMG]B|HZ)",
)
_reject(
    "not_compound",
    "It is not a study drug (PF-07302048), registry entry, publication, gene record or code of medicine.",
    r"(?i:(?:PF|LY|GSK|JNJ|RO|MK|AZD|BMS|ABT|BAY|CNTO|MEDI|AMG|ABBV|BI|SAR|TAK|BNT|VX|GS|REGN|NVX|INO|CVN|CAS|RS|HGNC|OMIM"
    r"|NCT|EUCTR|ISRCTN|PMID|PMC|DOI|ISBN|ISSN|LOT|EXP|NDC|CPT|ICD|COVID|SARS|IL|CD|HLA|HBA|CYP|NM|NP|NC|XM"
    r"|ENST|ENSG)[-_ ]?[0-9](?s:.*))",
)
_reject(
    "postcode_shape",
    "It does not end in an ordinal number: L4 5TH.",
    r".* 5FU|.*[0-9](?:(?<=1)ST|(?<=2)ND|(?<=3)RD|(?<=[04-9])TH)",
)
_reject(
    "not_tnm",
    "It is not a tumour stage (T2N0M0, UICC TNM classification) a count of pregnancies (G1P0A1) or a score (GCS E4V5M6, GRBAS).",
    r"(?i:T(?:[0-4X]|IS)[A-D]?N[0-3X][A-C]?M[01X][A-C]?|G[0-9]P[0-9][A-Z][0-9]|E[1-4]V[1-5]M[1-6]|G[0-3]R[0-3]B[0-3])",
)


@hit_filter("e164_length")
def e164_length(text: str) -> bool:
    """It has 6 to 15 digits before an extension, not counting 00: local numbers up to the limit of ITU-T E.164."""
    number = digits(re.split(r"[a-zA-Z#]", text.strip(), maxsplit=1)[0])
    return (10 if number.startswith("00") else 6) <= len(number) <= 17


@hit_filter("iban_shape")
def iban_shape(text: str) -> bool:
    """15 to 34 letters and digits, at least eight of them digits. ISO 13616-1."""
    return 15 <= sum(c.isalnum() for c in text) <= 34 and len(digits(text)) >= 8


@hit_filter("zip_shape")
def zip_shape(text: str) -> bool:
    """It has at least three digits, or two digits and two letters, as postal codes do."""
    count = len(digits(text))
    return count >= 3 or (count >= 2 and sum(c.isalpha() for c in text) >= 2)


@hit_filter("email_shape")
def email_shape(text: str) -> bool:
    """The domain has no empty label, and the local part does not end with a dot. RFC 5321, section 4.1.2."""
    local, _, domain = text.rpartition("@")
    return ".." not in domain and not local.endswith(".")


@hit_filter("ipv6_shape")
def ipv6_shape(text: str) -> bool:
    """A well-formed IPv6 address with at least one digit and no open end. RFC 4291, section 2.2."""
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return has_digit(text) and not text.endswith("::")


_SECOND_LEVEL = frozenset(("com", "co", "org", "net", "gov", "gob", "ac", "edu", "or", "ne", "go", "gv", "nhs"))


@hit_filter("known_tld")
def known_tld(text: str) -> bool:
    """The host of an address without a scheme ends in a known top-level domain, and is not a word with a missing space."""
    host, *path = re.split(r"(?=[/?#:])", text, maxsplit=1)
    labels = host.rstrip(".").split(".")
    top = labels[-1].lower()
    if top not in COUNTRY and top not in GENERIC:
        return False
    if any(path) and path[0][0] == "/" and len(path[0]) > 1:
        return labels[-1].islower() or labels[-1].isupper()
    if labels[-1][0].isupper() and not labels[-1].isupper():
        return False  # `arm.The`: a sentence ends and the next one begins
    if labels[-1].isupper() and not labels[-2].isupper():
        return False
    if top in UNSAFE:
        return len(labels) > 2 and (labels[-2].lower() in _SECOND_LEVEL or len(labels[-2]) > 4)
    return len(labels[-2]) > 1 or top in GENERIC


_COMMON = (
    "a an and any are as at be but by can did do does for from had has have he her here him his how in is it its "  # english: ok
    "known may me my no none not of off on or our out over page per required needed she should so than that the "
    "their them then there these they this to too under unknown until up upon us valid was we were what when "
    "which who will with you your noon midnight bedtime home work night hs rest discharge clinic hospital lunch "
    "dinner breakfast school baseline time approximately around about least most all once pm am failed reset "
    "expired changed forgotten"
)


@hit_filter("not_common_word")
def not_common_word(text: str) -> bool:
    """It is not an everyday word: `password: required`, `login is needed`."""
    return text.strip("@.,").lower() not in _COMMON.split()


@hit_filter("not_at_word")
def not_at_word(text: str) -> bool:
    """The word after an `@` is not a time or a place: @noon, @home."""
    return not_common_word(text)


@hit_filter("not_plate_words")
def not_plate_words(text: str) -> bool:
    """It has no run of five or more lower-case letters, which number plates do not have."""
    return not re.search(r"[a-z]{5,}", text)
