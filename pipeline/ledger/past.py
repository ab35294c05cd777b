"""What earlier runs into the same folder left: what of it still holds, and what must go."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from ...typesystem import Cas
from ..component import CasConsumer, Output
from ..quarantine import Quarantine
from .ledger import Ledger, Row


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
        """The row behind what `expected` said, once."""
        return self._found.pop(document, None)

    def reuse(self, row: Row, consumers: Sequence[CasConsumer]) -> list[Output] | None:
        """Takes over all that was written of a document, or nothing."""
        made: list[Output] = []
        done: list[CasConsumer] = []
        memo = row.memo or {}
        for consumer in consumers:
            own = [o for o in row.outputs if o.consumer == consumer.id]
            taken = consumer.reuse(row.id, own, memo.get(consumer.id), self._place(row.run))
            if taken is None:
                for before in reversed(done):
                    before.retract(Cas(id=row.id))
                return None
            done.append(consumer)
            made += taken
        return made

    def withdraw(self, document: str) -> None:
        """Removes the files that an earlier run released of a document that this run does not release."""
        row = self.ledger.before(document)
        for output in row.outputs if row is not None else ():
            if output.whole and not self.ledger.has_output(output.path):
                with contextlib.suppress(OSError):
                    (self.output / output.path).unlink(missing_ok=True)

    def clear(self) -> None:
        """The run stands for all that is there: what only earlier runs wrote goes, and so does the account of it."""
        for path in self.ledger.stale():
            with contextlib.suppress(OSError):
                (self.output / path).unlink(missing_ok=True)
        for temporary in self.ledger.temporaries():
            with contextlib.suppress(OSError):
                (self.output / temporary).unlink(missing_ok=True)
        self.quarantine.keep_only({row.number for row in self.ledger.rows("quarantined")})
        self.ledger.forget_others()

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
