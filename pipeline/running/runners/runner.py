"""The interface of runners."""

from __future__ import annotations

from collections.abc import Iterator

from .work import Item, Result


class Runner:
    """Processes the documents of a run."""

    workers = 0
    """Number of worker processes."""
    travels = True
    """True if documents are sent to another process and must be pickled."""

    def results(self, items: Iterator[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, in order unless the options say otherwise. Reads items only as they are needed."""
        raise NotImplementedError

    def redo(self, item: Item) -> Result:
        """Process an item whose result was returned last again without comparing its content."""
        raise NotImplementedError

    def close(self) -> None:
        """End the workers after their work is done."""

    def kill(self) -> None:
        """End the workers immediately."""
