"""Limits of size, number and time, with the status that says which one it was."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import CANARY, Running, until

from caspipe.pipeline.application.service.settings import Settings

pytestmark = pytest.mark.server

SLOW = """
import time
from caspipe.pipeline.contract.component import AnalysisEngine, component

@component('slow_for_service')
class Slow(AnalysisEngine):
    '''Sleeps as many seconds as the text says.'''
    def process(self, cas):
        if cas.text == "die":
            import os
            os._exit(1)
        time.sleep(float(cas.text))
"""


@pytest.fixture
def slow(tmp_path: Path) -> dict[str, Any]:
    """A pipeline that takes as long as its documents say."""
    plugin, config = tmp_path / "slow.py", tmp_path / "slow.yaml"
    plugin.write_text(SLOW)
    config.write_text("engines: [slow_for_service]\n")
    return {"config": config, "spec": {"plugins": (str(plugin),)}}


def test_a_body_that_is_too_long_is_refused(serve: Callable[..., Running]) -> None:
    client = serve(max_body=1000).client

    def pieces() -> Iterator[bytes]:
        yield from [b"x" * 100] * 11

    for body in (b"x" * 1001, pieces()):  # with Content-Length, and without
        response = client.post("/v1/process", content=body, headers={"Content-Type": "text/plain"})
        assert (response.status_code, response.json()["code"]) == (413, "body-too-large")
    assert client.post("/v1/process", content=b"x" * 1000, headers={"Content-Type": "text/plain"}).status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(serve: Callable[..., Running]) -> None:
    running = serve(body_seconds=0.3)
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.settimeout(20)
        peer.sendall(
            b"POST /v1/process HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nabc"
        )
        assert peer.recv(1000).startswith(b"HTTP/1.1 408 ")
    assert running.client.get("/health").status_code == 200


@pytest.mark.parametrize("workers", [0, 1])
def test_a_document_that_takes_too_long_is_given_up(
    serve: Callable[..., Running], slow: dict[str, Any], workers: int
) -> None:
    running = serve(**slow, workers=workers, seconds=0.5)
    began = time.monotonic()
    response = running.client.post("/v1/process", json={"text": "2", "output": ["annotations"]})
    assert (response.status_code, response.json()["code"]) == (504, "document-timeout")
    assert time.monotonic() - began < 1.5
    # a new worker, or the old thread when it is done
    until(lambda: running.client.post("/v1/process", json={"text": "0"}).status_code == 200)
    assert running.client.get("/ready").status_code == 200


def test_a_worker_that_dies_is_replaced(serve: Callable[..., Running], slow: dict[str, Any]) -> None:
    running = serve(**slow, workers=1)
    response = running.client.post("/v1/process", json={"text": "die"})
    assert (response.status_code, response.json()["code"]) == (500, "worker-died")
    assert running.client.post("/v1/process", json={"text": "0"}).status_code == 200


def test_a_worker_that_holds_too_many_types_of_clients_is_replaced(serve: Callable[..., Running], rules: Path) -> None:
    running = serve(workers=1, spec={"max_types": 50})
    first = running.service.pool._workers[0].process.pid
    items = "".join(f'<a:T{n} xmi:id="{n + 2}" sofa="1" begin="0" end="1"/>' for n in range(51))
    xmi = (
        '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:a="http:///a.ecore" '
        f'xmi:version="2.0">{items}<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="x"/></xmi:XMI>'
    )
    assert running.client.post("/v1/process", json={"xmi": xmi}).status_code == 200
    assert running.client.post("/v1/process", json={"text": "x"}).status_code == 200
    assert running.service.pool._workers[0].process.pid != first


def test_more_requests_than_may_wait_are_told_to_come_again(
    serve: Callable[..., Running], slow: dict[str, Any]
) -> None:
    running = serve(**slow, queue=1)
    statuses: list[int] = []

    def ask() -> None:
        statuses.append(running.client.post("/v1/process", json={"text": "0.7"}).status_code)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    refused = running.client.post("/v1/process", json={"text": CANARY})
    for thread in threads:
        thread.join()
    assert statuses == [200, 200]
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert 'caspipe_rejected_total{reason="busy"} 1' in running.client.get("/metrics").text


def test_several_workers_work_at_the_same_time(serve: Callable[..., Running], slow: dict[str, Any]) -> None:
    running = serve(**slow, workers=2)
    began = time.monotonic()
    response = running.client.post("/v1/batch", json=[{"text": "0.6"}] * 4)
    assert len(response.text.splitlines()) == 4
    assert time.monotonic() - began < 2.2  # 2.4 s one after the other


def test_a_service_whose_pipeline_cannot_be_opened_says_so(serve: Callable[..., Running], tmp_path: Path) -> None:
    plugin, config = tmp_path / "closed.py", tmp_path / "closed.yaml"
    plugin.write_text(
        "from caspipe.pipeline.contract.component import AnalysisEngine, component\n"
        "from caspipe.pipeline.errors import ResourceError\n"
        "@component('closed_for_service')\n"
        "class Closed(AnalysisEngine):\n"
        "    '''Cannot be opened.'''\n"
        "    def open(self):\n"
        "        raise ResourceError('model x: not there')\n"
    )
    config.write_text("engines: [closed_for_service]\n")
    for workers in (0, 1):
        running = serve(config=config, spec={"plugins": (str(plugin),)}, workers=workers, ready=False)
        assert running.client.get("/health").json() == {"status": "ok"}
        found = running.client.get("/ready")
        assert (found.status_code, found.json()["code"]) == (503, "not-ready")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_body": 0}, "max_body: expected a number above 0, got 0"),
        ({"seconds": float("nan")}, "seconds: expected a number above 0, got nan"),
        ({"workers": -1}, "workers: expected 0 or more, got -1"),
        ({"max_batch": 10}, "max_batch: expected at least max_body (10485760), got 10"),
    ],
)
def test_limits_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        Settings(**settings)
    assert str(caught.value) == message
