"""What consumers share that write masked texts and values back into the record files they came from (E2B, FHIR).

A file is written when all its documents have arrived, masked, and none was taken back; else it is held back, and told.
"""

from __future__ import annotations

import abc
import dataclasses
import warnings
from collections.abc import Iterable
from pathlib import PurePosixPath

from ..pipeline.errors import ConsumerError
from ..typesystem import Cas, CaspipeWarning, KnownPhi, PhiKind, RecordField, View, carrier
from .carrier_file import read_carrier
from .folder import FolderConsumer
from .released import released_view


class HeldBackWarning(CaspipeWarning):
    """Files of which not every text arrived were not written."""


class LongTextWarning(CaspipeWarning):
    """A masked text is longer than its field may be."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class CarriedText:
    """A text and what stands in its place. `path`: the metadata `carrier_path`."""

    path: str
    original: str
    masked: str
    replacements: tuple[tuple[int, int, str], ...]
    """(begin, end, new text) of each replacement, in offsets of the original."""


@dataclasses.dataclass(slots=True, repr=False)
class Carried:
    """What has arrived of a file."""

    file_id: str
    path: str
    digest: str
    expected: int
    arrived: set[str] = dataclasses.field(default_factory=set)
    texts: list[CarriedText] = dataclasses.field(default_factory=list)
    fields: list[RecordField] = dataclasses.field(default_factory=list)
    known: list[KnownPhi] = dataclasses.field(default_factory=list)
    """What the file says of people, to be looked for where nobody else looks."""
    metadata: list[dict[str, str]] = dataclasses.field(default_factory=list)
    """Metadata of the documents that have arrived."""
    written: bool = False
    refused: bool = False
    """One of its documents was taken back or cannot be released."""

    def forget(self) -> None:
        """Lets go of all texts."""
        self.texts, self.fields, self.known, self.metadata = [], [], [], []


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CarrierConsumer(FolderConsumer):
    """A consumer that writes record files back: one for each file read, named after it."""

    split = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._carried: dict[tuple[str, str], Carried] = {}

    @abc.abstractmethod
    def rewritten(self, data: bytes, carried: Carried) -> bytes:
        """The file with masked texts and values. Raises ConsumerError or FormatError where a place is not there."""

    def file_name(self, carried: Carried) -> PurePosixPath:
        """What the file is called when it is written back."""
        return self.files.names.next(carried.file_id)

    def open(self) -> None:
        super().open()
        self._carried = {}

    def process(self, cas: Cas) -> None:
        """Takes a document; writes its file where it was the last one missing.

        Raises ComponentError for a document without masked view, ConsumerError for one that came from no such file, has
        values that no masker decided about, or whose file is no longer what was read.
        """
        view = released_view(self, cas)
        path = cas.metadata.get(carrier.FILE, "")
        if not path:
            raise ConsumerError(f"{self.id}: expected a document that a reader of {self.name} made, found another one")
        carried = self._carried.setdefault(_key(cas), _new(cas))
        carried.refused = carried.refused or cas.id in carried.arrived
        try:
            self._take(cas, view, carried)
            if len(carried.arrived) == carried.expected and not carried.refused:
                data = read_carrier(path)
                if carried.digest and carrier.digest(data) != carried.digest:
                    raise ConsumerError(f"{self.id}: {path} has changed since it was read: it is held back")
                self.files.write(carried.file_id, self.rewritten(data, carried), self.file_name(carried))
                carried.written = True
                carried.forget()
        except BaseException:
            carried.refused = True
            carried.forget()
            raise

    def _take(self, cas: Cas, view: View, carried: Carried) -> None:
        fields = cas.select(RecordField)
        undecided = sum(not f.operator for f in fields)
        if undecided:
            raise ConsumerError(f"{self.id}: {undecided} structured values were never masked: the file is held back")
        if not carried.refused:
            carried.fields += [
                RecordField(kind=f.kind, path=f.path, value=f.value, masked=f.masked, operator=f.operator)
                for f in fields
            ]
            if cas.metadata.get(carrier.PATH):
                made = view.offset_map.segments() if view.offset_map is not None else []
                replaced = tuple((begin, end, view.text[at:stop]) for begin, end, at, stop in made)
                carried.texts.append(CarriedText(cas.metadata[carrier.PATH], cas.text, view.text, replaced))
                self._check_length(cas, view.text)
            if fields:
                carried.known += [KnownPhi(kind=k.kind, value=k.value, role=k.role) for k in cas.known_phi]
            carried.metadata.append(dict(cas.metadata))
        carried.arrived.add(cas.id)

    def _check_length(self, cas: Cas, masked: str) -> None:
        most = cas.metadata.get(carrier.MOST, "")
        if most and len(masked) > int(most) >= len(cas.text):
            field = cas.metadata.get(carrier.FIELD, "a text")
            warnings.warn(
                f"{self.id}: {field}: a masked text is longer than the {int(most):,} characters that the standard allows; it is "
                "written whole",
                LongTextWarning,
                stacklevel=2,
            )

    def retract(self, cas: Cas) -> None:
        """Takes the document's file back, and holds it back from then on."""
        carried = self._carried.get(_key(cas))
        if carried is None:
            return
        carried.refused = True
        carried.forget()
        if carried.written and self._files is not None:
            self._files.retract(carried.file_id)
            carried.written = False

    def close(self) -> None:
        """Tells how many files were held back."""
        held = sum(not c.written for c in self._carried.values())
        self._carried = {}
        super().close()
        if held:
            files = "1 file was" if held == 1 else f"{held} files were"
            warnings.warn(
                f"{self.id}: {files} not written back, because not every text of it was released",
                HeldBackWarning,
                stacklevel=2,
            )


def _file_id(cas: Cas) -> str:
    given = cas.metadata
    return given.get(carrier.FILE_ID) or cas.id.rpartition(f"/{given.get(carrier.RECORD, '')}/")[0] or cas.id


def _key(cas: Cas) -> tuple[str, str]:
    """A file as one reader gave it: documents of two readers of it never make up a whole."""
    return cas.metadata.get(carrier.FILE, ""), _file_id(cas)


def _new(cas: Cas) -> Carried:
    given = cas.metadata
    return Carried(
        _file_id(cas), given[carrier.FILE], given.get(carrier.DIGEST, ""), int(given.get(carrier.TEXTS, "0"))
    )


def identifying(known: Iterable[KnownPhi]) -> list[str]:
    """The values that identify somebody on their own, names also word by word, longest first: they must not stand anywhere
    in the file."""
    values: set[str] = set()
    for k in known:
        if k.kind.direct:
            values.add(k.value.strip())
            values.update(word for word in k.value.split() if k.kind.top is PhiKind.PERSON and len(word) > 3)
    return sorted((v for v in values if len(v) > 1), key=lambda v: (-len(v), v))
