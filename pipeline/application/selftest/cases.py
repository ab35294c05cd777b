"""The documents that an attack plants, and what must not be left of them in a release."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import yaml
from dateutil import parser as date_parser

from ...assembly import shipped

_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_DATE = re.compile(
    r"\b\d{1,2}/\d{1,2}/\d{4}\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]+ \d{4}\b|\b[A-Z][a-z]+ \d{1,2}, \d{4}\b"
)
"""The forms of the generated records, which shifted dates keep."""
_SEED = "ages of selftest"
_DAMAGED = {
    "nul": b"Patient: Ann \x00 Lee\n",
    "not-utf-8": b"\xff\xfe\xfa Patient: Ann Lee \xc3\x28",
    "empty": b"",
    "one-line": b"Smith, John " * 20_000,
    "controls": bytes(range(32)) * 50,
    "surrogates": b"\xed\xa0\x80 Patient: Ann Lee",
    "brackets": b"[" * 50_000,
    "gz": b"\x1f\x8b\x08 no gzip",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A planted document."""

    row: str
    """The promise that it attacks: a row of the attack suite."""
    file: str
    """The name of its file, without suffix, relative to the folder."""
    text: str
    hidden: tuple[str, ...]
    """Texts that the release must not contain."""
    oldest: int | None = None
    """The greatest age in years that the dates of the released text may tell."""
    absent: str = ""
    """A pattern that must not match the released text."""
    shown: tuple[str, ...] = ()
    """Texts that the release must still contain; such a document must not be refused."""

    def broken(self, released: str) -> str:
        """Return what is wrong with a released text, apart from hidden values; empty if nothing is. Quotes no text."""
        if self.oldest is not None and (told := _age_told(released)) > self.oldest:
            return f"two dates tell an age of {told}"
        if not all(text in released for text in self.shown):
            return "lost what is not PHI"
        return "has more precision than the original" if self.absent and re.search(self.absent, released) else ""


def _age_told(text: str) -> int:
    """Return the greatest age in years that two dates of a text tell; a bare year counts as its first or last day."""
    full = [date_parser.parse(found).date() for found in _DATE.findall(text)]
    years = [int(year) for year in _YEAR.findall(_DATE.sub("", text))]
    first = min([*full, *(date(year, 1, 1) for year in years)], default=date.max)
    last = max([*full, *(date(year, 12, 31) for year in years)], default=first)
    return last.year - first.year - ((last.month, last.day) < (first.month, first.day))


def cases() -> list[Case]:
    """Return all planted documents: the shipped ones, and generated records of people born from 1905 to 1940."""
    text = (shipped.folder() / "selftest" / "attacks.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=yaml.BaseLoader)  # all values are texts
    written = [
        Case(
            one["row"],
            one.get("file", f"note-{n:03}"),
            one["text"],
            tuple(one["hidden"]),
            int(one["oldest"]) if "oldest" in one else None,
            one.get("absent", ""),
            tuple(one.get("shown", ())),
        )
        for n, one in enumerate(data, 1)
    ]
    return [*written, *_records(40)]


def damaged() -> dict[str, bytes]:
    """Return damaged files by name."""
    return dict(_DAMAGED)


def plant(folder: Path, planted: list[Case]) -> None:
    """Write the documents as text files."""
    for case in planted:
        path = folder / f"{case.file}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(case.text.encode("utf-8"))


def _records(count: int) -> Iterator[Case]:
    drawn = random.Random(_SEED)
    for n in range(count):
        born = date(1905, 1, 1) + timedelta(days=drawn.randrange(36 * 365))
        seen = date(2001, 1, 1) + timedelta(days=drawn.randrange(23 * 365))
        age = seen.year - born.year - ((seen.month, seen.day) < (born.month, born.day))
        form = drawn.choice(["%m/%d/%Y", "%Y-%m-%d", "%d %B %Y", "%B %d, %Y"])
        told = drawn.choice(["", f" The patient is {age} years old."])
        text = f"DOB: {born.strftime(form)}\nDate of visit: {seen.strftime(form)}\nSeen for cough.{told}\n"
        hidden = (born.strftime(form), *([f"{age} years"] if told and age > 89 else []))
        yield Case("age-from-dates", f"record-{n:03}", text, hidden, 89)
