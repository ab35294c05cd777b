"""Reader of FHIR R4: bundles, single resources and bulk exports, with what they say about people."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...pipeline.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import Cas, DocumentAnnotation, KnownPhi, PhiKind, RecordField, carrier
from ...typesystem.xhtml import Xhtml
from ..decoding import decode
from ..files import FileReader, opened
from ..selection import Source
from .elements import TYPE_NAME
from .walk import Known, Text, Walk

_PERSON = re.compile(rb'"(?:Patient|RelatedPerson)"')
_DIRECT = ("PERSON", "ID", "PHONE", "FAX", "EMAIL", "URL", "LOCATION", "ORGANIZATION", "DATE", "IP", "OTHER")


class _Entry(NamedTuple):
    """A resource. `path`: the line of an .ndjson file, if it is one, and a JSON pointer; `url`: its fullUrl in a bundle."""

    path: str
    resource: dict[str, Any]
    url: str = ""


@dataclass(slots=True)
class _Group:
    """What a file says about one patient, or about none."""

    subject: str
    walks: list[Walk] = field(default_factory=list)


@component("fhir", outputs=[KnownPhi, RecordField])
class FhirReader(FileReader):
    """Reads FHIR R4 as JSON: Bundles, single resources, and bulk exports (`.ndjson`, a resource a line).

    Each free text is a document: narratives (`text.div`), notes, conclusions, the text attachments of DocumentReference and
    others; what the standard defines as codes is left alone. Names, addresses, numbers and birth dates of Patient,
    Practitioner, RelatedPerson, Organization and others become known PHI of the texts about the same patient. Every structured
    value that identifies and every date is a RecordField of the first document about its patient, so that the consumer `fhir`
    can write the file back. URLs are never followed. Attachments that hold no text (PDF, pictures) are counted in the metadata
    `attachments`, and the consumer takes them out.
    """

    pattern: str = "*json"
    """`*json` stands for .json and .ndjson."""

    suffixes = (".json", ".ndjson")

    def __iter__(self) -> Iterator[Cas]:
        people = self._people()
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                yield from self._documents(source, data, people)
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")

    def _people(self) -> dict[str, list[Known]]:
        """What the patients of bulk exports are called, by reference: their texts lie in other files. Damaged lines say nothing
        here, and fail where they are read."""
        found: dict[str, list[Known]] = {}
        for source in self.sources():
            if source.fault or not _is_bulk(source.path):
                continue
            with contextlib.suppress(ReaderError), opened(source.path) as file:
                for line in file:
                    if len(line) <= self.max_bytes and _PERSON.search(line):
                        with contextlib.suppress(ReaderError):
                            _remember(line, found)
        return found

    def _documents(self, source: Source, data: bytes, people: dict[str, list[Known]]) -> list[Cas]:
        text, _ = decode(data, "utf-8")
        roots = [("", _parsed(text, ""))] if not _is_bulk(source.path) else _lines(text)
        entries = [found for path, root in roots for found in _entries(root, path)]
        if not entries:
            raise ReaderError("expected FHIR resources, found none")
        types = _Types(entries)
        groups: dict[str, _Group] = {}
        for entry in entries:
            walk = Walk(entry.resource, entry.path, types.of).go()
            subject = types.name(entry) if entry.resource["resourceType"] == "Patient" else types.key(walk.subject)
            groups.setdefault(subject, _Group(subject)).walks.append(walk)
        subjects = [s for s in groups if s]
        if len(subjects) > 1:
            _forget_transmission(groups.values())
        if len(subjects) == 1 and "" in groups:  # one patient: everything is about that one
            groups[subjects[0]].walks += groups.pop("").walks
        shared = groups.get("", _Group("")).walks
        made = []
        for number, group in enumerate(groups.values(), 1):
            walks = group.walks if group.walks is shared else group.walks + shared
            known = dict.fromkeys([k for w in walks for k in w.known] + people.get(group.subject, []))
            made += _group(source, number, group, known)
        common = {
            carrier.FILE: source.path,
            carrier.FILE_ID: source.id,
            carrier.TEXTS: str(len(made)),
            carrier.DIGEST: carrier.digest(data),
        }
        for cas in made:
            cas.metadata.update(common)
        return made


def _forget_transmission(groups: Iterable[_Group]) -> None:
    """Takes the dates of `meta.lastUpdated` for values that become null: moved by each patient's own offset, the one day of an
    export would tell how the offsets differ."""
    for walk in (w for g in groups for w in g.walks):
        walk.values[:] = [
            v._replace(kind=PhiKind.OTHER, value="") if v.path.endswith("/meta/lastUpdated") else v for v in walk.values
        ]


class _Types:
    """What references lead to."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._type: dict[str, str] = {}
        self._key: dict[str, str] = {}
        for entry in entries:
            key = self.name(entry)
            for name in filter(None, (key, entry.url)):
                self._type.setdefault(name, str(entry.resource.get("resourceType", "")))
                self._key.setdefault(name, key)
            contained = entry.resource.get("contained")
            for inner in contained if isinstance(contained, list) else []:
                if isinstance(inner, dict) and isinstance(inner.get("id"), str):
                    self._type[f"#{inner['id']}"] = str(inner.get("resourceType", ""))

    @staticmethod
    def name(entry: _Entry) -> str:
        """`Patient/17`; without an id, the place in the file."""
        return f"{entry.resource.get('resourceType')}/{entry.resource.get('id') or entry.path or '1'}"

    def of(self, reference: str) -> str:
        if reference in self._type:
            return self._type[reference]
        parts = reference.partition("/_history/")[0].split("/")
        named = len(parts) > 1 and TYPE_NAME.fullmatch(parts[-2]) is not None
        return parts[-2] if named else ""

    def key(self, reference: str) -> str:
        """One name for all ways to refer to a resource; empty for none."""
        if reference in self._key:
            return self._key[reference]
        return "/".join(reference.partition("/_history/")[0].split("/")[-2:]) if reference else ""


