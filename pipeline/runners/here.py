"""The work in the run's own process, one document after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from .work import Item, Noted, Result, Work

if TYPE_CHECKING:
    from ..pipeline import Pipeline


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
        for item in items:
            self.last = item
            yield self._done(item)

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
