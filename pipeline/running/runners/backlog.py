"""The documents of a run that are waiting, being processed, or finished but not yet written."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ...assembly.assemble import RunOptions
from ...errors import ComponentError
from .work import Failed, Item, Result

_WINDOW = 2_000
"""Documents that may be processed ahead of the next one to be written."""
_WINDOW_BYTES = 64 << 20
_CHUNK_SECONDS = 0.05
_CHUNK = 64
CHUNK_BYTES = 1 << 20
QUEUED_CHUNK_BYTES = 64 << 10 if os.name == "posix" else 0
"""Limit for a chunk that is sent to a busy worker. It must fit into the buffer of the connection because the worker does not read
yet: otherwise this process would block while the worker blocks on sending a result, or is stuck and should be killed."""


class Backlog:
    """Cuts the items of a run into chunks for workers and returns their results in reading order, or as they arrive."""

    def __init__(self, options: RunOptions, reader: str) -> None:
        self.options = options
        self.last: Item | None = None
        """The item whose result was returned last."""
        self.attempts = 0
        """Attempts after the first, over all documents."""
        self.more = True
        """True if the reader may have more items."""
        self.again: deque[int] = deque()
        """Documents to process before the next item is read."""
        self.isolated: deque[int] = deque()
        """Documents to process in a worker that has no other document."""
        self._reader = reader
        self._items: dict[int, Item] = {}
        self._tries: dict[int, int] = {}
        self._order: deque[int] = deque()
        self._results: dict[int, Result] = {}
        self._finished: deque[int] = deque()
        self._bytes = 0
        self._seconds = _CHUNK_SECONDS
        """Moving average of the processing time of a document."""

    @property
    def is_empty(self) -> bool:
        """Return whether every item has been read and every result returned."""
        return not self.more and not self._order

    def item(self, number: int) -> Item:
        """Return a document that is being processed."""
        return self._items[number]

    def has_result(self, number: int) -> bool:
        """Return whether the result of a document has arrived and was not returned yet."""
        return number in self._results

    def attempt(self, number: int) -> int:
        """Return the number of the current attempt at a document, from 1."""
        return 1 + self._tries.get(number, 0)

    # -- items -----------------------------------------------------------------------------------------------------

    def chunk(self, items: Iterator[Item], limit: int) -> list[Item]:
        """Return the next items with a total size of about `limit` bytes. A larger item forms a chunk of its own."""
        wanted = max(1, min(_CHUNK, int(_CHUNK_SECONDS / max(self._seconds, 1e-6))))
        chunk: list[Item] = []
        size = 0
        while len(chunk) < wanted and (self.again or self._read(items)):
            item = self._items[self.again[0]]
            if size + item.size > limit and (chunk or limit < CHUNK_BYTES):
                break
            chunk.append(self._items[self.again.popleft()])
            size += item.size
        return chunk

    def _read(self, items: Iterator[Item]) -> bool:
        """Read items up to the next one that must be processed. False if there is none, or too many are waiting."""
        while self.more and len(self._items) < _WINDOW and self._bytes <= _WINDOW_BYTES:
            item = next(items, None)
            if item is None:
                self.more = False
                return False
            self._items[item.number] = item
            self._order.append(item.number)
            self._bytes += item.size
            if item.fault is None:
                self.again.append(item.number)
                return True
            fault = item.fault if isinstance(item.fault, ComponentError) else ComponentError(self._reader, item.fault)
            self.add(Result(item.number, item.id, failed=Failed.of(fault)))
        return False

    def repeat_last(self, number: int) -> None:
        """Process the item whose result was returned last again without comparing its content."""
        assert self.last is not None
        self._items[number] = replace(self.last, expected=b"")
        self._bytes += self.last.size
        self.again.append(number)

    # -- results ---------------------------------------------------------------------------------------------------

    def observe_duration(self, seconds: float) -> None:
        """Adapt the size of chunks to the processing time of a document."""
        self._seconds = 0.8 * self._seconds + 0.2 * seconds

    def retry(self, number: int, reason: str) -> bool:
        """Schedule another attempt at a failed document, in a worker of its own. False if the options do not allow it."""
        if reason not in self.options.retry_on or self._tries.get(number, 0) >= self.options.retries:
            return False
        self._tries[number] = self._tries.get(number, 0) + 1
        self.attempts += 1
        self.isolated.append(number)
        return True

    def add(self, result: Result) -> None:
        """Store a result until it is its turn."""
        self._results[result.number] = result
        self._bytes += result.size
        if not self.options.ordered:
            self._finished.append(result.number)

    def next_result(self) -> Result | None:
        """Return the next result in reading order, or any finished one if the order does not matter. None if it is missing."""
        if self.options.ordered:
            number = self._order.popleft() if self._order and self._order[0] in self._results else None
        else:
            number = next((n for n in self._drain_finished() if n in self._results), None)
            if number is not None:
                self._order.remove(number)
        return None if number is None else self.result(number)

    def result(self, number: int) -> Result:
        """Return and forget the result of a document."""
        self.last = self._items.pop(number)
        result = self._results.pop(number)
        self._bytes -= self.last.size + result.size
        result.attempts = 1 + self._tries.pop(number, 0)
        return result

    def _drain_finished(self) -> Iterator[int]:
        while self._finished:
            yield self._finished.popleft()
