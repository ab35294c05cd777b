"""The template language: plain text, `{slot argument}`, and choices `[one|or another|]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...pipeline.errors import ResourceError
from .story import Story


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """The meaning of `{...}`: `run` adds pieces to the story. `phi`: it always adds PHI."""

    run: Callable[[Story], None]
    phi: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """`[a|b]`: one of the branches, with equal probability."""

    branches: tuple[Nodes, ...]


Node = str | Slot | Choice
Nodes = tuple[Node, ...]
Resolve = Callable[[str, str], Slot]
"""Returns the slot with a name and an argument. Raises ValueError for an unknown name."""

_LIMITS = re.compile(r"(\d+)-(\d+)")
_ESCAPES = {"n": "\n", "t": "\t"}


def compile_template(text: str, resolve: Resolve, place: str) -> Nodes:
    r"""Compile a template. `\n` and `\t` are a newline and a tab; a backslash before any other character escapes it.

    Raises ResourceError that names `place` and column for unbalanced brackets and unknown slots.
    """
    parser = _Parser(text, resolve, place)
    nodes = parser.sequence("")
    if parser.offset < len(text):
        raise parser.error(f"unexpected {text[parser.offset]!r}")
    return nodes


def render(nodes: Nodes, story: Story) -> None:
    """Add the pieces of a template to the story."""
    out = story.out
    for node in nodes:
        if isinstance(node, str):
            out.append((node, ""))
        elif isinstance(node, Slot):
            node.run(story)
        else:
            render(story.draws.pick(node.branches), story)


def holds_phi(nodes: Sequence[Node]) -> bool:
    """Return whether one of the template's own slots can add PHI."""
    slots = any(node.phi for node in nodes if isinstance(node, Slot))
    return slots or any(holds_phi(branch) for node in nodes if isinstance(node, Choice) for branch in node.branches)


class _Parser:
    """Recursive-descent parser of one template."""

    def __init__(self, text: str, resolve: Resolve, place: str) -> None:
        self.text, self.resolve, self.place, self.offset = text, resolve, place, 0

    def error(self, what: str) -> ResourceError:
        return ResourceError(f"{self.place}: column {self.offset + 1}: {what}")

    def sequence(self, stops: str) -> Nodes:
        nodes: list[Node] = []
        plain: list[str] = []

        def flush() -> None:
            if plain:
                nodes.append("".join(plain))
                plain.clear()

        while self.offset < len(self.text) and self.text[self.offset] not in stops:
            c = self.text[self.offset]
            if c == "\\":
                if self.offset + 1 == len(self.text):
                    raise self.error("a backslash at the end")
                following = self.text[self.offset + 1]
                plain.append(_ESCAPES.get(following, following))
                self.offset += 2
            elif c == "{":
                flush()
                nodes.append(self.slot())
            elif c == "[":
                flush()
                nodes.append(self.choice())
            elif c in "]}":
                raise self.error(f"{c!r} closes nothing")
            else:
                plain.append(c)
                self.offset += 1
        flush()
        return tuple(nodes)

    def slot(self) -> Slot:
        end = self.text.find("}", self.offset)
        if end < 0:
            raise self.error("'{' is never closed")
        name, _, argument = self.text[self.offset + 1 : end].partition(" ")
        try:
            slot = self.resolve(name, argument)
        except ValueError as error:
            raise self.error(str(error)) from None
        self.offset = end + 1
        return slot

    def choice(self) -> Choice:
        opened = self.offset
        branches: list[Nodes] = []
        while True:
            self.offset += 1
            branches.append(self.sequence("|]"))
            if self.offset == len(self.text):
                self.offset = opened
                raise self.error("'[' is never closed")
            if self.text[self.offset] == "]":
                self.offset += 1
                return Choice(tuple(branches))


def limits(argument: str) -> tuple[int, int]:
    """Return the two integers of `2-9`. Raises ValueError for anything else."""
    match = _LIMITS.fullmatch(argument)
    if match is None or int(match[1]) > int(match[2]):
        raise ValueError(f"expected a range like 2-9, got {argument or 'nothing'}")
    return int(match[1]), int(match[2])
