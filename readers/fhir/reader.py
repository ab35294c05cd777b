"""Reader of FHIR R4: bundles, single resources and bulk exports, with what they say about people."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import Cas, CaspipeWarning, DocumentAnnotation, KnownPhi, PhiKind, RecordField
from ...typesystem import source_record as carrier
from ...typesystem.markup.strict_json import DuplicateKeyError, unique_keys
from ...typesystem.markup.xhtml import Xhtml
from ..files.decoding import decode
from ..files.file_reader import FileReader, bounded, opened
from ..files.selection import Source
from .elements import TYPE_NAME
from .found import Known, Text, Value
from .people import People, Traces
from .walk import Walk

_STEPS = 4
_SHARED = frozenset(
    ("Practitioner", "PractitionerRole", "Organization", "Location", "HealthcareService", "Endpoint", "Bundle")
)
"""Resources that are about no patient, whatever they refer to."""
_MANY = 64
"""Of more people and values than these, those that are not the patient's own go only with texts that have a word's beginning of
them: else a large file would take time by the square of its size."""
_CLOSE = ("patient", "relative")
_DIRECT = ("PERSON", "ID", "PHONE", "FAX", "EMAIL", "URL", "LOCATION", "ORGANIZATION", "DATE", "IP", "OTHER")


class TellingIdWarning(CaspipeWarning):
    """Logical ids are made of names or numbers of people, and stay."""


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
    known: list[Known] = field(default_factory=list)


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
                documents = self._documents(source, data, people)
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")
                continue
            yield from documents

    def _people(self) -> People:
        """What the files say of people: texts about them may lie in other files. Damaged files say nothing here, and fail
        where they are read."""
        people = People()
        sources = [s for s in self.sources() if not s.fault]
        for source in sources if len(sources) > 1 else ():
            with contextlib.suppress(ReaderError), opened(source.path) as file:
                if _is_bulk(source.path):
                    for line in file:
                        if len(line) <= self.max_bytes:
                            _remember(line, people)
                else:
                    data = bounded(file, self.max_bytes)
                    if len(data) <= self.max_bytes:
                        _remember(data, people)
        return people

    def _documents(self, source: Source, data: bytes, people: People) -> Iterator[Cas]:
        """The documents of a file. All that can fail has been done when this returns."""
        text, _ = decode(data, "utf-8")
        roots = [("", _parsed(text, ""))] if not _is_bulk(source.path) else _lines(text)
        entries = [found for path, root in roots for found in _entries(root, path)]
        if not entries:
            raise ReaderError("expected FHIR resources, found none")
        groups = _grouped(entries)
        _forget_transmission(groups.values())
        others: list[list[Known]] = []
        for group in groups.values():
            known = (k for w in group.walks for k in w.found.known)
            others.append(list(people.of(group.subject, group.walks)))
            group.known = _told([*known, *others[-1]])
        shared, telling = _Shared(groups), 0
        for group in groups.values():
            telling += _unmask_names(group.walks, [Traces(group.known), *shared.traces(group)])
        if telling:
            self._tell(source, telling)
        common = {
            carrier.FILE: source.path,
            carrier.FILE_ID: source.id,
            carrier.TEXTS: str(sum(sum(len(w.found.texts) for w in g.walks) or 1 for g in groups.values())),
            carrier.DIGEST: carrier.digest(data),
        }
        if any(others):
            said = json.dumps([[[k.kind.name, k.value, k.role] for k in known] for known in others])
            common[carrier.KNOWN] = carrier.digest(
                data + said.encode()
            )  # with the file, so that no name can be looked up
        return _made(source, groups.values(), common, shared)

    def _tell(self, source: Source, count: int) -> None:
        what = "1 logical id or reference holds" if count == 1 else f"{count:,} logical ids and references hold"
        warnings.warn(
            f"{self.id}: {source.path}: {what} what the record knows of people; they stay, since they hold the resources "
            "together: give the resources other ids before",
            TellingIdWarning,
            stacklevel=2,
        )


class _Shared:
    """What a file says that is about no patient in particular, and what texts about nobody in particular may name."""

    def __init__(self, groups: dict[str, _Group]) -> None:
        self._nobody = groups.get("", _Group(""))
        self.known: list[Known] = self._nobody.known
        self._traces = Traces(self.known)
        alone = len(groups) == 1 or "" not in groups
        self._everybody = self._traces if alone else Traces(k for g in groups.values() for k in g.known)

    def traces(self, group: _Group) -> list[Traces]:
        """What else the texts of a group are looked through for."""
        return [self._everybody if group is self._nobody else self._traces]


def _made(source: Source, groups: Iterable[_Group], common: dict[str, str], shared: _Shared) -> Iterator[Cas]:
    """One document after the other, so that those of a large file need not all be in memory."""
    for number, group in enumerate(groups, 1):
        yield from _group(source, number, group, common, shared)


def _told(known: Iterable[Known]) -> list[Known]:
    return [k for k in dict.fromkeys(known) if k.kind.top.name in _DIRECT]


def _unmask_names(walks: Iterable[Walk], traces: list[Traces]) -> int:
    """Takes names of codes, and URIs, that name somebody for what they are: texts, and values that go. Returns how many
    logical ids and references do."""
    telling = 0
    for found in (w.found for w in walks):
        for text in found.kept:
            if text.form == "id":
                telling += any(t.id(text.source) for t in traces)
            elif any(t.name(text.source) for t in traces):
                if text.form == "plain":
                    found.texts.append(text)
                else:
                    found.value(PhiKind.URL, text.path, text.source)
    return telling


def _grouped(entries: list[_Entry]) -> dict[str, _Group]:
    """The resources by the patient they are about; under no name those about nobody, or about several."""
    types = _Types(entries)
    walks: list[tuple[Walk, str, str]] = []  # with their own names and their patients'
    for entry in entries:
        walk = Walk(entry.resource, entry.path, types.of).go()
        own = types.name(entry)
        walks.append((walk, own, own if entry.resource["resourceType"] == "Patient" else types.key(walk.subject)))
    for _ in range(_STEPS):  # a signature of a report of a patient is about that patient
        patients = {own: subject for _, own, subject in walks if subject}
        found = [(w, own, subject or _only(w, types, patients)) for w, own, subject in walks]
        if found == walks:
            break
        walks = found
    groups: dict[str, _Group] = {}
    for walk, _, subject in walks:
        groups.setdefault(subject, _Group(subject)).walks.append(walk)
    subjects = [s for s in groups if s]
    if len(subjects) == 1 and "" in groups:  # one patient: everything is about that one
        groups[subjects[0]].walks += groups.pop("").walks
    return groups


def _only(walk: Walk, types: _Types, patients: dict[str, str]) -> str:
    """The one patient that all references of a resource lead to, if there is one; nobody's who serves several."""
    if walk.resource["resourceType"] in _SHARED:
        return ""
    keys = [types.key(r) for r in walk.found.references]
    found = {patients.get(k) or (k if k.startswith("Patient/") else "") for k in keys} - {""}
    return found.pop() if len(found) == 1 else ""


