"""Base class of the two standards, which extracts texts and values from a report."""

from __future__ import annotations

import abc
import dataclasses
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from ...typesystem import PhiKind
from ...typesystem.markup.xml_source import Element
from ...typesystem.source_record import ValueLocation

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
    term: bool = False
    """The text is a clinical term: names are not looked for in it."""
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
    is_text = word in ("text", "coded", "term")
    kind = None if is_text or word == "plain" else PhiKind.of(word)
    return Rule(
        field,
        steps,
        attribute,
        kind,
        role,
        is_text,
        word in ("coded", "term"),
        word == "term",
        int(most) if most else None,
    )


def _passes(element: Element, name: str, value: str) -> bool:
    if name.startswith("@"):
        return element.attributes.get(name[1:]) == value
    descendant = element.child(name)
    return descendant is not None and descendant.attributes.get("code") == value


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
    term: bool = False
    """True for a clinical term."""


@dataclasses.dataclass(slots=True)
class Report:
    """The content of a report."""

    texts: list[Text] = dataclasses.field(default_factory=list)
    values: list[Value] = dataclasses.field(default_factory=list)
    plain: list[Text] = dataclasses.field(default_factory=list)
    """Names of drugs, lots, codes and other texts that are kept unless they contain what identifies a person."""
    attachments: int = 0
    onset: str = ""
    """The earliest start of a reaction, in ISO 8601: the day on which the patient's age was right; empty if not given."""


class Standard(abc.ABC):
    """One release of E2B."""

    release: ClassVar[str]
    table: ClassVar[Table]
    text_form: ClassVar[str]
    """How texts are written back."""
    attachment_form: ClassVar[str]
    """How attachments are removed."""
    case_fields: ClassVar[tuple[str, ...]]
    """Fields with the number of the case, in order of preference."""

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
    def is_onset(self, element: Element) -> bool:
        """Return whether a date is the start of a reaction."""

    def is_attachment(self, element: Element) -> bool:
        """Return whether an element contains a file: its text is only data in base64."""
        text = element.own_text
        return len(text) >= _SHORT and " " not in text.strip() and _BASE64.fullmatch(text) is not None

    @abc.abstractmethod
    def unlisted_attributes(self, element: Element, done: Collection[str]) -> Iterator[Value]:
        """Yield the attributes that neither the table nor HL7 defines, except those in `done`."""

    def is_plain(self, element: Element) -> bool:
        """Return whether an unlisted element contains only a code."""
        return False

    @abc.abstractmethod
    def value(self, rule: Rule, element: Element, written: str) -> Value:
        """Return the value of an element or attribute that a rule matches."""

    def case(self, values: list[Value]) -> str:
        """Return the number of the case, which all versions of its report share; empty if it has none."""
        by_field = {v.field: v.value for v in reversed(values)}
        return next((by_field[field] for field in self.case_fields if by_field.get(field)), "")

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
            if self.is_attachment(element):
                report.attachments += 1
                location = ValueLocation(element.path(), self.attachment_form)
                report.values.append(Value("attachment", PhiKind.OTHER, "", location))
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
            if date.value and self.is_onset(element):
                report.onset = min(report.onset or date.value, date.value)
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
        elif rule is not None and not rule.text:
            if _CODE.fullmatch(element.text.strip()) is None:
                text = Text(
                    rule.field or element.name,
                    element.text,
                    ValueLocation(element.path(), self.text_form),
                    None,
                    "",
                    True,
                )
                report.plain.append(text)
        else:  # unlisted elements are read as text, so that no PHI is missed
            field, most = (rule.field, rule.most) if rule is not None else (f"unlisted.{element.name}", None)
            location = ValueLocation(element.path(), self.text_form)
            term = rule is not None and rule.term and is_short_term(element.text)
            report.texts.append(Text(field, element.text, location, most, self.language(element), term))
            return True
        return False


_TITLE = re.compile(
    r"\b(?:dr|drs|prof|mr|mrs|ms|miss|sr|sra|dra|herr|frau|mme|monsieur|madame|doctor|nurse|patient named)\b\.?\s",
    re.IGNORECASE,
)
_TERM = 100
"""Greatest length of a MedDRA term in characters; longer texts are narratives."""


def is_short_term(text: str) -> bool:
    """Return whether a text is as short as a clinical term, and has no title of a person; others are narratives."""
    return len(text.strip()) <= _TERM and _TITLE.search(text) is None


def _identifies(element: Element) -> bool:
    """Return whether the name of an unlisted element indicates that it identifies a person."""
    owner = element.parent.name if element.parent is not None else ""
    return bool(_IDENTIFIES.search(element.name)) and not (
        _NOT_A_PERSON.search(element.name) or _NOT_A_PERSON.search(owner)
    )
