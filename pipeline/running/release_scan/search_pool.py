"""Searches the documents of a release in several processes: copies of the scanner, each for some documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from ..worker import Handler, Send, Worker, WorkerDied, WorkerError, safe_start_method, wait_for

T = TypeVar("T")
R = TypeVar("R")

_CHUNK = 50
"""Documents that a process searches at a time."""
_AHEAD = 4
"""Chunks for each process whose results may wait for an earlier one."""


def search_in_order(items: Iterable[T], search: Callable[[Sequence[T]], R], processes: int) -> Iterator[R]:
    """Yield `search(chunk)` for consecutive chunks of the items, in their order.

    With two processes or more, the chunks are searched in copies of this process, if copies are safe. The results must then be
    picklable. What a process that dies was searching is searched again in this process, where a fault shows itself.
    """
    chunks = _chunks(items)
    if processes < 2 or safe_start_method() != "fork":
        yield from map(search, chunks)
        return
    pool = [_Searcher(number, search) for number in range(processes)]
    try:
        yield from _Queue(pool, search).results(chunks)
    finally:
        for searcher in pool:
            searcher.stop()


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


class _Searcher(Worker):
    """A copy of this process that searches chunks."""

    def __init__(self, number: int, search: Callable[[Any], Any]) -> None:
        super().__init__(f"caspipe-search-{number}", "fork", _set_up, search)
        self.task = -1
        """Number of the chunk that it is searching; -1: none."""


def _set_up(search: Callable[[Any], Any]) -> Handler:
    def handle(chunk: Any, send: Send) -> None:
        send((search(chunk),))

    return handle


class _Queue:
    """Gives chunks to searchers and returns their results in order."""

    def __init__(self, pool: list[_Searcher], search: Callable[[Any], Any]) -> None:
        self._pool, self._search = pool, search
        self._most = _AHEAD * len(pool)
        self._chunks: dict[int, Any] = {}
        self._done: dict[int, Any] = {}

    def results(self, chunks: Iterator[Any]) -> Iterator[Any]:
        sent = returned = 0
        more = True
        while more or returned < sent:
            for searcher in list(self._pool):
                if searcher.task < 0 and more and sent - returned < self._most:
                    chunk = next(chunks, None)
                    more = chunk is not None
                    if more:
                        self._chunks[sent] = chunk
                        self._send(searcher, sent)
                        sent += 1
            if not self._pool and more:
                yield from map(self._done.pop, range(returned, sent))
                yield from map(self._search, chunks)
                return
            while returned in self._done:
                yield self._done.pop(returned)
                returned += 1
            busy = [searcher for searcher in self._pool if searcher.task >= 0]
            for searcher in wait_for(busy) if busy else ():
                self._receive(searcher)

    def _send(self, searcher: _Searcher, number: int) -> None:
        searcher.task = number
        try:
            searcher.send(self._chunks[number])
        except WorkerDied:
            self._give_up(searcher)

    def _receive(self, searcher: _Searcher) -> None:
        try:
            answer = searcher.receive()
        except (WorkerDied, WorkerError):
            self._give_up(searcher)
            return
        if answer is not None:
            self._done[searcher.task] = answer[0]
            self._chunks.pop(searcher.task)
            searcher.task = -1

    def _give_up(self, searcher: _Searcher) -> None:
        """Search the chunk of a dead process here."""
        number, searcher.task = searcher.task, -1
        self._pool.remove(searcher)
        searcher.stop()
        self._done[number] = self._search(self._chunks.pop(number))
