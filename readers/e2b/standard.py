"""What the two standards have in common: what the engine asks of each, and what it finds in a report."""

from __future__ import annotations

import abc
import dataclasses
import re
from collections.abc import Collection, Iterator
from typing import ClassVar, NamedTuple

from ...typesystem import PhiKind
from ...typesystem.markup.xml_source import Element
from ...typesystem.source_record import ValueLocation
from .rules import Rule, Table

_CODE = re.compile(r"[0-9.]+")
_BASE64 = re.compile(r"\s*(?:[A-Za-z0-9+/]{4}\s*){50,}[A-Za-z0-9+/]{0,4}={0,2}\s*")
_IDENTIFIES = re.compile(
    r"name|initial|birthplace|phone|tel$|fax|mail|street|city|addr|post(?:al)?code|zip|ssn|passport|licen[cs]e|account|ident|numb",
    re.IGNORECASE,
)
"""Names of elements that no table knows and that hold no narrative."""
_THING = re.compile(r"product|substance|material|ingredient|medicine|device", re.IGNORECASE)
_SHORT = 200


class Value(NamedTuple):
    """A structured value: what it is, normalised, and where it stands."""

    field: str
    kind: PhiKind
    value: str
    place: ValueLocation
    role: str = ""
    """Whose it is; empty: nobody looks for it in the texts."""
    element: Element | None = None


class Text(NamedTuple):
    """A free text."""

    field: str
    text: str
    place: ValueLocation
    most: int | None
    language: str


@dataclasses.dataclass(slots=True)
class Report:
    """What a report holds."""

    texts: list[Text] = dataclasses.field(default_factory=list)
    values: list[Value] = dataclasses.field(default_factory=list)
    attachments: int = 0


class Standard(abc.ABC):
    """One release of E2B."""

    release: ClassVar[str]
    table: ClassVar[Table]

    @abc.abstractmethod
    def reports(self, root: Element) -> list[Element]:
        """The reports of a file."""

    @abc.abstractmethod
    def date(self, element: Element) -> Value | None:
        """The date that an element holds. Its value is empty where it cannot be read."""

    @abc.abstractmethod
    def is_transmission(self, element: Element) -> bool:
        """Whether a date is that of the message: the same for all reports of a file."""

    @abc.abstractmethod
    def is_attachment(self, element: Element) -> bool:
        """Whether an element holds a file that cannot be looked through."""

    def is_encoded(self, element: Element) -> bool:
        """Whether text is nothing but data in base64."""
        text = element.own_text
        return len(text) >= _SHORT and " " not in text.strip() and _BASE64.fullmatch(text) is not None

    def strangers(self, element: Element, done: Collection[str]) -> Iterator[Value]:
        """Attributes that no table knows and that may say anything; `done`: those that one knows."""
        return iter(())

    def is_plain(self, element: Element) -> bool:
        """Whether an element that no table knows holds a code only."""
        return False

    @abc.abstractmethod
    def value(self, rule: Rule, element: Element, written: str) -> Value:
        """What an element or attribute that a rule speaks of says."""

    @abc.abstractmethod
    def place_of_text(self, element: Element) -> ValueLocation:
        """Where a text is written back to."""

    @abc.abstractmethod
    def place_of_attachment(self, element: Element) -> ValueLocation:
        """Where an attachment is taken out."""

    @abc.abstractmethod
    def case(self, values: list[Value]) -> str:
        """The number of the case, the same in all versions of its report; empty where it has none."""

    def language(self, element: Element) -> str:
        """The language of a text in ISO 639, as the file has it; empty where it does not say."""
        at: Element | None = element
        while at is not None:
            found = next((at.attributes[n] for n in ("language", "xml:lang", "lang") if at.attributes.get(n)), "")
            if found:
                return found
            at = at.parent
        return ""

    def report(self, elements: Iterator[Element], alone: bool) -> Report:
        """All that the elements hold. `alone`: its transmission may keep a date, because no other report bears the same."""
        found = Report()
        inside: Element | None = None
        for element in elements:
            if inside is not None and inside.begin <= element.begin < inside.end:
                found.values += self.strangers(element, ())
                continue  # part of a text or an attachment
            inside = None
            if self.is_attachment(element) or self.is_encoded(element):
                found.attachments += 1
                found.values.append(Value("attachment", PhiKind.OTHER, "", self.place_of_attachment(element)))
                inside = element
                continue
            self._values(element, alone, found)
            if element.own_text.strip() and self._text(element, found):
                inside = element
        return found

    def _values(self, element: Element, alone: bool, found: Report) -> None:
        date = self.date(element)
        if date is not None:
            shared = not alone and self.is_transmission(element)
            found.values.append(date._replace(value="") if shared else date)
        rules = self.table.of_attributes(element)
        done = [rule.attribute for rule in rules] + (["value"] if date is not None else [])
        found.values += self.strangers(element, done)
        for rule in rules:
            if rule.kind is not None:
                found.values.append(self.value(rule, element, element.attributes[rule.attribute].strip()))

    def _text(self, element: Element, found: Report) -> bool:
        """Takes the text of an element; whether that was all that is in it."""
        if self.date(element) is not None or self.is_plain(element):
            return True
        rule = self.table.of_text(element)
        if rule is not None and rule.kind is not None:
            found.values.append(self.value(rule, element, element.own_text.strip()))
        elif rule is None and len(element.text) <= _SHORT and _identifies(element):
            unlisted = Rule(f"unlisted.{element.name}", (), kind=PhiKind.OTHER)
            found.values.append(self.value(unlisted, element, element.own_text.strip()))
            return True
        elif rule is not None and rule.coded and _CODE.fullmatch(element.text.strip()):
            return True
        elif rule is None or rule.text:  # what no table knows is read as text: nothing may slip through
            field, most = (rule.field, rule.most) if rule is not None else (f"unlisted.{element.name}", None)
            found.texts.append(Text(field, element.text, self.place_of_text(element), most, self.language(element)))
            return True
        return False


def _identifies(element: Element) -> bool:
    """Whether an element that no table knows says by its name that it identifies, and no thing."""
    owner = element.parent.name if element.parent is not None else ""
    return bool(_IDENTIFIES.search(element.name)) and not (_THING.search(element.name) or _THING.search(owner))
