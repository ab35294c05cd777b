"""Finds hospitals, practices, homes, schools, churches, employers and insurers by suffix words, and cues before them."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, words
from .cues import CAPITAL, LETTER, SHOUT, SMALL, listed
from .site_words import DEPARTMENTS, GENERIC, LABELS, SUFFIXES, VERBS, WITHOUT_SUFFIX
from .token_context import NameSpan, TokenContext, span_of

_SHOWN = CAPITAL | SHOUT | LETTER
_LINKS = listed("of and & the at for de la du del di des el na am im do da dos das y e + -")
_QUOTES = frozenset(["'s", "’s", "'", "’"])
_SAINTS = listed("St Saint Ste Sankt Sint San Santa Santo ST SAINT")
_OF = listed("of am im de del la der di . do da das dos św")
_OWNERS = listed("children women")
_PREFIXES = listed("royal queen princess prince uss hms")
_TELLING = frozenset([*SUFFIXES, *LABELS, *VERBS, *_OWNERS, *_PREFIXES, *map(str.lower, _SAINTS)])
"""The words in small letters that tell a site; most tokens are none of them."""
_DEPARTMENT = listed("department dept division section associate manager pre-admission prompt")
_SPECIALTIES = ("ology", "ologic", "iatric", "iatrics", "paedics", "pedics", "iology")
_STOPS = cues.TITLE | cues.CREDENTIAL | cues.NEVER
_LOUD = listed("hospital clinic center centre infirmary school church pharmacy elementary college university imaging")
_ENDS = frozenset("H C MC GH CH HC RH".split())


def find_sites(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield sites and organizations with their confidence; they may overlap."""
    found: list[NameSpan] = []
    for i in [i for i, low in enumerate(doc.lowers) if low in _TELLING]:
        low = doc.lowers[i]
        kind = SUFFIXES.get(low)
        if low in _OWNERS and doc.form(i + 1) in _QUOTES:
            kind = PhiKind.LOCATION_HOSPITAL
        if (
            (kind is not None and (span := _before_suffix(doc, i, kind)))
            or (low in LABELS and doc.form(i + 1) in (":", "=") and (span := _labeled(doc, i, LABELS[low])))
            or (low in VERBS and (span := _after_verb(doc, i)))
            or (low in _PREFIXES and (span := _prefixed(doc, i)))
            or (doc.forms[i] in _SAINTS and (span := _saint(doc, i)))
        ):
            found.append(span)
    yield from found
    yield from _abbreviated(doc, found)


def _before_suffix(doc: TokenContext, i: int, kind: PhiKind) -> NameSpan | None:
    """Return the capitalized words that end with the suffix at token i: `Oak Mesa Care & Rehab`, `CEDAR BLUFF HOSPITAL`."""
    bits = doc.bits[i]
    if bits & SMALL and not doc.small and not (doc.bit(i - 1) & CAPITAL or doc.form(i - 1) in _QUOTES):
        return None
    last = _last(doc, i + (doc.lowers[i] in _OWNERS))
    kind = SUFFIXES.get(doc.lowers[last - 1], kind)
    first, telling, words_seen = _first(doc, i)
    if bits & SMALL and doc.lowers[i] not in (
        "hospital",
        "clinic",
        "hospice",
        "school",
        "church",
        "college",
        "pharmacy",
        "lodge",
    ):
        return None
    if not telling or first == i:
        return _of(doc, i, kind) if not telling and bits & _SHOWN else None
    single = words_seen == 1 and telling < 2 and kind is not PhiKind.LOCATION_HOSPITAL
    if doc.starts(first) and "\n" not in doc.between(first - 1) and single and first:
        return None
    if bits & SHOUT and not doc.shouted and telling < 2 and (doc.lowers[i] not in _LOUD or doc.bit(last) & SHOUT):
        return None
    confidence = 0.75 if telling > 1 else 0.55
    if bits & SMALL or doc.lowers[i] in WITHOUT_SUFFIX:
        confidence -= 0.15
    return span_of(doc, first, last, kind, confidence, "suffix of a site")


