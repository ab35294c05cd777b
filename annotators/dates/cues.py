"""Words around a hit that speak for or against a date: measures, scores, prepositions, clock times, numbers of things."""

from __future__ import annotations

import re

BEFORE = 48
AFTER = 32
"""How far the guards look, in code points."""


def before(pattern: str) -> re.Pattern[str]:
    """Matches text that ends where the hit begins."""
    return re.compile(rf"(?:{pattern})\Z", re.IGNORECASE)


def after(pattern: str) -> re.Pattern[str]:
    """Matches text that begins where the hit ends."""
    return re.compile(pattern, re.IGNORECASE)


_PLURALS = (
    "patients|pts|people|persons|subjects|participants|cases|controls|deaths|cells|steps|calories|kcals?|copies|women|men|males|"
    "females|children|infants|adults|samples|volunteers|individuals|residents|employees|reports|records|events|episodes|visits|"
    "occasions|attempts|doses|injections|tablets|pills|capsules|drops|puffs|sprays|units|times|points|beats|breaths|miles|feet|"
    "inches|stitches|sutures|staples|bottles|cans|glasses|cups|dollars|euros|pounds|kilos|grams|students|nurses|doctors|"
    "vaccines|vaccinations|vaccinees|genes|mutations|species|bases|hospitals|centers|centres|families|lesions|nodules|nodes|"
    "stools|seizures|falls|shots|jabs|others|items|questions|pages|words|lines|joules|centigrays?"
)
_TIMES = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|nights?|days?|weeks?|wks?|months?|mos?|years?|yrs?|yo|y/o)"
_MEASURES = (
    r"mg|mgs|mcg|µg|μg|ug|ng|pg|kg|kgs|gm|gms|grams?|ml|mls|cc|ccs|dl|lit(?:er|re)s?|iu|meq|mmol|mol|mm|mmhg|cm|cms|km|lbs?|oz|"
    r"bpm|gauge|ga|degrees?|deg|celsius|fahrenheit|percent|pct|rpm|mph|hz|khz|mhz|kda|bp|kb|mb|gy|cgy|watts?|volts?|kj|"
    r"cal|kcal|h|psi|ppm|fps|amps?|gtts?|tabs?|caps?|u/|g/|l/|mile|foot|inch|unit"
)
COUNTED = after(rf"[ \t\xa0-]{{0,2}}(?:(?:%|°|º|℃|℉)|(?:{_MEASURES}|{_PLURALS}|{_TIMES}|units?)(?![\w/]|-old))")
"""The figure before counts or measures something: `mg`, `patients`, `days`, `%`."""
CLOCK = after(r"[ \t\xa0]?(?:[:.]\d|(?:a|p)\.?m\b|[ap]\b(?!\.\w)|o['’]?clock|h\b|hrs?\b|hours?\b|noon\b)")
"""The figure before is an hour: `7am`, `10:30`, `1930 hrs`."""
CLOCK_BEFORE = before(r"(?:\d[ ]?[ap]\.?m?\.?|\d:\d\d|noon|midnight)[ ,;@-]{0,3}(?:on |of )?")
CLOCK_AFTER = after(
    r"[ ,]{0,3}(?:-[ ]?)?(?:@|at |around |about )?[ ]?(?:\d{1,2}(?::\d\d)?[ ]?[ap]\.?m\b|\d{1,2}:\d\d|[ap]m\b|noon\b|midnight\b)"
)

LISTED = after(r"[ ]?(?:,|&|and|or)[ ]?\d")
"""More days of the same month follow: `January 6, 13 and 20`."""

