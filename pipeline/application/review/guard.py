"""Access to the review server: only the page that was opened with the token, on this machine.

* `Host` must be the server's own, so that a foreign name that leads to 127.0.0.1 (DNS rebinding) gets nothing;
* the page itself is given for the token in the address, or for a cookie that only says that it was given before;
* data are given for the token in a header, which the page keeps for its tab: other servers on 127.0.0.1 see cookies, not that;
* requests that change something must come from the page's own origin.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADER = "x-caspipe-token"
LARGEST = 1_000_000
"""Bytes of a request's body."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_DENIED = b"Not allowed. Open the address that `caspipe review` printed.\n"


class Guard:
    """Lets a request through to `app`, or answers 403; adds the headers that keep a page to itself."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app = app
        self.token = token
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie = f"caspipe-review-{port}"
        self.pass_ = hmac.new(token.encode(), b"page", hashlib.sha256).hexdigest()
        """Value of the cookie, which opens the empty page, no data."""
        self._once: str | None = None

    def once(self) -> str:
        """Return a code for one use, in place of the token: command lines of browsers are seen by others."""
        self._once = secrets.token_urlsafe(16)
        return self._once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host", "").lower() not in self.hosts:
            await _answer(guarded, 403, _DENIED)
        elif scope["path"] == "/" and scope["method"] == "GET":
            await self._page(scope, headers, receive, guarded)
        elif not self._allowed(scope, headers):
            await _answer(guarded, 403, _DENIED)
        elif "transfer-encoding" in headers or not 0 <= _length(headers) <= LARGEST:
            await _answer(guarded, 413, b"Too large.\n")
        else:
            await self.app(scope, receive, guarded)

    async def _page(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        once, token = query.get("once", [""])[0], query.get("token", [""])[0]
        if once and self._once is not None and _same(once, self._once):
            self._once = None
            await _answer(send, 303, b"", [(b"location", f"/?token={self.token}".encode())])
        elif token and _same(token, self.token):
            cookie = f"{self.cookie}={self.pass_}; Path=/; HttpOnly; SameSite=Strict"

            async def marked(message: MutableMapping[str, Any]) -> None:
                if message["type"] == "http.response.start":
                    message["headers"] = [*message.get("headers", ()), (b"set-cookie", cookie.encode())]
                await send(message)

            await self.app(scope, receive, marked)
        elif not query and self._knows(headers):
            await self.app(scope, receive, send)
        else:
            await _answer(send, 403, _DENIED)

    def _allowed(self, scope: Scope, headers: dict[str, str]) -> bool:
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return False
        if not scope["path"].startswith("/api/"):
            return scope["method"] == "GET" and self._knows(headers)
        origin = headers.get("origin")
        if origin is not None and origin not in tuple(f"http://{host}" for host in self.hosts):
            return False
        return _same(headers.get(HEADER, ""), self.token)

    def _knows(self, headers: dict[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and _same(found.value, self.pass_)


def _length(headers: dict[str, str]) -> int:
    """Return the declared size of a request's body; -1 if it is not a number."""
    said = headers.get("content-length", "0")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 20 else -1


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


async def _answer(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    start = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *(headers or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