def _of(doc: TokenContext, i: int, kind: PhiKind) -> NameSpan | None:
    """Return `Hospital of Qwertz`, `Klinikum am Eichenhain`, `Ospedale Vito Fazzi`, `Szpital im. Rydygiera`."""
    k = i + 1
    while doc.lowers[k : k + 1] and doc.lowers[k] in _OF and (doc.forms[k] != "." or doc.lowers[k - 1] in ("im", "św")):
        k += 1
    if k == i + 1 and doc.lowers[i] not in (
        "ospedale",
        "szpital",
        "klinikum",
        "clinica",
        "hospital",
        "hôpital",
        "clsc",
        "upa",
        "vamc",
        "chc",
    ):
        return None
    end = k
    while end < doc.size and end < k + 4 and doc.bits[end] & CAPITAL and doc.near(end - 1) and not _is_plain(doc, end):
        end += 1
    if end == k or k - i > 3 or doc.facts(k) & (words.TERM | words.MONTH):
        return None
    return span_of(doc, i, end, kind, 0.6, "site and place")


def _last(doc: TokenContext, i: int) -> int:
    """Return the end of the site whose suffix is at token i, with further suffixes: `Care & Rehab`, `Hospital of New Mexico`."""
    last = i + 1
    while last < doc.size and doc.near(last - 1) and "\n" not in doc.between(last - 1):
        low = doc.lowers[last]
        if low in SUFFIXES and doc.bits[last] & _SHOWN:
            last += 1
        elif low in ("&", "and", "of", "-") and doc.bit(last + 1) & (CAPITAL | SHOUT) and doc.near(last):
            following = doc.lowers[last + 1]
            if not (
                following in SUFFIXES
                or (low == "of" and doc.facts(last + 1) & (words.CITY | words.STATE | words.PLACES_BEGIN))
            ):
                break
            last += 2
            while (
                low == "of"
                and doc.bit(last) & (CAPITAL | SHOUT)
                and doc.facts(last) & (words.CITY | words.STATE)
                and doc.near(last - 1)
            ):
                last += 1
        else:
            break
    return last


def _first(doc: TokenContext, i: int) -> tuple[int, int, int]:
    """Return the first token of the site before its suffix, its evidence (2: a name, 1: a word, 0: none), its words."""
    first = k = i
    telling = seen = 0
    loud = doc.bits[i] & SHOUT and not doc.shouted
    while k > 0 and i - k < 9 and doc.near(k - 1) and "\n" not in doc.between(k - 1):
        j = k - 1
        form, bits, facts = doc.forms[j], doc.bits[j], doc.facts(j)
        low = doc.lowers[j]
        if bits & _SHOWN:
            if (
                (bits & _STOPS and form not in _SAINTS)
                or low in DEPARTMENTS
                or facts & words.MONTH
                or (loud and not bits & SHOUT and i - j > 1)
            ):
                break
            if facts >> words.LEVEL > 2 and bits & CAPITAL and low not in _LINKS:
                break
            if doc.starts(j) and bits & (cues.NAMED | cues.BY | cues.PERSON_VERB):
                break
            if doc.starts(j) and facts >> words.LEVEL > 1 and not _opens_line(doc, j) and not facts & words.OFTEN:
                break
            first = j
            if low not in GENERIC and low not in SUFFIXES and not bits & LETTER:
                seen += 1
                telling = max(telling, _evidence(doc, j, facts))
        elif (form in _QUOTES and bits == bits & ~_SHOWN and j and doc.bits[j - 1] & _SHOWN) or (
            form == "." and j and doc.forms[j - 1] in ("St", "Mt", "Ste", "Ft", "ST", "Govt", "Dr")
        ):
            pass
        elif low in _LINKS and j and doc.bits[j - 1] & _SHOWN and first < i + 1 and form not in ("the", "at", "for"):
            if form in ("and", "&", "-") and (doc.lowers[j - 1] in DEPARTMENTS or doc.lowers[j - 1] in _LOUD):
                break
        else:
            break
        k = j
    return first, telling, seen


def _evidence(doc: TokenContext, j: int, facts: int) -> int:
    if facts & words.TERM or (facts & words.DEMONYM and not facts & words.OFTEN):
        return 0
    if facts & (words.OFTEN | words.CITY | words.STATE | words.UNKNOWN | words.NAME) and facts >> words.LEVEL < 2:
        return 2
    return 1 if facts >> words.LEVEL < 3 else 0


