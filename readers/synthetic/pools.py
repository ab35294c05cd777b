"""Pools of templates to choose from: entries for some patients only, entries with PHI as likely as the density asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...pipeline.errors import ResourceError
from .sections import Section
from .template import Nodes, Resolve, compile_template, holds_phi, render

if TYPE_CHECKING:
    from .story import Story

FACTS = ("female", "male", "infant", "child", "teen", "adult", "elder", "minor", "grown", "fertile", "recent")
"""What an entry may ask of the patient and of the time (recent: from 2020 on): `@female,grown She is ...`."""
_SEVERAL = 12
"""A pool of so many entries avoids those the document has had."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One template of a pool and whom it fits."""

    nodes: Nodes
    phi: bool
    needs: tuple[str, ...]


class Pool:
    """The entries of one section, drawn by what is true of the document's patient."""

    def __init__(self, section: Section) -> None:
        self.place = section.place
        self.entries: list[Entry] = []
        self._lines = section.lines
        self._avoids = len(section.lines) >= _SEVERAL
        self._fitting: dict[frozenset[str], tuple[list[Entry], list[Entry]]] = {}

    def compile(self, resolve: Resolve) -> None:
        """Makes the entries; apart from the constructor, because entries may name pools that come later."""
        for line in self._lines:
            needs, text = asked(line.text, line.place)
            nodes = compile_template(text, resolve, line.place)
            entry = Entry(nodes, holds_phi(nodes), needs)
            self.entries += [entry] * line.weight

    def draw(self, story: Story) -> Entry | None:
        """An entry that fits the story; None where there is none."""
        found = self._fitting.get(story.facts)
        if found is None:
            fits = [e for e in self.entries if story.facts.issuperset(e.needs)]
            found = self._fitting[story.facts] = [e for e in fits if not e.phi], [e for e in fits if e.phi]
        plain, phi = found
        weight = story.density * len(phi)
        if not plain and not weight:
            return None
        draws = story.draws
        entry = None
        for _ in range(6 if self._avoids else 1):
            entry = draws.pick(phi) if draws.unit() * (weight + len(plain)) < weight else draws.pick(plain)
            if entry not in story.used:
                break
        assert entry is not None
        if self._avoids:
            story.used.add(entry)
        return entry

    def run(self, story: Story) -> None:
        """Adds an entry's pieces to the story; nothing where none fits."""
        entry = self.draw(story)
        if entry is not None:
            render(entry.nodes, story)


def asked(text: str, place: str) -> tuple[tuple[str, ...], str]:
    """What an entry asks of the patient, and its text. Raises ResourceError for a fact nobody knows."""
    if not text.startswith("@"):
        return (), text
    words, _, rest = text[1:].partition(" ")
    needs = tuple(words.split(","))
    unknown = [w for w in needs if w not in FACTS]
    if unknown:
        raise ResourceError(f"{place}: no fact {unknown[0]!r}; expected one of {', '.join(FACTS)}")
    return needs, rest
