"""A batch: documents as lines or as one JSON array; the response has one line for each, in order.

Memory is bounded: while `max_batch` bytes of documents wait, no others are read, and while the client does not
read the response, no others are started.
"""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from .jobs import Answer, Job, problem_answer
from .limits import ClientDisconnected, Gate, chunks, too_large
from .metrics import Metrics
from .problems import Problem
from .settings import Settings
from .workers import WorkerPool

MEDIA = "application/x-ndjson"
IN = (MEDIA, "application/json", "application/jsonl", "application/ndjson")
_BLANK = b" \t\r\n\xef\xbb\xbf"
"""Bytes that may surround documents: white space and a byte-order mark."""


class Batch(Response):
    """The response to a batch. It reads the request while it writes the results."""

    def __init__(self, pool: WorkerPool, settings: Settings, gate: Gate, metrics: Metrics) -> None:
        super().__init__(media_type=MEDIA)
        self.pool, self.settings, self.gate, self.metrics = pool, settings, gate, metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with self.gate.slot():
            reader = BatchReader(receive, self.settings)
            running: asyncio.Queue[asyncio.Task[Answer] | None] = asyncio.Queue(2 * self.pool.width)
            feeding: asyncio.Task[None] | None = None
            task: asyncio.Task[Answer] | None = None
            try:
                await reader.begin()
                feeding = asyncio.ensure_future(self._feed(reader, running))
                headers = [(b"content-type", MEDIA.encode())]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
                count = 0
                while (task := await running.get()) is not None:
                    answer = await task
                    self.metrics.document(answer.code or "ok", answer.facts)
                    await self._write(send, answer.body)
                    count += 1
                try:
                    await feeding
                except Problem as problem:  # the response has started: its last line gives the reason
                    await self._write(send, problem_answer(problem, Job("line", b"", line=count)).body)
                await send({"type": "http.response.body", "body": b""})
            except (TimeoutError, OSError):  # the client does not read
                raise ClientDisconnected from None
            finally:
                await reader.end()
                left = [running.get_nowait() for _ in range(running.qsize())]
                for unfinished in (feeding, task, *left):
                    if unfinished is not None:
                        unfinished.cancel()

    async def _write(self, send: Any, line: bytes) -> None:
        message = {"type": "http.response.body", "body": line + b"\n", "more_body": True}
        await asyncio.wait_for(send(message), self.settings.body_seconds)

    async def _feed(self, reader: BatchReader, running: asyncio.Queue[asyncio.Task[Answer] | None]) -> None:
        """Start the processing of documents as they arrive, at most as many as the queue takes."""
        try:
            index = 0
            while True:
                item = await reader.next()
                if item is None:
                    return
                job = Job("line", item if isinstance(item, bytes) else b"", line=index)
                work = self.pool.run(job, patient=True) if isinstance(item, bytes) else _refused(item, job)
                await running.put(asyncio.ensure_future(work))
                index += 1
        finally:
            await running.put(None)


async def _refused(problem: Problem, job: Job) -> Answer:
    return problem_answer(problem, job)


class BatchReader:
    """Splits a batch into documents, as bytes of JSON. A line that is too long is a Problem.

    Reads ahead, up to `max_batch` bytes: a client that sends everything before it reads must not wait for one that waits
    for it.
    """

    def __init__(self, receive: Any, settings: Settings) -> None:
        self._settings = settings
        self._receive = receive
        self._rest = bytearray()
        self._skipping = False
        self._looked = 0
        """Number of bytes of the rest that were searched for a line end."""
        self._items: Iterator[bytes | Problem] | None = None
        """The documents of an array; None for lines."""
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._starving = False
        self._pump: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Read until the format of the batch is known. Raises Problem for an invalid array."""
        self._pump = asyncio.ensure_future(self._read_ahead())
        while not (first := self._first()) and not self._ended:
            await self._more()
        if first != b"[":
            return
        while not self._ended:
            if len(self._rest) >= self._settings.max_batch:
                raise too_large(self._settings.max_batch)
            await self._more()
        self._pump.result()
        text, bounds = await asyncio.to_thread(_array, bytes(self._rest))
        self._items = _cut(text, bounds, self._settings.max_body)
        self._rest.clear()

    async def next(self) -> bytes | Problem | None:
        """Return the next document; None at the end. Raises Problem and ClientDisconnected as `chunks` does."""
        if self._items is not None:
            return next(self._items, None)
        while True:
            if (found := self._line()) is not None:
                return found
            if self._ended and self._pump is not None:
                self._pump.result()
                return None
            await self._more()

    async def end(self) -> None:
        """Stop reading."""
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.wait((self._pump,))
            if not self._pump.cancelled():
                self._pump.exception()  # retrieved, since asyncio warns about exceptions that are not

    def _first(self) -> bytes:
        """Return the first byte other than white space; empty if none has arrived yet."""
        kept = self._rest.lstrip(_BLANK)
        del self._rest[: len(self._rest) - len(kept)]
        return bytes(self._rest[:1])

    @property
    def _ended(self) -> bool:
        return self._pump is not None and self._pump.done()

    async def _more(self) -> None:
        """Wait until more bytes have arrived or the request has ended."""
        self._changed.clear()
        self._starving = True  # no complete document has arrived yet
        self._room.set()
        if not self._ended:
            await self._changed.wait()

    async def _read_ahead(self) -> None:
        try:
            async for part in chunks(self._receive, self._settings.body_seconds):
                self._rest += part
                self._starving = False
                self._changed.set()
                while len(self._rest) >= self._settings.max_batch and not self._starving:
                    self._room.clear()
                    await self._room.wait()
        finally:
            asyncio.get_running_loop().call_soon(self._changed.set)  # when this task is done

    def _line(self) -> bytes | Problem | None:
        """Return the next line that is not blank from the bytes that have arrived; None if it is not complete."""
        limit = self._settings.max_body
        while True:
            at = self._rest.find(b"\n", self._looked)
            self._looked = len(self._rest) if at < 0 else 0
            if at < 0 and len(self._rest) > limit:
                self._skipping = True
                self._rest.clear()
                self._looked = 0
            if at < 0 and not (self._ended and self._rest):
                if self._ended and self._skipping:
                    self._skipping = False
                    return too_large(limit)
                return None
            at = len(self._rest) if at < 0 else at
            line = bytes(self._rest[:at]).strip(_BLANK)
            del self._rest[: at + 1]
            self._looked = 0
            self._room.set()
            if self._skipping or len(line) > limit:
                self._skipping = False
                return too_large(limit)
            if line:
                return line


def _array(data: bytes) -> tuple[str, array[int]]:
    """Return an array as text, and the bounds of its items, which take less memory than parsed items. Raises Problem."""
    bounds = array("Q")
    decode = json.JSONDecoder().raw_decode
    try:
        text = data.decode()
        at = _after_blanks(text, 1)
        while text[at] != "]" or bounds:
            _, end = decode(text, at)
            bounds.extend((at, end))
            at = _after_blanks(text, end)
            if text[at] == "]":
                break
            if text[at] != ",":
                raise ValueError
            at = _after_blanks(text, at + 1)
        if _after_blanks(text, at + 1) < len(text):
            raise ValueError
    except (ValueError, IndexError, RecursionError):
        raise Problem(422, "invalid", "expected a JSON array of documents, found damaged JSON") from None
    return text, bounds


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def _cut(text: str, bounds: array[int], limit: int) -> Iterator[bytes | Problem]:
    for n in range(0, len(bounds), 2):
        item = text[bounds[n] : bounds[n + 1]].encode()
        yield item if len(item) <= limit else too_large(limit)
