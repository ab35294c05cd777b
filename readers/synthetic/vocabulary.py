"""Words with their short forms, places, and formats of dates, ages and names of a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import TypeVar

from ...pipeline.errors import ResourceError
from .draws import Draws
from .names import Places
from .pattern import NAME_TOKENS, Pattern, age_tokens, compile_pattern, date_tokens
from .sections import read_sections, sections_of

T = TypeVar("T")

NEEDED = ("sexed", "relations", "male-titles", "female-titles", "doctor-titles", "nurse-titles", "doctor-degrees",
          "nurse-degrees", "suffixes", "articles", "numbers", "abbreviations", "home-order", "abroad-order")  # fmt: skip
"""Sections that words.txt must have."""


class Vocabulary:
    """The words and formats of a language, without its templates. Raises ResourceError that names file and line."""

    def __init__(self, language: str, folder: Traversable) -> None:
        self.language = language
        self.words = _words(folder.joinpath("words.txt"))
        self.abbreviations = Abbreviations(_table(self.words, "abbreviations", 2))
        self.sexed = _table(self.words, "sexed", 4)
        self.relations = _table(self.words, "relations", 4)
        self.places = Places(folder.joinpath("places.txt"))
        sections = {s.words[0].replace("-", " "): s for s in read_sections(folder.joinpath("calendar.txt"))}
        self.dates = _patterns(folder.joinpath("dates.txt"), date_tokens(sections))
        self.ages = _patterns(folder.joinpath("ages.txt"), age_tokens(self.words["numbers"]))
        self.names = _patterns(folder.joinpath("names.txt"), NAME_TOKENS)


def _words(file: Traversable) -> dict[str, list[str]]:
    sections = sections_of(file, NEEDED)
    return {name: [line.text for line in s.lines for _ in range(line.weight)] for name, s in sections.items()}


def _table(words: Mapping[str, list[str]], name: str, columns: int) -> list[list[str]]:
    """Return a section whose entries are cells between bars."""
    table = [[cell.strip() for cell in line.split("|")] for line in words[name]]
    if any(len(row) != columns for row in table):
        raise ResourceError(f"words.txt: {name}: expected {columns} cells between bars in every entry")
    return table


def _patterns(file: Traversable, tokens: Mapping[str, Callable[[T], str]]) -> dict[str, list[Pattern[T]]]:
    """Return the patterns of a file by the words of their section: `numeric mdy`."""
    return {
        " ".join(section.words): [p for line in section.lines for p in [compile_pattern(line, tokens)] * line.weight]
        for section in read_sections(file)
    }


class Abbreviations:
    """Short forms of common words, for hurried notes."""

    def __init__(self, pairs: Sequence[Sequence[str]]) -> None:
        self._short = {long.lower(): short for long, short in pairs}
        longest = sorted(self._short, key=lambda word: (-len(word), word))
        self._words = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)

    def apply(self, text: str, draws: Draws) -> str:
        """Return the text with about two thirds of the long forms abbreviated."""

        def short(match: re.Match[str]) -> str:
            word = match[0]
            if draws.chance(0.35):
                return word
            abbreviation = self._short[word.lower()]
            return abbreviation[0].upper() + abbreviation[1:] if word[0].isupper() else abbreviation

        return self._words.sub(short, text)
