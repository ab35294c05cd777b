"""What earlier runs into the same folder left: what of it still holds, and what must go."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...contract.component import Output, TwoPhaseConsumer
from ...errors import guarded
from ...storage.digest_set import Digests
from ...storage.file_names import folded
from ..quarantine import Quarantine
from ..runners.work import rollback
from .ledger import Ledger
from .rows import Row


class Past:
    """The documents of earlier runs, looked up one by one."""

    def __init__(
        self, ledger: Ledger, output: Path, fingerprint: str, *, resume: bool, retry: bool, quarantine: Quarantine
    ) -> None:
        self.ledger = ledger
        self.output = output
        self.fingerprint = fingerprint
        self.resume = resume
        self.retry = retry
        self.quarantine = quarantine
        self._known: dict[int, str] = {}
        self._found: dict[str, Row] = {}
        self._joint: dict[str, tuple[tuple[int, str], list[Output]]] = {}
        self._ours = Digests(64)

    def expected(self, number: int, document: str) -> bytes:
        """The hash of the content with which nothing need be done about a document; empty: it must be worked on."""
        if not self.resume or not document:
            return b""
        row = self.ledger.before(document)
        if row is None or self._fingerprint(row.run) != self.fingerprint or row.status == "skipped":
            return b""
        if row.status == "quarantined" and (self.retry or row.number != number or not self.quarantine.holds(number)):
            return b""
        self._found[document] = row
        return bytes.fromhex(row.content)

    def row(self, document: str) -> Row | None:
        """The row behind what `expected` said, once: then it is let go."""
        return self._found.pop(document, None)

    def adopt(self, row: Row, consumers: Sequence[TwoPhaseConsumer]) -> list[Output] | None:
        """Takes over all that was written of a document, or nothing."""
        made: list[Output] = []
        done: list[TwoPhaseConsumer] = []
        memo = row.memo or {}
        for consumer in consumers:
            own = self._outputs(row, consumer.id)
            with guarded(f"consumers/{consumer.id}"):
                taken = consumer.adopt_previous(row.id, own, memo.get(consumer.id), self._place(row.run))
            if taken is None:
                rollback(done, row.id)
                return None
            done.append(consumer)
            made += taken
        return made

    def _outputs(self, row: Row, consumer: str) -> list[Output]:
        """What a consumer wrote of a document, or of all documents that make one output with it."""
        together = row.together(consumer)
        if together is None:
            return [o for o in row.outputs if o.consumer == consumer]
        key, number = together
        if consumer not in self._joint or self._joint[consumer][0] != (row.run, key):
            found = [r for r in self.ledger.around(row, number - 1) if r.together(consumer) == together]
            outputs = [o for r in found for o in r.outputs if o.consumer == consumer]
            self._joint[consumer] = (row.run, key), outputs
        return self._joint[consumer][1]

    def delete_rows(self, document: str, consumers: Sequence[TwoPhaseConsumer], *, removed: bool = False) -> None:
        """Removes what earlier runs wrote of a document elsewhere than in files."""
        able = [c for c in consumers if deletes_previous(c)]
        memos = self.ledger.memos(document) if able else []
        for consumer in able:
            own = [memo[consumer.id] for memo in memos if consumer.id in memo]
            if own:
                with guarded(f"consumers/{consumer.id}"):
                    consumer.delete_previous(document, own, removed=removed)

    def delete_files(self, document: str) -> None:
        """Removes the files that an earlier run released of a document that this run does not release."""
        row = self.ledger.before(document)
        outputs = row.outputs if row is not None else ()
        self._remove(o.path for o in outputs if o.whole and not self.ledger.has_output(o.path))

    def clear(self) -> None:
        """The run stands for all that is there: what only earlier runs wrote goes, and so does the account of it."""
        self._remove(self.ledger.stale())
        for temporary in self.ledger.temporaries():
            self._unlink(temporary)
        self.quarantine.keep_only({row.number for row in self.ledger.rows("quarantined")})
        self.ledger.forget_others()

    def wrote(self, path: str) -> None:
        """A file of this run, which stays."""
        self._ours.add(folded(path))

    def _remove(self, paths: Iterable[str]) -> None:
        """Removes files that earlier runs wrote; not those that are files of this run by another name, as `Note.txt` and
        `note.txt` are where the file system does not tell them apart."""
        alike: dict[str, list[str]] = {}
        for path in paths:
            if (name := folded(path)) in self._ours:
                alike.setdefault(name, []).append(path)
            else:
                self._unlink(path)
        files = self.ledger.files() if alike else ()
        kept = {path for ours in files for path in alike.get(folded(ours), ()) if self._is_same(path, ours)}
        for paths in alike.values():
            for path in paths:
                if path not in kept:
                    self._unlink(path)

    def _is_same(self, path: str, ours: str) -> bool:
        with contextlib.suppress(OSError):
            return (self.output / path).samefile(self.output / ours)
        return False

    def _unlink(self, path: str) -> None:
        with contextlib.suppress(OSError):
            (self.output / path).unlink(missing_ok=True)

    def _fingerprint(self, run: int) -> str:
        if run not in self._known:
            self._known[run] = self.ledger.fingerprint_of(run)
        return self._known[run]

    def _place(self, run: int) -> Callable[[Output], Path]:
        def place(output: Output) -> Path:
            temporary = "" if output.whole else self.ledger.temporary(run, output.path)
            growing = self.output / temporary
            return growing if temporary and growing.is_file() else self.output / output.path

        return place


def deletes_previous(consumer: TwoPhaseConsumer) -> bool:
    """Return whether a consumer has anything to delete that an earlier run wrote outside of files."""
    return type(consumer).delete_previous is not TwoPhaseConsumer.delete_previous
