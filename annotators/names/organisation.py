"""Finds organisations that can locate a person: hospitals, pharmacies, schools, employers; by lists and by cue words."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues
from . import words as w
from .cues import listed
from .found import Found, span_of
from .other import is_product
from .shape import CAPITAL, LETTER, SHOUT, SMALL
from .sheet import Sheet
from .words import Words

_KINDS = {
    "hospital": PhiKind.LOCATION_HOSPITAL,
    "pharmacy": PhiKind.ORGANIZATION_PHARMACY,
    "store": PhiKind.ORGANIZATION_PHARMACY,
    "school": PhiKind.ORGANIZATION_SCHOOL,
    "university": PhiKind.ORGANIZATION_SCHOOL,
}
_GENERIC = listed(
    "regional general community county city local memorial university children's childrens central national state "
    "medical health emergency urgent walk-in walk in family primary specialty speciality women's womens men's public "
    "private outpatient inpatient covid covid-19 vaccine vaccination vaccinations testing dental eye pain wound sleep "
    "cancer heart stroke trauma rehabilitation rehab mental behavioral psychiatric surgical surgery teaching referral "
    "district rural acute long term care home nursing veterans skilled senior assisted living allergy cardiology flu "
    "travel immunization occupational employee student drive through thru mobile pop-up mass retail specialist "
    "diabetes infusion retirement another other nearest nearby same new main big small large military us our my their "
    "his her the a an this that and of at to from for department dept patient doctor pediatric pediatrics internal "
    "medicine neurology radiology high middle elementary secondary primary grade nursery preschool business trade "
    "parent holding drug grocery food"
)
_LINKS = listed("of and & the for at de la du del di st . 's ’s")
_AT = listed("at from to in by via through near outside inside")
_WORK = listed("works worked working work employed employee job employer")
_SHORT_FOR = listed("general memorial regional baptist presbyterian methodist lutheran mercy children's medical")
_WORK_AT = frozenset(["at", "for", "by", "with"])
_KNOWN = w.ORGANISATION | w.ORGANISATIONS_BEGIN
_CUED = w.ORGANISATION_CUE | w.CUES_BEGIN
_BEGINS = _KNOWN | _CUED
_WEAK_KINDS = frozenset(["company", "public", "society"])


class Organisations:
    """The rules for one document."""

    def __init__(self, sheet: Sheet, words: Words) -> None:
        self.sheet = sheet
        self.words = words
        self.makers = words.lists["not_organizations"]

    def find(self) -> Iterator[Found]:
        """Candidates with their confidence; spans may overlap."""
        sheet = self.sheet
        bits, last = sheet.bits, sheet.size - 5
        for i, f in sheet.hot_facts:
            if f & w.SURNAME and i <= last and sheet.forms[i + 1] == "," and bits[i] & CAPITAL:
                yield from self._partners(i)
            if not f & _BEGINS:
                continue
            small = bits[i] & SMALL
            if f & _KNOWN and not (small and f >> w.LEVEL > 1 and not sheet.small):
                yield from self._listed(i, f)
            if f & _CUED and i and (not small or bits[i - 1] & (CAPITAL | SHOUT) or sheet.forms[i - 1] in ("'s", "’s")):
                yield from self._cued(i, f)
        for i in sheet.shown:
            if (
                i > 1
                and sheet.lowers[i - 1] in _WORK_AT
                and bits[i] & (CAPITAL | SHOUT)
                and sheet.lowers[i - 2] in _WORK
            ):
                yield from self._employer(i, sheet.facts(i))
            if sheet.lowers[i] in _SHORT_FOR and i > 1 and sheet.near(i - 1):
                yield from self._short(i)

    def _listed(self, i: int, facts: int) -> Iterator[Found]:
        """An organisation of the list, the longest name first."""
        sheet = self.sheet
        if sheet.bit(i - 1 - (sheet.form(i - 1) == ".")) & cues.TITLE:
            return
        length, entry = self.words.longest("organizations", sheet.tokens(i, 6 if facts & w.ORGANISATIONS_BEGIN else 1))
        if entry is not None:
            last = i + length
            if is_product(sheet, last):
                return
            capital = sheet.bits[i] & (CAPITAL | SHOUT)
            if last == i + 1 and (entry.ambiguous or facts >> w.LEVEL >= 2):
                before = sheet.form(i - 1).lower()
                confidence = 0.6 if capital and before in _AT and not sheet.starts(i) else 0.25 if capital else 0.0
            elif capital:
                confidence = 0.85
            else:
                confidence = 0.7 if last > i + 1 or not facts >> w.LEVEL else 0.0
            if confidence:
                yield span_of(
                    sheet, i, last, _KINDS.get(entry.kind, PhiKind.ORGANIZATION), confidence, "known organisation"
                )

    def _cued(self, i: int, facts: int) -> Iterator[Found]:
        """A name that ends with a cue: `Mercy Medical Center`, `St. Mary's Hospital`, `University of Qwertz Hospital`."""
        sheet = self.sheet
        length, entry = self.words.longest("organization_cues", sheet.tokens(i, 4 if facts & w.CUES_BEGIN else 1))
        if entry is None:
            return
        last = i + length
        if sheet.bits[i] & SMALL and entry.kind in _WEAK_KINDS:
            return
        first, telling = self._left(i)
        if sheet.forms[i] == "surgery" and (sheet.facts(i - 1) & w.EPONYM or sheet.form(first - 1).lower() != "at"):
            return  # an operation: `Whipple surgery`
        more = last
        if sheet.form(last).lower() in ("of", "at") and sheet.bit(last + 1) & CAPITAL and sheet.bits[i] & CAPITAL:
            k = last + 1
            while k < sheet.size and sheet.bits[k] & CAPITAL and self._tells(k) and sheet.near(k - 1):
                k += 1
            if k > last + 1 and not sheet.facts(last + 1) & w.BLOCKED:
                more, telling = k, max(telling, 2)
        if first == i and more == last:
            return
        if not telling or self._is_maker(first, more):
            return
        base = 0.85 if telling > 1 else 0.65
        if entry.kind in _WEAK_KINDS:
            base -= 0.1 if not entry.ambiguous else 0.4 if telling < 2 else 0.2
        elif entry.ambiguous:
            base -= 0.1
        yield span_of(sheet, first, more, _KINDS.get(entry.kind, PhiKind.ORGANIZATION), base, f"cue {entry.kind}")

    def _left(self, i: int) -> tuple[int, int]:
        """The first token of the name before a cue, and how telling its words are: 2 a name, 1 a capitalised word, 0 none."""
        sheet = self.sheet
        first = k = i
        telling = 0
        while k > 0 and i - k < 9 and sheet.near(k - 1):
            j = k - 1
            form, bits = sheet.forms[j], sheet.bits[j]
            if bits & (CAPITAL | SHOUT | LETTER):
                if sheet.starts(j) and self._plain(j) and not (sheet.bits[i] & CAPITAL and self._opens_line(j)):
                    break
                if bits & (cues.TITLE | cues.CREDENTIAL) and form not in ("St",):
                    break
                if bits & SHOUT and self._plain(j):
                    break
                first = j
                telling = max(telling, 2 if self._tells(j) else 0 if self._plain_term(j) else 1)
            elif form.lower() in _LINKS and j and (sheet.bits[j - 1] & (CAPITAL | SHOUT | LETTER) or form in "'s’s"):
                if form == "." and not (sheet.bits[j - 1] & LETTER or sheet.forms[j - 1] in ("St", "Mt", "Ste", "Ft")):
                    break
                if form in ("and", "&") and sheet.facts(j - 1) & w.ORGANISATION_CUE:
                    break
                if form in ("the", "at", "for") or (
                    form in ("of", "and", "&") and sheet.starts(j - 1) and self._plain(j - 1)
                ):
                    break
            else:
                break
            k = j
        return first, telling

    def _opens_line(self, j: int) -> bool:
        """Whether a line begins with token j that can be a name, as a letterhead does."""
        sheet = self.sheet
        if not sheet.facts(j) & (w.CITY | w.NAME | w.UNKNOWN):
            return False
        return j == 0 or "\n" in sheet.between(j - 1)

    def _tells(self, j: int) -> bool:
        """Whether a word is a name, a place or unknown, and so makes an organisation a certain one."""
        facts, form = self.sheet.facts(j), self.sheet.forms[j].lower()
        if form in _GENERIC or facts & (w.BLOCKED | w.DEMONYM):
            return False
        return (
            bool(facts & (w.OFTEN | w.STATE | w.COUNTRY | w.CITY | w.UNKNOWN))
            and facts >> w.LEVEL < 2
            and (not self.sheet.bits[j] & SHOUT or len(form) > 3)
        )

    def _plain_term(self, j: int) -> bool:
        """Whether a word adds nothing: generic, a brand, a term, an abbreviation."""
        sheet = self.sheet
        form = sheet.forms[j]
        if form.lower() in _GENERIC or sheet.bits[j] & LETTER:
            return True
        if sheet.bits[j] & SHOUT:
            return not sheet.shouted
        facts = sheet.facts(j)
        entry = self.makers.has(form)
        return entry or bool(facts & w.TERM) or facts >> w.LEVEL > 2

    def _plain(self, j: int) -> bool:
        """Whether a word at the start of a sentence owes its capital to that: `Called Mercy Hospital`."""
        facts = self.sheet.facts(j)
        return facts >> w.LEVEL >= 2 or bool(facts & w.BLOCKED) or self.sheet.forms[j].lower() in _GENERIC

    def _is_maker(self, first: int, last: int) -> bool:
        """Whether the name holds a drug maker, a brand or a regulator."""
        sheet = self.sheet
        pieces = [p for i in range(first, last) if "-" in sheet.forms[i] for p in sheet.forms[i].split("-")]
        return any(map(self.makers.has, pieces)) or any(
            self.makers.has(_phrase(sheet, i, j))
            for i in range(first, last)
            for j in range(i + 1, min(i + 3, last) + 1)
        )

    def _employer(self, i: int, facts: int) -> Iterator[Found]:
        """`works at Qwertz`, `employed by Qwertz`."""
        sheet = self.sheet
        last = i
        while last < sheet.size and sheet.bits[last] & (CAPITAL | SHOUT) and (last == i or sheet.near(last - 1)):
            last += 1
        if not self._is_maker(i, last) and not facts & w.TERM:
            yield span_of(sheet, i, last, PhiKind.ORGANIZATION_EMPLOYER, 0.65, "employer")

    def _short(self, i: int) -> Iterator[Found]:
        """A hospital called by the first words of its name: `at Mercy General`."""
        sheet = self.sheet
        first = i
        while first and sheet.bits[first - 1] & CAPITAL and sheet.near(first - 1) and i - first < 3:
            first -= 1
        telling = first < i and sheet.form(first).lower() not in _GENERIC and not sheet.facts(first) & w.TERM
        if telling and sheet.form(first - 1).lower() in _AT:
            yield span_of(sheet, first, i + 1, PhiKind.LOCATION_HOSPITAL, 0.55, "short name of a hospital")

    def _partners(self, i: int) -> Iterator[Found]:
        """`Willis, Hill and Hoffman`: a firm by its partners."""
        sheet = self.sheet
        names = (i, i + 2, i + 4)
        if sheet.form(i + 3).lower() not in ("and", "&") or i + 4 >= sheet.size:
            return
        if not all(sheet.bits[j] & CAPITAL and sheet.facts(j) & w.SURNAME for j in names):
            return
        if any(sheet.facts(j) & w.OFTEN_GIVEN and not sheet.facts(j) & w.OFTEN_SURNAME for j in names):
            return
        yield span_of(sheet, i, i + 5, PhiKind.ORGANIZATION, 0.6, "partners")


def _phrase(sheet: Sheet, first: int, last: int) -> str:
    return " ".join(sheet.text[sheet.begins[first] : sheet.ends[last - 1]].split())
