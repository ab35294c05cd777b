"""What has arrived of a record file that is written back when all its documents have (E2B, FHIR)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ...pipeline.contract.component import Output
from ...typesystem import Cas, PhiKind, RecordField, View
from ...typesystem import source_record as carrier


@dataclass(frozen=True, slots=True, repr=False)
class CarriedText:
    """A text and what stands in its place. `path`: the metadata `carrier_path`."""

    path: str
    original: str
    masked: str
    replacements: tuple[tuple[int, int, str], ...]
    """(begin, end, new text) of each replacement, in offsets of the original."""


@dataclass(frozen=True, slots=True, repr=False)
class CarriedField:
    """A RecordField without its document."""

    kind: PhiKind
    path: str
    value: str
    masked: str | None
    operator: str


@dataclass(frozen=True, slots=True, repr=False)
class CarriedKnown:
    """A KnownPhi without its document."""

    kind: PhiKind
    value: str


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A file as one reader gave it: documents of two readers of it never make up a whole."""

    key: str
    """Stands for path, id and content of the file."""
    id: str
    path: str
    digest: str
    """What `carrier.digest` says of it; empty where that is not known."""
    expected: int
    """How many documents it yields."""
    suffix: str
    """Of the file that is written."""

    @classmethod
    def of(cls, cas: Cas, suffix: str) -> Source:
        given = cas.metadata
        id_ = given.get(carrier.FILE_ID) or cas.id.rpartition(f"/{given.get(carrier.RECORD, '')}/")[0] or cas.id
        path, digest, expected = given[carrier.FILE], given.get(carrier.DIGEST, ""), given.get(carrier.TEXTS, "0")
        said = json.dumps([path, id_, digest, given.get(carrier.KNOWN, ""), expected])
        return cls(hashlib.sha256(said.encode()).hexdigest(), id_, path, digest, int(expected), suffix)


@dataclass(frozen=True, slots=True, repr=False)
class Arrival:
    """One document of a file."""

    source: Source
    texts: tuple[CarriedText, ...]
    fields: tuple[CarriedField, ...]
    known: tuple[CarriedKnown, ...]
    undecided: int
    """Structured values that no masker decided about."""

    @classmethod
    def of(cls, cas: Cas, view: View, suffix: str) -> Arrival:
        fields = cas.select(RecordField)
        texts: tuple[CarriedText, ...] = ()
        if cas.metadata.get(carrier.PATH):
            made = view.offset_map.segments() if view.offset_map is not None else []
            replaced = tuple((begin, end, view.text[at:stop]) for begin, end, at, stop in made)
            texts = (CarriedText(cas.metadata[carrier.PATH], cas.text, view.text, replaced),)
        return cls(
            Source.of(cas, suffix),
            texts,
            tuple(CarriedField(f.kind, f.path, f.value, f.masked, f.operator) for f in fields),
            tuple(CarriedKnown(k.kind, k.value) for k in cas.known_phi) if fields else (),
            sum(not f.operator for f in fields),
        )

    def resume_state(self) -> Any:
        """What a later run must know to take the file over. None where the file's content is not known."""
        if not self.source.digest or self.undecided:
            return None
        said: list[Any] = [[t.path, t.masked, t.replacements] for t in self.texts]
        said += [[f.path, f.masked, f.operator] for f in self.fields]
        masked = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        source = self.source
        return {
            "together": [source.key, source.expected],
            "id": source.id,
            "suffix": source.suffix,
            "masked": masked,
        }


@dataclass(slots=True, repr=False)
class Carried:
    """What has arrived of a file."""

    file_id: str
    expected: int
    name: PurePosixPath
    """What the file is called when it is written back."""
    arrived: set[str] = field(default_factory=set)
    texts: list[CarriedText] = field(default_factory=list)
    fields: list[CarriedField] = field(default_factory=list)
    known: list[CarriedKnown] = field(default_factory=list)
    """What the file says of people, to be looked for where nobody else looks."""
    kept: tuple[Path, Output] | None = None
    """The file that an earlier run wrote of the same documents, where it lies and what it is."""
    reused: set[str] = field(default_factory=set)
    """Documents of which nothing is known but that they have not changed."""
    changed: bool = False
    """A document is not what it was when an earlier run wrote the file."""
    written: bool = False
    refused: bool = False
    """One of its documents was taken back or cannot be released."""

    def forget(self) -> None:
        """Lets go of all texts."""
        self.texts, self.fields, self.known = [], [], []
