"""The guard without a server: the code for one use, and the size of requests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from caspipe.pipeline.application.review.guard import MAX_BODY, Guard

pytestmark = pytest.mark.server

TOKEN = "secret-token"


async def inner(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


def asked(guard: Guard, path: str, query: str = "", method: str = "GET", **headers: str) -> tuple[int, dict[str, str]]:
    found: list[Any] = []

    async def send(message: Any) -> None:
        found.append(message)

    sent = {"host": "127.0.0.1:81", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in sent.items()],
    }
    asyncio.run(guard(scope, lambda: None, send))  # type: ignore[arg-type, return-value]
    return found[0]["status"], {k.decode(): v.decode() for k, v in found[0]["headers"]}


def test_the_code_for_the_browser_works_once() -> None:
    guard = Guard(inner, TOKEN, 81)
    assert asked(guard, "/", "once=")[0] == 403
    code = guard.once()
    assert TOKEN not in code
    status, headers = asked(guard, "/", f"once={code}")
    assert (status, headers["location"]) == (303, f"/?token={TOKEN}")
    assert asked(guard, "/", f"once={code}")[0] == 403


def test_large_requests_are_refused() -> None:
    guard = Guard(inner, TOKEN, 81)
    allowed = {"x_caspipe_token": TOKEN}
    assert asked(guard, "/api/decide", method="POST", content_length=str(MAX_BODY), **allowed)[0] == 200
    assert asked(guard, "/api/decide", method="POST", content_length=str(MAX_BODY + 1), **allowed)[0] == 413
    for length in ("many", "-1", "\u00b2", "9" * 5000):
        assert asked(guard, "/api/decide", method="POST", content_length=length, **allowed)[0] == 413
    assert asked(guard, "/api/decide", method="POST", transfer_encoding="chunked", **allowed)[0] == 413, "of any size"


def test_static_files_are_read_only() -> None:
    guard = Guard(inner, TOKEN, 81)
    cookie = f"{guard.cookie}={guard.pass_}"
    assert asked(guard, "/static/review.js", cookie=cookie)[0] == 200
    assert asked(guard, "/static/review.js", method="POST", cookie=cookie)[0] == 403
    assert asked(guard, "/static/review.js", cookie=f"{guard.cookie}={TOKEN}")[0] == 403
