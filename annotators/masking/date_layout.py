"""Writes a date the way the text wrote another one: for surrogates that should not be told from originals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dates.interpretation import MONTHS, WEEKDAYS, DateInterpretation, PartialDate
from .date_format import ordinal

_RUN = re.compile(r"\d+|[^\W\d_]+|[\W_]+")
_ORDINAL = ("st", "nd", "rd", "th")


def like(text: str, reading: DateInterpretation, new: PartialDate) -> str | None:
    """`new` in the words, separators, padding and year width of `text`, which says `reading.begin`.

    None for intervals and for what does not show its parts one by one; the caller then writes it in words.
    """
    parts = [p for p in re.findall("[A-Za-z]+", reading.layout) if p in ("D", "M", "Y", "Mon")]
    if reading.end is not None or not parts or reading.begin.qualifier or reading.begin.time:
        return None
    runs = _RUN.findall(text)
    figures = [p for p in parts if p != "Mon"]
    numbers = [i for i, run in enumerate(runs) if run.isdecimal()]
    if len(numbers) == 1 and len(figures) > 1:
        split = _split(runs[numbers[0]], figures)
        if split is None:
            return None
        runs[numbers[0] : numbers[0] + 1] = split
        numbers = list(range(numbers[0], numbers[0] + len(split)))
    if len(numbers) != len(figures):
        return None
    small = [runs[i] for i, part in zip(numbers, figures, strict=True) if part != "Y"]
    padded = any(run.startswith("0") for run in small) or (parts[0] == "Y" and len(numbers) == 3)
    for i, part in zip(numbers, figures, strict=True):
        number = _number(part, new, runs[i], padded)
        if number is None:
            return None
        runs[i] = number
        if part == "D" and i + 1 < len(runs) and runs[i + 1].lower() in _ORDINAL:
            runs[i + 1] = ordinal(new.day or 1)[-2:]
    words = [_word(run, new) if run[0].isalpha() and run.lower() not in _ORDINAL else run for run in runs]
    done = [w for w in words if w is not None]
    months = sum(_month(run) for run in runs)
    if len(done) != len(words) or months != parts.count("Mon"):
        return None
    return "".join(done)


def in_case(word: str, model: str) -> str:
    """The word in the case of another one: upper, lower, or title."""
    if model.isupper() and (len(model) > 1 or len(word) == 1):
        return word.upper()
    return word.lower() if model.islower() else word


def _split(run: str, figures: list[str]) -> list[str] | None:
    year = len(run) - 2 * (len(figures) - 1)
    if "Y" not in figures or year not in (2, 4):
        return None
    return list(_cut(run, [year if p == "Y" else 2 for p in figures]))


def _cut(run: str, widths: list[int]) -> Iterator[str]:
    at = 0
    for width in widths:
        yield run[at : at + width]
        at += width


def _number(part: str, new: PartialDate, old: str, padded: bool) -> str | None:
    value = {"D": new.day, "M": new.month, "Y": new.year}[part]
    if value is None:
        return None
    if part == "Y":
        return f"{value % 100:02d}" if len(old) == 2 else f"{value:04d}" if len(old) == 4 else None
    return f"{value:02d}" if padded else str(value)


def _month(word: str) -> bool:
    return word[:1].isalpha() and len(word) > 2 and any(m.lower().startswith(word.lower()[:3]) for m in MONTHS)


def _word(word: str, new: PartialDate) -> str | None:
    """A month or weekday replaced, a function word as it is; None for a word that says something else."""
    if _month(word) and new.month is not None:
        name = MONTHS[new.month - 1]
        return in_case(name if len(word) > 4 or word.lower() in ("june", "july") else name[:3], word)
    day = next((w for w in WEEKDAYS if len(word) > 1 and w.lower().startswith(word.lower()[:3])), None)
    if day is not None and new.weekday is not None:
        name = WEEKDAYS[new.weekday]
        return in_case(name if len(word) > 5 else name[:3], word)
    return word if word.lower() in ("of", "the", "on", "in") else None