def _opens_line(doc: TokenContext, j: int) -> bool:
    return j == 0 or "\n" in doc.between(j - 1) or doc.begins[j] - doc.ends[j - 1] > 1


def _is_plain(doc: TokenContext, j: int) -> bool:
    """Return True if a capitalized word cannot be part of a name: a department, a role, a term, a month."""
    facts, low = doc.facts(j), doc.lowers[j]
    return (
        low in DEPARTMENTS
        or bool(facts & (words.TERM | words.MONTH))
        or bool(doc.bits[j] & _STOPS)
        or facts >> words.LEVEL > 2
    )


def _labeled(doc: TokenContext, i: int, kind: PhiKind) -> NameSpan | None:
    """Return the capitalized words after `Facility:`, `Employer:`, `Insurance:`."""
    k = i + 2
    if k >= doc.size or "\n" in doc.between(k - 1) or not doc.bits[k] & (CAPITAL | SHOUT):
        return None
    end, telling = _phrase(doc, k)
    return span_of(doc, k, end, kind, 0.55, "label of a site") if telling else None


def _phrase(doc: TokenContext, k: int) -> tuple[int, int]:
    """Return the end of the capitalized words at token k, and whether they can be the name of a site."""
    end, telling = k, 0
    while end < doc.size and end < k + 8 and (end == k or (doc.near(end - 1) and "\n" not in doc.between(end - 1))):
        bits = doc.bits[end]
        if bits & (CAPITAL | SHOUT | LETTER):
            if _is_plain(doc, end) and doc.lowers[end] not in SUFFIXES:
                break
            if doc.lowers[end] not in GENERIC and not (bits & SHOUT and not doc.shouted and len(doc.forms[end]) < 3):
                telling = max(telling, _evidence(doc, end, doc.facts(end)))
        elif (
            (doc.lowers[end] in ("and", "&") and doc.lowers[end - 1] in _LOUD)
            or (doc.forms[end] == "." and not (doc.forms[end - 1] in _SAINTS or doc.bits[end - 1] & LETTER))
            or (
                not (
                    end > k
                    and (doc.lowers[end] in _LINKS or doc.forms[end] in _QUOTES or doc.forms[end] == ".")
                    and doc.bit(end + 1) & _SHOWN
                    and doc.near(end)
                )
                and not (doc.forms[end] in ("'s", "’s") and end > k)
            )
        ):
            break
        end += 1
    return end, telling


def _after_verb(doc: TokenContext, i: int) -> NameSpan | None:
    """Return the site after `transferred from`, `works at`, `seen at`: neither a department nor a listed place."""
    verb, k = VERBS[doc.lowers[i]], i + 1
    if doc.lowers[k : k + 1] and doc.lowers[k] in (
        "care",
        "out",
        "back",
        "over",
        "up",
        "down",
        "there",
        "today",
        "job",
        "here",
    ):
        k += 1
    if k >= doc.size or doc.lowers[k] not in verb.links or not doc.near(k - 1):
        return None
    k += 1
    if doc.form(k) == "the":
        k += 1
    if k >= doc.size or not doc.near(k - 1) or not doc.bits[k] & (CAPITAL | SHOUT) or doc.bits[k] & _STOPS:
        return None
    if doc.bits[k] & SHOUT and not doc.shouted:
        form = doc.forms[k]
        if not (
            (3 < len(form) < 7 and form[-1] in "HC") or (verb.kind is not PhiKind.LOCATION_HOSPITAL and len(form) > 2)
        ):
            return None
        if (
            doc.facts(k) & (words.TERM | words.BLOCKED)
            or doc.lowers[k] in DEPARTMENTS
            or doc.bits[k] & cues.NOT_INITIALS
        ):
            return None
        return span_of(doc, k, k + 1, verb.kind, 0.45, "site after a verb")
    facts = doc.facts(k)
    if (facts & (words.STATE | words.COUNTRY | words.DEMONYM) and not facts & words.NAME) or doc.title_before(
        k
    ) is not None:
        return None
    end, telling = _phrase(doc, k)
    if (
        not telling
        or end == k
        or (
            end == k + 1
            and facts >> words.LEVEL > 1
            and doc.form(end)[:1].islower()
            and verb.kind is PhiKind.LOCATION_HOSPITAL
            and not facts & words.NAME
        )
    ):
        return None
    return span_of(doc, k, end, verb.kind, 0.45, "site after a verb")


