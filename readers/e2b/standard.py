"""Base class of the two standards, which extracts texts and values from a report."""

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
"""Names of unlisted elements that contain identifying values instead of narratives."""
_NOT_A_PERSON = re.compile(r"product|substance|material|ingredient|medicine|device", re.IGNORECASE)
_SHORT = 200


class Value(NamedTuple):
    """A structured value, normalized."""

    field: str
    kind: PhiKind
    value: str
    location: ValueLocation
    role: str = ""
    """Role of the person; empty: the value is not searched for in the texts."""
    element: Element | None = None


class Text(NamedTuple):
    """A free text. `most`: maximum length in characters."""

    field: str
    text: str
    location: ValueLocation | None
    most: int | None
    language: str


@dataclasses.dataclass(slots=True)
class Report:
    """The content of a report."""

    texts: list[Text] = dataclasses.field(default_factory=list)
    values: list[Value] = dataclasses.field(default_factory=list)
    attachments: int = 0


class Standard(abc.ABC):
    """One release of E2B."""

    release: ClassVar[str]
    table: ClassVar[Table]

    @abc.abstractmethod
    def reports(self, root: Element) -> list[Element]:
        """Return the elements of the reports of a file."""

    @abc.abstractmethod
    def date(self, element: Element) -> Value | None:
        """Return the date in an element; its value is empty if it cannot be parsed."""

    @abc.abstractmethod
    def is_transmission(self, element: Element) -> bool:
        """Return whether a date belongs to the message, so that all reports of a file share it."""

    @abc.abstractmethod
    def is_attachment(self, element: Element) -> bool:
        """Return whether an element contains a file."""

    def is_encoded(self, element: Element) -> bool:
        """Return whether the text is only data in base64."""
        text = element.own_text
        return len(text) >= _SHORT and " " not in text.strip() and _BASE64.fullmatch(text) is not None

    def unlisted_attributes(self, element: Element, done: Collection[str]) -> Iterator[Value]:
        """Yield the attributes that neither the table nor HL7 defines, except those in `done`."""
        return iter(())

    def is_plain(self, element: Element) -> bool:
        """Return whether an unlisted element contains only a code."""
        return False

    @abc.abstractmethod
    def value(self, rule: Rule, element: Element, written: str) -> Value:
        """Return the value of an element or attribute that a rule matches."""

    @abc.abstractmethod
    def text_location(self, element: Element) -> ValueLocation:
        """Return where to write a text back."""

    @abc.abstractmethod
    def attachment_location(self, element: Element) -> ValueLocation:
        """Return where to remove an attachment."""

    @abc.abstractmethod
    def case(self, values: list[Value]) -> str:
        """Return the number of the case, which all versions of its report share; empty if it has none."""

    def language(self, element: Element) -> str:
        """Return the ISO 639 code of a text's language, as given in the file; empty if it is not given."""
        current: Element | None = element
        while current is not None:
            for name in ("language", "xml:lang", "lang"):
                if language := current.attributes.get(name):
                    return language
            current = current.parent
        return ""

    def report(self, elements: Iterator[Element], single: bool) -> Report:
        """Return the content of the elements. `single`: keep the date of transmission, because no other report shares it."""
        report = Report()
        inside: Element | None = None
        for element in elements:
            if inside is not None and inside.begin <= element.begin < inside.end:
                report.values += self.unlisted_attributes(element, ())
                continue  # part of a text or an attachment
            inside = None
            if self.is_attachment(element) or self.is_encoded(element):
                report.attachments += 1
                report.values.append(Value("attachment", PhiKind.OTHER, "", self.attachment_location(element)))
                inside = element
                continue
            self._values(element, single, report)
            if element.own_text.strip() and self._text(element, report):
                inside = element
        return report

    def _values(self, element: Element, single: bool, report: Report) -> None:
        date = self.date(element)
        if date is not None:
            shared = not single and self.is_transmission(element)
            report.values.append(date._replace(value="") if shared else date)
        rules = self.table.of_attributes(element)
        done = [rule.attribute for rule in rules] + (["value"] if date is not None else [])
        report.values += self.unlisted_attributes(element, done)
        for rule in rules:
            if rule.kind is not None:
                report.values.append(self.value(rule, element, element.attributes[rule.attribute].strip()))

    def _text(self, element: Element, report: Report) -> bool:
        """Add the text of an element; return whether nothing else in the element needs to be read."""
        if self.date(element) is not None or self.is_plain(element):
            return True
        rule = self.table.of_text(element)
        if rule is not None and rule.kind is not None:
            report.values.append(self.value(rule, element, element.own_text.strip()))
        elif rule is None and len(element.text) <= _SHORT and _identifies(element):
            unlisted = Rule(f"unlisted.{element.name}", (), kind=PhiKind.OTHER)
            report.values.append(self.value(unlisted, element, element.own_text.strip()))
            return True
        elif rule is not None and rule.coded and _CODE.fullmatch(element.text.strip()):
            return True
        elif rule is None or rule.text:  # unlisted elements are read as text, so that no PHI is missed
            field, most = (rule.field, rule.most) if rule is not None else (f"unlisted.{element.name}", None)
            report.texts.append(Text(field, element.text, self.text_location(element), most, self.language(element)))
            return True
        return False


def _identifies(element: Element) -> bool:
    """Return whether the name of an unlisted element indicates that it identifies a person."""
    owner = element.parent.name if element.parent is not None else ""
    return bool(_IDENTIFIES.search(element.name)) and not (
        _NOT_A_PERSON.search(element.name) or _NOT_A_PERSON.search(owner)
    )
