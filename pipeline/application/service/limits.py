"""Limits of requests: their number, and the length and transfer rate of bodies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .metrics import Metrics
from .problems import Problem

Receive = Callable[[], Any]
SLOWEST = 1 << 16
"""Minimum number of bytes in each period of the read timeout, so that a slow client cannot occupy a slot."""


class ClientDisconnected(Exception):
    """The client disconnected before the response."""


class Gate:
    """Admits a limited number of requests at a time, and rejects others with 429."""

    def __init__(self, limit: int, metrics: Metrics) -> None:
        self.limit = limit
        self._metrics = metrics
        self._inside = 0

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Occupy a slot. Raises Problem (429) if none is free."""
        if self._inside >= self.limit:
            self._metrics.rejected("busy")
            raise Problem(
                429, "busy", f"{self.limit} requests are being served or wait already", headers={"Retry-After": "1"}
            )
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1


def check_declared(headers: Any, limit: int) -> None:
    """Raise Problem for a compressed body (415) and for a Content-Length above the limit (413)."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise Problem(415, "content-encoding", "expected a body without Content-Encoding")
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise too_large(limit)


def too_large(limit: int) -> Problem:
    """Return the problem for a body that is too long."""
    return Problem(413, "body-too-large", f"expected at most {limit} bytes")


async def chunks(receive: Receive, seconds: float) -> AsyncIterator[bytes]:
    """Yield the body in parts. Raises Problem (408) if none arrives in time, ClientDisconnected."""
    while True:
        try:
            message = await asyncio.wait_for(receive(), seconds)
        except TimeoutError:
            raise _slow(f"nothing came for {seconds:g} s") from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def body(headers: Any, receive: Receive, limit: int, seconds: float, *, keep: bool = True) -> bytes:
    """Return the whole body. `keep`: False to read and discard it. Raises Problem: 413, with or without Content-Length,
    408, 415; ClientDisconnected."""
    check_declared(headers, limit)
    data = bytearray()  # not a list, which would take forty times the memory for parts of one byte
    length = 0
    began = time.monotonic()
    async for part in chunks(receive, seconds):
        length += len(part)
        if length > limit:
            raise too_large(limit)
        if time.monotonic() - began > seconds * (1 + length / SLOWEST):
            raise _slow(f"fewer than {SLOWEST} bytes came in {seconds:g} s")
        if keep:
            data += part
    return bytes(data)


def _slow(detail: str) -> Problem:
    return Problem(408, "slow-body", detail, headers={"Connection": "close"})
