"""Merging the shards of a run into the same files that a single run would have written."""

from __future__ import annotations

import contextlib
import heapq
import shutil
import time
from collections.abc import Iterator
from functools import partial
from itertools import repeat
from pathlib import Path

from ...assembly.assembly import Assembly
from ...assembly.dependencies import fingerprint
from ...assembly.originals import refuse_misplaced, refuse_options
from ...contract.component import CasConsumer, TwoPhaseConsumer, is_resumable
from ...contract.output import Output
from ...contract.report import Failure, Found, RunReport, now, versions
from ...errors import CaspipeError, ReaderError, guarded
from ...storage.lazy_regex import lazy_regex
from ..observers import Progress
from ..quarantine import Quarantine
from ..release_manifest import write_manifest
from ..release_scan.key_file import add_keys
from ..released_names import NameMap, ReleasedNames
from ..reviewed_release import refuse_reviewed
from ..runners.work import Failed, Result, collect_warnings
from .fingerprint import keyed
from .reader import LedgerReader
from .schema import Row, RunRow
from .session import Session, open_session

_FOLDER = lazy_regex(r"(\d+)-of-(\d+)")


class MergeError(CaspipeError):
    """The shards cannot be merged."""


def merge(assembly: Assembly, *, keep: bool = False, progress: Progress | None = None) -> RunReport:
    """Merge the shards in the output folder of a pipeline, with the same result as a single run.

    Raises MergeError before anything is written if a shard is missing, unfinished, or was made by another pipeline or from
    other documents; and if an output differs from its ledger.
    """
    if assembly.reader is None:
        raise ReaderError(f"pipeline {assembly.name} has no reader")
    output = assembly.options.output
    refuse_misplaced(assembly.consumers, output)
    refuse_options(output, assembly.options.ledger)
    refuse_reviewed(assembly)
    folders = _folders(output)
    report = RunReport(name=assembly.name, started=now(), versions=versions(), config=assembly.describe())
    began = time.perf_counter()
    left = [c.id for c in assembly.consumers if not is_resumable(c)]
    if left:
        report.warnings.append(f"merge: the outputs of {', '.join(left)} stay in the folders of the shards")
    consumers = [c for c in assembly.consumers if isinstance(c, TwoPhaseConsumer) and c.resumable]
    assembly.consumers = [*consumers]
    with contextlib.ExitStack() as stack:
        stack.enter_context(collect_warnings()).target = report.warnings
        ledgers = [stack.enter_context(LedgerReader.read(_ledger(assembly, folder))) for folder in folders]
        _check(assembly, ledgers, folders)
        quarantine = Quarantine(output)
        if assembly.options.scan:
            add_keys(output, folders)
        session = stack.enter_context(open_session(assembly, report, quarantine, None))
        for consumer in consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.open()
            stack.push(partial(_end, consumer))
        names = ReleasedNames.of(assembly.options)
        name_map = stack.enter_context(NameMap(assembly, names))
        session.begin()
        salts = {folder: ledger.salt for ledger, folder in zip(ledgers, folders, strict=True)}
        total = sum(ledger.run().read for ledger in ledgers)
        for number, (row, folder) in enumerate(_rows(ledgers, folders), 1):
            if row.number != number:
                raise MergeError(
                    f"{folder}: expected document {number}, found document {row.number}: a part is not whole"
                )
            name_map.add(row.number, row.id)
            _merge_document(row, folder, salts[folder], consumers, names, session, quarantine, report)
            if progress is not None:
                progress(report, total)
    report.seconds = time.perf_counter() - began
    _warn_of_withdrawn(left, report)
    if name_map.warning:
        report.warnings.append(name_map.warning)
    for consumer in consumers:
        consumer.finish(report)
    write_manifest(assembly, report)
    if not keep and not left:
        for folder in folders:
            shutil.rmtree(folder)
        with contextlib.suppress(OSError):
            (output / "shards").rmdir()  # only if it is empty
    return report


def _warn_of_withdrawn(left: list[str], report: RunReport) -> None:
    if left and (n := report.scan.withdrawn):
        report.warnings.append(
            f"merge: what {', '.join(left)} wrote in shards/ contains {n:,} withdrawn document{'s' * (n != 1)}: do not release it"
        )


