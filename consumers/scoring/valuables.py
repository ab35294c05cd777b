"""Clinical content of a narrative besides its terms: doses, lab values, durations, found by their form.

These are the classes that the pharmacist of the VigiBase study missed most if masking removed too much: doses, lab data and
other measurements, and time to onset (§5.2.4 of the inverse hybrid system). Units after UCUM (unitsofmeasure.org) and as written
in notes. A pattern that misses an unusual form misses it in the original and in the masked text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]

_NUMBER = r"(?<![\w.,/])[<>≤≥~]?\s?\d{1,7}(?:[.,]\d{1,6}){0,2}(?:\s?[-–x×/]\s?\d{1,7}(?:[.,]\d{1,6})?){0,2}"
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|twenty|thirty|half"
_MASS = "mcg|µg|μg|ug|mg|kg|ng|pg|g|grams?|milligrams?|micrograms?"
_VOLUME = "mL|ml|cc|dL|dl|µL|μL|uL|L|l|lit(?:re|er)s?|millilit(?:re|er)s?"
_FORMS = "tab(?:let)?s?|cap(?:sule)?s?|pills?|puffs?|drops?|patch(?:es)?|sprays?|ampoules?|vials?|sachets?|injections?"
_DOSE = re.compile(
    rf"""
    (?: {_NUMBER} \s?-?\s? | \b(?:{_WORDS}) \s )
    (?: (?:{_MASS}|mEq|mmol|mol|[mk]?IU|MU|[Uu]|units?|doses?)
        (?: \s?/\s? (?:kg|m2|m²|d|day|hr?|hour|min|week|dose|{_VOLUME}) )?
        (?: \s?/\s? (?:d|day|hr?|hour|min) )?
      | {_VOLUME}
      | {_FORMS}
    )
    (?![\w²])
    """,
    re.VERBOSE,
)
_LAB_UNIT = re.compile(
    rf"""
    {_NUMBER} \s?
    (?: (?:[mµμunp]?g|[mµμunp]?mol|[mµμk]?(?:IU|U)|mEq|cells?|copies) \s?/\s? (?:dL|dl|DL|L|l|mL|ml|µL|μL|uL|mm3|mm³|hpf|HPF)
      | (?:x|×|\*)\s?10\s?[\^*eE]{{0,2}}\s?\d{{1,2}} (?:\s?/\s?(?:L|l|µL|μL|uL|mL|ml|mm3))?
      | /\s?(?:µL|μL|uL|mm3|mm³|hpf|HPF)
      | mm\s?Hg | mm/hr?\b | bpm | beats/min | breaths/min | °\s?[CF] | degrees\s(?:C|F|Celsius|Fahrenheit)
      | %
    )
    (?![\w²³])
    """,
    re.VERBOSE,
)
_VALUE = re.compile(
    rf"""
    (?P<between> [\s:=,()]{{0,3}} (?:(?:level|count|value|result|reading|test)s?\s)?
                 (?:(?:was|were|is|of|at|to|rose|fell|increased|decreased|came|back|found|measured|now|up|down)\s){{0,3}} )
    (?P<value> {_NUMBER} )
    (?! [\w/] | [.,]\d | \s?(?:days?|weeks?|months?|years?|hours?|minutes?)\b )
    """,
    re.VERBOSE,
)
_ANALYTES = re.compile(
    r"""
    \b(?: A1[Cc] | ALT | AST | ALP | [Aa]lbumin | [Aa]mylase | aPTT | APTT | [Bb]ilirubin | [Bb]lood\s(?:pressure|sugar) | BMI
        | BNP | BP | BUN | [Cc]alcium | CD4 | CK | CPK | [Cc]holesterol | [Cc]hloride | [Cc]reatinine | CRP | [Dd]-?dimer
        | eGFR | GFR | ESR | [Ff]erritin | [Ff]ibrinogen | GGT | [Gg]lucose | Hb | HbA1c | HCT | [Hh]a?ematocrit
        | [Hh]a?emoglobin | Hgb | HDL | [Hh]eart\srate | HR | INR | [Ll]actate | LDH | LDL | [Ll]ipase | [Mm]agnesium
        | [Nn]eutrophils? | [Oo]xygen\ssaturation | [Pp]latelets? | PLT | [Pp]otassium | PSA | PT | PTT | [Pp]ulse | RBC
        | [Rr]espiratory\srate | RR | [Ss]odium | SpO2 | SGOT | SGPT | T4 | [Tt]emp(?:erature)? | [Tt]riglycerides?
        | [Tt]roponin(?:\s[IT])? | TSH | WBC | [Ww]hite\scount )\b
    """,
    re.VERBOSE,
)
_DURATION = re.compile(
    rf"""
    (?: {_NUMBER} \s?-?\s? | \b(?:{_WORDS}|several|few|an?) [\s-] )
    (?: minutes? | mins? | hours? | hrs? | days? | nights? | weeks? | wks? | months? | years? | yrs? ) \b
    (?! [\s-]{{0,2}} (?: old | of\sage ) \b )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_AGED = re.compile(r"\b(?:aged?|age of)\s$", re.IGNORECASE)


def doses(text: str) -> list[Span]:
    """Return numbers with a unit of dose: `20 mg`, `1.5 mg/kg/day`, `2-3 tablets`. Concentrations in blood are lab values."""
    labs = _LAB_UNIT.finditer(text)
    taken = {m.end() for m in labs}
    return [_stripped(text, *m.span()) for m in _DOSE.finditer(text) if m.end() not in taken]


def lab_values(text: str, analytes: Sequence[Span] = ()) -> list[Span]:
    """Return numbers with a unit of measurement, and numbers after the name of a measured quantity: `4.2 mmol/L`, `INR was 3.1`.

    `analytes`: spans of further names. A span includes number and unit, not the name.
    """
    values = [_stripped(text, *m.span()) for m in _LAB_UNIT.finditer(text)]
    names = [m.end() for m in _ANALYTES.finditer(text)] + [end for _, end in analytes]
    values += [_stripped(text, *m.span("value")) for end in names if (m := _VALUE.match(text, end))]
    return _longest(values)


def durations(text: str) -> list[Span]:
    """Return lengths of time: `seven days`, `2-3 weeks`, `48 hours`. Ages are excluded."""
    return [
        _stripped(text, *m.span())
        for m in _DURATION.finditer(text)
        if not _AGED.search(text, max(0, m.start() - 8), m.start() + len(m[0]) - len(m[0].lstrip()))
    ]


def _stripped(text: str, begin: int, end: int) -> Span:
    covered = text[begin:end]
    return begin + len(covered) - len(covered.lstrip()), end - len(covered) + len(covered.rstrip())


def _longest(spans: list[Span]) -> list[Span]:
    """Return disjoint spans in text order; of two that overlap, the longer one."""
    kept: list[Span] = []
    for begin, end in sorted(spans, key=lambda s: (s[0], -s[1])):
        if kept and begin < kept[-1][1]:
            if end - begin > kept[-1][1] - kept[-1][0]:
                kept[-1] = begin, end
            continue
        kept.append((begin, end))
    return kept
