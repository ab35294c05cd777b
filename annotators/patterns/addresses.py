"""Filters for street addresses: clinical prose that only looks like one."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex
from .validators import hit_filter

_WORD = lazy_regex(r"(?<!\w)[^\W\d_][\w'’.-]*")
_NOT_STREETS = """
am pm jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october
november december mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday day days week weeks
month months year years hour hours minute minutes mg mcg ml mm cm patient patients pt pts subject subjects times time dose
doses tablet tablets capsule capsules unit units lead slice head chest abdominal abdomen pelvis brain spine cardiac repeat
contrast noncontrast hospital admitted seen saw called consulted discharged per by with and or then after before when since
during until rang tc phoned paged rung the a an of in on at to for from men women people children cases events nurses doctors
"""
_STOP = frozenset(_NOT_STREETS.split())
_CAPITAL_ONLY = """
drive way close place court walk row loop trail park circle grove square gardens garden mews quay parade cres crescent plaza
terrace st dr ct pl sq cir trl ter
"""
_NEED_CAPITAL = frozenset(_CAPITAL_ONLY.split())
_STREET_WORD = lazy_regex(
    r"\b(street|str|st|avenue|ave|av|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|plaza|square|sq|terrace|parkway"
    r"|pkwy|highway|hwy|freeway|turnpike|circle|cir|trail|way|alley|crescent|cres|close|gardens?|grove|loop|row|walk|mews|quay"
    r"|parade)\b",
    re.IGNORECASE,
)


@hit_filter("street_shape")
def street_shape(text: str) -> bool:
    """The words before the street word could be a name, and the street word is written like one.

    No months, units or clinical words; no word that ends a sentence; `Way`, `Dr`, `Court` only with a capital; `CT` and `ST`
    in capitals only after names in capitals.
    """
    names: list[str] = []
    for word in (m[0] for m in _WORD.finditer(text)):
        bare = word.rstrip(".")
        if names and _STREET_WORD.fullmatch(bare):
            if bare.lower() in _NEED_CAPITAL and bare[0].islower() and not text.islower():
                return False
            if all(len(n) == 1 and n not in "NSEW" for n in names):
                return False
            return not (bare.isupper() and len(bare) == 2 and not all(n.isupper() for n in names))
        if bare.lower() in _STOP or (word.endswith(".") and len(bare) > 3):
            return False
        names.append(bare)
    return True


@hit_filter("no_stop_word")
def no_stop_word(text: str) -> bool:
    """None of its words is a function word, a time or a clinical word."""
    return not any(word.rstrip(".").lower() in _STOP for word in _WORD.findall(text))


_ENGLISH = """
decade brigade decades arcade cascade barricade blockade investigate aggregate surrogate conjugate mitigate navigate delegate
irrigate propagate castigate fumigate colgate tailgate congregate segregate levorotate playhof
"""
_NOT_FOREIGN = frozenset(_ENGLISH.split())


@hit_filter("foreign_street_shape")
def foreign_street_shape(text: str) -> bool:
    """The word with the street word in it is not an English word (decade 3), and its number is not a year."""
    words = [w for w in _WORD.findall(text) if len(w) > 1]
    return bool(words) and not any(w.lower().rstrip(".") in _NOT_FOREIGN | _STOP for w in words[:2])


_NOT_PLACES = """
pathology radiology emergency er ed icu nicu picu ccu ward clinic unit department dept room bed floor phase stage grade type
level class group cohort arm visit cycle day dose part step zone covid baseline figure table section chapter version dr
doctor nurse hospice rehab surgery cardiology oncology neurology lab laboratory vaers fda cdc pfizer moderna janssen
"""
_PLACES_STOP = frozenset(_NOT_PLACES.split())


@hit_filter("address_words")
def address_words(text: str) -> bool:
    """Its words do not name a ward, phase, dose or company: sent to Pathology 3, moved to Phase 2."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    return bool(words) and not any(
        w in _PLACES_STOP or w in _STOP for w in words[:4] if w not in ("the", "and", "of", "corner")
    )


_NOT_SPANISH = """
oral intravenosa intramuscular subcutanea subcutánea endovenosa rectal venosa aerea aérea biliar urinaria transesofagica cada
central periferica periférica respiratoria sistemica sistémica tópica topica parenteral enteral inhalatoria anterior posterior
abordaje laparoscopica laparoscópica percutanea percutánea vaginal digestiva lagrimal excretora
"""
_SPANISH_STOP = frozenset(_NOT_SPANISH.split())