def _folders(output: Path) -> list[Path]:
    """Return the folders of all shards in order. Raises MergeError with the missing ones."""
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


def _check(assembly: Assembly, ledgers: list[LedgerReader], folders: list[Path]) -> None:
    ours = fingerprint(assembly)
    runs = [ledger.run() for ledger in ledgers]
    faults = [
        f"{folder}: its run is {run.state}" for run, folder in zip(runs, folders, strict=True) if run.state != "done"
    ]
    faults += [
        f"{folder}: made by another pipeline, or with another key"
        for run, ledger, folder in zip(runs, ledgers, folders, strict=True)
        if run.fingerprint != keyed(assembly, ours, ledger.salt)
    ]
    faults = faults or _inputs(runs, folders)
    if faults:
        raise MergeError("\n".join(faults))


def _inputs(runs: list[RunRow], folders: list[Path]) -> list[str]:
    """Return faults if shards did not read the same documents: their numbers would differ, and documents would be lost."""
    read: dict[str, list[int]] = {}
    for part, run in enumerate(runs):
        read.setdefault(run.ids, []).append(part)
    if len(read) == 1:
        return []
    descriptions = [
        f"part{'s' * (len(parts) > 1)} {', '.join(str(part + 1) for part in parts)} "
        f"(begun {max(runs[part].started for part in parts)})"
        for parts in read.values()
    ]
    return [
        f"{folders[0].parent}: {descriptions[0]} did not read the same documents as {' and '.join(descriptions[1:])}: "
        "the input was changed between them: do those again that are too old, with --resume"
    ]


def _rows(ledgers: list[LedgerReader], folders: list[Path]) -> Iterator[tuple[Row, Path]]:
    """Yield the documents of all shards in reading order."""
    streams = [zip(ledger.rows(), repeat(folder)) for ledger, folder in zip(ledgers, folders, strict=True)]
    return heapq.merge(*streams, key=lambda entry: entry[0].number)


def _merge_document(
    row: Row,
    folder: Path,
    salt: bytes,
    consumers: list[TwoPhaseConsumer],
    names: ReleasedNames,
    session: Session,
    quarantine: Quarantine,
    report: RunReport,
) -> None:
    content = salt + bytes.fromhex(row.content) if row.content else b""  # so that the merged folder can be resumed
    result = Result(row.number, row.id, content, seconds=row.seconds, attempts=row.attempts)
    report.documents.read += 1
    if row.status == "released":
        outputs = _outputs(row, folder, consumers, names)
        result.found = Found(*(row.states or {}).get("", [0, {}, {}]))
        report.add(result.found)
        session.released(result, outputs, {k: v for k, v in (row.states or {}).items() if k})
        return
    failed = Failed(row.component, row.cause, row.message, row.reason)
    result.failed = failed
    report.failed(
        Failure(row.number, row.id, failed.component, failed.cause, failed.message, failed.reason), row.status
    )
    if row.status == "quarantined":
        kept = Quarantine(folder)
        quarantine.keep(report.failures[-1], kept.text(row.number), kept.cas(row.number))
    session.failed(result, row.status)


def _outputs(row: Row, folder: Path, consumers: list[TwoPhaseConsumer], names: ReleasedNames) -> list[Output]:
    outputs: list[Output] = []
    for consumer in consumers:
        own, state = row.outputs_of(consumer.id), (row.states or {}).get(consumer.id)
        name = names.name_for(consumer, row.number, row.id)
        adopted = consumer.adopt_previous(name, own, state, lambda output: folder / output.path)
        if adopted is None:
            raise MergeError(f"{folder}: what {consumer.id} wrote of document {row.number} is not what its ledger says")
        outputs += adopted
    return outputs


def _ledger(assembly: Assembly, folder: Path) -> Path:
    given = assembly.options.ledger if isinstance(assembly.options.ledger, Path) else None
    return LedgerReader.place(folder, given, folder.name.replace("-of-", "/"))


def _end(consumer: CasConsumer, kind: object, *_: object) -> None:
    """Close a consumer after a successful merge, and abort it otherwise."""
    if kind is None:
        consumer.close()
    else:
        consumer.abort()