STRONG = before(
    r"(?:(?<![\w-])(?:on|since|until|untill|till?|dated?|as of|starting|started|starts|beginning|began|thru|through|dob|d\.o\.b\.?|"
    r"exp|expiry|expires?|expiration|onset|lmp|edd|edc|eta|admitted|discharged|received|vaccinated|administered|due|effective|"
    r"(?:morning|evening|night|afternoon|day|week|date) of|today|yesterday|tomorrow|tonight|date of [a-z]{3,12}|"
    r"appointment|appt|scheduled for|visit|seen|this (?:am|pm)|d/c|born|died|death|birth)"
    r"(?: date)?[ \t:,(=-]{1,3}(?:the |about |around |approximately |approx\.? ?|or about |or around )?)"
)
"""Prepositions and words that a date follows."""
WEAK = before(
    r"(?:^|\n|[(\[:;•*>|]|[.!?][ ]|[ ][-–][ ])[ \t\"'(]{0,4}|(?<![\w-])(?:by|from|to|before|after|between|and|or|&|in|of|during|for|again|"
    r"next|last|this|the|around|about|approximately|approx\.?|sometime|noted|given|dose|vaccine|shot|labs|test(?:ed)?|report|"
    r"late|early|mid)[ \t:,(-]{1,3}"
)
FOLLOWED = after(
    r"[)\]:;]|[ ]?[-–—=][ ]?[A-Za-z]|[ ]?-{1,2}>|,? (?:pt|patient|he|she|i|we|they|with|when|while|which|where|until|to|through|and)\b|\.?$|\.\s"
)
"""What often stands after a date in a list: `3/18 - received`, `(3/18)`, `3/18: fever`."""

SCORE = before(
    r"(?:\b(?:scales?|scor(?:e[ds]?|ing)|rat(?:ed?|es|ing)|grad(?:e[ds]?|ing)|stages?|class|apgars?|gcs|mmse|moca|gds|nihss|"
    r"phq-?\d?|gad-?7?|strength|motor|power|mrs|reflex(?:es)?|dtrs?|pulses?|murmurs?|acuity|vision|snellen|va|a1c|hba1c|ratio|dilution|"
    r"titers?|titres?|bp|b/p|b\.p\.|pressure|systolic|sat(?:s|uration)?|lot|batch|no\.|number|#|nodes?|lns?|orientation|oriented|"
    r"mallampati|nyha|asa|birads|bi-rads|gleason|karnofsky|ecog|version|v\.|page|pg|pp?\.|section|chapter|figure|fig\.?|table|part|"
    r"cycle|week|x|every|another|half|lead|box|items?|questions?|channel|ports?|level|levels|rib|ribs|digits?|toes?|fingers?|"
    r"cranial nerves?|cn|wbcs?|rbcs?|hgb|hct|plts?|bun|cr|creat(?:inine)?|inr|esr|crp|abg|vbg|alt|ast|session|module|round|phase|vol(?:ume)?\.?|hydrocodone|norco|percocet|vicodin|lotrel|vytorin|advair|symbicort|exforge|benicar|hct|hctz)"
    r"[ \t:=(-]{0,3}(?:is |was |were |of |at |as |a |an |now |about |around |still |up |to |with |r |l |ou |od |os |[-–,] ?){0,3})"
)
"""Scores, gradings, ratios, pressures, numbers of things: the figures after are no date."""
PAIN = re.compile(
    r"\b(?:pain|severity|intensity|discomfort|scale|rat(?:e[ds]?|ing)|headache|migraine|soreness|ache|cramp(?:s|ing)?|itch(?:ing)?|tenderness|strength)\b",
    re.IGNORECASE,
)
FRACTION_AFTER = after(
    r"[ \t-]{0,2}(?:of\b|out of|the\b|an? |tab|tsp|tbsp|tea|table|cup|bottle|pill|cap|dose|strength|murmur|systolic|sem\b|hsm\b|inch|way|hour|hr|"
    r"day|week|month|year|mile|pack|ppd|amp|normal|ns\b|pint|glass|size|full|empty|time|done|thick|life|lives|strong|"
    r"positive|neg|node|ln\b|lymph|patient|subject|case|case|step|stage|bilat|through|throughout|in (?:all|both|upper|lower)|pain|severity|intensity|"
    r"ratio|dilution|daily|qd|qhs|q\d|bid|tid|prn|po\b|pulses?|edema|pitting|reflexes?|\(\d{1,3}(?:\.\d+)?[ ]?%|%|\+|lb|kg|mg|mcg|g\b|ml|mm)"
)
"""What follows a fraction or a score."""
WEIGHTY_AFTER = after(
    r"[ \t-]{0,2}(?:of (?:the|a|an|his|her|my|all|normal|them|patients)\b|tab|tsp|tbsp|cup|pill|cap\b|caps|strength|murmur|sem\b|inch|hours?|"
    r"nodes?\b|lns?\b|lymph|patients|subjects|cases|\(\d{1,3}(?:\.\d+)?[ ]?%|%|mg|mcg|ml\b|mm|kg|units?|qd|qhs|bid|tid|prn|po\b|daily)"
)
"""The part of these that no date is followed by."""
NUMBER_OF = before(
    r"(?:(?<![a-z/])(?:case|report|ref|reference|id|ids|no|nos|number|num|nr|lot|batch|mrn|chart|account|acct|serial|ssn|"
    r"phone|tel|telephone|fax|pager|cell|code|zip|ndc|icd|pmid|nct|doi|isbn|patent|claim|policy|order|invoice|specimen|accession|sample|"
    r"study|protocol|trial|subject|control|model|device|catalog|cat|part|rx|script|room|rm|bed|suite|ste|unit|apt|apartment|"
    r"building|bldg|box|floor|flight|bus|route|highway|hwy|ext|extension|section|iso|iec|astm|rfc|cfr|version|ver|release|page|pages|"
    r"line|item|article|pp?|pg|vol|volume|form|docket|ticket|badge|employee|member|group|plan|license|licence|plate|lipofectamine|windows|office|server|npi|dea|vin|imei|udi|gtin|kit|vial|#)"
    r"(?:(?: (?:no|nos|number|num|nr|id|code|#))?[.:#=]{0,2}[ \t]{0,2}(?:is |was |of |are )?[-#:(]{0,2})|#[ ]?|[№§$€£¥][ ]?)"
)
"""Numbers of cases, lots, rooms, charts: no date, whatever they look like."""
DATED = before(
    r"(?:dated?|dob|d\.o\.b\.?|birth ?date|born|exp(?:iry|ires|iration)?(?: date)?|date of [a-z]{3,12}|dod|on)[ \t:=(-]{1,4}(?:the |is |was )?"
)

