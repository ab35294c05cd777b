"""Finds people: runs of capitalised words weighed by lists and context, names in small letters after strong cues."""

from __future__ import annotations

from collections.abc import Iterator

from ...typesystem import PhiKind
from . import cues, small
from . import words as w
from .before import Cue, cue_before
from .found import Found, span_of
from .other import is_other, is_sized
from .runs import Runs
from .shape import CAPITAL, CASELESS, LETTER, SHOUT, SHOWN
from .sheet import Sheet
from .weight import around, by_words, credential_after, is_doubtful, is_eponym

_PLACE = w.CITY | w.STATE | w.COUNTRY
_CUES = cues.TITLE | cues.WEAK_TITLE | cues.RELATIVE | cues.NAMED | cues.GREETING
_NOT_INITIALS = frozenset(word for word, bits in cues.CUES.items() if bits & cues.NOT_INITIALS)


class People:
    """The rules for one document."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.runs = Runs(sheet)

    def find(self) -> Iterator[Found]:
        """Candidates with their confidence, in text order; spans may overlap."""
        sheet = self.sheet
        done = 0
        for i, facts in sheet.hot_facts:
            if i < done:
                continue
            bits = sheet.bits[i]
            hopeless = facts & w.BLOCKED and not facts & w.NAME and not bits & LETTER  # the capital of a sentence
            if bits & SHOWN and not hopeless:
                last = self.runs.end(i)
                if last > i:
                    yield from self._run(i, last)
                    done = last
                    continue
            if bits & CASELESS and i:
                last = self._caseless(i)
                if last > i:
                    cue = cue_before(sheet, i)
                    yield span_of(sheet, i, last, cue.kind, cue.strength, cue.rule)
                    done = last
                continue
            if bits & _CUES and i + 1 < sheet.size:
                j = self.runs.after_title(i)
                last = self.runs.end(j) if j else 0
                if last > j:
                    yield span_of(sheet, i + 1 + (sheet.forms[i + 1] == "."), last, self._title_kind(i), 0.95, "title")
                    done = last
                elif bits & cues.TITLE and (letter := self._letter(i)):
                    yield span_of(sheet, letter, letter + 1, PhiKind.PERSON_INITIALS, 0.85, "title")
                    done = letter + 1
                else:
                    yield from small.after_cue(sheet, i)
        yield from small.bare(sheet)

    def _letter(self, i: int) -> int:
        """The single letter that stands for a name after the title at token i, `Mr. K`; 0 without one."""
        sheet = self.sheet
        k = i + 1 + (sheet.form(i + 1) == ".")
        if not sheet.bit(k) & LETTER or sheet.forms[k] == "I" or sheet.title_before(k) != i:
            return 0
        dotted = sheet.form(k + 1) == "." and sheet.near(k)
        after = sheet.bit(k + 2) if dotted else sheet.bit(k + 1)
        return 0 if after & SHOWN and sheet.near(k + dotted) and k + 1 + dotted not in sheet.sentence_starts else k

    def _caseless(self, i: int) -> int:
        """The end of a name in a script without capitals that begins at i; i where no strong cue stands before it."""
        sheet = self.sheet
        if sheet.bits[i - 1] & CASELESS or cue_before(sheet, i).strength < 0.85:
            return i
        last = i + 1
        while last < min(sheet.size, i + 4) and sheet.bits[last] & CASELESS and sheet.near(last - 1):
            last += 1
        return last

    def _run(self, first: int, last: int) -> Iterator[Found]:
        """The people in a run of name-like tokens."""
        sheet = self.sheet
        names = [i for i in range(first, last) if sheet.bits[i] & (CAPITAL | SHOUT)]
        if not names:
            yield from self._initials_alone(first, last)
            return
        cue = cue_before(sheet, first)
        if is_eponym(sheet, names, last) and cue.strength < 0.9:
            return
        shouts = sum(1 for i in names if sheet.bits[i] & SHOUT)
        if shouts == len(names):
            yield from self._shouted(first, last, names, cue)
            return
        if cue.strength < 0.9 and (
            is_sized(sheet, first, names) or (cue.strength < 0.8 and is_other(sheet, first, last, names))
        ):
            return
        inverted = self._inverted(first, last, names, cue)
        if inverted:
            yield inverted
            return
        letters = any(sheet.bits[i] & LETTER for i in range(first, last))
        last, kind, after = credential_after(sheet, last)
        confidence, rule = by_words(sheet, names, letters, first)
        if cue.strength:
            confidence = max(confidence, cue.strength - (0.25 if is_doubtful(sheet, names[0]) else 0.0))
            rule = cue.rule
        if after > 0:
            confidence, rule = max(confidence, after), "credential after"
        elif len(names) == 1 and not letters and not cue.strength:
            confidence += around(sheet, names[0], last)
            if sheet.bit(last) & cues.FOLLOWS_BRAND and sheet.near(last - 1):
                confidence -= 0.4
        if len(names) == 1 and not letters and cue.rule == "" and after <= 0:
            confidence -= self._place_doubt(names[0])
        if confidence > 0.05:
            kind = kind if cue.kind is PhiKind.PERSON else cue.kind
            yield span_of(sheet, self.runs.with_particles(first), last, kind, min(confidence, 0.99), rule)

    def _place_doubt(self, i: int) -> float:
        """How much the confidence in a single name suffers where it is also a place."""
        sheet = self.sheet
        facts, inside = sheet.facts(i), sheet.bit(i - 1) & cues.IN
        if not facts & _PLACE:
            return 0.0
        if facts & w.OFTEN_GIVEN and not facts & (w.STATE | w.COUNTRY):
            return 0.0 if not inside else 0.2 if not facts & w.BIG_CITY else 0.4
        return 0.5 if inside else 0.2

    def _inverted(self, first: int, last: int, names: list[int], cue: Cue) -> Found | None:
        """`Smith, John A.`: surname, comma, given name."""
        sheet = self.sheet
        k = last + 1
        if sheet.form(last) != "," or k >= sheet.size or not sheet.near(last) or len(names) > 2:
            return None
        surname = sheet.facts(names[-1])
        if surname & (w.STATE | w.COUNTRY) or (
            surname & w.CITY and not surname & w.OFTEN_SURNAME and cue.strength < 0.55
        ):
            return None
        end = self.runs.end(k)
        given = [i for i in range(k, end) if sheet.bits[i] & CAPITAL]
        if len(given) == 1 and sheet.bits[k] & CAPITAL:
            facts = sheet.facts(k)
            if facts & w.OFTEN_GIVEN and facts >> w.LEVEL < 2 and not facts & (w.STATE | w.COUNTRY):
                known = surname & w.SURNAME or surname & w.UNKNOWN
                if known and not (sheet.form(end) == "," or sheet.form(end).lower() in ("and", "or")):
                    confidence = 0.8 if surname >> w.LEVEL < 2 else 0.6
                    start = sheet.starts(first)
                    confidence = max(confidence - (0.0 if start or end > k + 1 else 0.15), cue.strength)
                    begin = self.runs.with_particles(first)
                    return span_of(sheet, begin, end, cue.kind, confidence, cue.rule or "surname, given name")
        letters = "".join(sheet.forms[i] for i in range(k, end) if sheet.bits[i] & LETTER)
        if not given and letters and letters not in cues.CREDENTIALS and surname & w.NAME and surname >> w.LEVEL < 2:
            return span_of(sheet, first, end, cue.kind, max(0.75, cue.strength), cue.rule or "surname, initials")
        return None

    def _shouted(self, first: int, last: int, names: list[int], cue: Cue) -> Iterator[Found]:
        """A run in capitals: only with a cue or as a given name with its surname."""
        sheet = self.sheet
        facts = [sheet.facts(i) for i in names]
        sure = [f & w.NAME and f >> w.LEVEL < 2 and len(sheet.forms[i]) > 2 for i, f in zip(names, facts, strict=True)]
        last, kind, after = credential_after(sheet, last)
        kind = kind if cue.kind is PhiKind.PERSON else cue.kind
        end = last
        labelled = cue.strength >= 0.85 and len(sheet.forms[names[0]]) > 1 and bool(facts[0] & (w.NAME | w.UNKNOWN))
        if sheet.form(last) == "," and len(names) == 1 and sheet.bit(last + 1) & SHOUT and (sure[0] or labelled):
            given = sheet.facts(last + 1)
            if given & w.OFTEN_GIVEN and given >> w.LEVEL < 2 and (labelled or not given & _PLACE):
                end = self.runs.end(last + 1)
                yield span_of(sheet, first, end, kind, max(0.75, cue.strength - 0.1), cue.rule or "surname, given name")
                return
        if cue.strength and len(names) < 4 and (any(sure) or self._is_unknown_name(names[0], cue)):
            yield span_of(sheet, first, end, kind, max(0.6, cue.strength - 0.15), cue.rule)
        elif after > 0.9 and any(sure):
            yield span_of(sheet, first, end, kind, 0.85, "credential after")
        elif len(names) in (2, 3) and all(sure) and facts[0] & w.OFTEN_GIVEN and facts[-1] & w.OFTEN_SURNAME:
            yield span_of(sheet, first, end, kind, 0.6 if sheet.shouted else 0.7, "given name and surname")
        elif len(names) == 2 and sure[0] and facts[0] & w.OFTEN_GIVEN and facts[1] & w.SURNAME and not sheet.shouted:
            yield span_of(sheet, first, end, kind, 0.5, "given name and surname")

    def _is_unknown_name(self, i: int, cue: Cue) -> bool:
        """Whether a word in capitals of no list is a name after this cue, and no abbreviation."""
        long = cue.rule == "title" and len(self.sheet.forms[i]) > 5
        return (cue.strength >= 0.85 or long) and bool(self.sheet.facts(i) & w.UNKNOWN)

    def _initials_alone(self, first: int, last: int) -> Iterator[Found]:
        """Dotted initials: `patient J.S.`, `(A.B.)`; never `U.S.`, `i.v.`"""
        sheet = self.sheet
        letters = [sheet.forms[i] for i in range(first, last) if sheet.bits[i] & LETTER]
        if not 2 <= len(letters) <= 4:
            return
        cue = cue_before(sheet, first)
        if "".join(letters).lower() in _NOT_INITIALS and cue.kind is not PhiKind.PERSON_INITIALS:
            return
        before = sheet.form(first - 1).lower()
        if cue.strength:
            kind = cue.kind if cue.kind is not PhiKind.PERSON else PhiKind.PERSON_INITIALS
            yield span_of(sheet, first, last, kind, max(0.75, cue.strength), "initials after a cue")
        elif before == "(" and sheet.form(last) == ")":
            yield span_of(sheet, first, last, PhiKind.PERSON_INITIALS, 0.55, "initials in brackets")
        else:
            yield span_of(sheet, first, last, PhiKind.PERSON_INITIALS, 0.35, "initials")

    def _title_kind(self, i: int) -> PhiKind:
        return PhiKind.PERSON_DOCTOR if self.sheet.bits[i] & cues.DOCTOR else PhiKind.PERSON
