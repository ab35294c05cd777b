"""Consumer that writes FHIR R4 files back with masked texts and values; everything else is unchanged."""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from ...pipeline.contract.component import component
from ...pipeline.errors import ConsumerError
from ...typesystem import PhiKind, RecordField
from ...typesystem.markup.xhtml import Xhtml, spliced
from ...typesystem.source_record import ValueLocation
from .age_contract import MaskedText
from .fhir_ids import conditional, is_address, reference, replaced_ids
from .json_spans import ValueSpan, value_spans
from .record_ids import RecordIds
from .writeback import ArrivedFile, WritebackConsumer


@component("fhir")
class FhirConsumer(WritebackConsumer):
    """Writes the files that the fhir reader read, with texts and values masked, and every date shifted or removed.

    A masked value without replacement becomes the extension data-absent-reason with the code `masked`; so do attachments that
    could not be read. In XHTML the text between the tags is masked; comments are removed, and all attributes except those of
    layout. Ids, references, addresses of resources and UIDs are replaced (`ids`), also the values of identifiers that the masker
    leaves without a replacement. Everything else stays the same, to the character. A file is written if all its texts were
    masked; else it is withheld.
    """

    folder: Path = Path("release/fhir")

    suffix = ".json"

    def suffix_of(self, path: str) -> str:
        return ".ndjson" if path.removesuffix(".gz").endswith(".ndjson") else self.suffix

    def rewritten(self, data: bytes, file: ArrivedFile) -> bytes:
        return masked_file(
            data.decode("utf-8-sig"), file.fields, file.texts, self.record_ids, bulk=file.name.suffix == ".ndjson"
        ).encode()


ABSENT = '{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}'
"""Replaces a primitive value. Source: FHIR R4, extension data-absent-reason, code `masked`."""

_CHANGED = "the file has changed since it was read"
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def masked_file(
    data: str,
    fields: Iterable[RecordField],
    texts: Iterable[MaskedText],
    ids: RecordIds | None = None,
    *,
    bulk: bool = False,
) -> str:
    """Return a JSON file, or one with a resource on each line, with the values of the fields, the texts and the ids replaced.

    Raises ConsumerError if a value is not what was read: the file has changed since.
    """
    by_line: dict[str, tuple[list[RecordField], list[MaskedText]]] = defaultdict(lambda: ([], []))
    for item in fields:
        by_line[_line(item.path)][0].append(item)
    for text in texts:
        by_line[_line(text.path)][1].append(text)
    if set(by_line) <= {""} and not bulk:
        return _Resource(data, "", ids).masked(*by_line[""])
    lines = data.split("\n")
    if any(not 0 < int(number) <= len(lines) for number in by_line):
        raise ConsumerError(f"line {max(by_line, key=int)}: {_CHANGED}")
    for n, line in enumerate(lines):
        if line.strip():
            lines[n] = _Resource(line, f"{n + 1}", ids).masked(*by_line[f"{n + 1}"])
    return "\n".join(lines)


def _line(path: str) -> str:
    return path.partition("/")[0]


