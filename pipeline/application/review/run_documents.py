"""The documents of a run for the review: those that were released, from its XMI, and those in quarantine, as far as they got."""

from __future__ import annotations

from pathlib import Path

from ....readers.files.selection import Source
from ....typesystem import DEIDENTIFIED_VIEW, INITIAL_VIEW, Cas, FormatError
from ....typesystem.json_cas.reader import read_jsoncas
from ...contract.leaks import leaks_of
from ...running.ledger import LedgerReader, Row
from ...running.quarantine import Quarantine
from ...running.run_documents import RunDocument, document_name, run_documents, xmi_folder
from ...storage.own_kinds import declare_from
from ..audit.published import SETTLED
from .catalogue import Catalogue
from .document import Document, Refusal, document_of
from .state import ReviewError


def quarantined_cas(run: Path, row: Row) -> Cas:
    """Return a document of the quarantine with what was found. Raises ReviewError that says why there is nothing to see."""
    data = next((path.read_bytes() for path in kept_paths(run, row.number) if path.is_file()), None)
    if data is None:
        hint = "it could not be read" if row.reason in ("unreadable", "duplicate") else "nothing of it was kept"
        raise ReviewError(f"document {row.id}: quarantined ({row.reason}: {row.message}); {hint}: it cannot be shown")
    try:
        return read_jsoncas(data, id=row.id)
    except FormatError:
        raise ReviewError(
            f"document {row.id}: what the quarantine kept of it is damaged: run `caspipe retry`"
        ) from None


def kept_paths(run: Path, number: int) -> tuple[Path, Path]:
    """Return the paths of a document of the quarantine before and after its release."""
    path = Quarantine(run).cas_path(number)
    return path, run / SETTLED / path.name


class RunCatalogue(Catalogue):
    """The documents of a run. Those in quarantine have the same journals as the others."""

    def __init__(self, run: Path, *, view: str = INITIAL_VIEW, lenient: bool = False) -> None:
        """List the documents. Raises ResourceError without a ledger, ReviewError if nothing can be reviewed."""
        self.run = run
        declare_from(run / "restricted")  # its own kinds
        home = xmi_folder(run)
        with LedgerReader.read(run) as opened:
            documents = list(run_documents(run, opened))
        documents = [d for d in documents if d.xmi is not None or d.quarantined]
        if not documents:
            raise ReviewError(
                f"{run}: no document to review: expected XMI in {home.relative_to(run)}, as the consumer xmi writes it, or "
                "documents in quarantine"
            )
        self.documents = documents
        super().__init__([home], view=view, lenient=lenient, sources=[self._source(d, home) for d in documents])

    def cas(self, number: int) -> Cas:
        document = self.documents[number]
        return quarantined_cas(self.run, document.row) if document.xmi is None else super().cas(number)

    def read(self, number: int) -> Document:
        row = self.documents[number].row
        cas = self.cas(number)
        document = document_of(cas, self.view)
        if self.documents[number].quarantined and Quarantine(self.run).holds(row.number):
            document.refusals = refusals_of(cas)
            document.quarantined = f"{row.reason}: {row.message}"
        return document

    def _source(self, document: RunDocument, home: Path) -> Source:
        if document.xmi is None:
            return Source(str(Quarantine(self.run).cas_path(document.row.number)), document.row.id)
        return Source(str(document.xmi), document_name(document.xmi, home))


def refusals_of(cas: Cas) -> tuple[Refusal, ...]:
    """Return the places of the original text for which the leak gate refused a document."""
    if not cas.has_view(DEIDENTIFIED_VIEW):
        return ()
    spans = [k for k in leaks_of(cas) if 0 <= k.original_begin < k.original_end <= len(cas.text)]
    return tuple(Refusal(k.original_begin, k.original_end, k.kind.name, k.check) for k in spans)
