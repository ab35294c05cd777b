"""Puts masked texts and values into a FHIR file, and the standard's `masked` where there is none; nothing else changes."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable

from ...pipeline.errors import ConsumerError
from ...typesystem import PhiKind
from ...typesystem.markup.xhtml import Xhtml, spliced
from ...typesystem.source_record import ValueLocation
from .carried import CarriedField, CarriedText
from .json_places import Place, places

ABSENT = '{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}'
"""What stands in place of a primitive value. Source: FHIR R4, extension data-absent-reason, code `masked`."""

_CHANGED = "the file has changed since it was read"
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def masked_file(data: str, fields: Iterable[CarriedField], texts: Iterable[CarriedText]) -> str:
    """A JSON file, or one of a resource a line, with the values of the fields and the texts replaced.

    Raises ConsumerError where a value is not what was read: the file has changed since.
    """
    by_line: dict[str, tuple[list[CarriedField], list[CarriedText]]] = {}
    for item in fields:
        by_line.setdefault(_line(item.path), ([], []))[0].append(item)
    for text in texts:
        by_line.setdefault(_line(text.path), ([], []))[1].append(text)
    if set(by_line) <= {""}:
        return _Resource(data, "").masked(*by_line.get("", ([], [])))
    lines = data.split("\n")
    for number, found in by_line.items():
        if not 0 < int(number) <= len(lines):
            raise ConsumerError(f"line {number}: {_CHANGED}")
        lines[int(number) - 1] = _Resource(lines[int(number) - 1], number).masked(*found)
    return "\n".join(lines)


def _line(path: str) -> str:
    return path.partition("/")[0]


class _Resource:
    """`line`: its line of an .ndjson file; empty where it is the whole file. Pointers begin with it."""

    def __init__(self, data: str, line: str) -> None:
        self.data, self.line = data, line
        try:
            json.loads(data)
        except ValueError:
            raise self._changed("") from None
        self.places = places(data)
        self.edits: list[tuple[int, int, str]] = []
        self.lists: dict[str, dict[int, str | None]] = {}
        self.removed: set[str] = set()
        """Properties that go with their names."""

    def masked(self, fields: list[CarriedField], texts: list[CarriedText]) -> str:
        for text in texts:
            where = ValueLocation.of(text.path)
            place = self._place(where.path)
            new = _string(self._written(place, where, text))
            parent, _, name = where.path.removeprefix(self.line).rpartition("/")
            if self._is_list(parent) and name.isdecimal():
                self.lists.setdefault(parent, {})[int(name)] = new
            else:
                self.edits.append((place.begin, place.end, new))
        for item in fields:
            self._field(item)
        for path, changed in self.lists.items():
            self._list(path, changed)
        self._remove()
        made = spliced(self.data, self.edits)
        try:
            json.loads(made)
        except ValueError:
            raise ConsumerError(f"{self.line and f'line {self.line}: '}what was written is no JSON") from None
        return made

    def _is_list(self, path: str) -> bool:
        place = self.places.get(path)
        return place is not None and self.data[place.begin] == "["

    def _changed(self, path: str) -> ConsumerError:
        line = f"line {self.line}: " if self.line else ""
        return ConsumerError(f"{line}{path.removeprefix(self.line) or '/'}: {_CHANGED}")

    def _place(self, path: str) -> Place:
        place = self.places.get(path.removeprefix(self.line))
        if place is None:
            raise self._changed(path)
        return place

    # -- texts ---------------------------------------------------------------------------------------------------

    def _written(self, place: Place, where: ValueLocation, text: CarriedText) -> str:
        source = json.loads(self.data[place.begin : place.end])
        if not isinstance(source, str):
            raise self._changed(where.path)
        if not where.form.startswith("base64:"):
            return self._masked(source, where.form, where.path, text)
        _, charset, form = where.form.split(":", 2)
        try:
            content = base64.b64decode(re.sub(r"\s", "", source), validate=True).decode(charset)
        except (ValueError, LookupError):
            raise self._changed(where.path) from None
        errors = "xmlcharrefreplace" if form == "xhtml" else "replace"
        return base64.b64encode(self._masked(content, form, where.path, text).encode(charset, errors)).decode("ascii")

    def _masked(self, source: str, form: str, path: str, text: CarriedText) -> str:
        page = Xhtml(source) if form == "xhtml" else None
        if (page.text if page is not None else source) != text.original:
            raise self._changed(path)
        return page.replaced(text.replacements) if page is not None else text.masked

    # -- values --------------------------------------------------------------------------------------------------

    def _field(self, item: CarriedField) -> None:
        path = item.path.removeprefix(self.line)
        place = self._place(item.path)
        raw = json.loads(self.data[place.begin : place.end])
        if not isinstance(raw, str | int | float) or (item.value and not _same(raw, item)):
            raise self._changed(path)
        new = _new(raw, item)
        parent, _, name = path.rpartition("/")
        if name.isdecimal() and self._is_list(parent):
            self.lists.setdefault(parent, {})[int(name)] = new
        elif new is not None:
            self.edits.append((place.begin, place.end, new))
        elif (beside := self.places.get(f"{parent}/_{name}")) is not None:  # it has an extension already
            self.edits.append((beside.begin, beside.end, ABSENT))
            self.removed.add(path)
        else:
            self.edits.append((place.at, place.end, f'"_{name}":{ABSENT}'))

    def _list(self, path: str, changed: dict[int, str | None]) -> None:
        """A list of primitive values: null where one is masked, and as much in the list of extensions beside it."""
        place = self.places[path]
        if None not in changed.values():
            for n, v in changed.items():
                self.edits.append((*self.places[f"{path}/{n}"][1:], v or ""))
            return
        parent, _, name = path.rpartition("/")
        values = json.loads(self.data[place.begin : place.end])
        new = [changed[n] if n in changed else json.dumps(v, ensure_ascii=False) for n, v in enumerate(values)]
        absent = f'"_{name}":[{",".join("null" if v is not None else ABSENT for v in new)}]'
        kept = f'"{name}":[{",".join("null" if v is None else v for v in new)}],'
        if f"{parent}/_{name}" in self.places:
            self.removed.add(f"{parent}/_{name}")
        self.edits.append((place.at, place.end, f"{kept if any(v is not None for v in new) else ''}{absent}"))

    def _remove(self) -> None:
        """Takes properties out, each with a comma: the one behind it, or the one before it where nothing is left behind."""
        parents = {path.rpartition("/")[0] for path in self.removed}
        inside: dict[str, list[tuple[Place, bool]]] = {}
        for path, place in self.places.items() if parents else ():
            parent = path.rpartition("/")[0]
            if parent in parents and path:
                inside.setdefault(parent, []).append((place, path in self.removed))
        for parent in sorted(inside):
            self._remove_from(sorted(inside[parent]))

    def _remove_from(self, properties: list[tuple[Place, bool]]) -> None:
        left = next((n for n in range(len(properties), 0, -1) if not properties[n - 1][1]), 0)
        for n, (place, gone) in enumerate(properties[:left]):
            if gone:
                self.edits.append((place.at, properties[n + 1][0].at, ""))
        if 0 < left < len(properties):
            self.edits.append((properties[left - 1][0].end, properties[-1][0].end, ""))


def _new(raw: object, item: CarriedField) -> str | None:
    """What is written in place of a value, as JSON; None for nothing."""
    if item.masked is None:
        return None
    if item.masked == item.value:
        return json.dumps(raw, ensure_ascii=False)
    if item.kind.top is PhiKind.DATE and isinstance(raw, str) and _DATE.fullmatch(item.masked):
        return _string(f"{item.masked}T00:00:00Z" if "T" in raw else item.masked)
    return _string(item.masked) if isinstance(raw, str) else None


def _same(raw: object, item: CarriedField) -> bool:
    """Whether a value is the one that was read."""
    if item.kind.top is PhiKind.DATE:
        return str(raw).partition("T")[0] == item.value
    if item.kind.top is PhiKind.AGE:
        written = raw.strip().lstrip("0") if isinstance(raw, str) else f"{raw:g}"
        return written == item.value.partition(" ")[0]
    return str(raw) == item.value


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=any("\ud800" <= c <= "\udfff" for c in text))
