"""The outermost layer: checks the API key, counts and logs requests, and keeps document text out of error messages."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import Response

from ...errors import ComponentError
from ..http_server import is_loopback
from .limits import ClientDisconnected
from .metrics import Metrics
from .problems import MEDIA, Problem

log = logging.getLogger("caspipe.service")
OPEN = frozenset(("/health", "/ready", "/", "/home.js", "/home.css"))
"""Paths that need no key: for load balancers, and the page, which asks for the key."""
_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
_RESOURCES = [(b"cross-origin-resource-policy", b"same-origin")]
_POLICY = b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_HOME_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)

_MISDIRECTED = Problem(421, "host", "without a key this service is asked as localhost or by a loopback address only")
_FOREIGN = Problem(
    403,
    "cross-origin",
    "pages of other origins may not send requests to this service; --cors ORIGIN allows those of one origin",
)
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
"""Methods that change nothing, and whose answers browsers hide from pages of other origins."""
_UNKNOWN = Problem(
    401,
    "no-key",
    "expected the key of this service, as header X-API-Key or as Authorization: Bearer",
    headers={"WWW-Authenticate": "Bearer"},
)


class Guard:
    """ASGI middleware. It logs method, route template, status and time of requests, but no path and no address."""

    def __init__(
        self, app: Any, metrics: Metrics, api_key: str, *, local: bool = False, origins: Collection[str] = ()
    ) -> None:
        """`local`: accept only requests whose `Host` is this machine. `origins`: of other pages that may send requests."""
        self.app, self.metrics, self._local, self._origins = app, metrics, local, frozenset(origins)
        self._key = hashlib.sha256(api_key.encode()).digest() if api_key else b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status, whole = 0, False
        policy = _HOME_POLICY if scope["path"] == "/" else _POLICY
        resources = [] if self._origins else _RESOURCES
        headers = [*_HEADERS, *resources, (b"content-security-policy", policy)]

        async def sending(message: Any) -> None:
            nonlocal status, whole
            whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *headers]}
            await send(message)

        self.metrics.in_flight += 1
        try:
            if self._local and not _names_this_machine(scope["headers"]):
                self.metrics.rejected("host")
                await problem_response(_MISDIRECTED)(scope, receive, sending)
            elif scope["method"] not in _SAFE and not self._is_own_page(scope["headers"]):
                self.metrics.rejected("origin")
                await problem_response(_FOREIGN)(scope, receive, sending)
            elif (
                self._key
                and scope["path"] not in OPEN
                and scope["method"] != "OPTIONS"
                and not self._may(scope["headers"])
            ):
                self.metrics.rejected("no key")
                await problem_response(_UNKNOWN)(scope, receive, sending)
            else:
                await self._served(scope, receive, sending, lambda: whole)
        finally:
            self.metrics.in_flight -= 1
            route = getattr(scope.get("route"), "path", "") or "(none)"
            seconds = time.perf_counter() - began
            self.metrics.request(route, scope["method"], status or 499, seconds)
            log.info("%s %s %d %.0f ms", _method(scope["method"]), route, status or 499, seconds * 1000)

    async def _served(self, scope: Any, receive: Any, send: Any, answered: Callable[[], bool]) -> None:
        try:
            await self.app(scope, receive, send)
        except (ClientDisconnected, asyncio.CancelledError):
            raise_if_cancelled()
        except Exception as error:  # its message may quote the document, so it is not passed on
            log.error("%s", ComponentError("service", error))
            if not answered():
                raise ConnectionAbortedError("the answer was cut off") from None

    def _is_own_page(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Return whether a request comes from a page of this service, of a permitted origin, or from a program.

        Browsers send `Sec-Fetch-Site` over connections that they trust, and `Origin` with every POST; programs send neither. A
        page can send text/plain anywhere without being asked, and any page can post to this machine.
        """
        values = {name: value.decode("latin-1") for name, value in headers}
        origin, site = values.get(b"origin"), values.get(b"sec-fetch-site")
        if origin is not None and origin in self._origins:
            return True
        if site is not None:
            return site in ("same-origin", "none")
        return origin is None or _host_of(origin) == values.get(b"host", "").lower()

    def _may(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Return whether the request has the key, compared in constant time."""
        found = False
        for name, value in headers:
            if name == b"authorization" and value[:7].lower() == b"bearer ":
                value = value[7:].strip()
            elif name != b"x-api-key":
                continue
            found |= hmac.compare_digest(hashlib.sha256(value).digest(), self._key)
        return found


def raise_if_cancelled() -> None:
    """Re-raise a cancellation of this task; do nothing if only the client disconnected."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _host_of(origin: str) -> str | None:
    """Return `host:port` of an origin; None for `null` and anything that is not an origin."""
    try:
        return urlsplit(origin.lower()).netloc or None
    except ValueError:
        return None


def _method(method: str) -> str:
    return method if method.isalpha() and len(method) <= 7 else "(other)"


def _names_this_machine(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether `Host` is localhost or a loopback address, or absent: browsers always send it."""
    host = next((value.decode("latin-1") for name, value in headers if name == b"host"), "localhost")
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def problem_response(problem: Problem) -> Response:
    """Return problem details as a response."""
    return Response(problem.body(), problem.status, problem.headers, MEDIA)


def of_http(error: HTTPException) -> Problem:
    """Return the problem for an error of the router, such as an unknown path or method."""
    codes = {
        404: ("no-route", "no such path; /openapi.json lists them"),
        405: ("method", "this path has other methods"),
    }
    code, detail = codes.get(error.status_code, ("request", "the request cannot be served"))
    return Problem(error.status_code, code, detail, headers=dict(error.headers or {}))
