"""The page of one document of a run: the one that the consumer `html` wrote, or else a new one."""

from __future__ import annotations

from pathlib import Path

from ....consumers.pages.document_page import document_page
from ....readers.files.selection import Source
from ....typesystem import Cas
from ...errors import ConfigError, Fault, ReaderError
from ...running.ledger import LedgerReader, Row
from ...running.run_documents import RunDocument, run_document
from ...storage.files import digest_of, restricted_folder, write_atomic
from ...storage.own_kinds import declare_from
from ...storage.release_place import is_outside
from ..review.catalogue import MAX_FILE_BYTES, SingleDocumentReader
from ..review.run_documents import quarantined_cas

PAGES = Path("restricted") / "pages"
"""Folder of the pages that `caspipe view` writes, named after the number of the document."""


def run_page(run: Path, name: str) -> Path:
    """Return the page of a document of a run, given by its id or number; write it unless the run did.

    Raises ConfigError if the run has no such document, ReaderError and ReviewError if its original text was not kept.
    """
    document = _document(run, name)
    return _written(run, document.row) or _new(run, document)


def run_document_cas(run: Path, name: str) -> Cas:
    """Return a document of a run, given by its id or number. Raises as `run_page`."""
    return _cas(run, _document(run, name))


def _document(run: Path, name: str) -> RunDocument:
    if not name:
        raise ConfigError([Fault("DOCUMENT", "expected the id or the number of a document of the run", str(run))])
    with LedgerReader.read(run) as ledger:
        row = ledger.document(name)
    if row is None:
        what = "the run has no document with this id or number; restricted/names.csv lists the ids"
        raise ConfigError([Fault("DOCUMENT", what, str(run))])
    return run_document(run, row)


def _written(run: Path, row: Row) -> Path | None:
    """Return the page that the run wrote, if it is still the same."""
    pages = (o for o in row.outputs if o.whole and o.path.endswith(".html") and not is_outside(o.path))
    return next((run / o.path for o in pages if digest_of(run / o.path) == o.digest), None)


def _new(run: Path, document: RunDocument) -> Path:
    folder = run / PAGES
    page = document_page(_cas(run, document), index="")
    restricted_folder(folder, run)
    path = folder / f"{document.row.number:06d}.html"
    write_atomic(path, page, private=True)
    return path


def _cas(run: Path, document: RunDocument) -> Cas:
    declare_from(run / "restricted")
    if document.quarantined:
        return quarantined_cas(run, document.row)
    if document.xmi is None:
        raise ReaderError(
            f"document {document.row.number}: no XMI with its original text in {run}: expected the consumer xmi in the "
            "pipeline; or run it with --html"
        )
    source = Source(str(document.xmi), document.row.id)
    return SingleDocumentReader(files=[document.xmi], max_bytes=MAX_FILE_BYTES).cas(source)
