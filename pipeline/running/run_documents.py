"""The documents of a run in its output folder: what its ledger says of them, and the XMI with their originals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..storage.release_place import is_outside, place_in
from .kept_config import NAME as CONFIG
from .kept_config import read_config
from .ledger import LedgerReader, Row

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
    return run / place_in(run, Path(given[1]) if isinstance(given, list) else XMI)


def run_documents(run: Path, ledger: LedgerReader) -> Iterator[RunDocument]:
    """Yield the documents of a run in reading order. A path out of the folder of the run is not followed."""
    folder = place_in(run, xmi_folder(run).absolute())
    for row in ledger.rows():
        yield _run_document(run, row, folder)


def run_document(run: Path, row: Row) -> RunDocument:
    """Return one document of a run."""
    return _run_document(run, row, place_in(run, xmi_folder(run).absolute()))


def _run_document(run: Path, row: Row, folder: str) -> RunDocument:
    own = row.outputs if not is_outside(folder) else ()
    written = next((o for o in own if o.whole and _is_xmi(o.path, folder)), None)
    if row.status == "released" and written is not None:
        return RunDocument(row, run / written.path, written.digest)
    return RunDocument(row, None)


def document_name(xmi: Path, home: Path) -> str:
    """Return the id of a document in the journals: its path in the folder of the XMI, without suffixes."""
    return xmi.relative_to(home).as_posix().removesuffix(".gz").removesuffix(".xmi")


def _is_xmi(path: str, folder: str) -> bool:
    name = PurePosixPath(path)
    return name.is_relative_to(folder) and name.name.removesuffix(".gz").endswith(".xmi")
