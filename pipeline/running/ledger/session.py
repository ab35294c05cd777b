"""The part of a run that uses the ledger: which documents can be adopted from earlier runs, and what this run wrote."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...assembly.assembly import Assembly
from ...assembly.dependencies import code_version, fingerprint
from ...contract.component import is_resumable
from ...contract.output import Locate, Output
from ...contract.report import Found, RunReport, now
from ...errors import guarded
from ...storage.digest_set import Digests
from ...storage.file_names import folded
from ...storage.files import restricted_folder, sweep
from ..kept_config import keep_config
from ..quarantine import Quarantine
from ..release_scan.finish import may_release, say_elsewhere, scan_release
from ..release_scan.key_file import add_keys, derived_key, key_of, keys_of
from ..release_scan.values import key_id
from ..release_scan.withdrawal import Withdrawal, deletes_previous
from ..released_names import ReleasedNames
from ..reviewed_release import RECORD, REVIEWED, is_reviewed
from ..runners.work import Failed, Result, rollback
from .fingerprint import keyed
from .holding import held
from .ledger import Ledger
from .reader import LedgerReader
from .schema import Row

_UNRECORDED = "unrecorded-"


class Session:
    """A session without a ledger: nothing is adopted, nothing is recorded."""

    salt = b""

    def begin(self) -> None:
        """Start, after everything was opened and before the first document."""

    def see(self, document: str) -> None:
        """Note the next document of the input. A shard also sees the documents of other shards."""

    def expected(self, number: int, document: str) -> bytes:
        """Return the content hash with which a document need not be processed again; empty if it must be processed."""
        return b""

    def adopt(self, result: Result) -> bool:
        """Adopt what an earlier run wrote for an unchanged document. False if it is not intact any more."""
        return False

    def replace(self, result: Result) -> None:
        """Delete what earlier runs wrote for a document that is about to be written again."""

    def released(self, result: Result, outputs: list[Output], states: dict[str, Any]) -> None:
        """Record a document that was released."""

    def failed(self, result: Result, status: str) -> None:
        """Record a document that was not released."""

    def complete(self) -> None:
        """Finish a run that processed all documents."""

    def end(self) -> None:
        """Finish, after all files have their final names."""


class UnrecordedSession(Session):
    """A session without a ledger that is kept: what it wrote is only remembered for the release scanner, until its end."""

    def __init__(self, assembly: Assembly, report: RunReport, quarantine: Quarantine, ledger: Ledger) -> None:
        self.assembly = assembly
        self.report = report
        self.quarantine = quarantine
        self.ledger = ledger
        ledger.begin(report.name, report.started or "", code_version(), "", report.shard, None)
        assembly.scan_key = derived_key(ledger.salt)

    def released(self, result: Result, outputs: list[Output], states: dict[str, Any]) -> None:
        kept = {consumer: state for consumer, state in states.items() if state is not None}
        kept[""] = (result.found or Found()).to_plain()
        self.ledger.add(Row(result.number, result.id, "", "released", outputs=tuple(outputs), states=kept))

    def end(self) -> None:
        """Scan the release."""
        self.ledger.flush()
        scan_release(self.assembly, self.report, self.quarantine, self.ledger, [self.assembly.scan_key])


class LedgerSession(Session):
    """A session with a ledger: adopts outputs of unchanged documents, and deletes stale ones."""

    def __init__(
        self, assembly: Assembly, report: RunReport, quarantine: Quarantine, ledger: Ledger, total: int | None
    ) -> None:
        options = assembly.options
        self.assembly = assembly
        self.output = assembly.output
        self.consumers = assembly.two_phase_consumers()
        self.report = report
        self.quarantine = quarantine
        self.names = ReleasedNames.of(options)
        self.ledger = ledger
        self.salt = ledger.salt
        report.fingerprint = fingerprint(assembly)
        self.fingerprint = keyed(assembly, report.fingerprint, self.salt)
        lacking = ", ".join(c.id for c in assembly.consumers if not is_resumable(c))
        self.resume = options.resume and not lacking
        self.retry = options.retry_quarantined or options.on_error == "skip"
        if options.resume and lacking:
            report.warnings.append(
                f"resume: everything is done again, since {lacking} cannot continue an interrupted run"
            )
        self._keys: list[bytes] = []
        if options.scan:
            assembly.scan_key = key_of(options.output) if options.shard else derived_key(ledger.salt)
            merged = add_keys(self.output, [options.output]) if options.shard else keys_of([self.output])
            self._keys = list(dict.fromkeys((assembly.scan_key, *merged)))
        self._has_quarantine = quarantine.folder.is_dir()
        self._ids = hashlib.sha256()
        self._rows: dict[str, Row] = {}
        """Rows of earlier runs that `expected` found."""
        self._shared_outputs: dict[str, tuple[tuple[int, str], list[Output]]] = {}
        self._kept = Digests(64)
        """Names of the files of this run."""
        ledger.begin(report.name, report.started or "", code_version(), self.fingerprint, report.shard, total)

    def begin(self) -> None:
        _remove_staged(self.assembly)
        for path in self.ledger.left:  # moved there by an interrupted run that could not record its document any more
            if not self.ledger.mentions(path):
                self._unlink(path)
        self.ledger.left = []
        if is_reviewed(self.output):
            self.report.warnings.append(
                f"release/ was made from reviewed documents, and is now that of this run, without the decisions of their review: "
                f"run `caspipe release {self.output}` again"
            )
        for consumer in self.assembly.consumers:
            consumer.announce_file = self.ledger.announce
        for consumer in self.consumers:
            for path, temporary in consumer.shared_files().items():
                self._kept.add(folded(path))
                self.ledger.add_shared_file(consumer.id, path, os.path.relpath(temporary, self.output))

    def see(self, document: str) -> None:
        name = document.encode("utf-8", "surrogatepass")
        self._ids.update(len(name).to_bytes(8, "big") + name)

    def expected(self, number: int, document: str) -> bytes:
        if not self.resume or not document:
            return b""
        row = self.ledger.latest_before(document)
        if row is None or self.ledger.fingerprint_of(row.run) != self.fingerprint or row.status == "skipped":
            return b""
        if self.names.numbered and row.number != number:  # it has another name now
            return b""
        if row.status == "quarantined" and (self.retry or row.number != number or not self.quarantine.holds(number)):
            return b""
        self._rows[document] = row
        return bytes.fromhex(row.content)

    def adopt(self, result: Result) -> bool:
        row = self._rows.pop(result.id, None)
        if row is None:
            return False
        result.seconds, result.attempts = row.seconds, row.attempts
        if row.status == "quarantined":
            result.failed = Failed(row.component, row.cause, row.message, row.reason)
            self.replace(result)
            self._add(result, "quarantined", row.outputs, row.states)
            return True
        found = Found(*(row.states or {}).get("", [0, {}, {}]))
        if self._keys and (not found.values or found.values[0] not in map(key_id, self._keys)):
            return False  # its values are not known
        outputs = self._adopted(row)
        if outputs is None:
            return False
        result.found = found
        self._add(result, "released", outputs, row.states)
        return True

    def _adopted(self, row: Row) -> list[Output] | None:
        """Adopt everything that was written for a document, or nothing."""
        outputs: list[Output] = []
        for n, consumer in enumerate(self.consumers):
            previous, state = self._previous_outputs(row, consumer.id), (row.states or {}).get(consumer.id)
            with guarded(f"consumers/{consumer.id}"):
                name = self.names.name_for(consumer, row.number, row.id)
                own = consumer.adopt_previous(name, previous, state, self._locate(row.run))
            if own is None:
                rollback(self.consumers[:n], self.names, row.number, row.id)
                return None
            outputs += own
        return outputs

    def _previous_outputs(self, row: Row, consumer: str) -> list[Output]:
        """Return what a consumer wrote for a document, or for all documents that share one output with it."""
        group = row.together(consumer)
        if group is None:
            return row.outputs_of(consumer)
        key, number = group
        if consumer not in self._shared_outputs or self._shared_outputs[consumer][0] != (row.run, key):
            rows = [r for r in self.ledger.around(row, number - 1) if r.together(consumer) == group]
            self._shared_outputs[consumer] = (row.run, key), [o for r in rows for o in r.outputs_of(consumer)]
        return self._shared_outputs[consumer][1]

    def _locate(self, run: int) -> Locate:
        def locate(output: Output) -> Path:
            temporary = "" if output.whole else self.ledger.temporary(run, output.path)
            unfinished = self.output / temporary
            return unfinished if temporary and unfinished.is_file() else self.output / output.path

        return locate

    def replace(self, result: Result) -> None:
        self._delete_previous(result.number, result.id)

    def released(self, result: Result, outputs: list[Output], states: dict[str, Any]) -> None:
        self._rows.pop(result.id, None)
        found = result.found or Found()
        kept = {consumer: state for consumer, state in states.items() if state is not None}
        self._add(result, "released", outputs, {**kept, "": found.to_plain()})

    def failed(self, result: Result, status: str) -> None:
        self._rows.pop(result.id, None)
        row = self.ledger.latest_before(result.id)
        outputs = row.outputs if row is not None else ()
        self._delete_files(o.path for o in outputs if o.whole and not self.ledger.has_output(o.path))
        self._delete_previous(result.number, result.id)
        if row is not None:
            self._delete_failed(row)
        self._add(result, status, (), None)

    def complete(self) -> None:
        if self.assembly.options.resume and any(map(deletes_previous, self.consumers)):
            for document in self.ledger.removed_documents():
                self._delete_previous(0, document, removed=True)
            for number in self.ledger.removed_numbers() if self.names.numbered else ():
                self._delete_previous(number, "", removed=True)

    def end(self) -> None:
        """Scan the release and record the end of the run, after all files have their final names. After a complete run, delete
        what only earlier runs wrote, and their records."""
        report, d = self.report, self.report.documents
        if not report.stopped:
            self._delete_files(self.ledger.stale_files())
            self._delete_reviewed()
            Withdrawal(self.assembly, report, self.quarantine, self.ledger).move_tables()
        self.ledger.flush()
        scan_release(self.assembly, report, self.quarantine, self.ledger, self._keys)
        state = "done" if not report.stopped else f"stopped: {report.stopped}"
        ids = self._ids.hexdigest() if report.shard else ""
        self.ledger.end(state, now(), (d.read, d.released, d.quarantined, d.skipped), report.seconds, ids)
        if report.stopped:
            return
        for temporary in self.ledger.temporaries():
            self._unlink(temporary)
        self.quarantine.keep_only({row.number for row in self.ledger.rows("quarantined")})
        self.ledger.delete_other_runs()

    def _add(self, result: Result, status: str, outputs: Iterable[Output], states: dict[str, Any] | None) -> None:
        outputs, failed = tuple(outputs), result.failed or Failed("", "", "", "")
        for output in outputs:
            if output.whole:
                self._kept.add(folded(output.path))
        reasons = failed.reason, failed.component, failed.cause, failed.message
        timing = result.seconds, result.attempts
        self.ledger.add(Row(result.number, result.id, result.content.hex(), status, *reasons, *timing, outputs, states))
        if status == "released" and self._has_quarantine:
            self.quarantine.release(result.number)  # what an earlier run quarantined under this number

    def _delete_previous(self, number: int, document: str, *, removed: bool = False) -> None:
        """Let consumers delete what earlier runs wrote under the name of a document, other than files.

        A consumer that knows documents by number deletes what has the number, any other what has the id.
        """
        able = [c for c in self.consumers if deletes_previous(c)] if self.assembly.options.resume else []
        for consumer in able:
            by_number = self.names.numbered and not consumer.writes_original()
            if not (number if by_number else document):
                continue
            states = self.ledger.states_of_number(number) if by_number else self.ledger.states(document)
            own = [each[consumer.id] for each in states if consumer.id in each]
            if own:
                with guarded(f"consumers/{consumer.id}"):
                    consumer.delete_previous(self.names.name_for(consumer, number, document), own, removed=removed)

    def _delete_failed(self, row: Row) -> None:
        """Let consumers delete what earlier runs wrote for a document that fails now, also if this run does not resume."""
        states = self.ledger.states(row.id)
        for consumer in filter(deletes_previous, self.consumers):
            own = [each[consumer.id] for each in states if consumer.id in each]
            if own:
                with guarded(f"consumers/{consumer.id}"):
                    consumer.delete_previous(self.names.name_for(consumer, row.number, row.id), own)

    def _delete_files(self, paths: Iterable[str]) -> None:
        """Delete files of earlier runs, except those that are files of this run under another name (`Note.txt`, `note.txt` on
        file systems that ignore case)."""
        similar: dict[str, list[str]] = {}
        for path in paths:
            if (name := folded(path)) in self._kept:
                similar.setdefault(name, []).append(path)
            else:
                self._unlink(path)
        files = self.ledger.files() if similar else ()
        same = {path for own in files for path in similar.get(folded(own), ()) if self._is_same(path, own)}
        for path in itertools.chain.from_iterable(similar.values()):
            if path not in same:
                self._unlink(path)

    def _is_same(self, path: str, own: str) -> bool:
        with contextlib.suppress(OSError):
            return (self.output / path).samefile(self.output / own)
        return False

    def _delete_reviewed(self) -> None:
        """Delete what only a release from reviewed documents wrote to `release/`."""
        work = self.output / REVIEWED
        if not (self.output / RECORD).is_file() or not LedgerReader.place(work).is_file():
            return
        with LedgerReader.read(work) as reviewed:
            written = {o.path for row in reviewed.rows("released") for o in row.outputs}
        own = set(self.ledger.files())
        self._delete_files(sorted(path for path in written - own if path.startswith("release/")))
        self._unlink(str(RECORD))

    def _unlink(self, path: str) -> None:
        with contextlib.suppress(OSError):
            (self.output / path).unlink(missing_ok=True)


@contextlib.contextmanager
def open_session(assembly: Assembly, report: RunReport, quarantine: Quarantine, total: int | None) -> Iterator[Session]:
    """Open the session of a run. It uses a ledger if the run writes files that can be adopted, unless the options disable it."""
    options = assembly.options
    if options.ledger is False or not (any(map(is_resumable, assembly.consumers)) or options.resume):
        with _unrecorded(assembly, report, quarantine) as unrecorded:
            try:
                yield unrecorded
            finally:
                _remove_staged(assembly)
            unrecorded.end()
        return
    given = options.ledger if isinstance(options.ledger, Path) else None
    path = Ledger.place(assembly.output, given, options.shard)
    with held(assembly.output, path) as ledger:
        session = LedgerSession(assembly, report, quarantine, ledger, total)
        keep_config(assembly, ledger.salt)
        try:
            yield session
        finally:
            _remove_staged(assembly)
        session.end()


@contextlib.contextmanager
def _unrecorded(assembly: Assembly, report: RunReport, quarantine: Quarantine) -> Iterator[Session]:
    """Yield a session without a ledger, or with one that is removed at its end if the run may write to `release/`."""
    if not (assembly.options.scan and may_release(assembly)):
        yield Session()
        say_elsewhere(assembly, report)
        return
    folder = assembly.output / "restricted"
    restricted_folder(folder, assembly.output)
    for left in folder.glob(f"{_UNRECORDED}*"):  # of a run that was interrupted
        shutil.rmtree(left, ignore_errors=True)
    try:
        with (
            tempfile.TemporaryDirectory(prefix=_UNRECORDED, dir=folder) as own,
            Ledger.write(Path(own) / "ledger.sqlite") as ledger,
        ):
            yield UnrecordedSession(assembly, report, quarantine, ledger)
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()  # only if it is empty


def _remove_staged(assembly: Assembly) -> None:
    """Remove temporary files that consumers prepared and never committed."""
    sweep(folder for consumer in assembly.two_phase_consumers() for folder in consumer.staging())
