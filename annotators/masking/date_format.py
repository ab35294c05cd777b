"""Writes dates unambiguously, or in the layout of another one for surrogates that should be indistinguishable from originals."""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.interpretation import MONTHS, WEEKDAYS, DateInterpretation, PartialDate

Style = Literal["text", "seed", "iso", "original"]


def format_dates(dates: list[PartialDate], style: Style, times: list[str]) -> str:
    """Return one date, or the two ends of an interval, as text. `times` are the clock times of each, or empty strings.

    `text`: `13 Aug 2005`, `Aug 2005`, `2005`, `early Aug 2005`, `5 Jan 2010 to 7 Jan 2010`; `seed`, as in the VigiBase
    system: `13 AUGUST 2005`; `iso`: ISO 8601, EDTF level 1 for partial dates.
    """
    if style == "iso":
        return "/".join(_iso(d) + (f"T{t}" if t else "") for d, t in zip(dates, times, strict=True))
    words = [_text(d, style == "seed") + (f" {t}" if t else "") for d, t in zip(dates, times, strict=True)]
    return (" to " if style == "text" else " - ").join(words)


def ordinal(day: int) -> str:
    """Return a day as `13th`."""
    return f"{day}{'th' if day // 10 == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _text(date: PartialDate, long: bool) -> str:
    parts = [date.qualifier] if date.qualifier else []
    if date.weekday is not None:
        parts.append(WEEKDAYS[date.weekday] if long else WEEKDAYS[date.weekday][:3])
    alone = date.month is None and date.year is None
    if date.day is not None:
        parts.append(ordinal(date.day) if alone else str(date.day))
    if date.season:
        parts.append(date.season)
    if date.month is not None:
        name = MONTHS[date.month - 1]
        parts.append(name if long or (date.day is None and date.year is None) else name[:3])
    if date.year is not None:
        parts.append(f"{date.year:04d}")
    if date.decade is not None:
        parts.append(f"{date.decade}s")
    text = " ".join(parts)
    return text.upper() if long else text


def _iso(date: PartialDate) -> str:
    if date.day is not None and date.month is None:
        return f"XXXX-XX-{date.day:02d}"
    return date.iso()


_RUN = lazy_regex(r"\d+|[^\W\d_]+|[\W_]+")
_ORDINAL = ("st", "nd", "rd", "th")


def format_like(text: str, reading: DateInterpretation, new: PartialDate) -> str | None:
    """Return `new` with the words, separators, padding and year width of `text`, which means `reading.begin`.

    None for intervals and for text that does not show its parts one by one; the caller then writes the date in words.
    """
    parts = [p for p in re.findall("[A-Za-z]+", reading.layout) if p in ("D", "M", "Y", "Mon")]
    if reading.end is not None or not parts or reading.begin.qualifier or reading.begin.time:
        return None
    runs = _RUN.findall(text)
    numeric = [p for p in parts if p != "Mon"]
    numbers = [i for i, run in enumerate(runs) if run.isdecimal()]
    if len(numbers) == 1 and len(numeric) > 1:
        split = _split(runs[numbers[0]], numeric)
        if split is None:
            return None
        runs[numbers[0] : numbers[0] + 1] = split
        numbers = list(range(numbers[0], numbers[0] + len(split)))
    if len(numbers) != len(numeric):
        return None
    small = [runs[i] for i, part in zip(numbers, numeric, strict=True) if part != "Y"]
    padded = any(run.startswith("0") for run in small) or (parts[0] == "Y" and len(numbers) == 3)
    for i, part in zip(numbers, numeric, strict=True):
        number = _number(part, new, runs[i], padded)
        if number is None:
            return None
        runs[i] = number
        if part == "D" and i + 1 < len(runs) and runs[i + 1].lower() in _ORDINAL:
            runs[i + 1] = ordinal(new.day or 1)[-2:]
    words = [_word(run, new) if run[0].isalpha() and run.lower() not in _ORDINAL else run for run in runs]
    known = [w for w in words if w is not None]
    if len(known) != len(words) or sum(map(_is_month, runs)) != parts.count("Mon"):
        return None
    return "".join(known)


def match_case(word: str, model: str) -> str:
    """Return the word in upper case if the model is, in lower case if the model is, else as it is."""
    if model.isupper() and (len(model) > 1 or len(word) == 1):
        return word.upper()
    return word.lower() if model.islower() else word


def _split(run: str, parts: list[str]) -> list[str] | None:
    """Split digits without separators into the parts of a date, or return None if their number does not fit."""
    year = len(run) - 2 * (len(parts) - 1)
    if "Y" not in parts or year not in (2, 4):
        return None
    digits = iter(run)
    return ["".join(islice(digits, year if part == "Y" else 2)) for part in parts]


def _number(part: str, new: PartialDate, old: str, padded: bool) -> str | None:
    value = {"D": new.day, "M": new.month, "Y": new.year}[part]
    if value is None:
        return None
    if part == "Y":
        return f"{value % 100:02d}" if len(old) == 2 else f"{value:04d}" if len(old) == 4 else None
    return f"{value:02d}" if padded else str(value)


def _is_month(word: str) -> bool:
    return word[:1].isalpha() and len(word) > 2 and any(m.lower().startswith(word.lower()[:3]) for m in MONTHS)


def _word(word: str, new: PartialDate) -> str | None:
    """Return the new month or weekday, or a function word as it is; None for any other word."""
    if _is_month(word) and new.month is not None:
        name = MONTHS[new.month - 1]
        return match_case(name if len(word) > 4 or word.lower() in ("june", "july") else name[:3], word)
    day = next((w for w in WEEKDAYS if len(word) > 1 and w.lower().startswith(word.lower()[:3])), None)
    if day is not None and new.weekday is not None:
        name = WEEKDAYS[new.weekday]
        return match_case(name if len(word) > 5 else name[:3], word)
    return word if word.lower() in ("of", "the", "on", "in") else None
