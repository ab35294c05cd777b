"""The template language: plain text, `{slot argument}`, and `[one|or another|]`; compiled once, rendered often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...pipeline.errors import ResourceError

if TYPE_CHECKING:
    from .story import Story


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """What stands for `{...}`: it adds pieces to the story. `phi` says that it always adds PHI."""

    run: Callable[[Story], None]
    phi: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """`[a|b]`: one of the branches, each as likely as the others."""

    branches: tuple[Nodes, ...]


Node = str | Slot | Choice
Nodes = tuple[Node, ...]
Resolve = Callable[[str, str], Slot]
"""From a slot's name and its argument to what it does. Raises ValueError for a name nobody knows."""

_ESCAPES = {"n": "\n", "t": "\t"}


def compile_template(text: str, resolve: Resolve, place: str) -> Nodes:
    r"""The nodes of a template. `\n` and `\t` are a line end and a tab, a backslash before any other character keeps it.

    Raises ResourceError that names the place for brackets that do not fit and slots that nobody knows.
    """
    reader = _Reader(text, resolve, place)
    nodes = reader.sequence("")
    if reader.at < len(text):
        raise reader.wrong(f"unexpected {text[reader.at]!r}")
    return nodes


def render(nodes: Nodes, story: Story) -> None:
    """Adds the pieces of a template to the story."""
    out = story.out
    for node in nodes:
        if isinstance(node, str):
            out.append((node, ""))
        elif isinstance(node, Slot):
            node.run(story)
        else:
            render(story.draws.pick(node.branches), story)


def holds_phi(nodes: Sequence[Node]) -> bool:
    """Whether a template can add PHI by one of its own slots."""
    return any(
        node.phi
        if isinstance(node, Slot)
        else any(map(holds_phi, node.branches))
        if isinstance(node, Choice)
        else False
        for node in nodes
    )


class _Reader:
    """Recursive descent over one template."""

    def __init__(self, text: str, resolve: Resolve, place: str) -> None:
        self.text, self.resolve, self.place, self.at = text, resolve, place, 0

    def wrong(self, what: str) -> ResourceError:
        return ResourceError(f"{self.place}: column {self.at + 1}: {what}")

    def sequence(self, stops: str) -> Nodes:
        nodes: list[Node] = []
        plain: list[str] = []

        def flush() -> None:
            if plain:
                nodes.append("".join(plain))
                plain.clear()

        while self.at < len(self.text) and self.text[self.at] not in stops:
            c = self.text[self.at]
            if c == "\\":
                if self.at + 1 == len(self.text):
                    raise self.wrong("a backslash at the end")
                following = self.text[self.at + 1]
                plain.append(_ESCAPES.get(following, following))
                self.at += 2
            elif c == "{":
                flush()
                nodes.append(self.slot())
            elif c == "[":
                flush()
                nodes.append(self.choice())
            elif c in "]}":
                raise self.wrong(f"{c!r} closes nothing")
            else:
                plain.append(c)
                self.at += 1
        flush()
        return tuple(nodes)

    def slot(self) -> Slot:
        end = self.text.find("}", self.at)
        if end < 0:
            raise self.wrong("'{' is never closed")
        name, _, argument = self.text[self.at + 1 : end].partition(" ")
        try:
            found = self.resolve(name, argument)
        except ValueError as error:
            raise self.wrong(str(error)) from None
        self.at = end + 1
        return found

    def choice(self) -> Choice:
        opened = self.at
        branches: list[Nodes] = []
        while True:
            self.at += 1
            branches.append(self.sequence("|]"))
            if self.at == len(self.text):
                self.at = opened
                raise self.wrong("'[' is never closed")
            if self.text[self.at] == "]":
                self.at += 1
                return Choice(tuple(branches))
