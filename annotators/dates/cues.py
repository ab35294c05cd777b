"""Words around an expression that suggest a date: prepositions, events, clock times, lists, births and deaths."""

from __future__ import annotations

from .windows import after, anywhere, before

_FREE = r"(?<![\w-])"
_ABOUT = r"(?:or[ ]about[ ]|about[ ]|around[ ]|approximately[ ]|approx\.?[ ]?|or[ ]around[ ])?"
_PART = "(?:morning|evening|night|afternoon|day|week|date)_of"
_STAGE = "(?:end|beginning|start|middle)_of"
_PREPOSITIONS = "on since until untill till? by from thru through"
_MONTH_STARTS = "jan feb mar apr may jun jul aug sep oct nov dec"

STRONG = before(
    f"{_FREE}<<on since until untill till? dated? as_of starting started starts beginning began thru through dob "
    r"d\.o\.b\.? exp expiry expires? expiration onset lmp edd edc eta admitted discharged received vaccinated "
    f"administered due effective {_PART} today yesterday tomorrow tonight date_of_[a-z]{{3,12}} "
    "appointment appt scheduled_for visit seen this_(?:am|pm) d/c born died death birth>>"
    rf"(?: date)?[ \t:,(=-]{{1,3}}(?:the )?{_ABOUT}"
)
"""Prepositions and words before a date."""
WEAK = before(
    rf"(?:^|\n|[(\[:;•*>|]|[.!?][ ]|[ ][-–][ ])[ \t\"'(]{{0,4}}|{_FREE}<<by from to before after between and or & in "
    r"of during for again next last this the around about approximately approx\.? sometime noted given dose vaccine "
    r"shot labs test(?:ed)? report late early mid>>[ \t:,(-]{1,3}"
)
SIGNED = after(r"[)\]:]|,?[ ]\(?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|[ ]?[-–—=][ ]?[A-Za-z]|[ ]?-{1,2}>")
"""Text after a date in a list: `3/18 - received`, `(3/18)`, `3/18: fever`."""
FOLLOWED = after(r";|\.?$|\.\s|,? <<pt patient he she i we they with when while which where until to through and>>\b")
"""Text that follows dates as well as other numbers."""
CLOCK_BEFORE = before(r"(?:\d[ ]?[ap]\.?m?\.?|\d:\d\d|noon|midnight)[ ,;@-]{0,3}(?:on |of )?")
CLOCK_AFTER = after(
    r"[ ,]{0,3}(?:-[ ]?)?(?:@|at |around |about )?[ ]?(?:\d{1,2}(?::\d\d)?[ ]?[ap]\.?m\b|\d{1,2}:\d\d|[ap]m\b|noon\b|"
    r"midnight\b)"
)
NOTED = before(
    r"\b<<addendum arrives? arrived informed called caught huddle board log update xr ct mri us cxr labs? opd clinic "
    r"interp booked review out in til till until stopped ceased opened closed placed mtg meeting re-?meet due appt "
    r"given fitted treated since last next pap "
    "shots? died quit smoking started surgery seen from early late leave extubated repeat ss until week_of wk_of "
    "fitted fell levels? "
    r"uds emg made_for postponed_to meeting sheet_of printed end given_here disrupted uec held>>[ \t:]{1,2}"
)
"""Words in short notes that a date often follows."""
DATED = before(
    r"<<dated? dob d\.o\.b\.? birth_?date born exp(?:iry|ires|iration)?(?:_date)? date_of_[a-z]{3,12} dod on>>"
    r"[ \t:=(-]{1,4}(?:the |is |was )?"
)
"""Words that only a date follows: enough evidence for digits that could be another number."""

BIRTH = before(
    r"\b<<dob d\.o\.b\.? date_of_birth birth_?date born birthday bday b-day d\.?o\.?b>>"
    r"(?: (?:is|was|on|in|of))?[ \t:=(,/-]{0,4}(?:on |in |the |is |was |a )?"
)
BIRTH_AFTER = after(r"[ ,]{0,2}\(?(?:dob|date of birth|year of birth)\b|[ ]?[-–][ ]?born\b")
_LATER = "(?: <<is was on in of am le el il em op the year about around circa ca.>>)*"
BORN = before(
    r"(?:(?<![\w.])<<dob d\.o\.b\.? yob y\.o\.b\.? (?:date|day|year|month)_of_birth birth(?:_|-)?(?:date|day|year) born b\.? "
    rf"bday b-day née? nee geb(?:oren|\.)? nacid[oa] nat[oa] nascid[oa] fecha_de_nacimiento geboortedatum "
    rf"geburtsdatum>>{_LATER}"
    r"|(?:^|[\s(,;])[*✶])[ \t:=(,/-]{0,4}(?:<<on in the le el am year>> )*"
)
"""Words and signs before a birth date or year, in more languages; not enough to tell a date from other numbers."""
NTH_BIRTHDAY = before(
    r"\b(?:\d(?:st|nd|rd|th)|[a-z]+(?:th|st|nd|rd))[ ]b(?:irth)?-?day(?: party)?(?: <<is was on in of this last next>>)*"
    r"[ \t:=(,/-]{0,4}"
)
"""A birthday that is celebrated, not the day of the birth."""
EPOCH = before(
    r"(?<![A-Za-z])(?:time|time[ ]?stamp|ts|epoch|unix(?:[ ]time)?|created|updated|modified|date(?:time)?|utc|posix"
    r"|recorded|received|sent|signed|\w+\x5f(?:at|on|ts|time|date))[\"']?[ \t]{0,2}(?:[:=(@]|is|was|at)?[ \t\"']{0,2}"
)
"""Words before seconds since 1970."""
DEATH = before(
    r"\b<<dod date_of_death died deceased passed(?:_away)? death pronounced_dead time_of_death>>"
    r"(?: (?:on|in|was|is|date))?[ \t:=(,/-]{0,4}(?:on |in |the |is |was |at home on |suddenly on |peacefully on )?"
)

