"""The part of a run that uses the ledger: which documents can be adopted from earlier runs, and what this run wrote."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...assembly.assembly import Assembly
from ...assembly.dependencies import code_version, fingerprint
from ...contract.component import Output, is_resumable
from ...contract.report import Found, RunReport, now
from ...storage.files import sweep
from ..quarantine import Quarantine
from ..runners.work import Failed, Result
from .fingerprint import keyed
from .history import History, deletes_previous
from .holding import held
from .ledger import Ledger
from .rows import Row


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


class LedgerSession(Session):
    """A session with a ledger."""

    def __init__(
        self, assembly: Assembly, report: RunReport, quarantine: Quarantine, ledger: Ledger, total: int | None
    ) -> None:
        options = assembly.options
        self.assembly = assembly
        self.report = report
        self.quarantine = quarantine
        self.ledger = ledger
        self.salt = ledger.salt
        report.fingerprint = fingerprint(assembly)
        identity = keyed(assembly, report.fingerprint, self.salt)
        self.history = History(
            ledger,
            assembly.output,
            identity,
            resume=options.resume and all(map(is_resumable, assembly.consumers)),
            retry=options.retry_quarantined or options.on_error == "skip",
            quarantine=quarantine,
        )
        if options.resume and not self.history.resume:
            names = ", ".join(c.id for c in assembly.consumers if not is_resumable(c))
            report.warnings.append(
                f"resume: everything is done again, since {names} cannot go on where a run was cut off"
            )
        self._has_quarantine = quarantine.folder.is_dir()
        self._ids = hashlib.sha256()
        ledger.begin(report.name, report.started or "", code_version(), identity, report.shard, total)

    def begin(self) -> None:
        _remove_staged(self.assembly)
        output = self.assembly.output
        for path in self.ledger.left:  # moved there by an interrupted run that could not record its document any more
            if not self.ledger.mentions(path):
                with contextlib.suppress(OSError):
                    (output / path).unlink(missing_ok=True)
        self.ledger.left = []
        for consumer in self.assembly.consumers:
            consumer.announce_file = self.ledger.announce
        for consumer in self.assembly.two_phase_consumers():
            for path, temporary in consumer.shared_files().items():
                self.history.keep(path)
                self.ledger.add_shared_file(consumer.id, path, os.path.relpath(temporary, output))

    def see(self, document: str) -> None:
        name = document.encode("utf-8", "surrogatepass")
        self._ids.update(len(name).to_bytes(8, "big") + name)

    def expected(self, number: int, document: str) -> bytes:
        return self.history.expected(number, document)

    def adopt(self, result: Result) -> bool:
        row = self.history.pop_row(result.id)
        if row is None:
            return False
        result.seconds, result.attempts = row.seconds, row.attempts
        if row.status == "quarantined":
            result.failed = Failed(row.component, row.cause, row.message, row.reason)
            self._delete_previous(result.id)
            self._add(result, "quarantined", row.outputs, row.states)
            return True
        outputs = self.history.adopt(row, self.assembly.two_phase_consumers())
        if outputs is None:
            return False
        result.found = Found(*(row.states or {}).get("", [0, {}, {}]))
        self._add(result, "released", tuple(outputs), row.states)
        self._release_quarantined(result.number)
        return True

    def replace(self, result: Result) -> None:
        self._delete_previous(result.id)

    def released(self, result: Result, outputs: list[Output], states: dict[str, Any]) -> None:
        self.history.pop_row(result.id)
        found = result.found or Found()
        kept = {consumer: state for consumer, state in states.items() if state is not None}
        self._add(result, "released", tuple(outputs), {**kept, "": found.to_plain()})
        self._release_quarantined(result.number)

    def failed(self, result: Result, status: str) -> None:
        self.history.pop_row(result.id)
        self.history.delete_files(result.id)
        self._delete_previous(result.id)
        self._add(result, status, (), None)

    def complete(self) -> None:
        if self.assembly.options.resume and any(map(deletes_previous, self.assembly.two_phase_consumers())):
            for document in self.ledger.removed_documents():
                self._delete_previous(document, removed=True)

    def end(self) -> None:
        """Record the end of the run, after all files have their final names."""
        report, d = self.report, self.report.documents
        state = "done" if not report.stopped else f"stopped: {report.stopped}"
        ids = self._ids.hexdigest() if report.shard else ""
        self.ledger.end(state, now(), (d.read, d.released, d.quarantined, d.skipped), report.seconds, ids)
        if not report.stopped:
            self.history.clear()

    def _delete_previous(self, document: str, *, removed: bool = False) -> None:
        if self.assembly.options.resume:
            self.history.delete_previous(document, self.assembly.two_phase_consumers(), removed=removed)

    def _release_quarantined(self, number: int) -> None:
        """Remove the document that an earlier run quarantined under this number."""
        if self._has_quarantine:
            self.quarantine.release(number)

    def _add(self, result: Result, status: str, outputs: tuple[Output, ...], states: dict[str, Any] | None) -> None:
        failed = result.failed or Failed("", "", "", "")
        for output in outputs:
            if output.whole:
                self.history.keep(output.path)
        self.ledger.add(
            Row(
                result.number,
                result.id,
                result.content.hex(),
                status,
                failed.reason,
                failed.component,
                failed.cause,
                failed.message,
                result.seconds,
                result.attempts,
                outputs,
                states,
            )
        )


@contextlib.contextmanager
def open_session(assembly: Assembly, report: RunReport, quarantine: Quarantine, total: int | None) -> Iterator[Session]:
    """Open the session of a run. It uses a ledger if the run writes files that can be adopted, unless the options disable it."""
    options = assembly.options
    if options.ledger is False or not (any(map(is_resumable, assembly.consumers)) or options.resume):
        try:
            yield Session()
        finally:
            _remove_staged(assembly)
        return
    given = options.ledger if isinstance(options.ledger, Path) else None
    path = Ledger.place(assembly.output, given, options.shard)
    with held(assembly.output, path) as ledger:
        session = LedgerSession(assembly, report, quarantine, ledger, total)
        try:
            yield session
        finally:
            _remove_staged(assembly)
        session.end()


def _remove_staged(assembly: Assembly) -> None:
    """Remove temporary files that consumers prepared and never committed."""
    sweep(folder for consumer in assembly.two_phase_consumers() for folder in consumer.staging())
