"""Layouts: what sort of document is written, line by line, and what is usual in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from ...pipeline.errors import ResourceError, nearest
from .pools import asked
from .template import Nodes, Resolve, compile_template, render

if TYPE_CHECKING:
    from .story import Story

_CHANCE = re.compile(r"^~(\d+)(?: |$)")
_KEYS = ("weight", "dates", "upper", "lower", "wrap", "flat", "years", "ages", "short")
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One line: how likely it stands, whom it fits, what it says."""

    chance: float
    needs: tuple[str, ...]
    nodes: Nodes


@dataclass(slots=True, eq=False)
class Layout:
    """A sort of document. Shares are of its documents; `wrap` and `flat` count at noise 1."""

    name: str
    weight: float = 1.0
    dates: dict[str, float] = field(default_factory=lambda: {"numeric": 5, "prose": 3, "compact": 1, "iso": 1})
    """Families of date formats and how usual they are."""
    upper: float = 0.03
    lower: float = 0.03
    wrap: float = 0.2
    flat: float = 0.1
    short: float = 0.1
    """Share with the abbreviations of hurried notes."""
    years: tuple[int, int] = (1998, 2026)
    ages: tuple[int, int] = (0, 104)
    lines: list[LayoutLine] = field(default_factory=list)

    def run(self, story: Story) -> None:
        """Adds the lines of a document to the story. A line that says nothing this time leaves no gap."""
        out = story.out
        blank = True
        for line in self.lines:
            if (line.chance < 1 and not story.draws.chance(line.chance)) or not story.facts.issuperset(line.needs):
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
    """A layout from its file: `# key: value` lines, then the document's lines; `~60 ` before a line is its chance in percent.

    Raises ResourceError that names file and line.
    """
    layout = Layout(file.name.removesuffix(".txt"))
    if not _NAME.match(layout.name):
        raise ResourceError(f"{file.name}: expected a name in snake_case")
    head = True
    for number, raw in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{file.name}:{number}"
        if head and raw.startswith("# "):
            key, _, value = raw[2:].partition(": ")
            _set(layout, key, value, place)
            continue
        if head and not raw.strip():
            continue
        head = False
        chance = _CHANCE.match(raw)
        needs, text = asked(raw[chance.end() :] if chance else raw, place)
        share = int(chance[1]) / 100 if chance else 1.0
        layout.lines.append(LayoutLine(share, needs, compile_template(text, resolve, place)))
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
    """Layouts with their weights: those wanted, or all with their own. Raises ValueError for a name nobody knows."""
    unknown = [name for name in wanted if name not in layouts]
    if unknown:
        hint = nearest(unknown[0], layouts) or f"; expected some of {', '.join(layouts)}"
        raise ValueError(f"layouts: no layout {unknown[0]!r}{hint}")
    chosen = [(layouts[n], w) for n, w in sorted(wanted.items()) if w > 0] if wanted else _own(layouts)
    if not chosen:
        raise ValueError("layouts: expected a weight above 0")
    return chosen


def _own(layouts: Mapping[str, Layout]) -> list[tuple[Layout, float]]:
    return [(layout, layout.weight) for layout in layouts.values() if layout.weight > 0]