def _prefixed(doc: TokenContext, i: int) -> NameSpan | None:
    """Return `Royal Columbian`, `Queen Ethelburga's`, `USS Tolliver`: a word of patrons and ships with a name."""
    if (
        not doc.bits[i] & (CAPITAL | SHOUT)
        or not doc.near(i)
        or not doc.bit(i + 1) & (CAPITAL | SHOUT)
        or _is_plain(doc, i + 1)
    ):
        return None
    ship = doc.forms[i] in ("USS", "HMS")
    if (doc.bits[i] & SHOUT and not (doc.shouted or ship)) or (
        doc.facts(i - 1) & words.NAME and doc.bit(i - 1) & CAPITAL
    ):
        return None
    end = i + 2
    owned = doc.form(end) in ("'s", "’s")
    at = doc.form(i - 1).lower() in ("at", "from", "to", "@", "in", "the", "(", "via", "of")
    if not (ship or owned or at):
        return None
    end += owned
    while doc.lowers[end : end + 1] and doc.lowers[end] in SUFFIXES and doc.bits[end] & _SHOWN and doc.near(end - 1):
        end += 1
    return span_of(doc, i, end, PhiKind.ORGANIZATION if ship else PhiKind.LOCATION_HOSPITAL, 0.5, "patron of a site")


def is_department(doc: TokenContext, span: NameSpan) -> bool:
    """Return True if no word of a span tells one site from another: `Pediatric Urology Clinic`, `Department of Cardiology`."""
    for i in range(span.first, span.last):
        low, bits = doc.lowers[i], doc.bits[i]
        if not bits & _SHOWN or low in GENERIC or low in DEPARTMENTS or low in SUFFIXES or low in _DEPARTMENT:
            continue
        if not (low.endswith(_SPECIALTIES) or doc.facts(i) & words.TERM):
            return False
    return (
        span.last > span.first + 1 or doc.lowers[span.first] in GENERIC or doc.lowers[span.first].endswith(_SPECIALTIES)
    )


def _saint(doc: TokenContext, i: int) -> NameSpan | None:
    """Return `St. Brigid's`: a saint with a possessive, or after `at`; no drug and no device."""
    k = i + 1 + (doc.form(i + 1) == ".")
    if not doc.bit(k) & (CAPITAL | SHOUT) or not doc.near(k - 1) or doc.facts(k) & words.TERM:
        return None
    owned = doc.form(k + 1) in ("'s", "’s", "'S", "’S") or doc.forms[k][-2:].lower() in ("'s", "’s")
    at = doc.form(i - 1).lower() in ("at", "from", "@", "to")
    if (not owned and not at) or (doc.form(i)[:3] == "San" and not at):
        return None
    end = k + 1 + (1 if doc.form(k + 1) in ("'s", "’s", "'S", "’S") else 0)
    if doc.form(end).lower() in ("wort", "dance", "disease", "fire", "valve", "icd"):
        return None
    while doc.lowers[end : end + 1] and doc.lowers[end] in SUFFIXES and doc.bits[end] & _SHOWN and doc.near(end - 1):
        end += 1
    return span_of(doc, i, end, PhiKind.LOCATION_HOSPITAL, 0.6, "saint")


def _abbreviated(doc: TokenContext, found: list[NameSpan]) -> Iterator[NameSpan]:
    """Yield the abbreviations of the sites found, wherever they occur: `Bluegrass Same Day Surgery (BSDS)`, `BSDS`."""
    short: dict[str, NameSpan] = {}
    for span in found:
        letters = "".join(f[0] for f in doc.forms[span.first : span.last] if f[:1].isupper())
        if span.confidence >= 0.5 and 3 <= len(letters) <= 6:
            short.setdefault(letters, span)
    if not short:
        return
    for i in doc.shown:
        form = doc.forms[i]
        if (
            form in short
            and doc.bits[i] & SHOUT
            and not doc.facts(i) & words.TERM
            and not doc.bits[i] & cues.NOT_INITIALS
        ):
            yield span_of(doc, i, i + 1, short[form].kind, 0.55, "abbreviation of a site")
