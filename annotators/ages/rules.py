"""The rules for ages, each matched at one offset: Tables 6 and 7 of the VigiBase system, and further ones.

Group `span` is the age, `n`, `n2`, `n3` its numbers, `unit` its unit (years if there is none).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates import numerals
from ..dates.numerals import CARDINAL
from . import cues, guards

B = r"[ \t\xa0]{0,3}"
J = r"(?:[ \t\xa0]{0,2}[-–‐‑]?[ \t\xa0]{0,2}|[ ]?\r?\n[ ]?)"
"""Text between number, unit and `old`: spaces, a hyphen, a line break."""
DIGITS = (
    r"(?:\d{1,2},\d{3}(?!\d)|\d{4,5}(?=[ -]?(?:days|weeks|months))"
    r"|\d{1,3})(?:[.,]\d{1,2}(?!\d))?(?:[ -]?(?:[½¼¾]|\d/\d\d?(?!\d)))?(?:\(\d{1,2}/\d{1,2}\))?"
)
NUMBER = rf"(?:(?:{DIGITS}|{CARDINAL}(?![a-z]))(?:[ -]and[ -]a[ -]half)?)"
_TO = r"(?:[- ]{0,2}(?:-|–|—|&)[ ]?|[- ]{1,2}(?:to|and|or|through)[- ])"
_LIST = r"(?:[ ]?(?:-|–|—|&|,)[ ]?(?:and |or )?|[- ]{1,2}(?:to|and|or|through)[- ])"
NUMBERS = rf"(?P<n>{NUMBER})(?:{_TO}(?P<n2>{NUMBER}))?"
_NOT_AGO = r"(?![ -]?(?:years?|yrs?|months?|weeks?|days?)[ ](?:ago|back|later|earlier|prior|before|after)\b)"
_SEVERAL = rf"(?P<n>{NUMBER})(?:{_LIST}(?P<n2>{NUMBER}){_NOT_AGO})?(?:{_LIST}(?P<n3>{NUMBER}){_NOT_AGO})?"
_YEARS = r"years?['’]?s?|yrs?\.?|yeras?|yeats?|yaers?|yeards?|yesrs?|yers?|eyars?|yeas|ys?"
_MONTHS = r"months?['’]?s?|mont|mths?\.?|mos?\.?|momths?|monhts?"
UNIT = rf"(?P<unit>{_YEARS}|{_MONTHS}|weeks?|wks?\.?|days?|hours?|hrs?)"
_IN_YEARS = r"(?P<unit>years?|yrs?\.?|y\.?)"
OLD = r"(?:(?:(?<![a-z])(?:olds?|od|ol|odl|of[- ]age)|(?<=years)old|(?<=year)old)(?![a-z]))"
_OLDER = r"(?:[ ](?:or|and)[ ](?:older|over|above|up|younger|under|below)(?![a-z])|\+)?"
_AGE = rf"(?P<span>{NUMBERS}(?:{J}{UNIT}(?:{J}{OLD})?)?)"
YO = r"y\.[ ]?o\.?|y[ ]?[/-]?[ ]?o|y\.[ ]?old"
_MO = r"m\.?[ ]?/[ ]?o\.?|m\.o\.?|mo(?=[ ](?:males?|females?|boy|girl|old|infant|baby|child)\b)"
TENS_WORDS = "|".join(numerals.TENS)
ONE = "male female man woman boy girl lady gentleman".split()
"""Words for one person that tell the sex."""
_ONE = "|".join(ONE)
_PEOPLE = (
    r"(?:(?:ex-?term|full[ -]term|pre-?term|premature|term|white|black|caucasian"
    r"|hispanic|asian|african[ -]american|pregnant|healthy|non-?pregnant)[ ])?"
    r"(?:males?|females?|m[ae]n|wom[ae]n|boys?|girls?|lady|ladies|gentlem[ae]n)"
)
TENS = "(?:(?:twent|thirt|fort|fourt|fift|sixt|sevent|eight|ninet)ies|teens)"
_END = r"(?![\w°%]|[./,:-]\d|-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
_MORE = rf"(?:[ ]?(?P<yo>{YO})(?![a-z])|{J}{UNIT}(?![a-z/])(?:{J}{OLD})?)?{_OLDER}"
_CUE = (
    rf"(?:aged?|ages|a\.o\.?)(?:{B}(?:of|:|=|[<>] or =|>=?|<=?|≥|≤|~|-|between|from|over|under|above|below|about|around|"
    rf"approximately|approx\.?|only|group|range|\(?(?:in )?(?:years|yrs|y)\)?))*{B}"
)
_PRONOUN = (
    r"(?:(?:i|he|she|who|patient|pt|you)[ ](?:am|is|was|are)|(?:i|he|she|you)['’](?:m|s|re))[ ]"
    r"(?:(?:now|only|just|about|almost|currently)[ ])?"
)
EVENTS = (
    "died dead alive living deceased diagnosed dx menarche menopause retired smoking drinking away well healthy married"
).split()


@dataclass(frozen=True, slots=True)
class AgeRule:
    """A notation for ages, and the guard that returns True if the text around a match does not exclude an age."""

    name: str
    guard: Callable[[guards.AgeContext], bool]
    pattern: re.Pattern[str]


def age_rule(
    name: str, guard: Callable[[guards.AgeContext], bool], pattern: str, *, flags: int = re.IGNORECASE
) -> AgeRule:
    """Return a rule; its pattern ignores case."""
    return AgeRule(name, guard, lazy_regex(pattern, flags))


FROM_CUE = (
    age_rule("aged n", guards.cued, rf"(?P<span>{_CUE}{_SEVERAL}{_MORE}){_END}"),
    age_rule(
        "age at event n",
        guards.cued,
        rf"(?:aged?|ages)[ ](?:at|of|on|when)[ ][a-z ]{{3,30}}?{B}(?:was|is|of|:|=|-|,)?{B}(?P<span>{_SEVERAL}{_MORE}){_END}",
    ),
    age_rule(
        "age is n",
        guards.cued,
        r"(?:aged?|ages)(?:[ ]?/[ ]?(?:sex|gender))?(?:[ ](?:is|was|were|as|now|currently|reported as|given as))?"
        rf"{B}[:=]?{B}(?P<span>{_SEVERAL}{_MORE}){_END}",
    ),
    age_rule(
        "age decade",
        guards.cued,
        r"(?:aged?|ages)[ ](?:in[ ](?:his|her|their|the)[ ])?(?:(?:early|mid|late)[ -])?(?P<span>(?P<n>\d0)['’]?s)(?!\w)",
    ),
)
FROM_NUMBER = (
    age_rule(
        "n units old",
        guards.old,
        rf"(?P<span>{NUMBERS}\+?{J}{UNIT}(?:(?:{J}|,[ ]|[ -]and[ -]){NUMBER}{J}"
        rf"(?:{_MONTHS}|weeks?|wks?|days?))?{J}{OLD}{_OLDER})",
    ),
    age_rule("nth birthday", guards.birthday, r"(?P<span>(?P<n>\d{1,3})(?:st|nd|rd|th))(?=[ ]b(?:irth)?-?day)"),
    age_rule(
        "n units or older",
        guards.none,
        rf"(?P<span>{NUMBERS}{J}{UNIT}[ ](?:or|and)[ ](?:older|younger|over|above|under|up))(?!\w)",
    ),
    age_rule("n yo", guards.old, rf"(?P<span>{NUMBERS}\+?[ ]?[-–]?[ ]?(?P<unit>{YO})(?:\.?[mf](?:emale)?)?)(?![a-z])"),
    age_rule("n m.o.", guards.old, rf"(?P<span>{NUMBERS}[ ]?[-–]?[ ]?(?P<unit>{_MO}))(?![a-z])"),
    age_rule("n units sex", guards.unit, rf"(?P<span>{NUMBERS}{J}{UNIT})(?=[-,]?[ ]?{_PEOPLE}\b)"),
    age_rule("n units m/f", guards.unit, rf"(?P<span>{NUMBERS}{J}{_IN_YEARS})(?=[ ]?[,/]?[ ]?[MF]\b)(?!['’])"),
    age_rule("n y", guards.unit, r"(?P<span>(?P<n>\d{1,3})[ ]?(?P<unit>y)\b)(?![/.]?\w|['’])", flags=0),
    age_rule("n sex", guards.sex, rf"(?P<span>(?P<n>\d{{1,3}}|(?:{TENS_WORDS})(?:[- ][a-z]{{3,5}})?))[ -](?:{_ONE})\b"),
    age_rule("n/sex", guards.letter, r"(?P<span>(?P<n>\d{1,3}))[ ]?/[ ]?(?:M|F|male|female)\b(?![./])", flags=0),
    age_rule("nM", guards.letter, r"(?P<span>(?P<n>\d{1,2}|1[01]\d)[MF])\b", flags=0),
    age_rule("n M", guards.letter, r"(?P<span>(?P<n>\d{1,2}))[ ][MF]\b(?=[ ,.;:)]|$)", flags=0),
    age_rule("n or older", guards.unit, rf"(?P<span>{NUMBERS}[ ](?:or|and)[ ](?:older|younger))(?!\w)"),
)
DECADE = age_rule("decade", guards.decade, r"(?P<span>(?P<n>[1-9]0)['’]?s)(?!\w)")
FROM_TENS = (age_rule("decade in words", guards.decade, rf"(?P<span>(?P<tens>{TENS}))(?!\w)"),)
FROM_LATIN = (
    age_rule(
        "-genarian",
        guards.none,
        r"(?P<span>(?P<latin>quinqua|sexa|septua|octo|nona)gen[ae]rians?|(?P<century>(?:super|semi-?super)?cent[ei]n[ae]rians?))(?!\w)",
    ),
)
NEAR_SEX = age_rule(
    "sex n",
    guards.near_sex,
    rf"(?:(?:male|female|man|woman|boy|girl|patient|pt|{'|'.join(cues.KIN)})(?:[ ]?/[ ]?|,[ ]|[ ]\()|(?-i:[MF])[ ]?/[ ]?)"
    rf"(?P<span>{NUMBERS}(?:{J}{_IN_YEARS})?){_END}",
)
FROM_SEX = (
    NEAR_SEX,
    age_rule(
        "sex n units",
        guards.unit,
        rf"(?:{_ONE}|patient)(?:,?[ ]|[ ]?\()(?P<span>{NUMBERS}{J}{_IN_YEARS})(?=[ ]?[,;.)])",
    ),
)
FROM_GENDER = (
    age_rule("sex of n", guards.turned, rf"(?:{_ONE}|patient|child|infant)[ ]of[ ](?:about |around )?{_AGE}{_END}"),
)
FROM_LIMIT = (age_rule("over ns", guards.none, r"(?:over|under)[- ](?P<span>(?P<n>\d\d)['’]?s)(?!\w)"),)
FROM_BORN = (
    age_rule("born n years ago", guards.none, rf"born[ ](?:about[ ]|around[ ])?(?P<span>{NUMBERS}{J}{UNIT})[ ]ago\b"),
)
FROM_EVENT = (
    age_rule(
        "event at n",
        guards.none,
        rf"(?:{'|'.join(EVENTS)})[ ]at[ ](?P<span>(?P<n>\d{{1,3}})(?:{J}(?P<unit>years?|yrs?))?)"
        r"(?=[.,;)](?!\d)|[ ](?:of|from|with|due|after|and|but)\b|[ ]?$)",
    ),
)
FROM_AT = (
    age_rule("at n in a year", guards.lived, r"at[ ](?P<span>(?P<n>\d\d))(?=,?[ ](?:back[ ])?in[ ](?:19|20)\d\d\b)"),
    age_rule("at n when", guards.lived, r"at[ ](?P<span>(?P<n>\d\d))(?=,?[ ]when[ ](?:he|she|his|her)\b)"),
    age_rule(
        "in a year at n",
        guards.lived,
        r"(?:(?<=[ ](?:19|20)\d\d[ ])|(?<=[ ](?:19|20)\d\d,[ ]))at[ ](?P<span>(?P<n>\d\d))"
        r"(?=[.,;!?)](?!\d)|[ ](?:and|but|with|after|he|she)\b|[ ]?$)",
    ),
)
FROM_WAS = (age_rule("was n when", guards.opening, r"was[ ](?P<span>(?P<n>\d\d))(?=,?[ ]when[ ](?:he|she|his|her)\b)"),)
FROM_VERB = (
    age_rule("turned n", guards.turned, rf"turn(?:s|ed|ing)?[ ]{_AGE}{_END}"),
    age_rule(
        "will be n", guards.turned, rf"(?:i|he|she|who|patient|pt)(?:[ ](?:will|would)|['’]ll)[ ]be[ ]{_AGE}{_END}"
    ),
    age_rule(
        "is n",
        guards.bare,
        rf"{_PRONOUN}(?P<span>(?P<n>{NUMBER})(?:{J}(?P<unit>years?|yrs?))?)(?![ ]and[ ](?:\d|{CARDINAL}\b))"
        r"(?=[.,;!?)](?!\d)|[ ](?:and|but|with|who|so|when|at the time|"
        r"at (?:(?:his|her) )?(?:retirement|diagnosis|onset|marriage)|(?:back )?in (?:19|20)\d\d)\b|[ ]?$)",
    ),
    age_rule(
        "when n",
        guards.none,
        r"(?:when|since|while|until|till|before)[ ](?:i|he|she|they)[ ](?:was|were|is|am|turned)[ ]"
        rf"(?:(?:only|just|about|around)[ ])?(?P<span>(?P<n>{NUMBER}))"
        r"(?=[.,;!?)](?!\d)|[ ](?:and|but|with|he|she|it|we|they|i|my|his|her|due|in|the)\b|[ ]?$)",
    ),
    age_rule("older than n", guards.turned, rf"(?:older|younger)[ ]than[ ]{_AGE}{_END}"),
)