def _is_bulk(path: str) -> bool:
    return path.removesuffix(".gz").endswith(".ndjson")


def _remember(line: bytes, found: dict[str, list[Known]]) -> None:
    resource = _parsed(decode(line, "utf-8")[0], "")
    if not isinstance(resource, dict) or resource.get("resourceType") not in ("Patient", "RelatedPerson"):
        return
    walk = Walk(resource, "", _Types([]).of).go()
    own = resource["resourceType"] == "Patient"
    key = _Types.name(_Entry("", resource)) if own else _Types([]).key(walk.subject)
    if key:
        found.setdefault(key, []).extend(walk.known)


def _lines(text: str) -> list[tuple[str, Any]]:
    return [(f"{n}", _parsed(line, f"line {n}: ")) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except _Twice:
        fault = "a property occurs twice in one object"
    except RecursionError:
        fault = "nested too deeply"
    except json.JSONDecodeError as error:  # its message can quote the text
        fault = f"not valid JSON (line {error.lineno}, column {error.colno})"
    except ValueError:
        fault = "a number with too many digits"
    raise ReaderError(f"{where}{fault}")


class _Twice(Exception):
    """A property occurred twice: one of the values would be lost without a word."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _Twice
    return made


def _entries(root: Any, path: str, url: str = "") -> Iterator[_Entry]:
    """A resource, or a bundle and all its entries."""
    if not isinstance(root, dict):
        raise ReaderError(f"{path and f'line {path}: '}expected a FHIR resource, found no JSON object")
    if root.get("resourceType") != "Bundle":
        yield _Entry(path, root, url)
        return
    entries = root.get("entry", [])
    if not isinstance(entries, list):
        raise ReaderError(f"{path}/entry: expected a list")
    yield _Entry(path, {key: value for key, value in root.items() if key != "entry"}, url)
    for n, entry in enumerate(entries):
        where = f"{path}/entry/{n}"
        if not isinstance(entry, dict):
            raise ReaderError(f"{where}: expected an object")
        rest = {k: v for k, v in entry.items() if k not in ("resource", "fullUrl")}
        if rest:
            yield _Entry(where, {"resourceType": "Bundle", **rest})
        if "resource" in entry:
            yield from _entries(entry["resource"], f"{where}/resource", str(entry.get("fullUrl") or ""))


def _group(source: Source, number: int, group: _Group, known: Iterable[Known]) -> list[Cas]:
    """The documents of one patient; one without text, where there is none, for the structured values."""
    texts = [(w, t) for w in group.walks for t in w.texts] or [(group.walks[0], Text("", "plain", ""))]
    sealed = [path for w in group.walks for path in w.sealed]
    made = []
    for walk, text in texts:
        inside = text.path.removeprefix(walk.path).strip("/")
        where = f"{walk.path.strip('/').replace('/', '.') or '0'}/{walk.resource['resourceType']}"
        content = Xhtml(text.source).text if text.form.endswith("xhtml") else text.source
        cas = Cas(content, id=f"{source.id}/{where}{f'/{inside}' if inside else ''}")
        language = walk.resource.get("language")
        cas.metadata.update(
            {
                carrier.RECORD: str(number),
                carrier.FIELD: f"{walk.resource['resourceType']}/{inside}" if inside else "record",
                carrier.PATH: str(carrier.Place(text.path, text.form)) if text.path else "",
                "patient_id": group.subject or source.id,
            }
        )
        if isinstance(language, str) and language.strip():
            cas.metadata["language"] = language
            cas.add(DocumentAnnotation(0, len(content), language=language))
        for item in known:
            if item.kind.top.name in _DIRECT:
                cas.add(KnownPhi(kind=item.kind, value=item.value, provenance=item.provenance, role=item.role))
        made.append(cas)
    for w in group.walks:
        for value in w.values:
            made[0].add(RecordField(kind=value.kind, path=value.path, value=value.value))
    for path in sealed:
        made[0].add(RecordField(kind=PhiKind.OTHER, path=path, value=""))
    if sealed:
        made[0].metadata["attachments"] = str(len(sealed))
    return made
