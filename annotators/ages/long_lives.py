"""Rules for ages over 89 in other words: `ninety-fourth birthday`, `1128 months`, `34,000 days`, `9 decades`, `ninety-four,`.

They need less evidence than other ages, because few other numbers are as great and because such an age must never stay
(45 CFR 164.514(b)(2)(i)(C)). What counts or measures something is excluded.
"""

from __future__ import annotations

from ..dates.numerals import CARDINAL, TENS, UNITS
from ..dates.windows import after, before
from . import cues, guards
from .ordinals import ORDINALS, SMALL
from .rules import AgeRule, J, age_rule

_ORDINAL = "|".join(sorted(ORDINALS, key=lambda word: (-len(word), word)))
_NTH = rf"(?:(?P<n>\d{{1,3}})(?:st|nd|rd|th)|(?P<ordinal>{_ORDINAL}))"
_HUNDRED = r"(?:(?:one|a)[ -])?hundred(?:[ -]and)?"
_OVER = rf"(?:(?:ninety|{_HUNDRED})[ -](?:{'|'.join(UNITS[1:20])}))"
_THING = after(
    r"[ -]{0,2}<<percent(?:ile)? per_cent % ° mg mcg g\b ml cc kg lbs? cm mm units? degrees? minutes? mins? seconds? hours? hrs? "
    r"days? weeks? months? steps dollars euros pounds patients people persons participants subjects cases controls deaths "
    r"copies cells beats miles kilomet(?:er|re)s feet inches meters? thousand hundred million billion times tablets? pills? "
    r"doses? proof fold over_\w+ (?:to|by)_(?:one|two|three|four|five|six|seven|eight|nine|\d) out_of rooms? beds? street "
    r"avenue road floor>>"
)
_OF_LIFE = after(r"[ ]?(?:[.,;:!?)]|$|\n)|[ ]<<of_(?:age|life) old and with in on when who at as but she he is was>>\b")
_VITAL = before(
    r"\b<<hr heart pulse bp pressure systolics? diastolics? sats? spo2 o2 oxygen rates? temp(?:erature)? glucose sugar ef "
    r"fraction percentile score scored scale level at_about room bed lasix dose weigh(?:s|ed)? weight height by over_by times x "
    r"map>>\b[^.\n]{0,16}"
)
_NAMED = before(
    r"(?:^|[\n.;:(,][ ]{0,2})|\b<<is was at turned turns turning now of age aged almost nearly about past over reached "
    r"until at_age lived lives pt patient she he i am>>[ ]"
)
_ROUND = before(
    r"\b<<he she patient pt who i>>[ ]<<is was turned turns am>>[ ](?:<<now almost nearly about past over aged>>[ ])?"
    r"|\b<<turned aged age_of age is_now is_almost is_nearly lived_to>>[ ]"
)
_OWNED = before(r"\b(?:his|her|their|my|your|patient['’]s|['’]s)[ ]")
_INTO_DECADE = before(r"\b(?:his|her|their|my|your|aged?|ages)[ :=]{1,3}(?:the )?")
_LIFE_AFTER = after(r"[ ](?:of[ ](?:his|her|their|my)?[ ]?(?:life|age)|old)\b")
_ALSO_OVER = before(
    r"\b<<he she who patient pt is was man woman lady gentleman male female well aged age people>>,?[ ](?:well )?"
)


def spelled(ctx: guards.AgeContext) -> bool:
    """Exclude what counts or measures something."""
    if not ctx.age.over_89 or _THING.match(ctx.after) or _VITAL.search(ctx.before):
        return False
    return bool(_OF_LIFE.match(ctx.after) and _NAMED.search(ctx.before))


def spelled_round(ctx: guards.AgeContext) -> bool:
    """Require a person as well: `ninety` and `one hundred` are doses and rates too."""
    return spelled(ctx) and _ROUND.search(ctx.before) is not None


def long_life(ctx: guards.AgeContext) -> bool:
    """Exclude durations, follow-up, stays."""
    if ctx.age.over_89 and _LIFE_AFTER.match(ctx.after):
        return True
    if not ctx.age.over_89 or cues.DURATION_BEFORE.search(ctx.before) or cues.DURATION_AFTER.match(ctx.after):
        return False
    return _OF_LIFE.match(ctx.after) is not None


def owned(ctx: guards.AgeContext) -> bool:
    """Require a person whose year or decade it is."""
    return ctx.age.low >= 18 and bool(_OWNED.search(ctx.before))


def lived_decades(ctx: guards.AgeContext) -> bool:
    """Require a life or an age that the decades are of."""
    if "life" in ctx.text or ctx.text.lower().endswith(("old", "age")):
        return True
    return bool(_LIFE_AFTER.match(ctx.after) or _INTO_DECADE.search(ctx.before) or _OWNED.search(ctx.before))


def not_vital(ctx: guards.AgeContext) -> bool:
    """Exclude a pulse, a pressure, what is counted."""
    return not (cues.VITAL.search(ctx.before) or _THING.match(ctx.after) or cues.COUNTED.match(ctx.after))


def over(ctx: guards.AgeContext) -> bool:
    """Require a person; exclude a pulse, a pressure, what is counted."""
    return ctx.age.high >= 89 and not_vital(ctx) and bool(_ALSO_OVER.search(ctx.outer_before))


