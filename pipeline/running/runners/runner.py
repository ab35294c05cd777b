"""The interface of runners, and the runner without workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from ...assembly.assembly import Assembly
from ..withheld_output import WithheldOutput
from .work import Item, Result, WarningCollector, Work, flush_staged

_BATCH_SECONDS = 0.25
_BATCH = 64
"""Limit of documents whose files are flushed to disk at once. Larger batches are hardly faster."""


class Runner:
    """Processes the documents of a run."""

    workers = 0
    """Number of worker processes."""
    travels = True
    """True if documents are sent to another process and must be pickled."""

    def results(self, items: Iterator[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, in order unless the options say otherwise. Reads items only as they are needed."""
        raise TypeError(f"{type(self).__name__} must define results")

    def redo(self, item: Item) -> Result:
        """Process an item whose result was returned last again without comparing its content."""
        raise TypeError(f"{type(self).__name__} must define redo")

    def close(self) -> None:
        """End the workers after their work is done."""

    def kill(self) -> None:
        """End the workers immediately."""


class InProcessRunner(Runner):
    """Processes documents without workers. A crash or an endless loop ends the run."""

    travels = False

    def __init__(self, assembly: Assembly, warnings: WarningCollector, output: WithheldOutput, salt: bytes) -> None:
        self.work = Work(assembly, warnings, output, travels=False, salt=salt)
        self.retries = assembly.options.retries if "error" in assembly.options.retry_on else 0

    def results(self, items: Iterator[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, in order. The files of a batch are flushed to disk at once."""
        done: list[tuple[Item, Result]] = []
        began = time.monotonic()
        for item in items:
            done.append((item, self._process(item)))
            if self.work.needs_cas or time.monotonic() - began > _BATCH_SECONDS or len(done) >= _BATCH:
                flush_staged(self.work.assembly, (result for _, result in done))
                yield from done
                done, began = [], time.monotonic()
        flush_staged(self.work.assembly, (result for _, result in done))
        yield from done

    def redo(self, item: Item) -> Result:
        """Process an item whose result was returned last again without comparing its content."""
        return self._process(replace(item, expected=b""))

    def _process(self, item: Item) -> Result:
        result = self.work.do(item)
        while result.failed is not None and result.failed.reason == "error" and result.attempts <= self.retries:
            result = self.work.do(item, result.attempts + 1)
        return result
