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

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ..http_server import adding_headers

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
_DENIED = PlainTextResponse("Not allowed. Open the address that `caspipe review` printed.\n", 403)


class Guard:
    """Lets a request through to `app`, or answers 403; adds the headers that isolate the page."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
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
        if scope["type"] == "http":
            await self._answering(Request(scope))(scope, receive, adding_headers(send, _HEADERS))

    def _answering(self, request: Request) -> ASGIApp:
        """Return the application, or the answer to a request that is not let through."""
        headers, path = request.headers, request.scope["path"]
        if headers.get("host", "").lower() not in self.hosts:
            return _DENIED
        if path == "/" and request.method == "GET":
            return self._page(request)
        if not self._allowed(request, path):
            return _DENIED
        length = headers.get("content-length", "0")
        is_number = length.isascii() and length.isdigit() and len(length) < 20
        if "transfer-encoding" in headers or not is_number or int(length) > LARGEST:
            return PlainTextResponse("Too large.\n", 413)
        return self.app

    def _page(self, request: Request) -> ASGIApp:
        once, token = request.query_params.get("once", ""), request.query_params.get("token", "")
        if once and self._once is not None and _same(once, self._once):
            self._once = None
            return RedirectResponse(f"/?token={self.token}", 303)
        if token and _same(token, self.token):
            return self._page_with_cookie
        return self.app if not any(request.query_params.values()) and self._has_cookie(request) else _DENIED

    async def _page_with_cookie(self, scope: Scope, receive: Receive, send: Send) -> None:
        cookie = f"{self.cookie}={self.pass_}; Path=/; HttpOnly; SameSite=Strict"
        await self.app(scope, receive, adding_headers(send, [(b"set-cookie", cookie.encode())]))

    def _allowed(self, request: Request, path: str) -> bool:
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return False
        if not path.startswith("/api/"):
            return request.method == "GET" and self._has_cookie(request)
        origin = request.headers.get("origin")
        if origin is not None and origin not in tuple(f"http://{host}" for host in self.hosts):
            return False
        return _same(request.headers.get(HEADER, ""), self.token)

    def _has_cookie(self, request: Request) -> bool:
        return _same(request.cookies.get(self.cookie, ""), self.pass_)


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
