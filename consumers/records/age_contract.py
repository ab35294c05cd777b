"""The calendar contract of records: no age over 89 can be computed from the released dates and ages of a patient.

Of two dates that are more than 89 years apart, the earlier one goes: birth dates, and other dates that reveal one. An age goes if
the dates say that the person became older than 89 later. Source: 45 CFR 164.514(b)(2)(i)(C).

A record may have birth dates only. A reader then compares them with a day after the release, which is not known, so the last day
of the years that two digits can mean (`LAST_DAY`) counts as the latest date of such a record. The same holds if all other dates
are more than 89 years before that day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...typesystem import Cas, MaskedSpan, Phi, PhiKind, RecordField, Replacement, View, replace_spans, source_record
from ...typesystem.age_limit import LATEST_YEAR, OLDEST, greatest_age, latest, period_of, tells_age, tells_age_later

_AGE = re.compile(r"(\d+(?:\.\d+)?) (year|month|week|day)s?")
LAST_DAY = f"{LATEST_YEAR}-12-31"
"""The latest date of a record without other dates than those of births: the release is not later."""
_PER_YEAR = {"year": 1.0, "month": 12.0, "week": 52.0, "day": 365.0}
_RESOURCE = re.compile(r"\d*(?:/entry/\d+/resource)*")
_BESIDE = 20
"""An age was right on the nearest date if fewer characters are between them."""
_DAY = len("2020-03-04")
_MASKED = {PhiKind.DATE: "[DATE]", PhiKind.AGE: "[AGE]"}


class Mention(NamedTuple):
    """A date or an age in a text. `value`: as the masker read it; `released`: what the masked text has in its place."""

    begin: int
    end: int
    kind: PhiKind
    value: str
    released: str | None
    """None: it stays as it is."""


@dataclass(frozen=True, slots=True, repr=False)
class MaskedText:
    """A text and its masked form. `path`: the metadata `carrier_path`."""

    path: str
    original: str
    masked: str
    replacements: tuple[tuple[int, int, str], ...]
    """(begin, end, new text) of each replacement, in offsets of the original."""
    mentions: tuple[Mention, ...] = ()
    """The dates and ages in it."""

    @classmethod
    def of(cls, cas: Cas, view: View) -> MaskedText:
        """Return the text of a document and its masked view."""
        segments = view.offset_map.segments() if view.offset_map is not None else []
        replaced = tuple((begin, end, view.text[b:e]) for begin, end, b, e in segments)
        spans = {(s.original_begin, s.original_end): view.text[s.begin : s.end] for s in view.select(MaskedSpan)}
        mentions = tuple(
            Mention(p.begin, p.end, p.kind, p.value, spans.get((p.begin, p.end)))
            for p in cas.select(Phi)
            if p.kind.top in _MASKED
        )
        return cls(cas.metadata[source_record.PATH], cas.text, view.text, replaced, mentions)

    def without(self, mentions: Sequence[Mention]) -> MaskedText:
        """Return the text with placeholders for these mentions."""
        if not mentions:
            return self
        new = [Replacement(m.begin, m.end, _MASKED[m.kind.top]) for m in mentions]
        kept = [
            Replacement(begin, end, text)
            for begin, end, text in self.replacements
            if not any(begin < r.end and r.begin < end for r in new)
        ]
        edits = sorted([*kept, *new], key=lambda r: r.begin)
        masked, _ = replace_spans(self.original, edits)
        replaced = tuple((r.begin, r.end, r.text) for r in edits)
        return MaskedText(self.path, self.original, masked, replaced, self.mentions)


@dataclass(frozen=True, slots=True, repr=False)
class PatientRecord:
    """The content of a file about one patient. `latest`: the latest date of the patient in other files; `onset`: the day on which
    the ages of the record were right. Both are ISO 8601, or empty if they are not known."""

    fields: tuple[RecordField, ...]
    texts: tuple[MaskedText, ...]
    latest: str = ""
    onset: str = ""

    def within_limit(self) -> PatientRecord:
        """Return the record without the dates and ages that tell an age over the limit. Values that the configuration keeps as
        they are (`keep`) stay."""
        dated = [f for f in self.fields if f.kind.top is PhiKind.DATE]
        in_texts = [m for t in self.texts for m in t.mentions if m.kind.top is PhiKind.DATE]
        keeps_ages = any(f.kind.top is PhiKind.AGE and f.operator == "keep" for f in self.fields)
        births = [*((f.kind, f.value) for f in dated), *((m.kind, m.value) for m in in_texts)]
        last = latest([*(iso for _, value in births for iso in _ends(value)), self.latest])
        released = latest(f.masked for f in dated if f.masked is not None)
        if _is_undated(births, self.latest):
            last = released = LAST_DAY
        born = [iso for kind, iso in births if kind is PhiKind.DATE_BIRTH and not tells_age(iso, last)]
        own = min((greatest_age(b, day) for x in born if (b := period_of(x)) and (day := period_of(last))), default=-1)
        texts = []
        for text in self.texts:
            on = latest(d for m in text.mentions if m.kind.top is PhiKind.DATE for d in _ends(m.value))
            on = on or self._beside(text.path)
            told = [m for m in text.mentions if any(_tells(m, last, day, own) for day in (on, _near(m, text)))]
            texts.append(text.without([m for m in told if m.kind.top is PhiKind.DATE or not keeps_ages]))
        fields = tuple(
            f if f.operator == "keep" or not self._field_tells(f, last, released, own) else _null(f)
            for f in self.fields
        )
        return PatientRecord(fields, tuple(texts), self.latest, self.onset)

    def _field_tells(self, field: RecordField, last: str, released: str, own: int) -> bool:
        if field.masked is None:
            return False
        if field.kind.top is PhiKind.DATE:
            return tells_age(field.value, last) or tells_age(field.masked, released)
        if field.kind.top is PhiKind.AGE:
            years = _years(field.value)
            return years is None or (
                years > own and tells_age_later(years, self.onset or self._beside(field.path), last)
            )
        return False

    def _beside(self, path: str) -> str:
        """Return the latest date of the resource with a value."""
        place = _place(path)
        return latest(f.value for f in self.fields if f.kind is PhiKind.DATE and _place(f.path) == place)


def _is_undated(dates: Iterable[tuple[PhiKind, str]], elsewhere: str) -> bool:
    """Return whether all dates of a record are those of births, also where their kind does not say so, or more than the limit
    before `LAST_DAY`. `elsewhere`: the latest date in other files."""
    ends = [(kind, iso) for kind, value in dates for iso in _ends(value)]
    births = {iso[:_DAY] for kind, iso in ends if kind is PhiKind.DATE_BIRTH}
    visit = latest([*(iso for _, iso in ends if iso[:_DAY] not in births), elsewhere])
    return not visit or tells_age(visit, LAST_DAY)


def _tells(mention: Mention, last: str, on: str, own: int) -> bool:
    """Return whether a date or an age in a text tells an age over the limit, with the other dates of the patient."""
    if mention.kind.top is PhiKind.DATE:
        return mention.released not in (None, _MASKED[mention.kind.top]) and any(
            tells_age(iso, last) for iso in _ends(mention.value)
        )
    years = _years(mention.value)
    return years is not None and own < years <= OLDEST and tells_age_later(years, on, last)


def _near(mention: Mention, text: MaskedText) -> str:
    """Return the date beside an age, as in `in 1993, at 60`; empty without one."""
    others = (m for m in text.mentions if m.kind.top is PhiKind.DATE and m.kind is not PhiKind.DATE_BIRTH)
    gap, value = min(
        ((max(m.begin - mention.end, mention.begin - m.end), m.value) for m in others), default=(_BESIDE, "")
    )
    return latest(_ends(value)) if gap < _BESIDE else ""


def _ends(value: str) -> Iterable[str]:
    """Return the ends of a date or interval in ISO 8601; a decade is its first year."""
    return [f"{end[:3]}0" if re.fullmatch(r"\d{3}X", end) else end for end in value.split("/")]


def _years(value: str) -> float | None:
    match = _AGE.fullmatch(value)
    return None if match is None else float(match[1]) / _PER_YEAR[match[2]]


def _place(path: str) -> str:
    """Return the resource in which a value is, within a bundle or a bulk export."""
    match = _RESOURCE.match(path)
    return match.group() if match else ""


def _null(field: RecordField) -> RecordField:
    return RecordField(kind=field.kind, path=field.path, value=field.value, masked=None, operator=field.operator)