_LIFE = r"(?:[ ](?:old|of[ ](?:(?:his|her|their|my)[ ])?(?:life|age)))"
FROM_NUMBER: tuple[AgeRule, ...] = (
    age_rule("nth birthday in words", guards.birthday, rf"(?P<span>(?P<ordinal>{_ORDINAL}))(?=[ ]b(?:irth)?-?day)"),
    age_rule(
        "nth year", owned, rf"(?P<span>{_NTH}[ ]year)(?![\w-])(?![ ]of[ ](?!(?:age|(?:his|her|their|my)?[ ]?life)\b))"
    ),
    age_rule(
        "nth decades",
        lived_decades,
        rf"(?P<span>(?:{_NTH}|(?P<small>{'|'.join(SMALL)}))[ -](?P<nth_decade>decade){_LIFE}?)(?!\w)",
    ),
    age_rule(
        "decades", lived_decades, rf"(?P<span>(?P<n>\d{{1,2}}|{CARDINAL})[ -](?P<decades>decades?){_LIFE}?)(?!\w)"
    ),
    age_rule(
        "n units of life",
        long_life,
        r"(?P<span>(?P<n>\d{1,2},\d{3}|\d{4,5})[ -]?(?P<unit>months?|mos?|weeks?|wks?|days?))(?!\w)",
    ),
    age_rule("n.n years", long_life, rf"(?P<span>(?P<n>\d{{2,3}}[.,]\d{{1,2}}){J}(?P<unit>years?|yrs?))(?!\w)"),
    age_rule(
        "n and twelfths", long_life, r"(?P<span>(?P<n>\d{2,3})[ ]\d{1,2}/12(?:[ ](?P<unit>y|yrs?|years?))?)(?![\w/])"
    ),
    age_rule("n in words", spelled, rf"(?P<span>(?P<n>{_OVER}))(?![\w-])"),
    age_rule("round n in words", spelled_round, r"(?P<span>(?P<n>ninety|(?:a|one)[ -]hundred))(?![\w-])"),
    age_rule(
        "n-something",
        not_vital,
        rf"(?P<span>(?P<n>[2-9]0|{'|'.join(TENS)})(?:[- ]?(?:ish|something)|[- ]odd(?=[- ]year))"
        r"(?:[- ]years?(?:[- ]olds?)?)?)(?!\w)",
    ),
    age_rule(
        "n in other languages",
        guards.none,
        r"(?P<span>(?P<n>\d{1,3})[ -]{0,2}(?:jahre[ ]alt|j[äa](?:e)?hrige?[rnsm]?|anni|ans|a[ñn]os|jaar(?:[ ]oud)?))(?!\w)",
    ),
)
FROM_CUE: tuple[AgeRule, ...] = (
    age_rule("y/o n", guards.near_sex, r"(?:y/?o|y\.o\.)[: ]{1,3}(?P<span>(?P<n>\d{1,3})[MF]?)(?![\w%°/]|[.,]\d)"),
    age_rule(
        "age n decades",
        guards.cued,
        rf"(?P<span>(?:aged?|ages)[ :=]{{1,3}}(?P<n>\d{{1,2}}|{CARDINAL})[ -](?P<decades>decades?))(?!\w)",
    ),
    age_rule(
        "aetatis n", guards.cued, r"(?:aet(?:at(?:is)?)?|æt(?:at(?:is)?)?)\.?[ ]{1,2}(?P<span>(?P<n>\d{1,3}))(?!\w)"
    ),
)
FROM_LIMIT: tuple[AgeRule, ...] = (
    age_rule("over n", over, rf"(?:over|above|past)[ ](?P<span>(?P<n>\d{{2,3}}|{CARDINAL}))(?![\w%°/]|[.,]\d)"),
)
FROM_WILL: tuple[AgeRule, ...] = (
    age_rule("will be over n", guards.turned, rf"will[ ]be[ ](?P<span>(?P<n>\d{{2,3}}|{CARDINAL}))(?![\w%°/]|[.,:]\d)"),
)
FROM_LIVED: tuple[AgeRule, ...] = (
    age_rule(
        "lived to be n",
        guards.turned,
        rf"lived[ ]to[ ](?:be[ ])?(?P<span>(?P<n>\d{{2,3}}|{CARDINAL}))(?![\w%°/]|[.,:]\d)",
    ),
)
PLACES = (
    rf"\b(?:{_ORDINAL})\b",
    rf"\b(?:\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(SMALL)})\s(?:year|decade)",
    rf"\b(?:\d{{1,2}}|{CARDINAL})[ -]decades?\b",
    r"\b(?:\d{1,2},\d{3}|\d{4,5})[ -]?(?:month|mo|week|wk|day)",
    r"\b\d{2,3}\s\d{1,2}/12",
    r"\b(?:ninety|hundred)\b|\bone\shundred\b",
    rf"\b(?:[2-9]0|{'|'.join(TENS)})[- ]?(?:ish|something|odd)\b",
    r"\b\d{1,3}[ -]{0,2}(?:jahre|j[aä]e?hrig|anni\b|ans\b|a[nñ]os\b|jaar)",
    r"\b(?:y/?o|y\.o\.)[: ]{1,3}\d|(?:aet|æt)(?:at(?:is)?)?\.?\s\d",
    rf"\b(?:over|above|past|will\sbe|lived\sto|lived\sto\sbe)\s(?:\d|{CARDINAL})",
)
"""Patterns for google-re2 of the places where such an age may begin."""