def _forget_transmission(groups: Iterable[_Group]) -> None:
    """Takes the dates of `meta.lastUpdated` and those of bundles (`timestamp`, `lastModified` ...) for values that become null:
    moved by each patient's own offset, the one day on which many were exported or loaded would tell how the offsets differ."""
    for walk in (w for g in groups for w in g.walks):
        bundle = walk.resource.get("resourceType") == "Bundle"
        walk.found.values[:] = [
            Value(PhiKind.OTHER, v.path, "")
            if v.path.endswith("/meta/lastUpdated") or (bundle and v.kind.top is PhiKind.DATE)
            else v
            for v in walk.found.values
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


_NO_TYPES = _Types([])


def _is_bulk(path: str) -> bool:
    return path.removesuffix(".gz").endswith(".ndjson")


def _remember(data: bytes, people: People) -> None:
    """Takes what a file, or a line of one, says of people. Damaged ones say nothing."""
    if not people.speaks(data):
        return
    with contextlib.suppress(ReaderError):
        root = _parsed(decode(data, "utf-8")[0], "")
        for entry in _entries(root, ""):
            kind = entry.resource.get("resourceType")
            if isinstance(kind, str) and kind in people.TYPES:
                walk = Walk(entry.resource, "", _NO_TYPES.of).go()
                subject = _NO_TYPES.key(walk.subject) if kind == "RelatedPerson" else _NO_TYPES.name(entry)
                people.remember(subject, walk.found.known)


def _lines(text: str) -> list[tuple[str, Any]]:
    return [(f"{n}", _parsed(line, f"line {n}: ")) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except DuplicateKeyError:
        fault = "a property occurs twice in one object"
    except RecursionError:
        fault = "nested too deeply"
    except json.JSONDecodeError as error:  # its message can quote the text
        fault = f"not valid JSON (line {error.lineno}, column {error.colno})"
    except ValueError:
        fault = "a number with too many digits"
    raise ReaderError(f"{where}{fault}")


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


def _group(source: Source, number: int, group: _Group, common: dict[str, str], shared: _Shared) -> Iterator[Cas]:
    """The documents of one patient; one without text, where there is none, for the structured values."""
    texts = [(w, t) for w in group.walks for t in w.found.texts] or [(group.walks[0], Text("", "plain", ""))]
    sealed = [path for w in group.walks for path in w.found.sealed]
    known = list(dict.fromkeys([*group.known, *shared.known])) if len(shared.known) <= _MANY else group.known
    own = [k for k in known if len(known) <= _MANY or k.role in _CLOSE]
    traces = [*shared.traces(group), *([Traces(known)] if len(own) < len(known) else [])]
    for n, (walk, text) in enumerate(texts):
        inside = text.path.removeprefix(walk.path).strip("/")
        where = f"{walk.path.strip('/').replace('/', '.') or '0'}/{walk.resource['resourceType']}"
        content = Xhtml(text.source).text if text.form.endswith("xhtml") else text.source
        cas = Cas(content, id=f"{source.id}/{where}{f'/{inside}' if inside else ''}")
        language = walk.resource.get("language")
        cas.metadata.update(common)
        cas.metadata.update(
            {
                carrier.RECORD: str(number),
                carrier.FIELD: f"{walk.resource['resourceType']}/{inside}" if inside else "record",
                carrier.PATH: str(carrier.ValueLocation(text.path, text.form)) if text.path else "",
                "patient_id": group.subject or source.id,
            }
        )
        if isinstance(language, str) and language.strip():
            cas.metadata["language"] = language
            cas.add(DocumentAnnotation(0, len(content), language=language))
        for item in dict.fromkeys([*own, *(k for t in traces for k in t.of(content))]):
            cas.add(KnownPhi(kind=item.kind, value=item.value, provenance=item.provenance, role=item.role))
        if n == 0:
            for value in (v for w in group.walks for v in w.found.values):
                cas.add(RecordField(kind=value.kind, path=value.path, value=value.value))
            for path in sealed:
                cas.add(RecordField(kind=PhiKind.OTHER, path=path, value=""))
            if sealed:
                cas.metadata["attachments"] = str(len(sealed))
        yield cas
