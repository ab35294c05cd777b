"""`POST /v1/batch`: one line for each document, in order, whatever happens to some of them, in bounded memory."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import CANARY, Running, until

from caspipe.pipeline.application.service.batch import BatchReader
from caspipe.pipeline.application.service.limits import ClientDisconnected
from caspipe.pipeline.application.service.problems import Problem
from caspipe.pipeline.application.service.settings import Settings

pytestmark = pytest.mark.server

NDJSON = {"Content-Type": "application/x-ndjson"}


def lines(response: httpx.Response) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


def test_lines_come_back_in_order(client: httpx.Client) -> None:
    documents = [{"text": f"{'word ' * (50 * (n % 3))}On {n}/4/2020.", "id": str(n)} for n in range(1, 25)]
    found = lines(client.post("/v1/batch", content="\n".join(map(json.dumps, documents)), headers=NDJSON))
    assert [line["id"] for line in found] == [d["id"] for d in documents]
    assert [line["index"] for line in found] == list(range(24))
    assert all("[DATE]" in line["masked"]["text"] for line in found)


def test_an_array_is_a_batch_too(client: httpx.Client) -> None:
    found = lines(client.post("/v1/batch", json=[{"text": "On 3/4/2020."}, {"text": "x", "offsets": "utf8"}]))
    assert [line["offsets"] for line in found] == ["codepoint", "utf8"]
    assert lines(client.post("/v1/batch", json=[])) == []
    assert lines(client.post("/v1/batch", content=b" \n\n ", headers=NDJSON)) == []


def test_a_document_that_fails_is_a_line_that_says_so(client: httpx.Client) -> None:
    good = '{"text": "On 3/4/2020."}'
    long = json.dumps({"text": "x" * 300_000})
    bad = [
        f'{{"text": "{CANARY}',
        f'"{CANARY}"',
        f'{{"text": 3, "id": "{CANARY}"}}',
        "[" * 300,
        long,
        json.dumps({"xmi": f"<{CANARY}"}),
    ]
    body = "\r\n".join(["\ufeff" + good, *(x for b in bad for x in (b, "", good))])
    response = client.post("/v1/batch", content=body.encode(), headers=NDJSON)
    found = lines(response)
    assert [line.get("error", {}).get("status", 200) for line in found] == [
        200,
        *(x for s in (422, 422, 422, 422, 413, 422) for x in (s, 200)),
    ]
    assert [line["index"] for line in found] == list(range(13))
    assert found[9]["error"]["detail"] == "expected at most 200000 bytes"
    assert CANARY not in response.text


@pytest.mark.parametrize(
    ("body", "status"), [("[1, 2", 422), ("[" * 100_000, 422), (f'["{CANARY}', 422), ("[" + " " * 1_100_000 + "]", 413)]
)
def test_an_array_that_is_none_is_refused_as_a_whole(serve: Callable[..., Running], body: str, status: int) -> None:
    client = serve(max_body=100_000, max_batch=1_000_000).client
    response = client.post("/v1/batch", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == status
    assert CANARY not in response.text


def test_answers_come_while_the_request_is_still_being_sent(client: httpx.Client) -> None:
    sent: list[float] = []

    def body() -> Iterator[bytes]:
        for n in range(3):
            sent.append(time.monotonic())
            yield json.dumps({"text": f"On {n}/4/2020."}).encode() + b"\n"
            time.sleep(0.3)

    with client.stream("POST", "/v1/batch", content=body(), headers=NDJSON) as response:
        assert len(list(response.iter_lines())) == 3


def test_a_client_that_sends_everything_first_gets_everything(serve: Callable[..., Running]) -> None:
    running = serve(max_batch=4_000_000, max_body=1_000_000)
    text = "No dates here. " * 600
    documents = b"".join(json.dumps({"text": text}).encode() + b"\n" for _ in range(400))
    assert len(documents) < 4_000_000
    assert len(lines(running.client.post("/v1/batch", content=documents, headers=NDJSON))) == 400


def test_a_client_that_does_not_read_is_let_go(serve: Callable[..., Running]) -> None:
    running = serve(body_seconds=0.5, max_batch=300_000, max_body=300_000)
    line = json.dumps({"text": "x " * 9000, "output": ["xmi"]}).encode() + b"\n"
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.settimeout(2)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.sendall(
            b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        with pytest.raises(OSError):
            for _ in range(20_000):
                peer.sendall(b"%x\r\n%s\r\n" % (len(line), line))
        until(lambda: running.service.metrics.in_flight == 0)
        assert running.client.post("/v1/process", json={"text": "x"}).status_code == 200


def test_a_batch_that_stops_coming_ends_with_a_line_that_says_so(serve: Callable[..., Running]) -> None:
    running = serve(body_seconds=0.5)
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.settimeout(20)
        peer.sendall(
            b"POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n"
        )
        peer.sendall(b'{"text": "On 3/4/2020."}\n')
        got = b""
        while b"slow-body" not in got:
            part = peer.recv(65536)
            assert part, got
            got += part
    assert b'"index":0' in got
    assert b'{"index":1,"error":' in got


# -- how lines are found, whatever the pieces they come in ------------------------------------------------------------


def taken(pieces: list[bytes], **settings: int) -> list[bytes | str]:
    """What `BatchReader` makes of a body that comes in pieces."""

    async def go() -> list[bytes | str]:
        messages = [{"type": "http.request", "body": p, "more_body": n + 1 < len(pieces)} for n, p in enumerate(pieces)]

        async def receive() -> Any:
            await asyncio.sleep(0)
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        intake = BatchReader(receive, Settings(**settings))  # type: ignore[arg-type]
        await intake.begin()
        found: list[bytes | str] = []
        while (item := await intake.next()) is not None:
            found.append(item.code if isinstance(item, Problem) else item)
        await intake.end()
        return found

    return asyncio.run(go())


@given(
    st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"").replace(b"[", b"")), max_size=12),
    st.integers(1, 17),
)
def test_lines_are_the_same_however_they_are_cut(documents: list[bytes], size: int) -> None:
    body = b"\n".join(documents)
    pieces = [body[i : i + size] for i in range(0, len(body), size)] or [b""]
    expected = [line for d in documents if (line := d.strip(b" \t\r\n\xef\xbb\xbf"))]
    limited = ["body-too-large" if len(line) > 20 else line for line in expected]
    assert taken(pieces, max_body=1000, max_batch=1000) == expected
    assert [x for x in taken(pieces, max_body=20, max_batch=20) if isinstance(x, bytes)] == [
        x for x in limited if isinstance(x, bytes)
    ]


def test_a_client_that_leaves_ends_the_batch() -> None:
    async def go() -> None:
        async def receive() -> Any:
            return {"type": "http.disconnect"}

        intake = BatchReader(receive, Settings())
        await intake.begin()
        with pytest.raises(ClientDisconnected):
            await intake.next()
        await intake.end()

    asyncio.run(go())
