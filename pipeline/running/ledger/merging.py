"""The parts of a run that many machines did, put together: the same files as one run would have written."""

from __future__ import annotations

import contextlib
import heapq
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...contract.component import CasConsumer, Locate, Output, TwoPhaseConsumer, is_resumable
from ...contract.report import Failure, Found, RunReport, now, versions
from ...errors import CaspipeError, ReaderError, guarded
from ..quarantine import Quarantine
from ..runners.work import Failed, Result, noting
from .account import Account
from .ledger import Ledger
from .rows import Row, RunRow

if TYPE_CHECKING:
    from ...pipeline import Pipeline
    from ..runners.watching import Progress

_FOLDER = re.compile(r"(\d+)-of-(\d+)")


class MergeError(CaspipeError):
    """The parts do not make up a whole."""


def merge(pipeline: Pipeline, *, keep: bool = False, progress: Progress | None = None) -> RunReport:
    """Puts the shards under a pipeline's output folder together, as one run would have written them.

    Raises MergeError that names every part that is missing, unfinished, made by another pipeline or of other documents,
    before anything is written; and where an output is not what its ledger says.
    """
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader")
    output = pipeline.options.output
    folders = _folders(output)
    report = RunReport(name=pipeline.name, started=now(), versions=versions(), config=pipeline.describe())
    began = time.perf_counter()
    left = [c.id for c in pipeline.consumers if not is_resumable(c)]
    if left:
        report.warnings.append(f"merge: the outputs of {', '.join(left)} stay in the folders of the shards")
    consumers = [c for c in pipeline.consumers if isinstance(c, TwoPhaseConsumer) and c.resumable]
    pipeline.consumers = [*consumers]
    with contextlib.ExitStack() as stack:
        stack.enter_context(noting()).into = report.warnings
        ledgers = [stack.enter_context(Ledger.read(_ledger(pipeline, folder))) for folder in folders]
        _check(pipeline, ledgers, folders)
        quarantine = Quarantine(output)
        account = stack.enter_context(Account.of(pipeline, report, quarantine, None))
        for consumer in consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.open()
            stack.push(_ending(consumer))
        account.begin()
        salts = {folder: ledger.salt for ledger, folder in zip(ledgers, folders, strict=True)}
        total = sum(ledger.run().read for ledger in ledgers)
        for number, (row, folder) in enumerate(_rows(ledgers, folders), 1):
            if row.number != number:
                raise MergeError(
                    f"{folder}: expected document {number}, found document {row.number}: a part is not whole"
                )
            _take(row, folder, salts[folder], consumers, account, quarantine, report)
            if progress is not None:
                progress(report, total)
    report.seconds = time.perf_counter() - began
    for consumer in consumers:
        consumer.finish(report)
    if not keep and not left:
        for folder in folders:
            shutil.rmtree(folder)
        with contextlib.suppress(OSError):
            (output / "shards").rmdir()  # only where it is empty
    return report


def _folders(output: Path) -> list[Path]:
    """The folders of all parts, in order. Raises MergeError that names those that are missing."""
    found = {
        (int(m[1]), int(m[2])): path
        for path in sorted((output / "shards").glob("*-of-*"))
        if path.is_dir() and (m := _FOLDER.fullmatch(path.name))
    }
    if not found:
        raise MergeError(f"{output / 'shards'}: no parts of a run: `caspipe run --shard 1/4` makes the first of four")
    parts = {of for _, of in found}
    if len(parts) > 1:
        raise MergeError(
            f"{output / 'shards'}: parts of {' and of '.join(map(str, sorted(parts)))}: remove those of older runs"
        )
    of = parts.pop()
    missing = [str(part) for part in range(1, of + 1) if (part, of) not in found]
    if missing:
        raise MergeError(f"{output / 'shards'}: parts that are missing: {', '.join(missing)} of {of}")
    return [found[part, of] for part in range(1, of + 1)]


