"""All templates of a language, read and compiled once per process: layouts (types of documents), sentences, lists, spans."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources.abc import Traversable

from ...pipeline.errors import ResourceError, nearest
from ...typesystem import PhiKind
from .pools import Pool, Pools, split_conditions
from .sections import Section, read_sections, root, text_files
from .slots import resolve
from .story import LayoutStyle, Story
from .template import Nodes, Resolve, Slot, compile_template, render

_CHANCE = re.compile(r"^~(\d+)(?: |$)")
_KEYS = ("weight", "dates", "upper", "lower", "wrap", "flat", "years", "ages", "short")
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One line: its probability, the facts it requires, and its template."""

    chance: float
    conditions: tuple[str, ...]
    nodes: Nodes


@dataclass(slots=True, eq=False)
class Layout(LayoutStyle):
    """A type of document."""

    lines: list[LayoutLine] = field(default_factory=list)

    def run(self, story: Story) -> None:
        """Add the lines of a document to the story. A line that turns out empty leaves no gap."""
        out = story.out
        blank = True
        for line in self.lines:
            skipped = line.chance < 1 and not story.draws.chance(line.chance)
            if skipped or not story.facts.issuperset(line.conditions):
                continue
            if not line.nodes:
                if not blank:
                    out.append(("\n", ""))
                blank = True
                continue
            start = len(out)
            render(line.nodes, story)
            if any(text.strip() for text, _ in out[start:]):
                out.append(("\n", ""))
                blank = False
            else:
                del out[start:]


def read_layout(file: Traversable, resolve: Resolve) -> Layout:
    """Read a layout: `# key: value` lines, then the lines of the document. `~60 ` before a line is its chance in percent.

    Raises ResourceError that names file and line.
    """
    layout = Layout(file.name.removesuffix(".txt"))
    if not _NAME.match(layout.name):
        raise ResourceError(f"{file.name}: expected a name in snake_case")
    in_header = True
    for number, raw in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{file.name}:{number}"
        if in_header and raw.startswith("# "):
            key, _, value = raw[2:].partition(": ")
            _set(layout, key, value, place)
            continue
        if in_header and not raw.strip():
            continue
        in_header = False
        chance = _CHANCE.match(raw)
        conditions, text = split_conditions(raw[chance.end() :] if chance else raw, place)
        share = int(chance[1]) / 100 if chance else 1.0
        layout.lines.append(LayoutLine(share, conditions, compile_template(text, resolve, place)))
    if not any(line.nodes for line in layout.lines):
        raise ResourceError(f"{file.name}: expected at least one line of a document")
    return layout


def _set(layout: Layout, key: str, value: str, place: str) -> None:
    if key not in _KEYS:
        raise ResourceError(f"{place}: no key {key!r}{nearest(key, _KEYS) or '; expected one of ' + ', '.join(_KEYS)}")
    try:
        if key == "dates":
            pairs = (part.partition("=") for part in value.split())
            layout.dates = {name: float(weight) for name, _, weight in pairs}
        elif key in ("years", "ages"):
            low, _, high = value.partition("-")
            setattr(layout, key, (int(low), int(high or low)))
        else:
            setattr(layout, key, float(value))
    except ValueError:
        raise ResourceError(f"{place}: {key}: expected numbers") from None


def weighted_layouts(layouts: Mapping[str, Layout], wanted: Mapping[str, float]) -> list[tuple[Layout, float]]:
    """Return the wanted layouts, or all of them, with their weights. Raises ValueError for an unknown name."""
    unknown = [name for name in wanted if name not in layouts]
    if unknown:
        hint = nearest(unknown[0], layouts) or f"; expected some of {', '.join(layouts)}"
        raise ValueError(f"layouts: no layout {unknown[0]!r}{hint}")
    weights = sorted(wanted.items()) if wanted else [(name, layout.weight) for name, layout in layouts.items()]
    chosen = [(layouts[name], weight) for name, weight in weights if weight > 0]
    if not chosen:
        raise ValueError("layouts: expected a weight above 0")
    return chosen


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
