"""Export of decisions: each reviewed document as XMI with a view `gold`, for evaluation and training."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ....consumers.uima.xmi import XmiConsumer
from ....typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, INITIAL_VIEW, Cas, Phi, PhiKind
from ...errors import CaspipeError
from ...storage.file_names import safe_parts
from ...storage.files import cannot
from .decisions import OpenDocument
from .session import Session
from .state import ReviewError


@dataclass(slots=True)
class ExportResult:
    """The numbers of documents written and of documents skipped because they are not done, and failures with their reasons."""

    written: int = 0
    skipped: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)


def export_gold(session: Session, folder: Path, annotator: str, *, everything: bool = False) -> ExportResult:
    """Write the documents that are done; with `everything` also the others, whose open spans count as PHI.

    Removes files of earlier exports whose documents are no longer done. Only the owner can read the folder and the files.
    Raises ReviewError for a folder among the reviewed documents, ConsumerError.
    """
    target = folder.resolve()
    home = session.catalogue.home.resolve()
    if target == home or home in target.parents:
        raise ReviewError(f"{folder}: is among the documents under review; choose another folder for gold")
    consumer = XmiConsumer(folder=target)
    consumer.open()
    exported = ExportResult()
    for number, name in enumerate(session.catalogue.ids):
        try:
            ready = session.pair is None or session.pair.ready(name)
            if not (ready and (everything or session.done(number))):
                _skip(exported, target, name)
                continue
            cas = session.catalogue.cas(number)
            with session.lock:  # prevents decisions between the check and the export
                done = session.done(number)
                if not (everything or done):
                    _skip(exported, target, name)
                    continue
                make_gold(cas, session.opened(number), annotator, session.catalogue.view)
            cas.metadata["review_status"] = "done" if done else "open"
            consumer.process(cas)
            exported.written += 1
        except CaspipeError as error:
            exported.failed.append((name, str(error)))
    consumer.close()
    return exported


def _skip(exported: ExportResult, folder: Path, name: str) -> None:
    """Count a document as skipped, and remove its file from an earlier export."""
    exported.skipped += 1
    path = folder.joinpath(*safe_parts(name))
    path = path.with_name(f"{path.name}.xmi")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot(path, error) from None


def make_gold(cas: Cas, opened: OpenDocument, annotator: str, view: str = INITIAL_VIEW) -> None:
    """Replace the view `gold` by one with the live spans. Masked text that is older than the decisions is removed. Raises
    ReviewError if the text changed."""
    text = cas.view(view).text
    if text != opened.document.text:
        raise ReviewError(f"document {opened.document.id}: its text changed during the review")
    if cas.has_view(GOLD_VIEW):
        cas.drop_view(GOLD_VIEW)
    gold = cas.create_view(GOLD_VIEW, text)
    spans = opened.table.spans
    live = {tuple(spans[sid][:3]) for _, _, sid in opened.table.live}
    if cas.has_view(DEIDENTIFIED_VIEW) and live != {(p.begin, p.end, p.kind.name) for p in cas.select(Phi)}:
        cas.drop_view(DEIDENTIFIED_VIEW)
    for begin, end, sid in opened.table.live:
        item = opened.document.items.get(sid)
        as_found = item is not None and item.span[:3] == spans[sid][:3]
        change = f"{spans[sid].status} as found" if as_found else "changed" if item is not None else "added"
        phi = Phi(begin, end, kind=PhiKind.of(spans[sid].kind), reason=f"{change} by {annotator}")
        phi.set_source(f"review/{annotator}")
        gold.add(phi)
    cas.metadata["review_annotator"] = annotator
