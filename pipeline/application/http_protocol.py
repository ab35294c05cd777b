"""The connections of the servers: a client must send the head of a request in time, and with it the rest if a limit says so."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class TimedProtocol(H11Protocol):
    """Closes connections whose request line and headers are not complete in time (uvicorn itself waits without a limit)."""

    head_seconds: ClassVar[float] = 10.0
    """From the connection, or from the first byte of a later request, to the end of the headers."""
    body_seconds: ClassVar[float | None] = None
    """From the end of the headers to the end of the body; None: the application limits it."""

    def connection_made(self, transport: Any) -> None:
        """Start to wait for a request."""
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._waits_for = ""
        self._wait_for("head")

    def data_received(self, data: bytes) -> None:
        """Receive bytes. The time goes on while they belong to the same part of a request."""
        super().data_received(data)
        state = self.conn.their_state
        answered = self.cycle is not None and self.cycle.response_complete
        self._wait_for("head" if state is h11.IDLE or answered else "body" if state is h11.SEND_BODY else "")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._wait_for("")
        super().connection_lost(exc)

    def _wait_for(self, part: str) -> None:
        """Start the time for a part of a request, unless it runs; end it if there is nothing to wait for."""
        if part == self._waits_for:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waits_for = part
        seconds = {"head": self.head_seconds, "body": self.body_seconds}.get(part)
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            if self.conn.their_state is h11.IDLE:
                self.transport.write(_LATE)
            self.transport.close()
