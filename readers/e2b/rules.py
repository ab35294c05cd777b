"""The tables of the standards as rules: which element or attribute is a text, which says something about somebody.

A table has a line for each: `field | what | role | path`. `what` is `text` and the greatest length in characters, `coded` and
that length (text, unless it is a code of figures), `plain` (stays as it is), or the PHI kind of the value. `path` is matched
from its end; a step may ask for attributes, `id{@root=1.2.3}`, or for the code that an element below it has:
`observation{code=36}`, `observation{author/assignedEntity/code=1}`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from ...typesystem import PhiKind
from ...typesystem.markup.xml_source import Element

_STEP = re.compile(r"([^/{}@]+)((?:\{[^{}]+\})*)(?:/|$)")
_TEST = re.compile(r"\{([^{}=]+)=([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: an element's name and what is asked of it."""

    name: str
    tests: tuple[tuple[str, str], ...] = ()

    def fits(self, element: Element) -> bool:
        return element.name == self.name and all(_holds(element, what, value) for what, value in self.tests)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a table."""

    field: str
    """The element's name in the standard: `H.1`, `C.2.r.1.4`."""
    steps: tuple[Step, ...]
    attribute: str = ""
    """The attribute that holds the value; empty: the element's text does."""
    kind: PhiKind | None = None
    """What the value is; None for texts and for what stays as it is."""
    role: str = ""
    """Whose it is; empty: nobody looks for it in the texts."""
    text: bool = False
    coded: bool = False
    """A code of figures may stand there instead of text, and stays."""
    most: int | None = None
    """Characters that the standard allows."""

    def fits(self, element: Element) -> bool:
        at: Element | None = element
        for step in reversed(self.steps):
            if at is None or not step.fits(at):
                return False
            at = at.parent
        return True


class Table:
    """The rules of a standard, ready to be asked about an element; of several that fit, the first one counts."""

    def __init__(self, lines: str) -> None:
        self.rules = [_rule(line) for line in lines.splitlines() if line.strip()]
        self._texts: dict[str, list[Rule]] = {}
        self._attributes: dict[str, list[Rule]] = {}
        for rule in self.rules:
            into = self._attributes if rule.attribute else self._texts
            into.setdefault(rule.steps[-1].name, []).append(rule)

    def of_text(self, element: Element) -> Rule | None:
        """What the table says of an element's text."""
        return next((r for r in self._texts.get(element.name, ()) if r.fits(element)), None)

    def of_attributes(self, element: Element) -> Collection[Rule]:
        """What the table says of an element's attributes: of each the first rule."""
        found: dict[str, Rule] = {}
        for rule in self._attributes.get(element.name, ()):
            if (
                rule.attribute not in found
                and element.attributes.get(rule.attribute, "").strip()
                and rule.fits(element)
            ):
                found[rule.attribute] = rule
        return found.values()

    @property
    def text_fields(self) -> list[str]:
        """Names of the fields that hold free text, in order of the table."""
        return list(dict.fromkeys(r.field for r in self.rules if r.text))


def _rule(line: str) -> Rule:
    field, what, role, path = (cell.strip() for cell in line.split("|"))
    path, _, attribute = path.partition("/@") if "/@" in path else (path, "", "")
    steps = tuple(Step(name, tuple(_TEST.findall(tests))) for name, tests in _STEP.findall(path))
    word, _, most = what.partition(" ")
    free = word in ("text", "coded")
    kind = None if free or word == "plain" else PhiKind.of(word)
    return Rule(field, steps, attribute, kind, role, free, word == "coded", int(most) if most else None)


def _holds(element: Element, what: str, value: str) -> bool:
    if what.startswith("@"):
        return element.attributes.get(what[1:]) == value
    below = element.child(what)
    return below is not None and below.attributes.get("code") == value
