"""Where runs of words begin and end that can be a name: capitalised words, initials, particles between them."""

from __future__ import annotations

from . import cues
from . import words as w
from .cues import listed
from .shape import CAPITAL, LETTER, SHOUT, SMALL
from .sheet import Sheet

_ABBREVIATED = listed("St Ste Wm Chas Geo Jos Thos")
_DOTTED = listed("MD DO RN NP PA DDS DMD")
_SURE_PARTICLES = listed("van von der den de la del della di da dos du al el bin")


class Runs:
    """The runs of one document."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def end(self, i: int) -> int:
        """The end of the run of name-like tokens that begins at i; i where none does."""
        sheet, bits = self.sheet, self.sheet.bits
        j, size = i, sheet.size
        seen = False  # a whole word, not only initials
        while j < size and (j == i or (sheet.near(j - 1) and j not in sheet.sentence_starts)):
            b = bits[j]
            if b & (CAPITAL | SHOUT):
                if not self._may_name(j, first=j == i) and not (j > i and self._completes(j)):
                    break
                seen = True
                j += 1
                if sheet.form(j) == "." and sheet.form(j - 1) in _ABBREVIATED and sheet.bit(j + 1) & (CAPITAL | SHOUT):
                    j += 1
            elif b & LETTER:
                dotted = sheet.form(j + 1) == "." and sheet.near(j)
                if seen and dotted and sheet.form(j + 3) == "." and sheet.form(j) + sheet.form(j + 2) in _DOTTED:
                    break
                if not dotted and not (sheet.bit(j + 1) & (CAPITAL | SHOUT) or (seen and j > i)):
                    break
                if not dotted and sheet.forms[j] in "IA" and (not seen or not sheet.bit(j + 1) & (CAPITAL | SHOUT)):
                    break
                j += 2 if dotted else 1
            elif b & cues.PARTICLE and b & SMALL and seen:
                k = j + 1
                while k < size and k < j + 3 and sheet.bits[k] & cues.PARTICLE and sheet.bits[k] & SMALL:
                    k += 1
                if k < size and sheet.bits[k] & CAPITAL and self._may_name(k, first=False):
                    j = k
                else:
                    break
            else:
                break
        return j

    def after_title(self, i: int) -> int:
        """For `Mrs. van der Berg`: the first capitalised token after the particles that follow a title; 0 without any."""
        sheet = self.sheet
        j = i + 1 + (sheet.form(i + 1) == ".")
        first = j
        while sheet.bit(j) & cues.PARTICLE and sheet.bit(j) & (SMALL | SHOUT) and j < first + 3:
            j += 1
        return j if sheet.bits[i] & cues.TITLE and j > first and sheet.bit(j) & (CAPITAL | SHOUT) else 0

    def with_particles(self, first: int) -> int:
        """Where a name begins that has particles before it: `de la Cruz`."""
        sheet = self.sheet
        j = first
        while j and first - j < 3 and sheet.lowers[j - 1] in _SURE_PARTICLES and sheet.near(j - 1):
            j -= 1
        return j

    def _may_name(self, i: int, first: bool) -> bool:
        """Whether a capitalised token can be part of a name: no term, month, brand or plain word, no title."""
        sheet = self.sheet
        b, facts = sheet.bits[i], sheet.facts(i)
        if b & (cues.TITLE | cues.CREDENTIAL | cues.NEVER):
            return False
        if b & (cues.UNSURE_CREDENTIAL | cues.GENERATION) and not first:
            return False
        if facts & w.MONTH and first and not self._month_is_name(i):
            return False
        if b & (cues.RELATIVE | cues.PATIENT) and self._introduces(i, facts):
            return False
        if facts & w.BLOCKED:
            return first and self._may_name_all_the_same(i, facts)
        if b & (cues.WEAK_TITLE | cues.RELATIVE | cues.PATIENT) and not facts & w.OFTEN:
            return False
        if (
            b & SHOUT
            and not sheet.shouted
            and not (facts & w.NAME and facts >> w.LEVEL < 2 and len(sheet.forms[i]) > 2)
        ):
            return (
                first
                and bool(facts & (w.NAME | w.UNKNOWN))
                and (sheet.title_before(i) is not None or sheet.form(i - 1) == ":")
            )
        if facts & (w.COUNTRY | w.STATE | w.DEMONYM) and not facts & w.OFTEN:
            return False
        return bool(facts & (w.NAME | w.UNKNOWN | w.CITY)) or facts >> w.LEVEL == 0

    def _introduces(self, i: int, facts: int) -> bool:
        """Whether a role that is a name too comes before the name of its bearer: `HCP: Son Raymond Kowalski`."""
        sheet = self.sheet
        following = sheet.facts(i + 1)
        return facts >> w.LEVEL > 1 and bool(sheet.bit(i + 1) & CAPITAL and following & w.OFTEN_GIVEN)

    def _may_name_all_the_same(self, i: int, facts: int) -> bool:
        """Whether a word that is mostly no name is one here: `Will Smith`, `Dr. Good`, `Mr. Will`."""
        sheet = self.sheet
        if facts & w.TERM or not facts & w.NAME or not sheet.bits[i] & (CAPITAL | SHOUT):
            return False
        if sheet.bits[i] & SHOUT:  # `Patient: DOE, JANE`
            given = sheet.facts(i + 2) if sheet.bit(i + 2) & SHOUT else 0
            return sheet.form(i - 1) == ":" and sheet.form(i + 1) == "," and bool(given & w.OFTEN_GIVEN)
        following = sheet.facts(i + 1) if sheet.bit(i + 1) & CAPITAL and sheet.near(i) else 0
        surname = following & w.SURNAME and not following & w.TERM
        title = sheet.title_before(i)
        if title is None or not sheet.bits[title] & cues.TITLE:
            return bool(facts & w.OFTEN_GIVEN and following & w.OFTEN_SURNAME and following >> w.LEVEL < 2)
        doctor = sheet.bits[title] & cues.DOCTOR  # `my Dr. Will see me`: only `Mr` always has a name after it
        if facts >> w.LEVEL == 3 and doctor and not surname and sheet.form(i + 1) not in (",", ".", ")", "'s", "’s"):
            return False
        return i not in sheet.sentence_starts and not (facts & w.MONTH and sheet.form(i + 1)[:1].isdigit())

    def _completes(self, i: int) -> bool:
        """Whether a plain word is a surname after the given name or initial before it: `Jane Doe`, `J. Short`."""
        sheet = self.sheet
        facts = sheet.facts(i)
        if not facts & w.SURNAME or facts & (w.TERM | w.MONTH) or facts >> w.LEVEL > 2 or len(sheet.forms[i]) < 2:
            return False
        case = sheet.bits[i] & (CAPITAL if sheet.shouted else CAPITAL | SHOUT)
        if not case:
            return False
        if sheet.bits[i] & (cues.TITLE | cues.WEAK_TITLE | cues.RELATIVE | cues.PATIENT | cues.NEVER):
            return False
        if sheet.forms[i - 1] == "." and sheet.bit(i - 2) & LETTER:
            return facts >> w.LEVEL < 2 or bool(facts & w.OFTEN_SURNAME)
        if sheet.form(i - 2) == ":" and sheet.bit(i - 3) & cues.LABEL:  # `Name: Ngozi Obi`
            return True
        given = sheet.facts(i - 1)
        return bool(given & w.OFTEN_GIVEN) and given >> w.LEVEL < 2 and bool(sheet.bits[i - 1] & case)

    def _month_is_name(self, i: int) -> bool:
        """Whether `April`, `Jan` is a person: no figure beside it, and a surname after it or a role before it."""
        sheet = self.sheet
        if sheet.form(i - 1)[:1].isdigit() or sheet.form(i + 1)[:1].isdigit():
            return False
        if (
            sheet.bit(i + 1) & CAPITAL
            and sheet.facts(i + 1) & w.SURNAME
            and not sheet.facts(i + 1) & (w.MONTH | w.BLOCKED)
        ):
            return True
        roles = cues.TITLE | cues.RELATIVE | cues.PATIENT | cues.NAMED | cues.GREETING
        return bool(sheet.bit(i - 1) & roles) or sheet.title_before(i) is not None
