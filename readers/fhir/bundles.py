"""Parse FHIR files into resources, and group the resources of a file by patient."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...pipeline.errors import ReaderError
from ...typesystem import PhiKind
from ..files.json_text import parse_json
from ..record_document import KnownValue
from .elements import PLACEHOLDERS, TYPE_NAME
from .walk import Walk

_STEPS = 4
_SHARED = frozenset(
    ("Practitioner", "PractitionerRole", "Organization", "Location", "HealthcareService", "Endpoint", "Bundle")
)
"""Resource types that are not about a patient, even if they refer to one."""


class Entry(NamedTuple):
    """A resource. `path`: the line number in an .ndjson file, if it is one, and a JSON pointer; `url`: its fullUrl."""

    path: str
    resource: dict[str, Any]
    url: str = ""


@dataclass(slots=True)
class Group:
    """The resources of a file about one patient, or about none."""

    subject: str
    walks: list[Walk] = field(default_factory=list)
    known: list[KnownValue] = field(default_factory=list)


def is_bulk_export(path: str) -> bool:
    """Return whether a file has one resource per line."""
    return path.removesuffix(".gz").endswith(".ndjson")


def entries_of(text: str, *, bulk: bool) -> list[Entry]:
    """Return the resources of a file. Raises ReaderError."""
    if not bulk:
        return list(_entries(_parse(text, ""), ""))
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    roots = [(f"{n}", _parse(line, f"line {n}: ")) for n, line in lines]
    return [entry for path, root in roots for entry in _entries(root, path)]


def _parse(text: str, place: str) -> Any:
    value, fault = parse_json(text)
    if fault:
        raise ReaderError(f"{place}{fault}")
    return value


def _entries(root: Any, path: str, url: str = "") -> Iterator[Entry]:
    """Yield a resource, or a bundle and all its entries."""
    if not isinstance(root, dict):
        raise ReaderError(f"{path and f'line {path}: '}expected a FHIR resource, found no JSON object")
    if root.get("resourceType") != "Bundle":
        yield Entry(path, root, url)
        return
    entries = root.get("entry", [])
    if not isinstance(entries, list):
        raise ReaderError(f"{path}/entry: expected a list")
    yield Entry(path, {key: value for key, value in root.items() if key != "entry"}, url)
    for n, entry in enumerate(entries):
        where = f"{path}/entry/{n}"
        if not isinstance(entry, dict):
            raise ReaderError(f"{where}: expected an object")
        rest = {k: v for k, v in entry.items() if k not in ("resource", "fullUrl")}
        if rest:
            yield Entry(where, {"resourceType": "Bundle", **rest})
        if "resource" in entry:
            yield from _entries(entry["resource"], f"{where}/resource", str(entry.get("fullUrl") or ""))


def group_by_patient(entries: list[Entry]) -> dict[str, Group]:
    """Return the resources by the reference to their patient; empty for resources about no patient or several."""
    references = References(entries)
    walks: list[tuple[Walk, str, str]] = []  # with the references to the resource and to its patient
    for entry in entries:
        walk = Walk(entry.resource, entry.path, references.type_of).run()
        own = references.name(entry)
        is_patient = entry.resource["resourceType"] == "Patient"
        walks.append((walk, own, own if is_patient else references.key(walk.subject)))
    for _ in range(_STEPS):  # resources also belong to the patient of the resources that they refer to
        patients = {own: subject for _, own, subject in walks if subject}
        updated = [(w, own, subject or _single_patient(w, references, patients)) for w, own, subject in walks]
        if updated == walks:
            break
        walks = updated
    groups: dict[str, Group] = {}
    for walk, _, subject in walks:
        groups.setdefault(subject, Group(subject)).walks.append(walk)
    subjects = [s for s in groups if s]
    if len(subjects) == 1 and "" in groups:  # with one patient, all resources are about that patient
        groups[subjects[0]].walks += groups.pop("").walks
    return groups


def _single_patient(walk: Walk, references: References, patients: dict[str, str]) -> str:
    """Return the patient that all references of a resource lead to, if there is exactly one."""
    if walk.resource["resourceType"] in _SHARED:
        return ""
    keys = [references.key(r) for r in walk.content.references]
    subjects = {patients.get(k) or (k if k.startswith("Patient/") else "") for k in keys} - {""}
    return subjects.pop() if len(subjects) == 1 else ""


class References:
    """The targets of references in a file."""

    def __init__(self, entries: list[Entry]) -> None:
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
    def name(entry: Entry) -> str:
        """Return `Patient/17`, or the type and the path for a resource without an id."""
        return f"{entry.resource.get('resourceType')}/{entry.resource.get('id') or entry.path or '1'}"

    def type_of(self, reference: str) -> str:
        """Return the type of the resource that a reference leads to; empty if unknown."""
        if reference in self._type:
            return self._type[reference]
        parts = reference.partition("/_history/")[0].split("/")
        named = len(parts) > 1 and TYPE_NAME.fullmatch(parts[-2]) is not None
        return parts[-2] if named else ""

    def key(self, reference: str) -> str:
        """Return the same name for all forms of a reference to a resource; empty for an empty reference."""
        if reference in self._key:
            return self._key[reference]
        return "/".join(reference.partition("/_history/")[0].split("/")[-2:]) if reference else ""


_PREFIX = 3
_WORD = re.compile(r"\w+")
_DESCRIBES = re.compile(rb'"resourceType"\s*:\s*"(?:Patient|RelatedPerson|Practitioner|Organization|Location|Person)"')


class People:
    """Known PHI from all files of a folder, by reference."""

    TYPES = frozenset(("Patient", "RelatedPerson", "Practitioner", "Organization", "Location", "Person"))

    def __init__(self) -> None:
        self._known: dict[str, list[KnownValue]] = {}

    @staticmethod
    def may_describe(data: bytes) -> bool:
        """Return whether a file may describe people."""
        return _DESCRIBES.search(data) is not None

    def remember(self, reference: str, known: Iterable[KnownValue]) -> None:
        if reference:
            self._known.setdefault(reference, []).extend(known)

    def of(self, subject: str, walks: Sequence[Walk]) -> Iterable[KnownValue]:
        """Yield the known PHI of a patient and of everyone that the resources refer to."""
        if self._known:
            references = (r.partition("/_history/")[0] for w in walks for r in w.content.references)
            for key in dict.fromkeys((subject, *("/".join(r.split("/")[-2:]) for r in references))):
                yield from self._known.get(key, ())


class KnownIndex:
    """Known values indexed by the prefixes of their words, so that searching for many takes no longer than for few."""

    def __init__(self, known: Iterable[KnownValue]) -> None:
        self._by_prefix: dict[str, list[KnownValue]] = {}
        for item in dict.fromkeys(known):
            words = [w for w in _WORD.findall(item.value.casefold()) if w not in PLACEHOLDERS]
            for prefix in dict.fromkeys(w[:_PREFIX] for w in words):
                self._by_prefix.setdefault(prefix, []).append(item)

    def candidates(self, text: str) -> list[KnownValue]:
        """Return the values that may occur in a text, because one of their words has the prefix of a word of the text."""
        if not self._by_prefix:
            return []
        prefixes = dict.fromkeys(word[:_PREFIX] for word in _WORD.findall(text.casefold()))
        return list(dict.fromkeys(item for prefix in prefixes for item in self._by_prefix.get(prefix, ())))

    def occurs_in(self, text: str) -> bool:
        """Return whether a text contains a name's word of four letters, or another directly identifying value."""
        folded = text.casefold()
        words = set(_WORD.findall(folded))
        for item in self.candidates(text):
            if item.kind.top is PhiKind.PERSON:
                if any(len(w) > _PREFIX and w in words for w in _WORD.findall(item.value.casefold())):
                    return True
            elif item.kind.direct and item.kind is not PhiKind.URL and item.value.casefold().strip() in folded:
                return True
        return False
