"""Workers: processes that do tasks, fail, hang, die, and never print what their tasks contain."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from worker_tasks import SECRET, obedient, quoting, without_model

from caspipe.pipeline.running.worker import Worker, WorkerDied, WorkerError, wait_for

STARTS = ["fork", "spawn"] if os.name == "posix" else ["spawn"]


@pytest.fixture(params=STARTS)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    made = Worker("obedient", request.param, obedient, 3)
    yield made
    made.stop()


def test_a_worker_does_one_task_after_the_other(worker: Worker) -> None:
    assert not worker.ready
    assert worker.receive(60) is None
    assert worker.ready
    for number in (1, 2):
        worker.send(number)
        assert worker.receive(60) == 3 * number
    worker.send("twice")
    assert [worker.receive(60), worker.receive(60)] == [1, 2]
    worker.send("large")
    assert len(worker.receive(60)) == 5_000_000


@pytest.mark.parametrize("task", ["raise", "exit", "kill"])
def test_a_worker_that_dies_says_nothing_but_its_exit_code(
    worker: Worker, task: str, capfd: pytest.CaptureFixture[str]
) -> None:
    worker.receive(60)
    worker.send(task)
    with pytest.raises(WorkerDied):
        worker.receive(60)
    assert wait_for([worker], 0) == [worker]
    worker.kill()
    assert worker.ending == {"raise": "exit code 1", "exit": "exit code 7", "kill": "SIGKILL"}[task]
    with pytest.raises(WorkerDied):
        worker.send(1)
    assert SECRET not in "".join(capfd.readouterr())


def test_a_worker_that_hangs_is_killed_and_what_it_sent_is_kept(worker: Worker) -> None:
    worker.receive(60)
    for task in (5, "sleep"):
        worker.send(task)
    assert wait_for([worker], 60) == [worker]
    worker.kill()
    assert worker.receive(0) == 15
    with pytest.raises(WorkerDied):
        worker.receive(0)


def test_waiting_has_a_limit(worker: Worker) -> None:
    worker.receive(60)
    with pytest.raises(TimeoutError):
        worker.receive(0.01)
    assert wait_for([worker], 0.01) == []


def test_a_worker_ignores_interrupts_and_exits_when_asked(worker: Worker) -> None:
    worker.receive(60)
    os.kill(worker.pid, signal.SIGINT)
    worker.send(1)
    assert worker.receive(60) == 3
    worker.send(None)
    worker.process.join(60)
    assert worker.ending == "exit code 0"


@pytest.mark.parametrize("start", STARTS)
def test_a_worker_that_cannot_be_set_up_says_why_and_quotes_nothing(
    start: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for set_up, message in (
        (without_model, "model x: not there"),
        (quoting, r"worker: ValueError at worker_tasks.py:\d+"),
    ):
        failing = Worker("failing", start, set_up)
        with pytest.raises(WorkerError, match=f"^{message}$"):
            failing.receive(60)
        failing.stop()
    assert SECRET not in "".join(capfd.readouterr())
