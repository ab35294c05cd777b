"""Pools of templates: entries that fit the patient, drawn so that those with PHI come as often as the density asks."""

from __future__ import annotations

from dataclasses import dataclass

from ...pipeline.errors import ResourceError
from .sections import Section
from .story import Story
from .template import Nodes, Resolve, compile_template, holds_phi, render
from .vocabulary import Vocabulary

FACTS = ("female", "male", "infant", "child", "teen", "adult", "elder", "minor", "grown", "fertile", "recent")
"""Conditions on the patient and the time (recent: 2020 or later): `@female,grown She is ...`."""
_SEVERAL = 12
"""A pool of at least this many entries avoids those that the document already used."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One template of a pool with its conditions."""

    nodes: Nodes
    phi: bool
    conditions: tuple[str, ...]


class Pool:
    """The entries of one section, drawn by the facts about the document's patient."""

    def __init__(self, section: Section) -> None:
        self.place = section.place
        self.entries: list[Entry] = []
        self._lines = section.lines
        self._avoids_repetition = len(section.lines) >= _SEVERAL
        self._fitting: dict[frozenset[str], tuple[list[Entry], list[Entry]]] = {}

    def compile(self, resolve: Resolve) -> None:
        """Compile the entries. Not part of the constructor, because entries may refer to pools that are read later."""
        for line in self._lines:
            conditions, text = split_conditions(line.text, line.place)
            nodes = compile_template(text, resolve, line.place)
            self.entries += [Entry(nodes, holds_phi(nodes), conditions)] * line.weight

    def draw(self, story: Story) -> Entry | None:
        """Return an entry that fits the story, or None."""
        fitting = self._fitting.get(story.facts)
        if fitting is None:
            fits = [e for e in self.entries if story.facts.issuperset(e.conditions)]
            fitting = self._fitting[story.facts] = [e for e in fits if not e.phi], [e for e in fits if e.phi]
        plain, phi = fitting
        weight = story.density * len(phi)
        if not plain and not weight:
            return None
        draws = story.draws
        entry = None
        for _ in range(6 if self._avoids_repetition else 1):
            entry = draws.pick(phi) if draws.unit() * (weight + len(plain)) < weight else draws.pick(plain)
            if entry not in story.used:
                break
        assert entry is not None
        if self._avoids_repetition:
            story.used.add(entry)
        return entry

    def run(self, story: Story) -> None:
        """Add the pieces of an entry that fits, if there is one, to the story."""
        entry = self.draw(story)
        if entry is not None:
            render(entry.nodes, story)


class Pools(Vocabulary):
    """A vocabulary with the pools that slots draw from."""

    spans: dict[str, tuple[str, Pool]]
    """Name of a slot -> PHI kind and pool."""
    lists: dict[str, Pool]
    groups: dict[str, Pool]


def split_conditions(text: str, place: str) -> tuple[tuple[str, ...], str]:
    """Return the conditions of an entry and its text. Raises ResourceError for an unknown fact."""
    if not text.startswith("@"):
        return (), text
    words, _, rest = text[1:].partition(" ")
    conditions = tuple(words.split(","))
    unknown = [w for w in conditions if w not in FACTS]
    if unknown:
        raise ResourceError(f"{place}: no fact {unknown[0]!r}; expected one of {', '.join(FACTS)}")
    return conditions, rest
