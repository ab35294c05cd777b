"""Base class of consumers that write masked texts and values back to the files that they were read from (E2B, FHIR).

A file is written when all its documents have arrived, masked, and none was rolled back; else it is withheld, with a warning.
"""

from __future__ import annotations

import abc
import dataclasses
import hashlib
import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, ClassVar, Literal

from ...pipeline.contract.component import Scope
from ...pipeline.contract.output import Locate, Output
from ...pipeline.errors import ConsumerError, ReaderError
from ...pipeline.storage.archives.open_archives import bounded, opened
from ...pipeline.storage.files import Staged
from ...pipeline.storage.secrets import Secret
from ...typesystem import Cas, CaspipeWarning, KnownPhi, PhiKind, RecordField, View, source_record
from ..files.folder import FolderConsumer, StagedFiles
from ..files.released import released_view
from .age_contract import MaskedText, PatientRecord
from .record_ids import RecordIds, run_secret


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A file as one reader read it: documents of two readers are never combined to one file."""

    key: str
    """Hash of path, id and content of the file."""
    name: str
    """Name of the file that is written, if this is its first document: id of the file, or released name of the document."""
    path: str
    digest: str
    """`source_record.digest` of the file; empty if it is not known."""
    expected: int
    """Number of documents in the file."""
    suffix: str
    """Suffix of the file that is written."""

    @classmethod
    def of(cls, cas: Cas, suffix: str) -> Source:
        given, document = cas.metadata, cas.source_id or cas.id
        id_ = (
            given.get(source_record.FILE_ID)
            or document.rpartition(f"/{given.get(source_record.RECORD, '')}/")[0]
            or document
        )
        path, digest, expected = (
            given[source_record.FILE],
            given.get(source_record.DIGEST, ""),
            given.get(source_record.TEXTS, "0"),
        )
        identity = json.dumps([path, id_, digest, given.get(source_record.KNOWN, ""), expected])
        name = cas.id if cas.source_id else id_
        return cls(hashlib.sha256(identity.encode()).hexdigest(), name, path, digest, int(expected), suffix)


@dataclass(frozen=True, slots=True, repr=False)
class Arrival:
    """One document of a file."""

    source: Source
    texts: tuple[MaskedText, ...]
    fields: tuple[RecordField, ...]
    known: tuple[KnownPhi, ...]
    patient: str
    latest: str
    """Date of the latest event of the patient in other files; empty if not known."""
    onset: str
    """The day on which the ages of the record were right; empty if not known."""

    @classmethod
    def of(cls, cas: Cas, view: View, suffix: str) -> Arrival:
        fields = tuple(cas.select(RecordField))
        texts: tuple[MaskedText, ...] = ()
        if cas.metadata.get(source_record.PATH):
            texts = (MaskedText.of(cas, view),)
        known = tuple(cas.known_phi) if fields else ()
        about = (cas.metadata.get(name, "") for name in ("patient_id", source_record.LATEST, source_record.ONSET))
        return cls(Source.of(cas, suffix), texts, fields, known, *about)

    @property
    def undecided(self) -> int:
        """Number of structured values that no masker decided about."""
        return sum(not f.operator for f in self.fields)

    def state(self) -> Any:
        """Return what a later run must know to adopt the file; None if the content of the file is not known."""
        source = self.source
        if not source.digest or self.undecided:
            return None
        content: list[Any] = [[t.path, t.masked, t.replacements, [m.value for m in t.mentions]] for t in self.texts]
        content += [[f.path, f.masked, f.operator] for f in self.fields]
        content.append([self.patient, self.latest, self.onset])
        masked = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        return {
            "together": [source.key, source.expected],
            "name": source.name,
            "suffix": source.suffix,
            "masked": masked,
        }


@dataclass(slots=True, repr=False)
class ArrivedFile:
    """The documents of a file that have arrived."""

    expected: int
    name: PurePosixPath
    """Name of the file that is written."""
    arrived: set[str] = field(default_factory=set)
    arrivals: list[Arrival] = field(default_factory=list)
    texts: list[MaskedText] = field(default_factory=list)
    """The texts and the fields that may be released; set when all documents have arrived."""
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
        self.arrivals, self.texts, self.fields, self.known = [], [], [], []

    def keep_age_limit(self) -> None:
        """Set texts and fields, without the dates and ages that tell an age over the limit."""
        by_patient: dict[str, list[Arrival]] = {}
        for arrival in self.arrivals:
            by_patient.setdefault(arrival.patient, []).append(arrival)
        for arrivals in by_patient.values():
            record = PatientRecord(
                tuple(f for a in arrivals for f in a.fields),
                tuple(t for a in arrivals for t in a.texts),
                max(a.latest for a in arrivals),
                min((a.onset for a in arrivals if a.onset), default=""),
            ).within_limit()
            self.fields += record.fields
            self.texts += record.texts


_MAX_SIZE = 1 << 30


class WithheldFileWarning(CaspipeWarning):
    """Files of which not every text arrived were not written."""


class KeptIdsWarning(CaspipeWarning):
    """Released records have the ids of their source."""


class LongTextWarning(CaspipeWarning):
    """A masked text is longer than its field may be."""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class WritebackConsumer(FolderConsumer):
    """A consumer that writes one file for each file that was read, named after it or after its
    first document. A subclass defines `rewritten`."""

    ids: Literal["replace", "keep"] = "replace"
    """Ids that link records: `replace` writes others of the same form, the same in all files of a run; `keep` leaves them: who
    has access to the source can follow them."""
    ids_key: Secret | str = ""
    """The secret of replaced ids, `"${CASPIPE_KEY:-}"`: runs with the same one give the same ids. By default the key of the run
    (`run.key`); without that, the run makes its own in `restricted/record-ids.key` of the output folder."""

    scope = Scope.COLLECTION
    suffix: ClassVar[str] = ""
    """Suffix of the files that are written."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.ids_key = Secret.of(self.ids_key)
        self._record_ids: RecordIds | None = None
        self._arrived_files: dict[str, ArrivedFile] = {}
        self._previous_states: tuple[str, list[Any]] | None = None
        self._last: tuple[str, ArrivedFile] | None = None

    @abc.abstractmethod
    def rewritten(self, data: bytes, file: ArrivedFile) -> bytes:
        """Return the file with masked texts and values. Raises ConsumerError or FormatError if a value is not at its place."""

    @property
    def record_ids(self) -> RecordIds | None:
        """The replacements of ids; None if they are kept. Raises ResourceError or ConsumerError without their secret."""
        if self.ids == "keep":
            return None
        if self._record_ids is None:
            self._record_ids = RecordIds(run_secret(Secret.of(self.ids_key) or self.run_key, self.output))
        return self._record_ids

    def suffix_of(self, path: str) -> str:
        """Return the suffix of the file that is written for one that was read."""
        return self.suffix

    def writes_original(self) -> bool:
        return False

    def open(self) -> None:
        super().open()
        self.open_folder(self.suffix)
        self._arrived_files, self._previous_states, self._last = {}, None, None
        self._record_ids = None

    def prepare(self, cas: Cas) -> StagedFiles:
        """Raise ComponentError for a document without masked view, ConsumerError for one that was not read from such a file."""
        view = released_view(self, cas)
        path = cas.metadata.get(source_record.FILE, "")
        if not path:
            raise ConsumerError(f"{self.id}: expected a document of the reader {self.name}, found another one")
        self._check_length(cas, view.text)
        arrival = Arrival.of(cas, view, self.suffix_of(path))
        return StagedFiles((), arrival.state(), arrival)  # no file of its own

    def resume_state(self, prepared: StagedFiles) -> Any:
        return prepared.state and {**prepared.state, "ids": self._ids_state}

    @property
    def _ids_state(self) -> str:
        """The fingerprint of the secret: a file of an earlier run is kept only if its ids have the same one."""
        return "" if self.record_ids is None else self.record_ids.fingerprint

    def commit(self, document_id: str, prepared: StagedFiles) -> list[Output]:
        """Take a document; write its file if it was the last one.

        Raises ConsumerError if no masker decided about some values, or if the file changed since it was read.
        """
        arrival: Arrival = prepared.extra
        source = arrival.source
        file = self._of(source.key, source.name, source.expected, source.suffix)
        file.refused = file.refused or document_id in file.arrived
        previous, self._previous_states = self._previous_states, None
        masked = (prepared.state or {}).get("masked")
        if previous is None or previous[0] != document_id or all(s.get("masked") != masked for s in previous[1]):
            file.changed = True
            # the texts of adopted documents are not known: the next run processes all
            file.refused = file.refused or bool(file.reused)
        try:
            if arrival.undecided:
                raise ConsumerError(
                    f"{self.id}: {arrival.undecided} structured values were never masked: the file is withheld"
                )
            if not file.refused:
                file.arrivals.append(arrival)
                file.known += arrival.known
            return self._add_document(document_id, file, arrival)
        except BaseException:
            file.refused = True
            file.forget()
            raise

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Keep a file that an earlier run wrote of the same documents. `outputs`: those of all documents of the file."""
        if not state or state.get("ids") != self._ids_state:
            return None
        key, expected = state["together"]
        file = self._of(key, state["name"], expected, state["suffix"])
        if file.changed or file.refused:
            return None
        if file.kept is None:
            path = self._path(file.name).as_posix()
            file.kept = self.restore([o for o in outputs if o.path == path], state, locate)
            if file.kept is None:
                return None
        file.reused.add(document_id)
        return self._add_document(document_id, file, None)

    def delete_previous(self, document_id: str, states: list[Any], *, removed: bool = False) -> None:
        """Remember the earlier states of a document: processed again, it can have the same result."""
        self._previous_states = document_id, states

    def _of(self, key: str, stem: str, expected: int, suffix: str) -> ArrivedFile:
        if key not in self._arrived_files:
            name = self.files.names.next(stem)
            self._arrived_files[key] = ArrivedFile(expected, name.with_suffix(suffix) if suffix else name)
        return self._arrived_files[key]

    def _add_document(self, document: str, file: ArrivedFile, arrival: Arrival | None) -> list[Output]:
        file.arrived.add(document)
        self._last = document, file
        if len(file.arrived) != file.expected or file.refused:
            return []
        if file.kept is not None and not file.changed:
            ((_, kept),) = file.kept.files
            assert isinstance(kept, Staged)
            self.files.begin(document, file.name)
            self.files.place(kept, file.name)
            output = self._output(file.name, kept.length, kept.digest)
        else:
            assert arrival is not None
            data = self._rewritten(arrival.source, file)
            self._announce(file.name)
            self.files.write(document, data, file.name)
            output = self._output(file.name, len(data), hashlib.sha256(data).hexdigest())
            file.forget()
        file.written = True
        return [output]

    def _rewritten(self, source: Source, file: ArrivedFile) -> bytes:
        data = _read(source.path)
        if source.digest and source_record.digest(data) != source.digest:
            raise ConsumerError(f"{self.id}: {source.path} has changed since it was read: it is withheld")
        file.keep_age_limit()
        return self.rewritten(data, file)

    def _check_length(self, cas: Cas, masked: str) -> None:
        limit = cas.metadata.get(source_record.MOST, "")
        if limit and cas.metadata.get(source_record.PATH) and len(masked) > int(limit) >= len(cas.text):
            field = cas.metadata.get(source_record.FIELD, "a text")
            warnings.warn(
                f"{self.id}: {field}: a masked text is longer than the {int(limit):,} characters that the standard allows; it is "
                "written completely",
                LongTextWarning,
                stacklevel=2,
            )

    def rollback(self, document_id: str) -> None:
        """Roll back the last document. Its file is withheld from then on, unless the document is processed again because another
        output of it was not intact."""
        last, self._last = self._last, None
        if last is None or last[0] != document_id:
            return
        file = last[1]
        again = document_id in file.reused
        if file.written:
            file.written = False
            if not again and self._files is not None:
                self._files.rollback(document_id)
        if again:
            file.reused.discard(document_id)
            file.arrived.discard(document_id)
        else:
            file.refused = True
            file.forget()

    def close(self) -> None:
        """Warn of the files that were withheld."""
        withheld = sum(not c.written for c in self._arrived_files.values())
        written = len(self._arrived_files) - withheld
        self._arrived_files = {}
        super().close()
        if written and self.ids == "keep":
            files = "1 released file has" if written == 1 else f"{written} released files have"
            warnings.warn(
                f"{self.id}: {files} the ids of the source, as `ids: keep` says: who has access to it can follow them",
                KeptIdsWarning,
                stacklevel=2,
            )
        if withheld:
            files = "1 file was" if withheld == 1 else f"{withheld} files were"
            warnings.warn(
                f"{self.id}: {files} not written back, because not every text of it was released",
                WithheldFileWarning,
                stacklevel=2,
            )


def _read(path: str) -> bytes:
    """Return the bytes of a file again, decompressed. Raises ConsumerError that names the path."""
    fault = ""
    try:
        with opened(path) as file:
            return bounded(file, _MAX_SIZE)
    except ReaderError as error:
        fault = str(error).removeprefix(f"{path}: ").removeprefix("cannot read: ")
    raise ConsumerError(f"{path}: cannot read it again: {fault}")


def identifying(known: Iterable[KnownPhi]) -> list[str]:
    """Return the values that identify a person on their own, names also word by word, longest first: they must not occur
    anywhere in the file."""
    values: set[str] = set()
    for k in known:
        if k.kind.direct:
            values.add(k.value.strip())
            values.update(word for word in k.value.split() if k.kind.top is PhiKind.PERSON and len(word) > 3)
    return sorted((v for v in values if len(v) > 1), key=lambda v: (-len(v), v))
