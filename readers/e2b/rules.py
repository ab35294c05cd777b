"""Tables of the standards as rules: which elements and attributes are texts, and which identify people.

Each line of a table is `field | type | role | path`. The type is `text` and the maximum length in characters, `coded` and that
length (text, unless it is a numeric code), `plain` (kept unchanged), or the PHI kind of the value. The path is matched from its
end; a step may require attributes, `id{@root=1.2.3}`, or the code of an element below it: `observation{code=36}`,
`observation{author/assignedEntity/code=1}`.
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
    """One step of a path: an element's name and the conditions on it."""

    name: str
    tests: tuple[tuple[str, str], ...] = ()

    def fits(self, element: Element) -> bool:
        return element.name == self.name and all(_passes(element, name, value) for name, value in self.tests)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a table."""

    field: str
    """Number of the field in the standard: `H.1`, `C.2.r.1.4`."""
    steps: tuple[Step, ...]
    attribute: str = ""
    """The attribute with the value; empty: the element's text."""
    kind: PhiKind | None = None
    """Kind of the value; None for texts and values that are kept."""
    role: str = ""
    """Role of the person; empty: the value is not searched for in the texts."""
    text: bool = False
    coded: bool = False
    """A numeric code in place of text is kept."""
    most: int | None = None
    """Maximum length in characters."""

    def fits(self, element: Element) -> bool:
        current: Element | None = element
        for step in reversed(self.steps):
            if current is None or not step.fits(current):
                return False
            current = current.parent
        return True


class Table:
    """The rules of a standard, indexed by element name; the first rule that fits applies."""

    def __init__(self, lines: str) -> None:
        self.rules = [_rule(line) for line in lines.splitlines() if line.strip()]
        self._texts: dict[str, list[Rule]] = {}
        self._attributes: dict[str, list[Rule]] = {}
        for rule in self.rules:
            index = self._attributes if rule.attribute else self._texts
            index.setdefault(rule.steps[-1].name, []).append(rule)

    def of_text(self, element: Element) -> Rule | None:
        """Return the rule for an element's text."""
        return next((r for r in self._texts.get(element.name, ()) if r.fits(element)), None)

    def of_attributes(self, element: Element) -> Collection[Rule]:
        """Return the rules for an element's attributes, one for each attribute."""
        rules: dict[str, Rule] = {}
        for rule in self._attributes.get(element.name, ()):
            if (
                rule.attribute not in rules
                and element.attributes.get(rule.attribute, "").strip()
                and rule.fits(element)
            ):
                rules[rule.attribute] = rule
        return rules.values()

    @property
    def text_fields(self) -> list[str]:
        """Names of the fields with free text, in the order of the table."""
        return list(dict.fromkeys(r.field for r in self.rules if r.text))


def _rule(line: str) -> Rule:
    field, type_, role, path = (cell.strip() for cell in line.split("|"))
    path, _, attribute = path.partition("/@") if "/@" in path else (path, "", "")
    steps = tuple(Step(name, tuple(_TEST.findall(tests))) for name, tests in _STEP.findall(path))
    word, _, most = type_.partition(" ")
    is_text = word in ("text", "coded")
    kind = None if is_text or word == "plain" else PhiKind.of(word)
    return Rule(field, steps, attribute, kind, role, is_text, word == "coded", int(most) if most else None)


def _passes(element: Element, name: str, value: str) -> bool:
    if name.startswith("@"):
        return element.attributes.get(name[1:]) == value
    descendant = element.child(name)
    return descendant is not None and descendant.attributes.get("code") == value
