"""A language's templates, read and compiled once per process: layouts, groups of sentences, lists, spans, formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources.abc import Traversable
from typing import TypeVar

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from . import ages, calendar, people
from .layouts import Layout, read_layout
from .noise import Abbreviations
from .pattern import Pattern, compile_pattern
from .places import Places
from .pools import Pool
from .sections import Section, read_sections, root, text_files
from .slots import resolve
from .template import Slot

T = TypeVar("T")

NEEDED = ("sexed", "relations", "male-titles", "female-titles", "doctor-titles", "nurse-titles", "doctor-degrees",
          "nurse-degrees", "suffixes", "articles", "numbers", "abbreviations", "home-order", "abroad-order")  # fmt: skip
"""Sections that words.txt must have."""


class Library:
    """Everything a language's folder holds. Raises ResourceError that names file and line for what is wrong in it."""

    def __init__(self, language: str, folder: Traversable) -> None:
        self.language = language
        self.words = _words(folder.joinpath("words.txt"))
        self.abbreviations = Abbreviations(_table(self.words, "abbreviations", 2))
        self.sexed = _table(self.words, "sexed", 4)
        self.relations = _table(self.words, "relations", 4)
        self.places = Places(folder.joinpath("places.txt"))
        sections = {s.words[0].replace("-", " "): s for s in read_sections(folder.joinpath("calendar.txt"))}
        self.dates = _patterns(folder.joinpath("dates.txt"), calendar.tokens(sections))
        self.ages = _patterns(folder.joinpath("ages.txt"), ages.tokens(self.words["numbers"]))
        self.names = _patterns(folder.joinpath("names.txt"), people.TOKENS)
        spans = list(read_sections(folder.joinpath("spans.txt")))
        self.spans = {s.name: (_kind(s), Pool(s)) for s in spans}
        self.lists = _pools(folder.joinpath("lists"))
        self.groups = _pools(folder.joinpath("sentences"))
        for pool in (*(p for _, p in self.spans.values()), *self.lists.values(), *self.groups.values()):
            pool.compile(self.slot)
        layouts = [read_layout(file, self.slot) for file in text_files(folder.joinpath("layouts"))]
        self.layouts: dict[str, Layout] = {layout.name: layout for layout in layouts}

    def slot(self, name: str, argument: str) -> Slot:
        """What `{name argument}` does. Raises ValueError for a name nobody knows."""
        return resolve(name, argument, self)


@cache
def library(language: str) -> Library:
    """The templates of a language. Raises ResourceError where there are none."""
    known = languages()
    if language not in known:
        raise ResourceError(f"no templates for {language!r}{nearest(language, known)}; there are: {', '.join(known)}")
    return Library(language, root().joinpath(language))


def languages() -> list[str]:
    """Languages there are templates for."""
    return sorted(f.name for f in root().iterdir() if f.is_dir() and f.joinpath("layouts").is_dir())


def _words(file: Traversable) -> dict[str, list[str]]:
    words = {s.name: [line.text for line in s.lines for _ in range(line.weight)] for s in read_sections(file)}
    for needed in NEEDED:
        if needed not in words:
            raise ResourceError(f"{file.name}: expected a section {needed}")
    return words


def _table(words: Mapping[str, list[str]], name: str, columns: int) -> list[list[str]]:
    """A section whose entries are cells between bars."""
    table = [[cell.strip() for cell in line.split("|")] for line in words[name]]
    if any(len(row) != columns for row in table):
        raise ResourceError(f"words.txt: {name}: expected {columns} cells between bars in every entry")
    return table


def _patterns(file: Traversable, tokens: Mapping[str, Callable[[T], str]]) -> dict[str, list[Pattern[T]]]:
    """The patterns of a file by the words of their section: `numeric mdy`."""
    return {
        " ".join(section.words): [p for line in section.lines for p in [compile_pattern(line, tokens)] * line.weight]
        for section in read_sections(file)
    }


def _pools(folder: Traversable) -> dict[str, Pool]:
    found: dict[str, Pool] = {}
    for file in text_files(folder):
        for section in read_sections(file):
            if section.name in found:
                raise ResourceError(
                    f"{section.place}: {section.name} is defined already, at {found[section.name].place}"
                )
            found[section.name] = Pool(section)
    return found


def _kind(section: Section) -> str:
    """The PHI kind that a section of spans.txt names after its own name."""
    if len(section.words) != 2:
        raise ResourceError(f"{section.place}: expected a heading like '== mrn ID_MEDICAL_RECORD =='")
    try:
        return PhiKind.of(section.words[1]).name
    except ValueError as error:
        raise ResourceError(f"{section.place}: {error}") from None
