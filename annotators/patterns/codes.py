"""Filters for codes after a cue: ranges of a laboratory, labels, and numbers without the form of a code."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex
from .validators import digits, hit_filter

_HOURS = lazy_regex(r"(?:[01][0-9]|2[0-3])[0-5][0-9]")
_RANGE = lazy_regex(r"([0-9]{1,6})\s?[-/:]\s?([0-9]{1,6})")


@hit_filter("not_range")
def not_range(text: str) -> bool:
    """It is not a range or ratio: 135-145, 120/80, 1900-0730; a part with a leading zero or of another length is a code."""
    pair = _RANGE.fullmatch(text)
    if pair is None:
        return True
    low, high = pair[1], pair[2]
    if _HOURS.fullmatch(low) and _HOURS.fullmatch(high):
        return False
    if "-" in text and int(low) > int(high):
        return True
    if low == "0":
        return False
    if (low[0] == "0" and len(low) > 1) or (high[0] == "0" and len(high) > 1):
        return True
    return abs(len(low) - len(high)) > 1 or len(low) + len(high) > (10 if "-" in text else 6)


_TEMPERATURE = lazy_regex(
    r"[A-Za-z]{1,3}[0-9]{1,3}|[0-9]{1,4}[A-Za-z]{1,3}|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?[ap]?m?|[0-9]{1,2}w[0-9]d?"
)


@hit_filter("code_like")
def code_like(text: str) -> bool:
    """It has five digits, or four with a letter or a separator; it is not a clock time and has no unit: 09:40, 30d."""
    if _TEMPERATURE.fullmatch(text):
        return False
    count = len(digits(text))
    return count >= 5 or (count >= 4 and not text.isdigit()) or (count >= 3 and any(c.isalpha() for c in text))


_LABELS = """
dob dod doa dos age sex tel ph phone fax cell mob mobile bp hr rr sat sats spo t temp wt ht bmi gcs map iv im po sc sl pr pv
qd bid tid qid prn mg mcg ml kg cm mm ct mr mri us xr cxr ekg ecg lot exp ref cpt icd hcpcs loinc snomed nct mrn acct fin ac
simv prvc vc pc ps psv peep cpap fio ed er or icu pacu rm room bed ward unit ext visit day week grade stage type phase step
level tier act ga edd lmp pod post pre covid sars hiv hpv hbv hcv hla il cd ca tsh phq gad moca mmse audit ecog asa timi
nihss apache sofa meld wbc rbc hgb plt na k cl co bun eta etd alt ast alp ggt ldh crp esr ams abi cr glu inr ptt pt d c l s
th n v x g p a e b cal ada bmp cbc cmp abg vbg lft
"""
_LABEL = frozenset(_LABELS.split())
_SLASHED = frozenset("ac simv prvc vc pc ps psv bp hr rr t p r iv im po peep cpap".split())
_LEADING = lazy_regex(r"([A-Za-z]+)(?:[ /]|$)")
_SCALE = lazy_regex(
    r"[0-9]+(?:st|nd|rd|th|ST|ND|RD|TH)|[A-Z][0-9][0-9A-Z]\.[0-9A-Z]{1,4}"
    r"|(?i:phq|gad|moca|audit|cssrs|c-ssrs|sf|who|eq|epds|ecog|ipss|aims|cage|mmse|ctcae|meddra|icd|cpt)-?[0-9].*"
)


@hit_filter("not_label")
def not_label(text: str) -> bool:
    """It does not begin with the label of another value (DOB 01, BP 120/80, AC/14/450), and is not a scale (PHQ-9)."""
    if _SCALE.fullmatch(text):
        return False
    first = _LEADING.match(text)
    if first is None:
        return True
    return first[1].lower() not in (_SLASHED if text[first.end() - 1] == "/" else _LABEL)


@hit_filter("misread")
def misread(text: str) -> bool:
    """It has a letter that text recognition confuses with a digit: O, o, l, I."""
    return any(c in "OolI" for c in text)


_LOGIN_WORDS = """
patient today yesterday tomorrow seen reviewed admitted discharged electronically hand phone email nurse doctor family
mother father wife husband daughter vitals exam plan assessment note labs meds imaging impression history subjective
objective reason complaint resident attending consult transfer received pending completed stable awake asleep resting
unchanged continue continued clinic ward team parent caller provider pharmacy pharmacist transport report called arrived
transferred ambulating complains denies states
"""
_NOT_LOGIN = frozenset(_LOGIN_WORDS.split())
_CLOCK = lazy_regex(r"(?:[01]?[0-9]|2[0-3])[:.][0-5][0-9](?::[0-5][0-9])?")


@hit_filter("not_clock")
def not_clock(text: str) -> bool:
    """It is not a clock time with a sign between hour and minute: 09:40, 9.40."""
    return _CLOCK.fullmatch(text) is None


_ENDING = lazy_regex(r"(?:ed|ing|tion|ly|ness|ment|able|ous|ive|ical)$")


@hit_filter("login_word")
def login_word(text: str) -> bool:
    """It is not a word of clinical notes: `e-signed electronically`, `[01:12] vitals:`."""
    word = text.lower()
    return word not in _NOT_LOGIN and not (word.isalpha() and _ENDING.search(word))


_MEASURE = lazy_regex(
    r"(?i:[a-z]{1,3}[0-9]{1,3}|(?:stage|grade|level|type|phase|class|day|week|cycle|covid|visit|group|room|bed|ward|unit|form|step|part|sec"
    r"|item|table|fig|tab|page|ver|rev|ca|cov|hba|interleukin|vitamin|factor|iphone|gate|tier|arm|dose|zone|caspase|cytokeratin|omega|complex|cancer|month|cranial|line|case|step|study|trial|tumou?r|nerve|panel|grp|square|meters?|cells?)[-._]?[0-9]{1,4})"
)

_SUFFIXES = frozenset("ip id no nr dt at by to of db url mg ml kg cm mm pct avg max min val key".split())


@hit_filter("login_shape")
def login_shape(text: str) -> bool:
    """It is neither a short code (CD4, T12) nor a numbered thing (stage2), a field (client_ip), a file or a host (report.pdf)."""
    if _MEASURE.fullmatch(text) or not text[0].isalpha() or text.rpartition("_")[2].lower() in _SUFFIXES:
        return False
    last = text.split(".")[-1].lower()
    return last not in (
        "pdf",
        "doc",
        "docx",
        "txt",
        "csv",
        "xml",
        "com",
        "org",
        "net",
        "example",
        "d",
        "m",
        "a",
        "p",
        "o",
        "ssa",
        "med",
        "phil",
    ) and login_word(text)


@hit_filter("not_round")
def not_round(text: str) -> bool:
    """It is not a round number such as x4000 or 60000 90000, or a clock time on the hour."""
    groups = re.findall(r"[0-9]+", text)
    return bool(groups) and not all(g.endswith("00") for g in groups if len(g) > 2)


@hit_filter("eircode_shape")
def eircode_shape(text: str) -> bool:
    """Its last four characters have a letter and a digit; `T12 PAIN` is not a code."""
    tail = text[-4:]
    return any(c.isalpha() for c in tail) and any(c.isdigit() for c in tail)
