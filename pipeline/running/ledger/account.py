"""The account that a run keeps: in a ledger, or nowhere."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...contract.component import Output, TwoPhaseConsumer, is_resumable
from ...contract.report import Found, RunReport, now
from ...storage.files import sweep
from ..quarantine import Quarantine
from ..runners.work import Failed, Result
from .holding import held
from .ledger import Ledger
from .past import Past, deletes_previous
from .rows import Row

if TYPE_CHECKING:
    from ...pipeline import Pipeline


class Account:
    """No ledger: nothing is looked up, nothing is noted."""

    salt = b""

    @staticmethod
    @contextlib.contextmanager
    def of(pipeline: Pipeline, report: RunReport, quarantine: Quarantine, total: int | None) -> Iterator[Account]:
        """The account of a run; a ledger where the run writes files of its own and its options do not say otherwise."""
        options = pipeline.options
        wanted = options.ledger is not False and (any(map(is_resumable, pipeline.consumers)) or options.resume)
        if not wanted:
            try:
                yield Account()
            finally:
                _sweep(pipeline)
            return
        given = options.ledger if isinstance(options.ledger, Path) else None
        path = Ledger.place(pipeline.output, given, options.shard)
        with held(pipeline.output, path) as ledger:
            made = Kept(pipeline, report, quarantine, ledger, total)
            try:
                yield made
            finally:
                _sweep(pipeline)
            made.end()

    def begin(self) -> None:
        """Everything is open; the first document comes next."""

    def named(self, document: str) -> None:
        """A document of the input: in reading order, of a part of a run also those that other parts do."""

    def expected(self, number: int, document: str) -> bytes:
        """The hash of the content with which nothing need be done about a document; empty: it must be worked on."""
        return b""

    def take_over(self, result: Result) -> bool:
        """Takes over what an earlier run wrote of a document that has not changed. False where it is not whole any more."""
        return False

    def anew(self, result: Result) -> None:
        """A document was worked on and goes to the consumers."""

    def written(self, result: Result, outputs: list[Output], memo: dict[str, Any]) -> None:
        """A document was released."""

    def failed(self, result: Result, status: str) -> None:
        """A document was not released."""

    def complete(self) -> None:
        """All documents came to their end, and the run was not cut off."""


class Kept(Account):
    """An account in a ledger."""

    def __init__(
        self, pipeline: Pipeline, report: RunReport, quarantine: Quarantine, ledger: Ledger, total: int | None
    ) -> None:
        from ...assembly.dependencies import code_version, fingerprint
        from .fingerprint import keyed

        options = pipeline.options
        self.pipeline = pipeline
        self.report = report
        self.quarantine = quarantine
        self.ledger = ledger
        self.salt = ledger.salt
        report.fingerprint = fingerprint(pipeline)
        whole = keyed(pipeline, report.fingerprint, self.salt)
        self.past = Past(
            ledger,
            pipeline.output,
            whole,
            resume=options.resume and all(map(is_resumable, pipeline.consumers)),
            retry=options.retry_quarantined or options.on_error == "skip",
            quarantine=quarantine,
        )
        if options.resume and not self.past.resume:
            names = ", ".join(c.id for c in pipeline.consumers if not is_resumable(c))
            report.warnings.append(
                f"resume: everything is done again, since {names} cannot go on where a run was cut off"
            )
        self._quarantined = quarantine.folder.is_dir()
        self._ids = hashlib.sha256()
        ledger.begin(report.name, report.started or "", code_version(), whole, report.shard, total)

    def begin(self) -> None:
        _sweep(self.pipeline)
        output = self.pipeline.output
        for (
            path
        ) in self.ledger.left:  # placed by a run that was cut off before it could say what became of the document
            if not self.ledger.tells_of(path):
                with contextlib.suppress(OSError):
                    (output / path).unlink(missing_ok=True)
        self.ledger.left = []
        for consumer in self.pipeline.consumers:
            consumer.announce_file = self.ledger.placing
        for consumer in self._two_phase():
            for path, temporary in consumer.shared_files().items():
                self.past.wrote(path)
                self.ledger.grows(consumer.id, path, os.path.relpath(temporary, output))

    def named(self, document: str) -> None:
        name = document.encode("utf-8", "surrogatepass")
        self._ids.update(len(name).to_bytes(8, "big") + name)

    def expected(self, number: int, document: str) -> bytes:
        return self.past.expected(number, document)

    def take_over(self, result: Result) -> bool:
        row = self.past.row(result.id)
        if row is None:
            return False
        result.seconds, result.attempts = row.seconds, row.attempts
        if row.status == "quarantined":
            result.failed = Failed(row.component, row.cause, row.message, row.reason)
            self._withdraw(result.id)
            self._add(result, "quarantined", row.outputs, row.memo)
            return True
        outputs = self.past.adopt(row, self._two_phase())
        if outputs is None:
            return False
        result.found = Found(*(row.memo or {}).get("", [0, {}, {}]))
        self._add(result, "released", tuple(outputs), row.memo)
        self._free(result.number)
        return True

    def anew(self, result: Result) -> None:
        self._withdraw(result.id)

    def written(self, result: Result, outputs: list[Output], memo: dict[str, Any]) -> None:
        self.past.row(result.id)
        found = result.found or Found()
        kept = {consumer: value for consumer, value in memo.items() if value is not None}
        self._add(result, "released", tuple(outputs), {**kept, "": found.to_plain()})
        self._free(result.number)

    def failed(self, result: Result, status: str) -> None:
        self.past.row(result.id)
        self.past.delete_files(result.id)
        self._withdraw(result.id)
        self._add(result, status, (), None)

    def complete(self) -> None:
        if self.pipeline.options.resume and any(map(deletes_previous, self._two_phase())):
            for document in self.ledger.gone():
                self._withdraw(document, removed=True)

    def _withdraw(self, document: str, *, removed: bool = False) -> None:
        if self.pipeline.options.resume:
            self.past.delete_rows(document, self._two_phase(), removed=removed)

    def _two_phase(self) -> list[TwoPhaseConsumer]:
        return [c for c in self.pipeline.consumers if isinstance(c, TwoPhaseConsumer)]

    def _free(self, number: int) -> None:
        """The document of an earlier run that was kept aside under this number is not kept any more."""
        if self._quarantined:
            self.quarantine.release(number)

    def _add(self, result: Result, status: str, outputs: tuple[Output, ...], memo: dict[str, Any] | None) -> None:
        failed = result.failed
        for output in outputs:
            if output.whole:
                self.past.wrote(output.path)
        self.ledger.add(
            Row(
                result.number,
                result.id,
                result.content.hex(),
                status,
                failed.reason if failed is not None else "",
                failed.component if failed is not None else "",
                failed.cause if failed is not None else "",
                failed.message if failed is not None else "",
                result.seconds,
                result.attempts,
                outputs,
                memo,
            )
        )

    def end(self) -> None:
        """The run came to an end and its files have their names."""
        report, d = self.report, self.report.documents
        state = "done" if not report.stopped else f"stopped: {report.stopped}"
        ids = self._ids.hexdigest() if report.shard else ""
        self.ledger.end(state, now(), (d.read, d.released, d.quarantined, d.skipped), report.seconds, ids)
        if not report.stopped:
            self.past.clear()


def _sweep(pipeline: Pipeline) -> None:
    """Removes what consumers prepared and what never got a place."""
    sweep(folder for c in pipeline.consumers if isinstance(c, TwoPhaseConsumer) for folder in c.staging())