def _check(pipeline: Pipeline, ledgers: list[Ledger], folders: list[Path]) -> None:
    from ...assembly.dependencies import fingerprint
    from .fingerprint import keyed

    ours = fingerprint(pipeline)
    runs = [ledger.run() for ledger in ledgers]
    faults = [
        f"{folder}: its run is {run.state}" for run, folder in zip(runs, folders, strict=True) if run.state != "done"
    ]
    faults += [
        f"{folder}: made by another pipeline, or with another key"
        for run, ledger, folder in zip(runs, ledgers, folders, strict=True)
        if run.fingerprint != keyed(pipeline, ours, ledger.salt)
    ]
    faults = faults or _inputs(runs, folders)
    if faults:
        raise MergeError("\n".join(faults))


def _inputs(runs: list[RunRow], folders: list[Path]) -> list[str]:
    """Faults of parts that did not read the same documents: their numbers then mean others, and some would be lost."""
    read: dict[str, list[int]] = {}
    for part, run in enumerate(runs):
        read.setdefault(run.ids, []).append(part)
    if len(read) == 1:
        return []
    told = [
        f"part{'s' * (len(parts) > 1)} {', '.join(str(part + 1) for part in parts)} "
        f"(begun {max(runs[part].started for part in parts)})"
        for parts in read.values()
    ]
    return [
        f"{folders[0].parent}: {told[0]} did not read the same documents as {' and '.join(told[1:])}: the input was "
        "changed between them: do those again that are too old, with --resume"
    ]


def _rows(ledgers: list[Ledger], folders: list[Path]) -> Iterator[tuple[Row, Path]]:
    """The documents of all parts, in reading order."""

    def of(ledger: Ledger, folder: Path) -> Iterator[tuple[int, Row, Path]]:
        for row in ledger.rows():
            yield row.number, row, folder

    streams = [of(ledger, folder) for ledger, folder in zip(ledgers, folders, strict=True)]
    for _, row, folder in heapq.merge(*streams, key=lambda found: found[0]):
        yield row, folder


def _take(
    row: Row,
    folder: Path,
    salt: bytes,
    consumers: list[TwoPhaseConsumer],
    account: Account,
    quarantine: Quarantine,
    report: RunReport,
) -> None:
    content = salt + bytes.fromhex(row.content) if row.content else b""  # so that the merged folder can be resumed
    result = Result(row.number, row.id, content, seconds=row.seconds, attempts=row.attempts)
    report.documents.read += 1
    if row.status == "released":
        outputs = _outputs(row, folder, consumers)
        result.found = Found(*(row.memo or {}).get("", [0, {}, {}]))
        report.add(result.found)
        account.written(result, outputs, {k: v for k, v in (row.memo or {}).items() if k})
        return
    failed = Failed(row.component, row.cause, row.message, row.reason)
    result.failed = failed
    report.failed(
        Failure(row.number, row.id, failed.component, failed.cause, failed.message, failed.reason), row.status
    )
    if row.status == "quarantined":
        text = Quarantine(folder).text(row.number)
        quarantine.keep(report.failures[-1], text)
    account.failed(result, row.status)


def _outputs(row: Row, folder: Path, consumers: list[TwoPhaseConsumer]) -> list[Output]:
    made: list[Output] = []
    for consumer in consumers:
        own = [o for o in row.outputs if o.consumer == consumer.id]
        taken = consumer.adopt_previous(row.id, own, (row.memo or {}).get(consumer.id), _in(folder))
        if taken is None:
            raise MergeError(f"{folder}: what {consumer.id} wrote of document {row.number} is not what its ledger says")
        made += taken
    return made


def _ledger(pipeline: Pipeline, folder: Path) -> Path:
    given = pipeline.options.ledger if isinstance(pipeline.options.ledger, Path) else None
    return Ledger.place(folder, given, folder.name.replace("-of-", "/"))


def _in(folder: Path) -> Locate:
    return lambda output: folder / output.path


def _ending(consumer: CasConsumer) -> Callable[..., None]:
    """Closes a consumer after a merge that succeeded; else nothing of it gets a name."""

    def end(kind: object, *_: object) -> None:
        if kind is None:
            consumer.close()
        else:
            consumer.abort()

    return end
