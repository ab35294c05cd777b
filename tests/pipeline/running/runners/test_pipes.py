"""Documents and results between the run's process and its workers: large ones, and those that cannot travel."""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import running

from caspipe.pipeline.contract.component import AnalysisEngine, TwoPhaseConsumer, component
from caspipe.pipeline.contract.output import Output
from caspipe.pipeline.running.runners import backlog
from caspipe.typesystem import Cas


@component("t_sleeper")
class Sleeper(AnalysisEngine):
    """Never comes back from the first document; from a `slow` one late."""

    def process(self, cas: Cas) -> None:
        if cas.id == "endless":
            time.sleep(600)
        if cas.id == "slow":
            time.sleep(2)


@component("t_untravelled")
class Untravelled(TwoPhaseConsumer):
    """Prepares what cannot go to another process."""

    def prepare(self, cas: Cas) -> Any:
        return (lambda: 1) if cas.id == "n1" else 1

    def commit(self, document_id: str, prepared: Any) -> list[Output]:
        return []


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    faulthandler.dump_traceback_later(200, exit=True)  # what hung would hang the tests
    yield
    faulthandler.cancel_dump_traceback_later()


def documents(folder: Path, sizes: dict[str, int]) -> str:
    """A reader without handles: its documents travel."""
    file = running.records(folder / "in.jsonl", [(i, f"number 1 {'word ' * (size // 5)}") for i, size in sizes.items()])
    return f"{{jsonl: {{files: {file}}}}}"


@pytest.mark.slow
@pytest.mark.parametrize(("size", "count", "workers"), [(5_000, 2_000, 2), (300_000, 12, 2), (700_000, 8, 1)])
def test_documents_and_results_larger_than_any_buffer_pass_each_other(
    tmp_path: Path, size: int, count: int, workers: int
) -> None:
    reader = documents(tmp_path, {f"n{i}": size for i in range(count)})
    consumers = "[jsonl: {annotations: found, file: restricted/all.jsonl}]"
    report, _ = running.run(tmp_path / "out", reader, f"run.workers={workers}", engines="[]", consumers=consumers)
    assert report.documents.released == count


@pytest.mark.slow
def test_a_limit_is_kept_while_large_documents_wait(tmp_path: Path) -> None:
    reader = documents(tmp_path, {"endless": 300_000, "b": 300_000, "c": 300_000})
    given = ["run.workers=1", "run.limits.seconds=1", "run.retries=0"]
    _, seen = running.run(tmp_path / "out", reader, *given, engines="[t_sleeper, trouble, resolver, masker]")
    assert seen.statuses() == {1: "time", 2: "released", 3: "released"}


@pytest.mark.slow
def test_a_result_that_cannot_travel_is_its_documents_failure(tmp_path: Path) -> None:
    notes = running.notes(tmp_path / "notes", running.texts_of(["n0", "n1", "n2"]))
    report, seen = running.run(tmp_path / "out", notes, "run.workers=1", consumers="[text, t_untravelled]")
    assert seen.statuses() == {1: "released", 2: "error", 3: "released"}
    assert report.failures[0].component == "consumers/t_untravelled"
    kept = (tmp_path / "out/restricted/quarantine/000002.txt").read_text()
    assert kept == running.texts_of(["n0", "n1", "n2"])["n1"]
    assert not list((tmp_path / "out").rglob("*.tmp"))


@pytest.mark.slow
def test_a_worker_that_cannot_give_a_result_back_costs_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "caspipe.pipeline.running.runners.pool_worker.flush_staged", unsettled
    )  # workers are copies of this process
    notes = running.notes(tmp_path / "notes", running.texts_of(["n0", "n1", "n2"]))
    _, seen = running.run(tmp_path / "out", notes, "run.workers=1", "run.start=fork")
    assert seen.statuses() == {1: "released", 2: "crash", 3: "released"}


def unsettled(pipeline: Any, results: list[Any]) -> None:
    if any(result.id == "n1" for result in results):
        raise MemoryError


@pytest.mark.slow
def test_results_that_wait_for_a_slow_document_are_bounded_by_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "_WINDOW_BYTES", 200_000)
    most = 0
    add = backlog.Backlog.add

    def watched(self: backlog.Backlog, result: Any) -> None:
        nonlocal most
        add(self, result)
        most = max(most, sum(waiting.size for waiting in self._results.values()))

    monkeypatch.setattr(backlog.Backlog, "add", watched)
    notes = running.notes(tmp_path / "notes", {"slow": "number 1"} | {f"t{i:03}": "word " * 4_000 for i in range(60)})
    report, _ = running.run(
        tmp_path / "out", notes, "run.workers=2", engines="[t_sleeper, trouble, resolver, masker]", consumers="[jsonl]"
    )
    assert report.documents.released == 61
    assert 100_000 < most < 600_000
