"""What the rows of a ledger say: of a document, and of a run."""

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
    """Keyed hash of what was read, in hexadecimal; before it the key, where that is not this ledger's: a shard's."""
    status: str
    """released, quarantined or skipped."""
    reason: str = ""
    component: str = ""
    cause: str = ""
    message: str = ""
    seconds: float = 0.0
    attempts: int = 1
    outputs: tuple[Output, ...] = ()
    memo: dict[str, Any] | None = None
    """What a later run must know to take it over: consumer -> plain data; under `""` what the report says of it."""
    run: int = 0

    def together(self, consumer: str) -> tuple[str, int] | None:
        """Key and number of the documents that this one makes one output of a consumer with; None where it has its own."""
        kept = (self.memo or {}).get(consumer)
        told = kept.get("together") if isinstance(kept, dict) else None
        return (str(told[0]), int(told[1])) if told else None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run."""

    run: int
    name: str
    started: str
    """UTC."""
    ended: str
    state: str
    """`running` (or cut off), `done`, or why it stopped."""
    code: str
    """Version of caspipe's code."""
    fingerprint: str
    shard: str
    total: int | None
    """Documents there are, where that was known."""
    read: int
    released: int
    quarantined: int
    skipped: int
    seconds: float
    ids: str = ""
    """Of a part of a run: SHA-256 over the ids of all documents in reading order, its own and those of the other parts."""


def row_of(found: tuple[Any, ...]) -> Row:
    """The document that a row of the table tells of."""
    run, number, id_, content, status, reason, component, cause, message, seconds, attempts, outputs, memo = found
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
        json.loads(memo) if memo else None,
        run,
    )