@hit_filter("spanish_street_shape")
def spanish_street_shape(text: str) -> bool:
    """Its words do not name a route of administration or anatomy (vía oral 5), and it does not begin with `c/o`, `c/w`."""
    if re.match(r"(?i)c/[a-z]\b|avd until\b", text) or re.search(r"[a-z][.] [0-9]", text[2:]):
        return False
    return not any(word.rstrip(".").lower() in _SPANISH_STOP for word in _WORD.findall(text))


_UNIT_ONLY = lazy_regex(r"(?i)(?:unit|suite|room|rm|level|block|house|lot|flat)\b")
_NOT_UNIT = """
affect line t-wave wave diastolic systolic mood score rate iv po prn left right normal admission bed ward surgery hospital
care response alert plan exam dose note cough pain start stop see per age male female trial nerve blood cell cells red white
packed prbc ffp
""".split()


@hit_filter("unit_shape")
def unit_shape(text: str) -> bool:
    """A flat, block or lot with a digit or a street word; none of its words is about a ward or an examination."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    if any(w in _NOT_UNIT or w in _PLACES_STOP - {"unit", "room", "clinic", "floor"} for w in words):
        return False
    return any(c.isdigit() for c in text) and not any(
        w in _STOP - {"unit", "lead", "the", "of", "in", "to"} for w in words
    )


_HOUSE_STOP = """
min mins minute sec bpm beats ml cc tabs caps puffs drops yo y yrs yr male female caucasian african american hispanic asian
white black french fr gauge blade scope prolene vicryl monocryl ethibond nylon silk chromic pds normal sinus steri strip
strips lidocaine marcaine stage grade degree degrees french foley kelly allis bovie keith blake jackson penrose view views
point points scale row rows hz khz kpa lpm fps mv ma park hill gate green bank
""".split()


@hit_filter("house_shape")
def house_shape(text: str) -> bool:
    """No unit, size, suture or instrument follows the number, and the number is not a clock time."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    allowed = {"of", "in", "the", "an", "am", "unit", "pt"} | ({"hospital"} if text[0].isalpha() else set())
    return bool(words) and words[0] not in _HOUSE_STOP[:-5] and not any(w in _STOP - allowed for w in words)


_NOT_NAMED = """
the a an this that my his her their our main one dr mr mrs ms prof nurse sister doctor nathan diane lois high-risk service rail
rocky tennis food basketball wall sesame abbey silk tobacco long bumpy on off off-road side
""".split()
_COURTS = frozenset(
    "immigration superior district county magistrates family youth crown high supreme federal circuit".split()
)


@hit_filter("bare_street")
def bare_street(text: str) -> bool:
    """The words before `Road`, `Lane`, `St` are neither a title nor a common word: The Road, Dr Lois Lane, Wall Street."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    if (words[-1] == "st" and len(words) < 2) or (words[-1] == "court" and words[0] in _COURTS):
        return False
    if words[-1] == "lane" and len(words) == 2 and words[0] in ("nathan", "diane", "lois"):
        return False
    return words[0] not in set(_NOT_NAMED) - {"main"} and "lane" not in words[:1]


_NOT_ON = """
hold file call calls the my our his her their a an it him them me us record chart discharge admission arrival exam monday
tuesday wednesday thursday friday saturday sunday weekend weekends jan feb mar apr may jun jul aug sep sept oct nov dec
january february march april june july august september october november december christmas easter thanksgiving antibiotics
oxygen insulin warfarin coumadin lasix lovenox eliquis xarelto plavix metformin lisinopril keppra abx iv po hospice dialysis
medicaid medicare disability leave campus site time tuesdays mondays fridays thursdays wednesdays top high low room ra tpn
o2 peds own waitlist list duty prn both new
""".split()


@hit_filter("on_street")
def on_street(text: str) -> bool:
    """The word after `on` is not a day, month, drug or state of things: Walgreens on Monday, CVS on hold, home on Lovenox."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    return bool(words) and words[0] not in _NOT_ON and not any(w in _STOP for w in words)


_NOT_LOWER = """
same this that main every each other another both either right left long open clear busy rocky next whole middle first
second third horizontal upsloping downsloping anterior inferior lateral with without his and any some more most less least
very quite just down minor major narrow wet icy dark private public high
""".split()


@hit_filter("lower_street")
def lower_street(text: str) -> bool:
    """Its words before the street word are neither adjectives nor of the electrocardiogram: on the open road, 2 mm lateral st."""
    words = [w.rstrip(".").lower() for w in _WORD.findall(text)]
    return len(words) > 1 and not any(w in _STOP or w in _NOT_LOWER for w in words[:-1])
