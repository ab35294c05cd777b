"""The parts that the servers of the service and of the review share: the socket, signals, and the headers of every answer."""

from __future__ import annotations

import contextlib
import ipaddress
import signal
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Return whether a name or address is this machine's own."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at `port`, or at any free port if that is 0. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with an explicit protocol asyncio disables Nagle's algorithm, which delays each answer by 40 ms until the client's ACK
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)  # at once, so that clients can connect as soon as the address is printed
    except OSError:
        listening.close()
        raise
    return listening


@contextlib.contextmanager
def stopped_by_signals(server: Any) -> Iterator[None]:
    """Let SIGINT, SIGTERM, and SIGHUP unless it is ignored as with `nohup`, stop a uvicorn server.

    uvicorn handles signals only while it runs, and raises them again when it is done. Without these handlers an early signal
    would be lost, and the process would end before it has cleaned up, with the exit code of a killed process.
    """

    def stop(*_: object) -> None:
        server.should_exit = True

    stopping = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        stopping.append(hangup)
    previous = {number: signal.signal(number, stop) for number in stopping}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def adding_headers(send: Send, headers: Iterable[tuple[bytes, bytes]]) -> Send:
    """Return an ASGI `send` that adds headers to the answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *headers]}
        await send(message)

    return sending
