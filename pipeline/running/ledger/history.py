"""Outputs of earlier runs into the same folder: adopting those of unchanged documents, and deleting stale ones."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...contract.component import Locate, Output, TwoPhaseConsumer
from ...errors import guarded
from ...storage.digest_set import Digests
from ...storage.file_names import folded
from ..quarantine import Quarantine
from ..runners.work import rollback
from .ledger import Ledger
from .rows import Row


class History:
    """The documents of earlier runs, looked up one at a time."""

    def __init__(
        self, ledger: Ledger, output: Path, fingerprint: str, *, resume: bool, retry: bool, quarantine: Quarantine
    ) -> None:
        self.ledger = ledger
        self.output = output
        self.fingerprint = fingerprint
        self.resume = resume
        self.retry = retry
        self.quarantine = quarantine
        self._fingerprints: dict[int, str] = {}
        self._rows: dict[str, Row] = {}
        self._shared_outputs: dict[str, tuple[tuple[int, str], list[Output]]] = {}
        self._kept = Digests(64)

    def expected(self, number: int, document: str) -> bytes:
        """Return the content hash with which a document need not be processed again; empty if it must be processed."""
        if not self.resume or not document:
            return b""
        row = self.ledger.latest_before(document)
        if row is None or self._fingerprint(row.run) != self.fingerprint or row.status == "skipped":
            return b""
        if row.status == "quarantined" and (self.retry or row.number != number or not self.quarantine.holds(number)):
            return b""
        self._rows[document] = row
        return bytes.fromhex(row.content)

    def pop_row(self, document: str) -> Row | None:
        """Return and forget the row that `expected` found."""
        return self._rows.pop(document, None)

    def adopt(self, row: Row, consumers: Sequence[TwoPhaseConsumer]) -> list[Output] | None:
        """Adopt everything that was written for a document, or nothing."""
        outputs: list[Output] = []
        done: list[TwoPhaseConsumer] = []
        for consumer in consumers:
            previous, state = self._outputs(row, consumer.id), (row.states or {}).get(consumer.id)
            with guarded(f"consumers/{consumer.id}"):
                adopted = consumer.adopt_previous(row.id, previous, state, self._locate(row.run))
            if adopted is None:
                rollback(done, row.id)
                return None
            done.append(consumer)
            outputs += adopted
        return outputs

    def _outputs(self, row: Row, consumer: str) -> list[Output]:
        """Return what a consumer wrote for a document, or for all documents that share one output with it."""
        group = row.together(consumer)
        if group is None:
            return [o for o in row.outputs if o.consumer == consumer]
        key, number = group
        if consumer not in self._shared_outputs or self._shared_outputs[consumer][0] != (row.run, key):
            rows = [r for r in self.ledger.around(row, number - 1) if r.together(consumer) == group]
            outputs = [o for r in rows for o in r.outputs if o.consumer == consumer]
            self._shared_outputs[consumer] = (row.run, key), outputs
        return self._shared_outputs[consumer][1]

    def delete_previous(self, document: str, consumers: Sequence[TwoPhaseConsumer], *, removed: bool = False) -> None:
        """Let consumers delete what earlier runs wrote for a document, other than files."""
        able = [c for c in consumers if deletes_previous(c)]
        states = self.ledger.states(document) if able else []
        for consumer in able:
            own = [each[consumer.id] for each in states if consumer.id in each]
            if own:
                with guarded(f"consumers/{consumer.id}"):
                    consumer.delete_previous(document, own, removed=removed)

    def delete_files(self, document: str) -> None:
        """Delete the files that an earlier run released for a document that this run does not release."""
        row = self.ledger.latest_before(document)
        outputs = row.outputs if row is not None else ()
        self._delete(o.path for o in outputs if o.whole and not self.ledger.has_output(o.path))

    def clear(self) -> None:
        """Delete what only earlier runs wrote, and their records: this run was complete."""
        self._delete(self.ledger.stale_files())
        for temporary in self.ledger.temporaries():
            self._unlink(temporary)
        self.quarantine.keep_only({row.number for row in self.ledger.rows("quarantined")})
        self.ledger.delete_other_runs()

    def keep(self, path: str) -> None:
        """Never delete a file, because this run wrote it."""
        self._kept.add(folded(path))

    def _delete(self, paths: Iterable[str]) -> None:
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
        for each in similar.values():
            for path in each:
                if path not in same:
                    self._unlink(path)

    def _is_same(self, path: str, own: str) -> bool:
        with contextlib.suppress(OSError):
            return (self.output / path).samefile(self.output / own)
        return False

    def _unlink(self, path: str) -> None:
        with contextlib.suppress(OSError):
            (self.output / path).unlink(missing_ok=True)

    def _fingerprint(self, run: int) -> str:
        if run not in self._fingerprints:
            self._fingerprints[run] = self.ledger.fingerprint_of(run)
        return self._fingerprints[run]

    def _locate(self, run: int) -> Locate:
        def locate(output: Output) -> Path:
            temporary = "" if output.whole else self.ledger.temporary(run, output.path)
            unfinished = self.output / temporary
            return unfinished if temporary and unfinished.is_file() else self.output / output.path

        return locate


def deletes_previous(consumer: TwoPhaseConsumer) -> bool:
    """Return whether a consumer has anything to delete that an earlier run wrote outside of files."""
    return type(consumer).delete_previous is not TwoPhaseConsumer.delete_previous
