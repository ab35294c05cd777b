"""Finds initials that stand for a person: of who dictated and typed, of a signature, after a role, of a name in the text."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

from ...pipeline.storage.lazy_regex import lazy_regex
from ...typesystem import PhiKind
from ..dates.windows import encodable
from ..patterns.gate import Gate
from . import words
from .cues import CUES, NOT_INITIALS, TITLE
from .token_context import NameSpan, TokenContext

_TYPED = lazy_regex(
    r"(?<![\w/.-])([A-Z]{2,4})[/:]([a-z]{2,4}|[A-Z]{2,4})(?![\w/])|(?<![\w/.-])([a-z]{2,4})/([a-z]{2,4})(?![\w/])"
)
"""`TEC/mdq`, `RKT/mjs`, `jrw/pb`: who dictated and who typed."""
_TYPING = lazy_regex(r"\b[DT]:|[Dd]ict|[Tt]rans|\bDD\b|\b[Jj]ob\b")
_SIGNED = lazy_regex(r"(?:^|\n)[ \t]*[-–—/]?[ \t]?([A-Z]{2,4})[ \t]*(?=\n[ \t]*\n|\n?\s*\Z)")
"""Capitals alone in the last line of a paragraph."""
_DASHED = lazy_regex(r"(?:(?<=\s)[-–—~]{1,2} ?([A-Z]{2,3}|[a-z]{2,3}))(?=[.)\]]?[ \t]*(?:\n|\Z))")
"""`... -DW` at the end of a line."""
_BRACKETED = lazy_regex(r"\(([a-z]{2,4})\)(?=\s*(?:\n|\Z))")
_ROLE = (
    r"\b(?:[Tt]ech|[Tt]echnologist|[Ss]onographer|RN|rn|[Ii]nitials?|[Tt]yped|[Dd]ict(?:ated)?|[Ss]igned|dr|Dr|[Aa]ttending|QC"
    r"|[Ii]njected by|[Cc]hecked by|[Dd]ispensed|[Tt]ranscribed|SPI|physiol|corrected by|seen w/|d/w)"
)
_ROLED = lazy_regex(
    rf"{_ROLE}(?:[ ]*[:=][ ]*|[ ]+)([A-Z]{{2,3}}|(?<=: )[a-z]{{2,3}}|(?<=RN )[a-z]{{2}}|(?<=ing )[a-z]{{2}})(?![\w'/.-])"
)
_WHO = r"\b(?i:pt|patient|subject|initials|mr|mrs|ms|child|baby|client|participant)\b[ .:(]{0,3}"
_PATIENT = lazy_regex(rf"{_WHO}((?:[A-Z][.-][ ]?){{1,3}}[A-Z]\.?|[A-Z]\.)(?![\w-])")
_FAMILIES = (
    (_TYPED, 0.7, "dictated and typed"),
    (_SIGNED, 0.6, "initials that sign"),
    (_DASHED, 0.5, "initials that sign"),
    (_BRACKETED, 0.5, "initials that sign"),
    (_ROLED, 0.45, "initials after a role"),
    (_PATIENT, 0.7, "initials of a patient"),
)
_END = r"(?:[^\w'/.-]|\z)"
_QUICK = (
    r"(?:^|[^\w/.-])(?:[A-Z]{2,4}[/:](?:[a-z]{2,4}|[A-Z]{2,4})|[a-z]{2,4}/[a-z]{2,4})(?:[^\w/]|\z)",
    r"(?:^|\n)[ \t]*[-–—/]?[ \t]?[A-Z]{2,4}[ \t]*(?:[^ -~\t]|\z)",
    r"[-–—~] ?(?:[A-Z]{2,3}|[a-z]{2,3})[.)\]]?[ \t]*(?:\n|\z)",
    r"\([a-z]{2,4}\)",
    rf"{_ROLE}(?:(?:[ ]*[:=][ ]*|[ ]+)[A-Z]{{2,3}}|[ ]*: [a-z]{{2,3}}){_END}|\b(?:RN|[Aa]ttending) [a-z]{{2}}{_END}",
    rf"{_WHO}[A-Z][.-]",
)
"""For each family, in the same order, what google-re2 finds wherever the family matches: most texts have few of them, and `re`
tries each pattern at every character."""


@functools.cache
def _gate() -> Gate:
    return Gate(_QUICK)


def _occurring(text: str) -> Iterable[int]:
    """Return the numbers of the families that can occur in the text."""
    return _gate().occurring(encodable(text).encode())


_BLOCKED = frozenset(word for word, bits in CUES.items() if bits & NOT_INITIALS) | frozenset(
    "and the for not you was her his she him but our out day one two all any had has how may new now old see "
    "way who did get let "
    "say too use yes end off per via add due ago far few led low met ran set sit six ten tip top try wet won "
    "mom dad son bed arm "
    "leg eye ear toe lip gut fat bad good done ok na tbd tbc nil neg pos rpt prn ptl kub cxr axr usg usd gbp "
    "eur aud nzd cad inr "
    "ed er or icu ccu micu sicu nicu picu pacu hdu itu mau sau amu opd ipd gp hv sw cm nok poa dnar stat eob "
    "end cont pto rto rtc "
    "rtw fyi asap fwd re cc bcc enc att sos svt vt vf af nsr sr lbbb rbbb st pvc pac bpm rr hr bp bm bs bsl "
    "bgl cbg hb hct wbc plt "
    "inr ptt crp esr tsh ldl hdl alt ast alp ggt ck bnp ldh psa cea afp hcg ana anca mr ct pet dexa echo ecg "
    "eeg emg ncs llc llp "
    "inc ltd plc pty usa uk eu nhs va cdc fda who hse ndis acc ihs usps ups dhl fax tel mob ext ph po im iv sc sl pr pv ng ett "
    "ve ing pt pta ot rd fd hc pg oa pd ps lof opa roi hd lpa rwt ib ig rmo cps aos spo pod pacer ii iii iv vi "
    "vii viii ix xi xii".split()
)


def find_initials(doc: TokenContext) -> Iterator[NameSpan]:
    """Yield initials of people, each with its confidence."""
    occurring = _occurring(doc.text)
    names = _initials_of_names(doc) if occurring else frozenset[str]()
    for pattern, confidence, rule in map(_FAMILIES.__getitem__, occurring):
        for match in pattern.finditer(doc.text):
            for group in range(1, len(match.groups()) + 1):
                if match.group(group) is not None and (pattern is not _TYPED or _is_typed(doc, match, names)):
                    span = _span(doc, match.start(group), match.end(group), confidence, rule, names)
                    if span:
                        yield span


def _is_typed(doc: TokenContext, match: re.Match[str], names: frozenset[str]) -> bool:
    """Return True if a line about dictation has the initials, or they end a line after a name with these initials."""
    begin = doc.text.rfind("\n", 0, match.start()) + 1
    end = doc.text.find("\n", match.end())
    line = doc.text[begin : end if end >= 0 else len(doc.text)]
    if _TYPING.search(line):
        return True
    letters = (match.group(1) or "").lower()
    ends = not doc.text[match.end() : end if end >= 0 else len(doc.text)].strip(" .)")
    return ends and bool(letters) and (letters in names or not doc.text[begin : match.start()].strip(" \t("))


def _span(
    doc: TokenContext, begin: int, end: int, confidence: float, rule: str, names: frozenset[str]
) -> NameSpan | None:
    letters = "".join(filter(str.isalpha, doc.text[begin:end])).lower()
    known = letters in names
    if rule == "initials of a patient":
        if letters in ("i", "a") or (letters in _BLOCKED and "." not in doc.text[begin:end]):
            return None
        if len(letters) == 1 and doc.text[begin:end] != doc.text[begin:end].upper():
            return None
    elif (
        letters in _BLOCKED
        or not letters
        or (begin < end and doc.lists.facts[letters] >> words.LEVEL > 1)
        or (rule == "initials that sign" and doc.text[begin - 1] == "(" and doc.lists.facts[letters] & ~words.UNKNOWN)
    ):
        return None
    elif (
        rule != "dictated and typed"
        and not known
        and letters == doc.text[begin:end]
        and rule != "initials after a role"
    ):
        confidence -= 0.15
    if len(letters) == 1:
        end = begin + 1
    first = doc.token_at(begin)
    last = doc.token_at(end - 1) + 1
    if first < 0 or last <= 0 or doc.bit(first) & TITLE:
        return None
    raised = confidence + 0.2 if known else confidence
    return NameSpan(begin, end, PhiKind.PERSON_INITIALS, round(raised, 2), rule, first, last)


def _initials_of_names(doc: TokenContext) -> frozenset[str]:
    """Return the initials of neighboring capitalized words of the text, in small letters."""
    found = set[str]()
    for i in doc.shown:
        run = "".join(form[0] for form in doc.forms[i : i + 4] if form[:1].isupper() and form.isalpha()).lower()
        found.update((run[:2], run[:3]))
    return frozenset(found)
