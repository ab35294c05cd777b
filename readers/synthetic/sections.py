"""The files of the templates, with `== name ==` headings and an entry per line, and the shipped lists of names and towns."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import itemgetter

from ...pipeline.errors import ResourceError

_HEADING = re.compile(r"^== (.+?) ==$")
_WEIGHT = re.compile(r"^(\d+)\* ")
MOST = 1000
"""Greatest weight of an entry."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry. `weight`: how many times it counts; `place`: file and line, for messages."""

    text: str
    weight: int
    place: str


@dataclass(slots=True)
class Section:
    """A heading, as words, and its entries."""

    words: list[str]
    place: str
    lines: list[Line] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.words[0]


def root() -> Traversable:
    """Return the folder of all templates."""
    return files(__package__).joinpath("templates")


def sections_of(file: Traversable, needed: Iterable[str]) -> dict[str, Section]:
    """Return the sections of a file by name. Raises ResourceError if one of `needed` is missing."""
    sections = {section.name: section for section in read_sections(file)}
    for name in needed:
        if name not in sections:
            raise ResourceError(f"{file.name}: expected a section {name}")
    return sections


def text_files(folder: Traversable) -> list[Traversable]:
    """Return the `.txt` files of a folder, sorted by name; none if the folder does not exist."""
    if not folder.is_dir():
        return []
    return sorted((f for f in folder.iterdir() if f.name.endswith(".txt")), key=lambda f: f.name)


def read_sections(file: Traversable) -> Iterator[Section]:
    """Yield the sections of a file. `# ` begins a comment line, `3* ` an entry that counts three times.

    Raises ResourceError that names file and line for an entry before the first heading or a weight out of range.
    """
    section: Section | None = None
    for number, raw in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{file.name}:{number}"
        if not raw.strip() or raw.startswith("# "):
            continue
        if heading := _HEADING.match(raw):
            if section is not None:
                yield section
            section = Section(heading[1].split(), place)
            continue
        if section is None:
            raise ResourceError(f"{place}: expected a heading like '== name ==' before the first entry")
        weight = _WEIGHT.match(raw)
        count = int(weight[1]) if weight else 1
        if not 0 < count <= MOST:
            raise ResourceError(f"{place}: expected a weight of 1 to {MOST}, got {count}")
        section.lines.append(Line(raw[weight.end() :] if weight else raw, count, place))
    if section is not None:
        yield section


@cache
def rows(name: str, *columns: str) -> tuple[tuple[str, ...], ...]:
    """Return the given columns of a list, in the order of the file. Raises ResourceError if one is missing."""
    folder = files("caspipe.configs").joinpath("lexicons")
    packed, plain = folder.joinpath(f"{name}.tsv.gz"), folder.joinpath(f"{name}.tsv")
    try:
        content = gzip.decompress(packed.read_bytes()) if packed.is_file() else plain.read_bytes()
        lines = content.decode("utf-8").splitlines()
    except (OSError, EOFError) as error:
        raise ResourceError(f"lexicon list {name}: cannot be read ({type(error).__name__})") from None
    header = next((line for line in lines if line.startswith("# columns: ")), "")
    available = header.removeprefix("# columns: ").split("\t")
    missing = [c for c in columns if c not in available]
    if missing:
        raise ResourceError(f"lexicon list {name}: expected a column {missing[0]}, found {', '.join(available)}")
    indexes = [available.index(c) for c in columns]
    last = max(indexes) + 1
    wanted = itemgetter(*indexes) if len(indexes) > 1 else lambda cells: (cells[indexes[0]],)
    return tuple([wanted(line.split("\t", last)) for line in lines if line[:2] != "# "])
