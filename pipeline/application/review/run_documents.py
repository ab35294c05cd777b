"""The documents of a run for the review: those that were released, from its XMI, and those in quarantine, as far as they got."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ....readers.files.selection import Source
from ....typesystem import DEIDENTIFIED_VIEW, Cas, FormatError
from ....typesystem.json_cas.reader import read_jsoncas
from ...contract.leaks import leaks_of
from ...running.kept_config import NAME as CONFIG
from ...running.kept_config import read_config
from ...running.ledger import LedgerReader, Row
from ...running.quarantine import Quarantine
from ..audit.published import SETTLED
from .catalogue import Catalogue
from .document import Document, Refusal, document_of
from .state import ReviewError

XMI = Path("restricted") / "xmi"
"""Default folder of the XMI of a run."""


@dataclass(frozen=True, slots=True)
class RunDocument:
    """A document of a run. `xmi`: the file that the run wrote; None for a document that it did not release."""

    row: Row
    xmi: Path | None
    digest: str = ""
    """SHA-256 of the file."""

    @property
    def quarantined(self) -> bool:
        return self.row.status == "quarantined"


def is_run(path: Path) -> bool:
    """Return whether a path is the output folder of a run."""
    return LedgerReader.place(path).is_file() or (path / CONFIG).is_file()


def xmi_folder(run: Path) -> Path:
    """Return the folder of the run's XMI with the originals, where the journals of its review are."""
    given: object = None
    if (run / CONFIG).is_file():
        steps = [s for s in read_config(run)["consumers"] if s["name"] == "xmi"]
        folders = [s["given"].get("folder") for s in steps if not {"views", "types"} & s["given"].keys()]
        given = folders[0] if folders else None
    return run / (given[1] if isinstance(given, list) else XMI)


def run_documents(run: Path, ledger: LedgerReader) -> Iterator[RunDocument]:
    """Yield the documents of a run in reading order. A path out of the folder of the run is not followed."""
    folder = xmi_folder(run).relative_to(run)
    for row in ledger.rows():
        written = next((o for o in row.outputs if o.whole and _is_xmi(o.path, folder)), None)
        if row.status == "released" and written is not None:
            yield RunDocument(row, run / written.path, written.digest)
        else:
            yield RunDocument(row, None)


def quarantined_cas(run: Path, row: Row) -> Cas:
    """Return a document of the quarantine with what was found. Raises ReviewError that says why there is nothing to see."""
    data = next((path.read_bytes() for path in kept_paths(run, row.number) if path.is_file()), None)
    if data is None:
        hint = "it could not be read" if row.reason in ("unreadable", "duplicate") else "nothing of it was kept"
        raise ReviewError(f"document {row.id}: quarantined ({row.reason}: {row.message}); {hint}: it cannot be shown")
    try:
        return read_jsoncas(data, id=row.id)
    except FormatError:
        raise ReviewError(f"document {row.id}: what the quarantine kept of it is damaged: run `caspipe retry`") from None


def kept_paths(run: Path, number: int) -> tuple[Path, Path]:
    """Return where a document of the quarantine is, and where it is after its release."""
    path = Quarantine(run).cas_path(number)
    return path, run / SETTLED / path.name


class RunCatalogue(Catalogue):
    """The documents of a run. Those in quarantine have the same journals as the others."""

    def __init__(self, run: Path, *, ledger: Path | None = None, lenient: bool = False) -> None:
        """List the documents. Raises ResourceError without a ledger, ReviewError if nothing can be reviewed."""
        self.run = run
        home = xmi_folder(run)
        with LedgerReader.read(ledger or run) as opened:
            documents = list(run_documents(run, opened))
        documents = [d for d in documents if d.xmi is not None or d.quarantined]
        if not documents:
            raise ReviewError(
                f"{run}: no document to review: expected XMI in {home.relative_to(run)}, as the consumer xmi writes it, or "
                "documents in quarantine"
            )
        self.documents = documents
        super().__init__([home], lenient=lenient, sources=[self._source(d, home) for d in documents])

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


def document_name(xmi: Path, home: Path) -> str:
    """Return the id of a document in the journals: its path in the folder of the XMI, without suffixes."""
    return xmi.relative_to(home).as_posix().removesuffix(".gz").removesuffix(".xmi")


def refusals_of(cas: Cas) -> tuple[Refusal, ...]:
    """Return the places of the original text for which the leak gate refused a document."""
    if not cas.has_view(DEIDENTIFIED_VIEW):
        return ()
    spans = [k for k in leaks_of(cas) if 0 <= k.original_begin < k.original_end <= len(cas.text)]
    return tuple(Refusal(k.original_begin, k.original_end, k.kind.name, k.check) for k in spans)


def _is_xmi(path: str, folder: Path) -> bool:
    name = PurePosixPath(path)
    return name.is_relative_to(folder.as_posix()) and name.name.removesuffix(".gz").endswith(".xmi")

