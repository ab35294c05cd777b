"""Access control of the review server: only the page that was opened with the token on this machine has access.

* `Host` must be the address of the server, which prevents DNS rebinding: a foreign name that resolves to 127.0.0.1;
* the page requires the token in the address, or a cookie that the first access with the token sets;
* data require the token in a header. The page keeps it in its tab, since other servers on 127.0.0.1 receive its cookies;
* requests that change data must come from the origin of the page.
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
MAX_BODY = 1_000_000
"""Largest size of a request body in bytes."""
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
    """ASGI middleware that passes authorized requests to `app`, rejects others with 403, and adds security headers."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app = app
        self.token = token
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie = f"caspipe-review-{port}"
        self.pass_ = hmac.new(token.encode(), b"page", hashlib.sha256).hexdigest()
        """Value of the cookie, which gives access to the page but not to data."""
        self._once: str | None = None

    def once(self) -> str:
        """Return a one-time code to use instead of the token, since other users can see the command lines of browsers."""
        self._once = secrets.token_urlsafe(16)
        return self._once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answering(Request(scope))(scope, receive, adding_headers(send, _HEADERS))

    def _answering(self, request: Request) -> ASGIApp:
        """Return the application, or the response that rejects a request."""
        headers, path = request.headers, request.scope["path"]
        if headers.get("host", "").lower() not in self.hosts:
            return _DENIED
        if path == "/" and request.method == "GET":
            return self._page(request)
        if not self._allowed(request, path):
            return _DENIED
        length = headers.get("content-length", "0")
        is_number = length.isascii() and length.isdigit() and len(length) < 20
        if "transfer-encoding" in headers or not is_number or int(length) > MAX_BODY:
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


def _same(received: str, expected: str) -> bool:
    return hmac.compare_digest(received.encode("utf-8", "replace"), expected.encode())
