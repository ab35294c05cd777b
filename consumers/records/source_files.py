"""What consumers share that write masked texts and values back into the record files they came from (E2B, FHIR).

A file is written when all its documents have arrived, masked, and none was taken back; else it is held back, and told.
"""

from __future__ import annotations

import abc
import dataclasses
import hashlib
import warnings
from collections.abc import Iterable
from typing import Any, ClassVar

from ...pipeline.contract.component import Locate, Output, Scope
from ...pipeline.errors import ConsumerError
from ...pipeline.storage.files import Staged, digest_of
from ...typesystem import Cas, CaspipeWarning, PhiKind
from ...typesystem import source_record as carrier
from ..files.folder import FolderConsumer
from ..files.released import released_view
from .carried import Arrival, Carried, CarriedKnown
from .source_file import read_carrier


class HeldBackWarning(CaspipeWarning):
    """Files of which not every text arrived were not written."""


class LongTextWarning(CaspipeWarning):
    """A masked text is longer than its field may be."""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CarrierConsumer(FolderConsumer):
    """A consumer that writes record files back: one for each file read, named after it."""

    scope = Scope.COLLECTION
    suffix: ClassVar[str] = ""
    """Of the files that are written."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._carried: dict[str, Carried] = {}
        self._before: tuple[str, list[Any]] | None = None
        self._last: tuple[str, Carried] | None = None

    @abc.abstractmethod
    def rewritten(self, data: bytes, carried: Carried) -> bytes:
        """The file with masked texts and values. Raises ConsumerError or FormatError where a place is not there."""

    def suffix_of(self, path: str) -> str:
        """The suffix of the file that is written back for one that was read."""
        return self.suffix

    def open(self) -> None:
        super().open()
        self.open_folder(self.suffix, restricted=False)
        self._carried, self._before, self._last = {}, None, None

    def prepare(self, cas: Cas) -> Arrival:  # type: ignore[override]  # no file of its own
        """Raises ComponentError for a document without masked view, ConsumerError for one that came from no such file."""
        view = released_view(self, cas)
        path = cas.metadata.get(carrier.FILE, "")
        if not path:
            raise ConsumerError(f"{self.id}: expected a document that a reader of {self.name} made, found another one")
        self._check_length(cas, view.text)
        return Arrival.of(cas, view, self.suffix_of(path))

    def resume_state(self, prepared: Arrival) -> Any:  # type: ignore[override]
        return prepared.resume_state()

    def staged(self, prepared: Arrival) -> list[Staged]:  # type: ignore[override]
        return []

    def discard(self, prepared: Arrival) -> None:  # type: ignore[override]
        """There is nothing on the disk."""

    def commit(self, document_id: str, prepared: Arrival) -> list[Output]:  # type: ignore[override]
        """Takes a document; writes its file where it was the last one missing.

        Raises ConsumerError for one that has values that no masker decided about, or whose file is no longer what was read.
        """
        source = prepared.source
        carried = self._of(source.key, source.id, source.expected, source.suffix)
        carried.refused = carried.refused or document_id in carried.arrived
        before, self._before = self._before, None
        masked = (prepared.resume_state() or {}).get("masked")
        if before is None or before[0] != document_id or all(state.get("masked") != masked for state in before[1]):
            carried.changed = True
            carried.refused = carried.refused or bool(
                carried.reused
            )  # its texts are not known: the next run will do all
        try:
            if prepared.undecided:
                raise ConsumerError(
                    f"{self.id}: {prepared.undecided} structured values were never masked: the file is held back"
                )
            if not carried.refused:
                carried.texts += prepared.texts
                carried.fields += prepared.fields
                carried.known += prepared.known
            return self._arrived(document_id, carried, prepared)
        except BaseException:
            carried.refused = True
            carried.forget()
            raise

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Leaves a file that an earlier run wrote of the same documents. `outputs`: those of all documents of the file."""
        if not state:
            return None
        key, expected = state["together"]
        carried = self._of(key, state["id"], expected, state["suffix"])
        if carried.changed or carried.refused:
            return None
        if carried.kept is None:
            path = self._path(carried.name).as_posix()
            found = next((o for o in outputs if o.whole and o.path == path), None)
            if found is None or digest_of(locate(found)) != found.digest:
                return None
            carried.kept = locate(found), found
        carried.reused.add(document_id)
        return self._arrived(document_id, carried, None)

    def delete_previous(self, document_id: str, states: list[Any], *, removed: bool = False) -> None:
        """Remembers what was made of a document before: done anew, it can be the same."""
        self._before = document_id, states

    def _of(self, key: str, file_id: str, expected: int, suffix: str) -> Carried:
        if key not in self._carried:
            name = self.files.names.next(file_id)
            self._carried[key] = Carried(file_id, expected, name.with_suffix(suffix) if suffix else name)
        return self._carried[key]

    def _arrived(self, document: str, carried: Carried, prepared: Arrival | None) -> list[Output]:
        carried.arrived.add(document)
        self._last = document, carried
        if len(carried.arrived) != carried.expected or carried.refused:
            return []
        if carried.kept is not None and not carried.changed:
            self.files.take_over(document, carried.kept[0], carried.name)
            made = dataclasses.replace(carried.kept[1], consumer=self.id)
        else:
            assert prepared is not None
            made = self._write(document, carried, prepared)
            carried.forget()
        carried.written = True
        return [made]

    def _write(self, document: str, carried: Carried, prepared: Arrival) -> Output:
        source = prepared.source
        data = read_carrier(source.path)
        if source.digest and carrier.digest(data) != source.digest:
            raise ConsumerError(f"{self.id}: {source.path} has changed since it was read: it is held back")
        made = self.rewritten(data, carried)
        self._announce(carried.name)
        self.files.write(document, made, carried.name)
        return self._output(carried.name, len(made), hashlib.sha256(made).hexdigest())

    def _check_length(self, cas: Cas, masked: str) -> None:
        most = cas.metadata.get(carrier.MOST, "")
        if most and cas.metadata.get(carrier.PATH) and len(masked) > int(most) >= len(cas.text):
            field = cas.metadata.get(carrier.FIELD, "a text")
            warnings.warn(
                f"{self.id}: {field}: a masked text is longer than the {int(most):,} characters that the standard allows; it is "
                "written whole",
                LongTextWarning,
                stacklevel=2,
            )

    def rollback(self, document_id: str) -> None:
        """Takes the document that arrived last back. Its file is held back from then on, unless the document comes again because
        something else of it was not whole."""
        last, self._last = self._last, None
        if last is None or last[0] != document_id:
            return
        carried = last[1]
        again = document_id in carried.reused
        if carried.written:
            carried.written = False
            if not again and self._files is not None:
                self._files.rollback(document_id)
        if again:
            carried.reused.discard(document_id)
            carried.arrived.discard(document_id)
        else:
            carried.refused = True
            carried.forget()

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


def identifying(known: Iterable[CarriedKnown]) -> list[str]:
    """The values that identify somebody on their own, names also word by word, longest first: they must not stand anywhere
    in the file."""
    values: set[str] = set()
    for k in known:
        if k.kind.direct:
            values.add(k.value.strip())
            values.update(word for word in k.value.split() if k.kind.top is PhiKind.PERSON and len(word) > 3)
    return sorted((v for v in values if len(v) > 1), key=lambda v: (-len(v), v))
