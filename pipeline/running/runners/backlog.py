"""The documents of a run that are waiting, being processed, or finished but not yet written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ...assembly.assembly import Assembly
from ...errors import ComponentError, DuplicateError
from ...storage.digest_set import Digests
from .work import Failed, Item, Result

_WINDOW = 2_000
"""Documents that may be processed ahead of the next one to be written."""
_WINDOW_BYTES = 64 << 20
_CHUNK_SECONDS = 0.2
_CHUNK = 64
_CHUNK_BYTES = 1 << 20


class Backlog:
    """Cuts the items of a run into chunks for workers and returns their results in reading order, or as they arrive."""

    def __init__(self, assembly: Assembly) -> None:
        self.options = assembly.options
        self.again: deque[int] = deque()
        """Documents to process before the next item is read."""
        self.isolated: deque[int] = deque()
        """Documents to process in a worker that has no other document."""
        self._reader = assembly.reader_name
        self.more = True
        """True if the reader may have more items."""
        self.items: dict[int, Item] = {}
        """Items whose results were not returned, in reading order."""
        self._tries: dict[int, int] = {}
        self._results: dict[int, Result] = {}
        self._bytes = 0
        self._seconds = _CHUNK_SECONDS
        """Moving average of the processing time of a document."""

    @property
    def is_empty(self) -> bool:
        """Return whether every item has been read and every result returned."""
        return not self.more and not self.items

    def is_finished(self, number: int) -> bool:
        """Return whether the result of a document has arrived and was not returned yet."""
        return number in self._results

    def attempt(self, number: int) -> int:
        """Return the number of the current attempt at a document, from 1."""
        return 1 + self._tries.get(number, 0)

    # -- items -----------------------------------------------------------------------------------------------------

    @property
    def _wanted(self) -> int:
        """Number of documents in a chunk."""
        return max(1, min(_CHUNK, int(_CHUNK_SECONDS / max(self._seconds, 1e-6))))

    def chunk(self, items: Iterator[Item]) -> list[Item]:
        """Return the next items, with limits for their size and for the time that they will take."""
        chunk: list[Item] = []
        size = 0
        while len(chunk) < self._wanted and (self.again or self._read(items)):
            item = self.items[self.again[0]]
            if chunk and size + item.size > _CHUNK_BYTES:
                break
            chunk.append(self.items[self.again.popleft()])
            size += item.size
        return chunk

    def read_ahead(self, items: Iterator[Item]) -> bool:
        """Read an item while the workers are busy. Return whether there was one."""
        return len(self.again) < self._wanted and self._read(items)

    def _read(self, items: Iterator[Item]) -> bool:
        """Read items up to the next one that must be processed. False if there is none, or too many are waiting."""
        while self.more and len(self.items) < _WINDOW and self._bytes <= _WINDOW_BYTES:
            item = next(items, None)
            if item is None:
                self.more = False
                return False
            if item.fault is None:
                self.repeat(item)
                return True
            self.items[item.number] = item
            self._bytes += item.size
            fault = item.fault if isinstance(item.fault, ComponentError) else ComponentError(self._reader, item.fault)
            self.add(Result(item.number, item.id, failed=Failed.of(fault)))
        return False

    def repeat(self, item: Item) -> None:
        """Process an item before the next one is read."""
        self.items[item.number] = item
        self._bytes += item.size
        self.again.append(item.number)

    # -- results ---------------------------------------------------------------------------------------------------

    def finish(self, result: Result) -> None:
        """Store the result of a worker, or schedule another attempt."""
        self._seconds = 0.8 * self._seconds + 0.2 * result.seconds
        if result.failed is None or not self.retry(result.number, result.failed.reason):
            self.add(result)

    def retry(self, number: int, reason: str) -> bool:
        """Schedule another attempt at a failed document, in a worker of its own. False if the options do not allow it."""
        if reason not in self.options.retry_on or self._tries.get(number, 0) >= self.options.retries:
            return False
        self._tries[number] = self._tries.get(number, 0) + 1
        self.isolated.append(number)
        return True

    def add(self, result: Result) -> None:
        """Store a result until it is its turn."""
        self._results[result.number] = result
        self._bytes += result.size

    def next_result(self) -> tuple[Item, Result] | None:
        """Return the next result in reading order, or any finished one if the order does not matter. None if it is missing."""
        number = next(iter(self.items if self.options.ordered else self._results), 0)
        return self.pop(number) if number in self._results else None

    def pop(self, number: int) -> tuple[Item, Result]:
        """Return and forget an item with its result."""
        item, result = self.items.pop(number), self._results.pop(number)
        self._bytes -= item.size + result.size
        result.attempts = self.attempt(number)
        self._tries.pop(number, None)
        return item, result


def refuse_duplicates(items: Iterator[Item]) -> Iterator[Item]:
    """Yield the items; one whose id an earlier document has becomes a failure."""
    seen = Digests()
    for item in items:
        if item.fault is None and item.id and not seen.add(item.id):
            yield replace(item, fault=DuplicateError("an earlier document has the same id"))
        else:
            yield item