class _Resource:
    """`line`: its line of an .ndjson file, with which pointers begin; empty if it is the whole file."""

    def __init__(self, data: str, line: str, ids: RecordIds | None) -> None:
        self.data, self.line, self.ids = data, line, ids
        try:
            self.root = json.loads(data)
        except ValueError:
            raise self._changed("") from None
        self.spans = value_spans(data)
        self.edits: list[tuple[int, int, str]] = []
        self.lists: dict[str, dict[int, str | None]] = {}
        self.removed: set[str] = set()
        """Properties that go with their names."""

    def masked(self, fields: list[RecordField], texts: list[MaskedText]) -> str:
        for text in texts:
            location = ValueLocation.of(text.path)
            span = self._span(location.path)
            self._replace(self._inside(location.path), _string(self._written(span, location, text)))
        for item in fields:
            self._field(item)
        if self.ids is not None:
            done = {self._inside(item.path) for item in fields}
            for path, new in replaced_ids(self.root, self.ids):
                if path not in done:
                    self._replace(path, _string(new))
        for path, changed in self.lists.items():
            self._list(path, changed)
        self._remove()
        result = spliced(self.data, self.edits)
        try:
            json.loads(result)
        except ValueError:
            raise ConsumerError(f"{self.line and f'line {self.line}: '}the result is not JSON") from None
        return result

    def _is_list(self, path: str) -> bool:
        span = self.spans.get(path)
        return span is not None and self.data[span.begin] == "["

    def _changed(self, path: str) -> ConsumerError:
        line = f"line {self.line}: " if self.line else ""
        return ConsumerError(f"{line}{self._inside(path) or '/'}: {_CHANGED}")

    def _inside(self, path: str) -> str:
        """Return the JSON pointer within this resource."""
        return path.removeprefix(self.line)

    def _span(self, path: str) -> ValueSpan:
        span = self.spans.get(self._inside(path))
        if span is None:
            raise self._changed(path)
        return span

    # -- texts ---------------------------------------------------------------------------------------------------

    def _written(self, span: ValueSpan, location: ValueLocation, text: MaskedText) -> str:
        source = json.loads(self.data[span.begin : span.end])
        if not isinstance(source, str):
            raise self._changed(location.path)
        if not location.form.startswith("base64:"):
            return self._masked(source, location.form, location.path, text)
        _, charset, form = location.form.split(":", 2)
        try:
            content = base64.b64decode(re.sub(r"\s", "", source), validate=True).decode(charset)
        except (ValueError, LookupError):
            raise self._changed(location.path) from None
        errors = "xmlcharrefreplace" if form == "xhtml" else "replace"
        return base64.b64encode(self._masked(content, form, location.path, text).encode(charset, errors)).decode(
            "ascii"
        )

    def _masked(self, source: str, form: str, path: str, text: MaskedText) -> str:
        page = Xhtml(source) if form == "xhtml" else None
        if (page.text if page is not None else source) != text.original:
            raise self._changed(path)
        return page.replaced(text.replacements) if page is not None else text.masked

    # -- values --------------------------------------------------------------------------------------------------

    def _field(self, item: RecordField) -> None:
        path = self._inside(item.path)
        span = self._span(item.path)
        raw = json.loads(self.data[span.begin : span.end])
        if not isinstance(raw, str | int | float) or (item.value and not _same(raw, item)):
            raise self._changed(path)
        new = _new(raw, item)
        if new is None and self.ids is not None and isinstance(raw, str) and item.operator != "keep":
            new = _linked(raw, path, item, self.ids)
        self._replace(path, new)

    def _replace(self, path: str, new: str | None) -> None:
        """Replace a value by JSON; None: by the extension for masked values."""
        span = self.spans[path]
        parent, _, name = path.rpartition("/")
        if name.isdecimal() and self._is_list(parent):
            self.lists.setdefault(parent, {})[int(name)] = new
        elif new is not None:
            self.edits.append((span.begin, span.end, new))
        elif (extension := self.spans.get(f"{parent}/_{name}")) is not None:  # it has an extension already
            self.edits.append((extension.begin, extension.end, ABSENT))
            self.removed.add(path)
        else:
            self.edits.append((span.start, span.end, f'"_{name}":{ABSENT}'))

    def _list(self, path: str, changed: dict[int, str | None]) -> None:
        """Replace a list of primitive values: null for a masked one, and its extension in the parallel list of extensions."""
        span = self.spans[path]
        if None not in changed.values():
            for n, v in changed.items():
                self.edits.append((*self.spans[f"{path}/{n}"][1:], v or ""))
            return
        parent, _, name = path.rpartition("/")
        values = json.loads(self.data[span.begin : span.end])
        new = [changed[n] if n in changed else json.dumps(v, ensure_ascii=False) for n, v in enumerate(values)]
        absent = f'"_{name}":[{",".join("null" if v is not None else ABSENT for v in new)}]'
        values_json = f'"{name}":[{",".join("null" if v is None else v for v in new)}],'
        if f"{parent}/_{name}" in self.spans:
            self.removed.add(f"{parent}/_{name}")
        self.edits.append((span.start, span.end, f"{values_json if any(v is not None for v in new) else ''}{absent}"))

    def _remove(self) -> None:
        """Remove properties, each with a comma: the one after it, or the one before it if nothing follows."""
        parents = {path.rpartition("/")[0] for path in self.removed}
        inside: dict[str, list[tuple[ValueSpan, bool]]] = {}
        for path, span in self.spans.items() if parents else ():
            parent = path.rpartition("/")[0]
            if parent in parents and path:
                inside.setdefault(parent, []).append((span, path in self.removed))
        for parent in sorted(inside):
            self._remove_from(sorted(inside[parent]))

    def _remove_from(self, properties: list[tuple[ValueSpan, bool]]) -> None:
        kept = next((n for n in range(len(properties), 0, -1) if not properties[n - 1][1]), 0)
        for n, (span, removed) in enumerate(properties[:kept]):
            if removed:
                self.edits.append((span.start, properties[n + 1][0].start, ""))
        if 0 < kept < len(properties):
            self.edits.append((properties[kept - 1][0].end, properties[-1][0].end, ""))


def _new(raw: object, item: RecordField) -> str | None:
    """Return what replaces a value, as JSON; None for nothing."""
    if item.masked is None:
        return None
    if item.masked == item.value:
        return json.dumps(raw, ensure_ascii=False)
    if item.kind.top is PhiKind.DATE and isinstance(raw, str) and _DATE.fullmatch(item.masked):
        return _string(f"{item.masked}T00:00:00Z" if "T" in raw else item.masked)
    return _string(item.masked) if isinstance(raw, str) else None


def _linked(raw: str, path: str, item: RecordField, ids: RecordIds) -> str | None:
    """Return the replacement of a masked value that links records, as JSON: of an identifier, a search for one, or the address of
    a resource. None for others."""
    name = path.rpartition("/")[2]
    new: str | None = None
    if item.kind.top is PhiKind.ID and name == "value":
        new = ids.id(raw.strip())
    elif item.kind is PhiKind.URL:
        new = reference(raw, ids) if is_address(raw) else conditional(raw, ids)
    return None if new is None else _string(new)


def _same(raw: object, item: RecordField) -> bool:
    """Return whether a value is the one that was read."""
    if item.kind.top is PhiKind.DATE:
        return str(raw).partition("T")[0] == item.value
    if item.kind.top is PhiKind.AGE:
        written = raw.strip().lstrip("0") if isinstance(raw, str) else f"{raw:g}"
        decade = "" if isinstance(raw, str) else f"{raw * 10 + 9:g}"  # type: ignore[operator]  # only numbers have a unit
        return item.value.partition(" ")[0] in (written, decade)
    return str(raw) == item.value


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=any("\ud800" <= c <= "\udfff" for c in text))