BIRTH = before(
    r"(?:\b(?:dob|d\.o\.b\.?|date of birth|birth ?date|born|birthday|bday|b-day|d\.?o\.?b)"
    r"(?: (?:is|was|on|in|of))?[ \t:=(,/-]{0,4}(?:on |in |the |is |was |a )?)"
)
BIRTH_AFTER = after(r"[ ,]{0,2}\(?(?:dob|date of birth)\b")
DEATH = before(
    r"(?:\b(?:dod|date of death|died|deceased|passed(?: away)?|death|pronounced dead|time of death)"
    r"(?: (?:on|in|was|is|date))?[ \t:=(,/-]{0,4}(?:on |in |the |is |was |at home on |suddenly on |peacefully on )?)"
)

MONTH_CUE = before(
    r"(?<![\w-])(?:in|since|until|till?|during|by|of|from|through|thru|before|after|between|last|next|this|late|early|mid|around|about|"
    r"approximately|approx\.?|sometime in|back in|every|each|dated?|starting|beginning|to|and|or|&)[ \t-]{1,2}"
)
MONTH_STRONG = before(
    r"(?<![\w-])(?:in|since|until|during|last|late|early|mid|through|thru|sometime in|back in|(?:end|beginning|start|middle|month|part|week) of|as of)[ \t-]{1,2}"
)
MODAL_AFTER = after(
    r"[ \t]{1,3}(?:be|have|has|not|need|also|or may|cause|help|lead|require|include|occur|take|get|result|contain|want|experience|indicate|"
    r"still|consider|try|repeat|return|resume|start|use|go|do|of been|see|give|represent|reflect|suggest|develop|benefit|increase|decrease|"
    r"continue|become|come|feel|make|receive|he|she|i|we|you|they|it|the|this|that|well|very|never|even|only|just|to|into|on|in place|out|against|"
    r"fracture|patient|forward|back|ahead|up|down)\b"
)
PERSON_BEFORE = before(
    r"\b(?:mr|mrs|ms|miss|dr|nurse|named|name is|name:|aunt|sister|daughter|wife|mother|friend|dear)\.?[ ,]{1,2}(?:[A-Z][a-z]+[ ])?"
)

