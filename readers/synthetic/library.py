"""All templates of a language, read and compiled once per process: layouts, groups of sentences, lists and spans."""

from __future__ import annotations

from functools import cache
from importlib.resources.abc import Traversable

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from .layouts import Layout, read_layout
from .pools import Pool, Pools
from .sections import Section, read_sections, root, text_files
from .slots import resolve
from .template import Slot


class Library(Pools):
    """Everything in a language's folder. Raises ResourceError that names file and line for anything invalid in it."""

    def __init__(self, language: str, folder: Traversable) -> None:
        super().__init__(language, folder)
        self.spans = {s.name: (_kind(s), Pool(s)) for s in read_sections(folder.joinpath("spans.txt"))}
        self.lists = _pools(folder.joinpath("lists"))
        self.groups = _pools(folder.joinpath("sentences"))
        for pool in (*(p for _, p in self.spans.values()), *self.lists.values(), *self.groups.values()):
            pool.compile(self.slot)
        layouts = [read_layout(file, self.slot) for file in text_files(folder.joinpath("layouts"))]
        self.layouts: dict[str, Layout] = {layout.name: layout for layout in layouts}

    def slot(self, name: str, argument: str) -> Slot:
        """Return the slot `{name argument}`. Raises ValueError for an unknown name."""
        return resolve(name, argument, self)


@cache
def library(language: str) -> Library:
    """Return the templates of a language. Raises ResourceError if there are none."""
    known = languages()
    if language not in known:
        raise ResourceError(f"no templates for {language!r}{nearest(language, known)}; there are: {', '.join(known)}")
    return Library(language, root().joinpath(language))


def languages() -> list[str]:
    """Return the languages that have templates."""
    return sorted(f.name for f in root().iterdir() if f.is_dir() and f.joinpath("layouts").is_dir())


def _pools(folder: Traversable) -> dict[str, Pool]:
    pools: dict[str, Pool] = {}
    for file in text_files(folder):
        for section in read_sections(file):
            if section.name in pools:
                raise ResourceError(
                    f"{section.place}: {section.name} is defined already, at {pools[section.name].place}"
                )
            pools[section.name] = Pool(section)
    return pools


def _kind(section: Section) -> str:
    """Return the PHI kind that a heading of spans.txt gives after the section's name."""
    if len(section.words) != 2:
        raise ResourceError(f"{section.place}: expected a heading like '== mrn ID_MEDICAL_RECORD =='")
    try:
        return PhiKind.of(section.words[1]).name
    except ValueError as error:
        raise ResourceError(f"{section.place}: {error}") from None
