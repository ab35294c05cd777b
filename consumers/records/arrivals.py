"""Documents of a source file that is written back when all of them have arrived (E2B, FHIR)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ...typesystem import Cas, KnownPhi, RecordField, View, source_record
from ..files.folder import StagedFiles


@dataclass(frozen=True, slots=True, repr=False)
class MaskedText:
    """A text and its masked form. `path`: the metadata `carrier_path`."""

    path: str
    original: str
    masked: str
    replacements: tuple[tuple[int, int, str], ...]
    """(begin, end, new text) of each replacement, in offsets of the original."""


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A file as one reader read it: documents of two readers are never combined to one file."""

    key: str
    """Hash of path, id and content of the file."""
    id: str
    path: str
    digest: str
    """`source_record.digest` of the file; empty if it is not known."""
    expected: int
    """Number of documents in the file."""
    suffix: str
    """Suffix of the file that is written."""

    @classmethod
    def of(cls, cas: Cas, suffix: str) -> Source:
        given = cas.metadata
        id_ = (
            given.get(source_record.FILE_ID)
            or cas.id.rpartition(f"/{given.get(source_record.RECORD, '')}/")[0]
            or cas.id
        )
        path, digest, expected = (
            given[source_record.FILE],
            given.get(source_record.DIGEST, ""),
            given.get(source_record.TEXTS, "0"),
        )
        identity = json.dumps([path, id_, digest, given.get(source_record.KNOWN, ""), expected])
        return cls(hashlib.sha256(identity.encode()).hexdigest(), id_, path, digest, int(expected), suffix)


@dataclass(frozen=True, slots=True, repr=False)
class Arrival:
    """One document of a file."""

    source: Source
    texts: tuple[MaskedText, ...]
    fields: tuple[RecordField, ...]
    known: tuple[KnownPhi, ...]

    @classmethod
    def of(cls, cas: Cas, view: View, suffix: str) -> Arrival:
        fields = tuple(cas.select(RecordField))
        texts: tuple[MaskedText, ...] = ()
        if cas.metadata.get(source_record.PATH):
            segments = view.offset_map.segments() if view.offset_map is not None else []
            replaced = tuple((begin, end, view.text[b:e]) for begin, end, b, e in segments)
            texts = (MaskedText(cas.metadata[source_record.PATH], cas.text, view.text, replaced),)
        return cls(Source.of(cas, suffix), texts, fields, tuple(cas.known_phi) if fields else ())

    @property
    def undecided(self) -> int:
        """Number of structured values that no masker decided about."""
        return sum(not f.operator for f in self.fields)

    def state(self) -> Any:
        """Return what a later run must know to adopt the file; None if the content of the file is not known."""
        source = self.source
        if not source.digest or self.undecided:
            return None
        content: list[Any] = [[t.path, t.masked, t.replacements] for t in self.texts]
        content += [[f.path, f.masked, f.operator] for f in self.fields]
        masked = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        return {"together": [source.key, source.expected], "id": source.id, "suffix": source.suffix, "masked": masked}


@dataclass(slots=True, repr=False)
class ArrivedFile:
    """The documents of a file that have arrived."""

    expected: int
    name: PurePosixPath
    """Name of the file that is written."""
    arrived: set[str] = field(default_factory=set)
    texts: list[MaskedText] = field(default_factory=list)
    fields: list[RecordField] = field(default_factory=list)
    known: list[KnownPhi] = field(default_factory=list)
    """Values that the file knows of people; its other places are searched for them."""
    kept: StagedFiles | None = None
    """The file that an earlier run wrote of the same documents."""
    reused: set[str] = field(default_factory=set)
    """Documents that are unchanged; nothing else is known of them."""
    changed: bool = False
    """True if a document differs from when an earlier run wrote the file."""
    written: bool = False
    refused: bool = False
    """True if one of its documents was rolled back or cannot be released."""

    def forget(self) -> None:
        """Release all texts."""
        self.texts, self.fields, self.known = [], [], []