YEAR_CUE = before(
    r"(?<![\w-])(?:in|since|until|till?|during|by|of|from|before|after|between|around|about|circa|ca\.?|c\.|year|years|late|early|mid|back in|summer|"
    r"winter|spring|fall|autumn|pre|post|through|thru|to|and|or|dated?|diagnosed|dx|s/p|surgery|prior to|calendar year|annual|season|"
    r"christmas|easter|copyright|©|et al\.?,?|class of)[ \t:(,-]{1,3}(?:the year |the )?"
)
YEAR_STRONG = before(
    r"(?<![\w-])(?:in|since|during|circa|year|late|early|mid|back in|pre|post|prior to|class of)[ \t(-]{1,2}(?:the year )?"
)
YEAR_CLOCK_BEFORE = before(
    r"(?:@|\bat(?: approximately| approx\.?| about| around)?|\bhours?|\btime:?|\btimed?)[ ]{0,2}"
)
YEAR_CLOCK_AFTER = after(
    r"[ \t]{0,2}(?:hrs?\b|hours?\b|h\b|[ap]\.?m\b|on \d|on (?:the )?(?:same|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:that|last|the same) (?:night|evening|day)|tonight|today)"
)
YEAR_STREET_BEFORE = before(
    r"\b(?:rua|rue|via|calle|avenida|av|carrera|plaza|piazza|corso|viale)\.?[ ](?:[^\W\d_]+\.?[ ]){1,4}|"
    r"[^\W\d_]{3,}(?:straße|strasse|str\.|gasse|weg|allee|platz|gatan|vägen|straat|laan|vej|utca|plein)[ ]"
)
YEAR_NAME_AFTER = after(
    r"[ \t]{1,2}(?:\d{1,4}[ ])?(?:[NSEW]\.?[ ])?(?:[A-Z][a-z]+\.?[ ]){1,2}(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Dr|Drive|Ln|Lane|Ct|Court|Pl|Place|Way|Pkwy|Hwy)\b"
)
SHORT_YEAR_CUE = before(
    r"(?<![\w-])(?:in|since|of|circa|around|back in|until|from|by|early|late|mid|during|spring|summer|fall|winter|autumn)[ \t-]{1,2}"
)
DECADE_CUE = before(
    r"(?<!was )(?<!were )(?<!is )(?<!are )(?<!been )(?<!be )(?<!ran )(?<!running )(?<!now )(?<!low )(?<!high )(?:\bback in|\bin|\bsince|\bduring|\bfrom|\buntil)[ ]the[ ]"
)
PULSE_AFTER = after(r"[ ,]{0,2}(?:on\b|systolic|/|%|bpm|degrees|and was|at rest|with exertion|to |-)")
VITALS = re.compile(
    r"\b(?:hr|heart|pulse|bp|b/p|pressure|systolic|diastolic|sats?|spo2|o2|oxygen|rate|temp(?:erature)?s?|degrees|glucose|sugars?|bpm|weight|resp(?:irations)?|rr|map)\b",
    re.IGNORECASE,
)
SEASON_CUE = before(
    r"(?<![\w-])(?:in(?: the)?|during(?: the)?|last|this|next|since(?: last| the)?|until|by|early|late|mid|(?:end|beginning|start|middle) of(?: the)?|through(?: the)?|"
    r"over the|each|that|previous|past|before|after|(?:of|for) the)[ \t-]{1,2}"
)
FALL_CUE = before(r"(?:in the|(?:late|early|mid)|(?:end|beginning|start|middle) of(?: the)?|during the)[ \t-]{1,2}")
FALL_AFTER = after(r"[ ](?:semester|season|term|of (?:that|last|the) year|months?|quarter)\b")
SEASON_VETO = after(
    r"[ \t]{1,2}(?:asleep|down|on|onto|off|out|from|into|back|risk|precautions|injury|water|roll|onion|loaded|mattress|coil|hill|field|street|st|park|lake|valley|house|branch|gardens?)\b"
)
ORDINAL_CUE = before(
    r"(?<![\w-])(?:on|by|until|till?|since|from|thru|through|before|after|around|about|of|or|and|dated?|as of|either|between|to)[ \t]{1,2}(?:or about |around |about |either )?(?:the[ \t]{1,2})?"
)
ORDINAL_STRONG = before(
    r"(?<![\w-])(?:on|until|till|since|by|(?:morning|evening|night|afternoon|day|week) of|as of|dated?|from)[ \t]{1,2}(?:or about |around |about |either )?(?:the[ \t]{1,2})?"
)
ORDINAL_CONTEXT = before(r"(?:night|evening|morning|afternoon),? (?:the )?|\b(?:the)[ \t]{1,2}")
ORDINAL_FREE = after(
    r"(?:[.,;:!?)\]\"'-]|[ \t]{1,3}-|\s*$|[ \t]{0,2}\n|[ \t]{1,3}(?:and|or|at|@|with|in the|i|he|she|we|they|it|the|my|his|her|patient|pt|when|while|but|which|who|because|around|"
    r"about|after|before|until|for|to|of (?:this|that|last|the) month|of each|a|an|by|from|had|was|is|as|so|then|started|began|felt|noticed|went|that|"
    r"\(|where|due|if|evening|morning|night|afternoon|noon|since|without|this|there)\b|[ \t]{1,3}\()"
)
ORDINAL_VETO = after(
    r"[ \t]{0,2}(?:,|and|or|&|to|-)[ \t]{0,2}(?:the )?\d{1,2}(?:st|nd|rd|th)[ \t]+(?!and\b|or\b|of\b|at\b|i\b|he\b|she\b|the\b|with\b|when\b)[a-z]|[^.;]{0,24}\bcentur"
)
ORDINAL_THEN_MONTH = after(
    r"[ ,]{0,2}(?:and|or|to|through|-|–|&)[ ]?(?:the )?\d{1,2}(?:st|nd|rd|th)(?:[ ]of)?[ ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
PAIR_BEFORE = before(r"\d{1,3}/\d{1,3}(?:,| and| or|,? then| now| to|;|[ ]?->)?[ ]{1,2}")
FALL_EVENT = before(
    r"(?:\b(?:a|s/p|post|after|from|mechanical|accidental|recent|had|unwitnessed|witnessed|level|another|his|her|my|due to|with|of|ground)[ ])"
)
ORDINAL_DAY_PART = after(r"[ \t]{1,2}(?:evening|morning|night|afternoon)\b")
WEEKDAY_CUE = before(
    r"(?<![\w-])(?:on|last|next|this|since|until|till?|by|from|through|thru|to|and|or|every|past|late|early|after|before)[ \t]{1,2}|(?:^|\n|[(;*•]|[.!?][ ]{1,2})[ \t]{0,3}|,[ ]"
)
WEEKDAY_STRONG = before(r"(?<![\w-])(?:on|last|next|this|since|until|past|by)[ \t]{1,2}")
FREQUENCY = before(r"(?<![\w-])(?:every(?: other)?|each|per|alternate)[ \t]{1,2}")
WEEKDAY_VETO = after(
    r"[ \t]{0,2}(?:%|\d{2,3}[ ]?%|\d{2}\b(?!st|nd|rd|th)|screen|exposure|burn|light|block|down|up|in (?:the|a|my|his|her)|on (?:the|a|my|his|her)|at (?:the|a)|there|with|for|city|rays|monitor|probe)"
)
HOLIDAY_VETO = after(
    r"[ \t-]{1,2}(?:disease|factor|tree|trees|island|islands|lights?|seals?|bunny|eggs?|lily|cactus|carol|card|cards|hospital|pattern|rose|party trick|sweater)\b"
)
SINGLE = before(r"(?:^|[^\w])")