MONTH_CUE = before(
    f"{_FREE}<<in during of before after between last next this late early mid around about {_PREPOSITIONS} "
    r"approximately approx\.? sometime_in back_in every each dated? starting beginning to and or &>>[ \t-]{1,2}"
)
MONTH_STRONG = before(
    f"{_FREE}<<in since until til till during last late early mid through thru sometime_in back_in as_of "
    rf"{_STAGE} (?:month|part|week)_of>>[ \t-]{{1,2}}"
)
MONTH_ENDS = after(r"[.,;:)/]|[ ]?$|[ ]?\n|[ ](?:w/|with)\b")
"""Text after a month at the end of a clause: `next mammogram Oct.`"""
MONTH_THEN_MONTH = after(rf"[ ]?[-–—/][ ]?<<{_MONTH_STARTS}>>[a-z]{{0,6}}\b")
YEAR_CUE = before(
    rf"{_FREE}<<in since until till? during by of from before after between around about circa ca\.? c\. years? late "
    "early mid back_in summer winter spring fall autumn pre post through thru to and or dated? diagnosed dx s/p "
    r"surgery prior_to calendar_year annual season christmas easter copyright © et_al\.?,? class_of>>"
    r"[ \t:(,-]{1,3}(?:the year |the )?"
)
YEAR_STRONG = before(
    rf"{_FREE}<<in since during circa year late early mid back_in pre post prior_to class_of>>"
    r"[ \t(-]{1,2}(?:the year )?"
)
SHORT_YEAR_CUE = before(
    f"{_FREE}<<in since of circa around back_in until from by early late mid during spring summer fall winter autumn>>"
    r"[ \t-]{1,2}"
)
_NO_VALUE = "".join(rf"(?<!{w} )" for w in "was were is are been be ran running now low high".split())
DECADE_CUE = before(rf"{_NO_VALUE}\b(?:back in|in|since|during|from|until)[ ]the[ ]")
SEASON_CUE = before(
    f"{_FREE}<<in(?:_the)? during(?:_the)? last this next since(?:_last|_the)? until by early late mid each that "
    rf"previous past before after {_STAGE}(?:_the)? through(?:_the)? over_the (?:of|for)_the>>"
    r"[ \t-]{1,2}"
)
FALL_CUE = before(rf"<<in_the late early mid {_STAGE}(?:_the)? during_the>>[ \t-]{{1,2}}")
FALL_AFTER = after(r"[ ](?:semester|season|term|of (?:that|last|the) year|months?|quarter)\b")

_THE = rf"[ \t]{{1,2}}(?:{_ABOUT}|about |either )(?:the[ \t]{{1,2}})?"
ORDINAL_STRONG = before(
    f"{_FREE}<<on until till since by {_PART} as_of dated? from booked leave see_you d/c discharged? extubated "
    rf"mon tues? weds? thu(?:rs?)? fri sat sun>>{_THE}"
)
ORDINAL_CUE = before(
    f"{_FREE}<<before after around about of or and dated? as_of either between to {_PREPOSITIONS}>>{_THE}"
)
ORDINAL_CONTEXT = before(r"(?:night|evening|morning|afternoon),? (?:the )?|\bthe[ \t]{1,2}")
ORDINAL_FREE = after(
    r"[.,;:!?)\]\"'→-]|[ \t]{1,3}(?:[-–(]|inst\b|noc|new paragraph|\d{1,2}[ap]m\b)"
    r"|\s*$|[ \t]{0,2}\n|[ \t]{1,3}(?:@|<<and or at with in_the i he she we they "
    "it the my his her patient pt when while but which who because around about after before until for to "
    "of_(?:this|that|last|the)_month of_each an? by from had was is as so then started began felt noticed went that "
    r"where due if not no onwards proning bloods evening morning night afternoon noon since without this there>>\b)"
)
"""Text that may follow a day of the month; a noun would make it a count."""
ORDINAL_THEN_MONTH = after(
    rf"[ ,]{{0,2}}(?:and|or|to|through|-|–|&)[ ]?(?:the )?\d{{1,2}}(?:st|nd|rd|th)(?:[ ]of)?[ ]<<{_MONTH_STARTS}>>"
)
ORDINAL_DAY_PART = after(r"[ \t]{1,2}(?:evening|morning|night|afternoon)\b")
WEEKDAY_CUE = before(
    rf"{_FREE}<<last next this to and or every past late early after before {_PREPOSITIONS}>>"
    r"[ \t]{1,2}|(?:^|\n|[(;*•]|[.!?][ ]{1,2})[ \t]{0,3}|,[ ]"
)
WEEKDAY_STRONG = before(rf"{_FREE}<<on last next this since until past by>>[ \t]{{1,2}}")
VITALS = anywhere(
    "<<hr heart pulse bp b/p pressure systolic diastolic sats? spo2 o2 oxygen rate temp(?:erature)?s? degrees "
    "glucose sugars? bpm weight resp(?:irations)? rr map>>"
)
"""Measurements whose values are also in the eighties and nineties."""
