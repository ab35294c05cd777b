"""The rows of a ledger: one for each document and one for each run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ...contract.component import Output


@dataclass(frozen=True, slots=True)
class Row:
    """A document."""

    number: int
    """In reading order, from 1."""
    id: str
    content: str
    """Keyed hash of the content in hexadecimal. If it was merged from a shard, preceded by the key of its ledger."""
    status: str
    """released, quarantined or skipped."""
    reason: str = ""
    component: str = ""
    cause: str = ""
    message: str = ""
    seconds: float = 0.0
    attempts: int = 1
    outputs: tuple[Output, ...] = ()
    states: dict[str, Any] | None = None
    """Resume states by id of the consumer; under `""` the counts for the report."""
    run: int = 0

    def outputs_of(self, consumer: str) -> list[Output]:
        """Return what a consumer wrote for this document."""
        return [o for o in self.outputs if o.consumer == consumer]

    def together(self, consumer: str) -> tuple[str, int] | None:
        """Return key and number of the documents that share an output of a consumer; None if this one has its own."""
        state = (self.states or {}).get(consumer)
        group = state.get("together") if isinstance(state, dict) else None
        return (str(group[0]), int(group[1])) if group else None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run."""

    run: int
    name: str
    started: str
    """UTC."""
    ended: str
    state: str
    """`running` (or interrupted), `done`, or why it stopped."""
    code: str
    """Version of caspipe's code."""
    fingerprint: str
    shard: str
    total: int | None
    """Number of documents in the input, if it was known."""
    read: int
    released: int
    quarantined: int
    skipped: int
    seconds: float
    ids: str = ""
    """For a shard: SHA-256 over the ids of all documents of the input in reading order, including those of other shards."""


def row_of(values: tuple[Any, ...]) -> Row:
    """Return a row of the table as an object."""
    run, number, id_, content, status, reason, component, cause, message, seconds, attempts, outputs, states = values
    return Row(
        number,
        bytes(id_).decode("utf-8", "surrogatepass"),
        bytes(content).hex(),
        status,
        reason,
        component,
        cause,
        message,
        seconds,
        attempts,
        tuple(Output(c, p, b, n, d, bool(w)) for c, p, b, n, d, w in json.loads(outputs)),
        json.loads(states) if states else None,
        run,
    )
