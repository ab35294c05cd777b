"""Withdraws released documents: their files and rows leave the release, and they go to the quarantine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....typesystem import INITIAL_VIEW
from ...assembly.assembly import Assembly
from ...contract.component import CollectionReader, TwoPhaseConsumer, is_resumable
from ...contract.output import Output
from ...contract.report import Failure, Found, RunReport
from ...errors import guarded
from ...storage.files import restricted_folder
from ...storage.release_place import is_released
from ..ledger.ledger import Ledger
from ..ledger.schema import Row
from ..quarantine import Quarantine
from ..release_manifest import MANIFEST
from ..released_names import ReleasedNames
from .places import places_of

COMPONENT, CAUSE, REASON = "release_scan", "ReleaseScanError", "scan"
_PAGE = 500
_LEFT = "{} was moved to restricted/withdrawn: no consumer of this run writes it, so that nothing would remove documents from it"
_MOVED = "{} was moved to restricted/withdrawn: {} wrote it, and cannot remove a document that was withdrawn"


class Withdrawal:
    """Takes documents of a run back after its consumers were closed, and before the run ends."""

    def __init__(self, assembly: Assembly, report: RunReport, quarantine: Quarantine, ledger: Ledger) -> None:
        self.assembly = assembly
        self.output = assembly.output
        self.names = ReleasedNames.of(assembly.options)
        self.report = report
        self.quarantine = quarantine
        self.ledger = ledger

    def withdraw(self, messages: Mapping[int, str]) -> None:
        """Withdraw documents by number, with messages that contain no text of them."""
        rows = {row.number: row for row in self._pages() if row.number in messages and row.status == "released"}
        texts = dict(original_texts(self.assembly.reader, {row.id for row in rows.values()}))
        for row in rows.values():
            for output in row.outputs:
                if output.whole:
                    (self.output / output.path).unlink(missing_ok=True)
        rebuilt = [c for c in self._consumers() if any(map(_shares(c), rows.values()))]
        lost = self._rebuild(rebuilt, rows) if rebuilt else {}
        self._move_others()
        for number, row in sorted({**rows, **lost}.items()):
            message = messages.get(
                number, "withdrawn, because an output that it shares with a withdrawn document is not whole"
            )
            self._fail(row, message, texts.get(row.id))
        self.ledger.flush()

    def _consumers(self) -> list[TwoPhaseConsumer]:
        """Return the consumers that can write their outputs again without a document, or delete it from them."""
        return [c for c in self.assembly.two_phase_consumers() if is_resumable(c) or deletes_previous(c)]

    def _pages(self) -> Iterator[Row]:
        """Yield the documents of the run; they can be changed meanwhile."""
        self.ledger.flush()
        last = 0
        while page := self.ledger.page(last, _PAGE):
            yield from page
            last = page[-1].number

    def _rebuild(self, consumers: list[TwoPhaseConsumer], withdrawn: Mapping[int, Row]) -> dict[int, Row]:
        """Write the outputs that documents share again, without the withdrawn ones.

        Returns the documents of which an output could not be adopted; they are withdrawn too.
        """
        for consumer in consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.open()
        adopting = [c for c in consumers if is_resumable(c)]
        own = {c.id for c in adopting}
        lost: dict[int, Row] = {}
        before: set[str] = set()
        after: set[str] = set()
        for row in self._pages():
            before.update(o.path for o in row.outputs if o.consumer in own and o.whole)
            if row.number in withdrawn:
                self._delete(consumers, row)
                for consumer in adopting:
                    consumer.keep_state((row.states or {}).get(consumer.id), leaving=True)
            elif row.status == "released":
                states = dict(row.states or {})
                states |= {c.id: c.keep_state(states[c.id], leaving=False) for c in adopting if c.id in states}
                outputs = self._adopt(adopting, replace(row, states=states))
                if outputs is None:
                    lost[row.number] = row
                    after.difference_update(o.path for o in row.outputs)
                    for output in row.outputs:
                        if output.whole:
                            (self.output / output.path).unlink(missing_ok=True)
                    continue
                after.update(o.path for o in outputs if o.whole)
                kept = tuple(o for o in row.outputs if o.consumer not in own)
                self.ledger.add(replace(row, outputs=(*kept, *outputs), states=states))
        for consumer in consumers:
            with guarded(f"consumers/{consumer.id}"):
                consumer.close()
        for path in sorted(before - after):
            (self.output / path).unlink(missing_ok=True)
        return lost

    def _adopt(self, consumers: Iterable[TwoPhaseConsumer], row: Row) -> list[Output] | None:
        outputs: list[Output] = []
        done: list[TwoPhaseConsumer] = []
        for consumer in consumers:
            state = (row.states or {}).get(consumer.id)
            with guarded(f"consumers/{consumer.id}"):
                own = consumer.adopt_previous(
                    self._name(consumer, row), self._previous(row, consumer.id), state, self._locate
                )
            if own is None:
                for each in reversed(done):
                    each.rollback(self._name(each, row))
                return None
            done.append(consumer)
            outputs += own
        return outputs

    def _name(self, consumer: TwoPhaseConsumer, row: Row) -> str:
        return self.names.name_for(consumer, row.number, row.id)

    def _previous(self, row: Row, consumer: str) -> list[Output]:
        group = row.together(consumer)
        if group is None:
            return row.outputs_of(consumer)
        rows = [r for r in self.ledger.around(row, group[1] - 1) if r.together(consumer) == group]
        return [o for r in rows for o in r.outputs_of(consumer)]

    def _locate(self, output: Output) -> Path:
        return self.output / output.path

    def _delete(self, consumers: Iterable[TwoPhaseConsumer], row: Row) -> None:
        for consumer in consumers:
            state = (row.states or {}).get(consumer.id)
            if state is not None:
                with guarded(f"consumers/{consumer.id}"):
                    consumer.delete_previous(self._name(consumer, row), [state, *self._earlier(row, consumer.id)])

    def _earlier(self, row: Row, consumer: str) -> list[Any]:
        """Return the states of a document in earlier runs: an appended table contains what they wrote too."""
        return [states[consumer] for states in self.ledger.states(row.id) if consumer in states]

    def _fail(self, row: Row, message: str, text: str | None) -> None:
        failure = Failure(row.number, row.id, COMPONENT, CAUSE, message, REASON)
        if self.assembly.options.on_error != "skip":
            self.quarantine.keep(failure, text)
        status = "skipped" if self.assembly.options.on_error == "skip" else "quarantined"
        self.report.withdraw(Found(*(row.states or {}).get("", [0, {}, {}])))
        self.report.failed(failure, status)
        self.report.scan.withdrawn += 1
        failed = replace(row, status=status, outputs=(), states=None, message=message)
        self.ledger.add(replace(failed, reason=REASON, component=COMPONENT, cause=CAUSE))

    def _move_others(self) -> None:
        """Move the files of consumers that cannot remove a document from them out of the release."""
        able = {consumer.id for consumer in self._consumers()}
        known = set(self.ledger.files())
        for consumer in self.assembly.consumers:
            for place in places_of(consumer) if consumer.id not in able else ():
                path = self.output / place
                if not is_released(place) or not path.exists():
                    continue
                files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
                for name in (file.relative_to(self.output).as_posix() for file in files):
                    if name not in known and name not in MANIFEST:
                        self.move(name)
                        self.report.warnings.append(_MOVED.format(name, consumer.id))

    def move_tables(self) -> None:
        """Move databases of consumers that this run does not have out of the release: nothing removes documents from them now."""
        written = {place for consumer in self.assembly.consumers for place in places_of(consumer)}
        for path in list(self.ledger.stale_tables()):
            if is_released(path) and path not in written and (self.output / path).is_file():
                self.move(path)
                self.report.warnings.append(_LEFT.format(path))

    def move(self, path: str) -> None:
        """Move a file out of the release. Raises ConsumerError."""
        self.report.scan.moved += 1
        target = self.output / "restricted" / "withdrawn" / path.partition("/")[2]
        restricted_folder(target.parent, self.output)
        (self.output / path).replace(target)
        if target.is_file() and not target.is_symlink():
            target.chmod(0o600)


def deletes_previous(consumer: TwoPhaseConsumer) -> bool:
    """Return whether a consumer has anything to delete that an earlier run wrote outside of files of single documents."""
    return type(consumer).delete_previous is not TwoPhaseConsumer.delete_previous


def _shares(consumer: TwoPhaseConsumer) -> Any:
    """Return a function that says whether a consumer wrote something of a document other than files of its own."""

    def shares(row: Row) -> bool:
        outputs, state = row.outputs_of(consumer.id), (row.states or {}).get(consumer.id)
        return state is not None or any(not o.whole for o in outputs)

    return shares


def original_texts(reader: CollectionReader | None, ids: set[str]) -> Iterator[tuple[str, str]]:
    """Yield id and original text of documents, as far as they can be read again."""
    if reader is None or not ids:
        return
    with contextlib.suppress(
        Exception
    ):  # the texts of the quarantine are a service: the documents are withdrawn without them
        handles = reader.handles()
        documents = iter(reader) if handles is None else (reader.load(h.data) for h in handles if h.id in ids)
        for cas in documents:
            if cas.id in ids and cas.has_view(INITIAL_VIEW):
                yield cas.id, cas.text
