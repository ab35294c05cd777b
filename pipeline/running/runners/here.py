"""The work in the run's own process, one document after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from .work import Item, Noted, Result, Work, settle

if TYPE_CHECKING:
    from ...pipeline import Pipeline

_TOGETHER_SECONDS = 0.1
_TOGETHER = 64
"""Documents that wait for each other, at most: longer makes it hardly faster."""


class Here:
    """No workers: nothing starts, nothing travels. Crashes and endless loops cannot be held off."""

    workers = 0
    attempts = 0
    travels = False

    def __init__(self, pipeline: Pipeline, noted: Noted, salt: bytes) -> None:
        self.work = Work(pipeline, noted, travels=False, salt=salt)
        self.retries = pipeline.options.retries if "error" in pipeline.options.retry_on else 0
        self.last: Item | None = None

    def results(self, items: Iterator[Item]) -> Iterator[Result]:
        """The result of each item, in order."""
        for done in self._done_together(items):
            settle(self.work.pipeline, (result for _, result in done))
            for self.last, result in done:
                yield result

    def _done_together(self, items: Iterator[Item]) -> Iterator[list[tuple[Item, Result]]]:
        """What is done in some time, so that its files can be brought onto the disk at once."""
        done: list[tuple[Item, Result]] = []
        began = time.monotonic()
        for item in items:
            done.append((item, self._done(item)))
            if self.work.whole or time.monotonic() - began > _TOGETHER_SECONDS or len(done) >= _TOGETHER:
                yield done
                done, began = [], time.monotonic()
        if done:
            yield done

    def redo(self, number: int) -> Result:
        """The result of the last item, whatever is expected of it."""
        assert self.last is not None and self.last.number == number
        return self._done(replace(self.last, expected=b""))

    def _done(self, item: Item) -> Result:
        result = self.work.do(item)
        while result.failed is not None and result.failed.reason == "error" and result.attempts <= self.retries:
            self.attempts += 1
            result = self.work.do(item, result.attempts + 1)
        return result

    def close(self) -> None:
        """Nothing to end."""

    def kill(self) -> None:
        """Nothing to end."""
