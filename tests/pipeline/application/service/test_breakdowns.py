"""What breaks in the middle, or is sent to break it: the service goes on, and nothing of one request reaches another."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inception_requests as inc
import pytest
from serving import CANARY, Running, until

from caspipe.pipeline.application.cli.serve import listening_socket
from caspipe.pipeline.application.service import training, workers
from caspipe.pipeline.application.service.batch import _array, _cut
from caspipe.pipeline.application.service.jobs import Answer, Job
from caspipe.pipeline.application.service.limits import body
from caspipe.pipeline.application.service.problems import Problem
from caspipe.pipeline.application.service.recommender_store import Key, RecommenderStore
from caspipe.pipeline.application.service.settings import Spec
from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.running.withheld_output import WithheldOutput
from caspipe.pipeline.running.worker import Worker

pytestmark = pytest.mark.server

LESSON = inc.document(*inc.marked("Moved to ward <LOCATION_ROOM>Falcon</LOCATION_ROOM> at noon."))
KEY = Key("phi", 1, "layer", "feature", "anna")


# -- bodies -----------------------------------------------------------------------------------------------------------


def test_a_client_that_sends_a_byte_now_and_then_keeps_no_place(serve: Callable[..., Running]) -> None:
    running = serve(body_seconds=0.4)
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as peer:
        peer.settimeout(0.1)
        peer.sendall(b"POST /v1/process HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 999\r\n\r\n")
        answer = b""
        for _ in range(40):  # 4 s
            try:
                peer.sendall(b"x")
                answer = peer.recv(1000)
                break
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408 ")


def received(data: bytes, size: int) -> Callable[[], Any]:
    at = 0

    async def receive() -> dict[str, Any]:
        nonlocal at
        at += size
        return {"type": "http.request", "body": data[at - size : at], "more_body": at < len(data)}

    return receive


@pytest.mark.parametrize("keep", [True, False])
def test_a_body_in_small_pieces_takes_no_more_than_its_size(keep: bool) -> None:
    data = b"x" * 10_000
    tracemalloc.start()
    try:
        found = asyncio.run(body({}, received(data, 1), len(data), 30, keep=keep))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == (data if keep else b"")
    assert peak < 12 * len(data)


def test_an_array_of_many_small_items_takes_little_more_than_its_text() -> None:
    data = b"[" + b"{}, " * 100_000 + b"[]]"
    tracemalloc.start()
    try:
        text, bounds = _array(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(data)
    items = list(_cut(text, bounds, 100))
    assert (len(items), items[0], items[-1]) == (100_001, b"{}", b"[]")


@pytest.mark.parametrize("data", ['[1 , {"a": "]"},\t"\u00e9"]', "[]", " \n[ [ ] ]\r\n".strip()])
def test_items_of_an_array_are_those_of_json(data: str) -> None:
    assert [json.loads(item) for item in _cut(*_array(data.encode()), 99)] == json.loads(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", ["[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1]x", "[\u00e9]", "[" * 9999])
def test_an_array_that_is_damaged_anywhere_is_refused(data: str) -> None:
    with pytest.raises(Problem, match="found damaged JSON"):
        _array(data.encode())


# -- workers ----------------------------------------------------------------------------------------------------------


def test_half_an_answer_never_reaches_the_next_request(rules: Path) -> None:
    """No memory in the middle of reading an answer: the rest of it would be taken for the answer to the next request."""
    worker = workers.ProcessWorker(Spec(config=str(rules)), 30)
    worker.start()
    assert worker.process is not None

    def no_memory() -> Answer:
        raise MemoryError

    worker.process.connection.recv = no_memory  # type: ignore[method-assign]
    with pytest.raises(MemoryError):
        worker.call(Job("process", CANARY.encode(), "text/plain"))
    assert not worker.loaded, "it is replaced"
    assert worker.process.connection.closed
    assert not worker.process.process.is_alive()


def test_a_service_that_can_start_no_more_workers_says_so_and_ends(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons: list[str] = []

    def no_process(self: Any) -> None:
        raise BlockingIOError(11, CANARY)

    async def replaced() -> None:
        pool = workers.WorkerPool(Spec(config=str(rules)), 1, 1, reasons.append)
        monkeypatch.setattr(workers.ProcessWorker, "start", no_process)
        pool._give_back(pool._workers[0])
        for _ in range(200):
            await asyncio.sleep(0.01)
            if reasons:
                break
        await pool.close()

    asyncio.run(replaced())
    assert len(reasons) == 1
    assert reasons[0].startswith("worker: BlockingIOError at ")
    assert CANARY not in reasons[0]


# -- trainings --------------------------------------------------------------------------------------------------------


def test_a_state_folder_that_cannot_be_written_to_does_not_block_training_for_ever(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = serve()

    def full(self: RecommenderStore, key: Key) -> Path:
        raise OSError(28, "No space left on device", CANARY)

    monkeypatch.setattr(RecommenderStore, "draft", full)
    assert running.client.post("/recommender/phi/train", json=inc.train([LESSON])).status_code == 204
    until(lambda: 'caspipe_trainings_total{outcome="failed"} 1' in running.client.get("/metrics").text)
    until(lambda: not running.client.get("/recommender/phi").json()["training"])
    assert running.service.trainer._worker is None


def test_a_state_folder_that_was_removed_is_made_again(tmp_path: Path) -> None:
    shelf = RecommenderStore(tmp_path / "state", 10)
    (tmp_path / "state").rmdir()
    assert shelf.draft(KEY).is_dir()


def test_trainings_that_make_nothing_leave_nothing(tmp_path: Path) -> None:
    shelf = RecommenderStore(tmp_path, 10)
    for user in "abc":
        shelf.discard(shelf.draft(KEY._replace(user=user)))
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_training_left_is_removed_when_nobody_can_be_writing_to_it(tmp_path: Path) -> None:
    shelf = RecommenderStore(tmp_path, 10)
    old, young = shelf.draft(KEY), shelf.draft(KEY)
    (old / "words").write_text(CANARY)
    os.utime(old, (1, 1))
    RecommenderStore(tmp_path, 10)
    assert not old.exists()
    assert young.is_dir()


def test_a_training_request_that_is_refused_is_not_kept_in_memory(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = serve()
    running.service.trainer.busy = "other"
    kept: list[int] = []
    original = training.Trainer.start

    async def watched(self: Any, name: str, reading: Any) -> None:
        async def counted() -> bytes:
            found: bytes = await reading
            kept.append(len(found))
            return found

        await original(self, name, counted())

    monkeypatch.setattr(training.Trainer, "start", watched)
    response = running.client.post("/recommender/phi/train", json={"padding": "x" * 100_000})
    running.service.trainer.busy = ""
    assert (response.status_code, kept) == (429, [0])


def test_a_training_whose_service_is_gone_prints_nothing(rules: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = WithheldOutput()
    worker = Worker("caspipe-training", "spawn", training._set_up, Spec(config=str(rules)), output, output=output)
    assert worker.receive(60) is None
    worker.send(b'{"documents": "' + CANARY.encode() + b"x" * 50_000_000)  # reading it takes longer than closing
    worker.connection.close()
    worker.process.join(60)
    assert worker.process.exitcode == 1
    assert not "".join(capfd.readouterr())


# -- who asks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200), ("localhost", 200), ("LOCALHOST:1", 200), ("[::1]:8000", 200), ("127.9.9.9", 200),
        ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example:8000", 421),
        ("evil.example:8000@localhost", 200), ("[", 421), ("", 421), ("10.0.0.1", 421),
    ],
)  # fmt: skip
def test_a_name_that_was_made_to_lead_here_gets_nothing(serve: Callable[..., Running], host: str, status: int) -> None:
    response = serve(local=True).client.get("/v1/config", headers={"Host": host})
    assert response.status_code == status
    if status == 421:
        assert response.json()["code"] == "host"
        assert not host or host not in response.text


def test_a_port_is_listened_at_before_its_address_is_told() -> None:
    with listening_socket("127.0.0.1", 0) as listening:
        socket.create_connection(listening.getsockname(), timeout=5).close()
        with pytest.raises(ConsumerError, match="Address already in use"):
            listening_socket("127.0.0.1", listening.getsockname()[1])


def test_an_answer_is_sent_at_once(serve: Callable[..., Running]) -> None:
    """Head and body are two writes: with Nagle's algorithm the second waits for the client's delayed acknowledgement."""
    client = serve().client
    took = []
    for _ in range(30):
        began = time.perf_counter()
        assert client.get("/health").status_code == 200
        took.append(time.perf_counter() - began)
    assert sorted(took)[15] < 0.035
