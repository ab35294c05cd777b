"""Release of the documents of a run after their review: an ordinary run of its masker, leak gate and consumers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....consumers.records.record_ids import share_secret
from ...assembly.config import settle as settled_config
from ...contract import registry
from ...contract.component import CasConsumer
from ...contract.report import RunReport
from ...errors import ConfigError, Fault, ReaderError, nearest
from ...pipeline import Pipeline
from ...running.kept_config import changed_files, changed_keys, read_config, source_of
from ...running.ledger import LedgerReader, RunRow
from ...running.observers import Progress
from ...running.reviewed_release import REVIEWED
from ...running.run_documents import RunDocument, document_name, run_documents, xmi_folder
from ...storage.files import restricted_folder
from ...storage.hashing import code_version
from ...storage.own_kinds import declare_from
from ...storage.release_place import is_outside, place_in
from ..review.run_documents import kept_paths
from .applying import RejectionCheck
from .decisions import Counts
from .edits import Edits, edits_of
from .publishing import publish
from .reader import ReviewedReader, Task
from .reviews import Reviews

_KEYS = {
    "missing": "the run had a key here, now there is none: set it again, as in CASPIPE_KEY, or with --set as file:PATH",
    "another": "is not the key of the run: shifts, pseudonyms and names would differ; set the key of the run",
    "new": "the run had no key here: leave it unset, or run again with the key",
}


_UNFINISHED = "the run did not finish it"
NOT_COMPLETED = "its review is not completed"
"""Why `only_reviewed` leaves a document out."""


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """The options of a release."""

    only_reviewed: bool = False
    """Leave out documents whose review is not completed."""
    ledger: Path | None = None
    overrides: Sequence[str] = ()
    plugins: Sequence[Path] = ()
    workers: str = ""


@dataclass(slots=True)
class ReleaseResult:
    """The outcome of a release."""

    report: RunReport
    reviewed: int = 0
    """Documents whose review is completed."""
    begun: int = 0
    """Documents with decisions whose review is not completed."""
    unreviewed: int = 0
    """Documents that are released as the run left them."""
    left_out: int = 0
    """Documents that `only_reviewed` left out."""
    waiting: int = 0
    """Documents of the quarantine whose review is not completed."""
    unfinished: int | None = 0
    """Documents that the run has not processed; None if their number is not known."""
    decisions: Counts = field(default_factory=Counts)
    edits: Edits | None = None
    """Numbers of the edits in edited documents; None for the decisions of reviewers."""
    notes: list[str] = field(default_factory=list)
    published: bool = False


def release(run: Path, reviews: Reviews, options: ReleaseOptions, progress: Progress | None = None) -> ReleaseResult:
    """Mask the documents of a run again with the decisions of their review, and replace its `release/`.

    Unchanged spans get the same replacements, because configuration and keys are those of the run. Raises ConfigError for other
    keys or files, ReaderError for a run that cannot be released.
    """
    data = read_config(run)
    with LedgerReader.read(options.ledger or run) as ledger:
        if ledger.in_use():
            raise ReaderError(f"{run}: the run is still going: release it when it has ended")
        row, documents = ledger.run(), list(run_documents(run, ledger))
        assembly, notes = _assembly(run, data, ledger.salt, options)
    home = xmi_folder(run)
    tasks = list(_tasks(run, home, documents, reviews, only_reviewed=options.only_reviewed))
    assembly.reader = reader = ReviewedReader(tasks=tasks, folder=home)
    result = _result(tasks, row, len(documents))
    result.edits = edits_of(reader)
    result.notes += [*reviews.notes, *notes, *_unknown(tasks, home, documents, reviews)]
    restricted_folder(run / REVIEWED, run)
    share_secret(run, run / REVIEWED)
    result.report = assembly.run(progress)
    if not result.report.stopped:
        result.notes += [w for w in publish(run, row.started, reviews.journals) if "the run is not complete" not in w]
        result.published = True
    return result


def check_run(run: Path) -> None:
    """Declare the kinds of a run, before its documents are read. Raise ReaderError if the folder does not exist, with the nearest
    name."""
    if not run.is_dir():
        beside = sorted(p.name for p in run.absolute().parent.glob("*") if p.is_dir())
        raise ReaderError(f"{run}: no such folder: expected the output folder of a run{nearest(run.name, beside)}")
    declare_from(run / "restricted")


# -- the pipeline --------------------------------------------------------------------------------------------------


def _assembly(run: Path, data: Mapping[str, Any], salt: bytes, options: ReleaseOptions) -> tuple[Pipeline, list[str]]:
    """Return the masker, the engines after it and the consumers of a run, and notes about what differs."""
    for plugin in (*data["plugins"], *options.plugins):
        registry.load_file(str(plugin))
    home = str(xmi_folder(run).absolute())
    overrides = [*options.overrides, *([f"run.workers={options.workers}"] if options.workers else [])]
    pipeline = Pipeline.from_config(settled_config(source_of(data, {"xmi": {"folder": home}}), overrides))
    faults = [Fault(name, _KEYS[wrong]) for name, wrong in changed_keys(pipeline, data, salt).items()]
    faults += [Fault(what, "changed since the run: restore it, or run again") for what in changed_files(pipeline, data)]
    if not any(_holds_originals(c) for c in pipeline.consumers):
        faults.append(
            Fault(
                "consumers", "expected `xmi` without views and types, which holds the originals; add it, and run again"
            )
        )
    if faults:
        raise ConfigError(faults)
    pipeline.consumers = [_relative(run, consumer) for consumer in pipeline.consumers]
    notes = [
        f"consumer {c.id} writes {_leaves(c)}, which a release does not replace: it is left out; what the run wrote there stays "
        "as it was, or leaves with the old release/"
        for c in pipeline.consumers
        if _leaves(c)
    ]
    if data["code"] != code_version():
        notes.append("caspipe has changed since the run: replacements may differ from those of its release")
    return _for_release(run, pipeline), notes


def _for_release(run: Path, pipeline: Pipeline) -> Pipeline:
    options = dataclasses.replace(
        pipeline.options,
        output=run / REVIEWED,
        on_error="quarantine",
        max_error_rate=1.0,
        error_window=None,
        max_errors=None,
        limit=None,
        ledger=True,
        resume=True,
        retry_quarantined=True,
        shard="",
        events=None,
        metrics=None,
    )
    consumers = [c for c in pipeline.consumers if not _leaves(c)]
    engines = [*pipeline.engines, RejectionCheck()]
    made = Pipeline(engines, consumers=consumers, options=options, name=pipeline.name)
    made.views, made.config, made.own_kinds = pipeline.views, pipeline.config, pipeline.own_kinds
    return made


def _holds_originals(consumer: CasConsumer) -> bool:
    return consumer.name == "xmi" and not getattr(consumer, "views", ()) and not getattr(consumer, "types", ())


def _relative(run: Path, consumer: CasConsumer) -> CasConsumer:
    """Return a consumer whose paths below the run are relative, so that a release has them in its own folder."""
    given = {f.name: getattr(consumer, f.name) for f in dataclasses.fields(consumer)}  # type: ignore[arg-type]
    places = {name: place_in(run, path) for name, path in given.items() if isinstance(path, Path) and path != Path()}
    changed = {
        name: Path(place) for name, place in places.items() if not is_outside(place) and given[name] != Path(place)
    }
    if not changed:
        return consumer
    made: CasConsumer = dataclasses.replace(consumer, **changed)  # type: ignore[type-var]
    made.set_id(consumer.id)
    return made


def _leaves(consumer: CasConsumer) -> str:
    """Return where a consumer writes that is not a file below the output folder; empty for the others."""
    values = [getattr(consumer, f.name) for f in dataclasses.fields(consumer)]  # type: ignore[arg-type]
    paths = [v for v in values if isinstance(v, Path)]
    if hasattr(consumer, "url"):
        return "to a database"
    return "outside of the output folder" if any(p.is_absolute() or ".." in p.parts for p in paths) else ""


# -- the documents -------------------------------------------------------------------------------------------------


def _tasks(
    run: Path, home: Path, documents: Sequence[RunDocument], reviews: Reviews, *, only_reviewed: bool
) -> Iterator[Task]:
    """Yield the documents of a run in its order. A gap in its numbers is a document that it did not finish."""
    number = 0
    for document in documents:
        for missing in range(number + 1, document.row.number):
            yield Task(missing, f"(document {missing})", held=_UNFINISHED)
        number = document.row.number
        yield _task(run, home, document, reviews, only_reviewed)


def _task(run: Path, home: Path, document: RunDocument, reviews: Reviews, only_reviewed: bool) -> Task:
    row = document.row
    review = reviews.of.get(_name(document, home))
    done = review is not None and review.done
    if document.xmi is not None:
        held = NOT_COMPLETED if only_reviewed and not done else ""
        return Task(row.number, row.id, document.xmi, document.digest, held, review)
    path = next((p for p in kept_paths(run, row.number) if p.is_file()), None)
    held = ""
    if row.status == "released":
        held = "the run wrote no XMI with its original"
    elif path is None:
        held = f"{row.status} by the run ({row.reason}: {row.message}), and nothing of it was kept"
    elif not done:
        held = f"in quarantine ({row.reason}: {row.message}), and its review is not completed"
    return Task(row.number, row.id, path, held=held, review=review)


def _name(document: RunDocument, home: Path) -> str:
    """Return the name of a document in the journals of its review."""
    return document.row.id if document.xmi is None else document_name(document.xmi, home)


def _unknown(tasks: Sequence[Task], home: Path, documents: Sequence[RunDocument], reviews: Reviews) -> Iterator[str]:
    known = {_name(d, home) for d in documents}
    if strange := sorted(reviews.of.keys() - known):
        shown = ", ".join(strange[:5]) + (" ..." if len(strange) > 5 else "")
        yield f"{len(strange):,} reviewed documents are not of this run, and are ignored: {shown}"


def _result(tasks: Sequence[Task], row: RunRow, processed: int) -> ReleaseResult:
    result = ReleaseResult(RunReport())
    result.unfinished = None if row.total is None and row.state != "done" else max((row.total or 0) - processed, 0)
    if row.state == "done" or row.state.endswith("limit"):
        result.unfinished = 0
    for task in tasks:
        review = task.review
        if review is not None and not task.held:
            result.decisions.merge(review.counts())
        if review is not None and review.done:
            result.reviewed += 1
        elif task.held == _UNFINISHED:
            continue
        elif task.held:
            result.left_out += task.digest != ""
            result.waiting += task.digest == ""
        elif review is not None and review.begun:
            result.begun += 1
        else:
            result.unreviewed += 1
    return result
