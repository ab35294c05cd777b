"""The runner without workers: documents are processed one after the other in the process of the run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from ...assembly.assembly import Assembly
from .work import Item, Result, WarningCollector, Work, flush_staged

_BATCH_SECONDS = 0.1
_BATCH = 64
"""Limit of documents whose files are flushed to disk at once. Larger batches are hardly faster."""


class InProcessRunner:
    """Processes documents without workers. A crash or an endless loop ends the run."""

    workers = 0
    attempts = 0
    travels = False

    def __init__(self, assembly: Assembly, warnings: WarningCollector, salt: bytes) -> None:
        self.work = Work(assembly, warnings, travels=False, salt=salt)
        self.retries = assembly.options.retries if "error" in assembly.options.retry_on else 0
        self.last: Item | None = None

    def results(self, items: Iterator[Item]) -> Iterator[Result]:
        """Yield the result of each item, in order."""
        for done in self._batches(items):
            flush_staged(self.work.assembly, (result for _, result in done))
            for self.last, result in done:
                yield result

    def _batches(self, items: Iterator[Item]) -> Iterator[list[tuple[Item, Result]]]:
        """Yield batches of processed items, so that their files can be flushed to disk at once."""
        done: list[tuple[Item, Result]] = []
        began = time.monotonic()
        for item in items:
            done.append((item, self._process(item)))
            if self.work.needs_cas or time.monotonic() - began > _BATCH_SECONDS or len(done) >= _BATCH:
                yield done
                done, began = [], time.monotonic()
        if done:
            yield done

    def redo(self, number: int) -> Result:
        """Process the last item again without comparing its content."""
        assert self.last is not None and self.last.number == number
        return self._process(replace(self.last, expected=b""))

    def _process(self, item: Item) -> Result:
        result = self.work.do(item)
        while result.failed is not None and result.failed.reason == "error" and result.attempts <= self.retries:
            self.attempts += 1
            result = self.work.do(item, result.attempts + 1)
        return result

    def close(self) -> None:
        """Nothing to do without workers."""

    def kill(self) -> None:
        """Nothing to do without workers."""
