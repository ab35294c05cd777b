"""Metrics: read back by the parsers of Prometheus's own client, and free of ids."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.contract.report import ComponentStats, Documents, RunReport, Timings
from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.running.observing import Memory, Metrics, metrics
from caspipe.pipeline.running.observing.metrics import Exposition
from caspipe.pipeline.running.runners.events import DocumentEvent, WorkerEvent
from caspipe.typesystem import CaspipeWarning

parser = pytest.importorskip("prometheus_client.openmetrics.parser", reason="needs prometheus_client")
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def run_report() -> RunReport:
    names, crf = ComponentStats("regex/names", "Annotator"), ComponentStats("crf", "Annotator", errors=1)
    for milliseconds in (0.2, 3.0, 7.0, 700.0):
        names.add(milliseconds / 1000)
    return RunReport(
        name='de"id\\\n',
        documents=Documents(10, 7, 2, 1),
        components=[names, crf],
        versions={"caspipe": "0.1.0"},
        characters=12345,
        attempts=2,
        reused=1,
        fingerprint="abc",
        seconds=12.5,
        warnings=["document Featherstone: left out"],
        workers=2,
    )


def watched(path: Path, **options: object) -> Metrics:
    observer = Metrics(path, **options)  # type: ignore[arg-type]
    observer.started(run_report(), 40)
    observer.worker(WorkerEvent(1, 0, "started"))
    observer.worker(WorkerEvent(2, 0, "started"))
    observer.worker(WorkerEvent(2, 0, "crashed", "SIGSEGV", 77))
    observer.document(DocumentEvent(1, "released"))
    observer.document(DocumentEvent(2, "quarantined", "crash", "crf"))
    observer.document(DocumentEvent(3, "quarantined", "crash", "crf"))
    return observer


def samples(data: bytes) -> Samples:
    found: Samples = {}
    for family in parser.text_string_to_metric_families(data.decode()):
        for s in family.samples:
            key = s.name, tuple(sorted(s.labels.items()))
            assert key not in found
            found[key] = s.value
    return found


def test_openmetrics_reads_what_the_run_did(tmp_path: Path) -> None:
    path = tmp_path / "metrics" / "caspipe.prom"
    watched(path, queue=lambda: 5).ended(run_report())
    data = path.read_bytes()
    assert data.endswith(b"\n# EOF\n")
    found = samples(data)
    about = {"name": 'de"id\\\n', "code": "0.1.0", "fingerprint": "abc", "shard": ""}
    assert found["caspipe_run_info", tuple(sorted(about.items()))] == 1
    assert found["caspipe_run_active", ()] == 0
    assert found["caspipe_run_seconds", ()] == 12.5
    for status, n in (("released", 7), ("quarantined", 2), ("skipped", 1)):
        assert found["caspipe_documents_total", (("status", status),)] == n
    assert found["caspipe_documents_expected", ()] == 40
    assert found["caspipe_failures_total", (("component", "crf"), ("reason", "crash"))] == 2
    assert found["caspipe_characters_total", ()] == 12345
    assert found["caspipe_retries_total", ()] == 2
    assert found["caspipe_reused_total", ()] == 1
    assert found["caspipe_workers", ()] == 1
    assert found["caspipe_worker_ends_total", (("what", "crashed"),)] == 1
    assert found["caspipe_queue_documents", ()] == 5
    assert found["caspipe_resident_bytes", (("process", "run"),)] > 1_000_000
    assert found["caspipe_resident_peak_bytes", (("process", "worker 2"),)] == 77
    names = ("component", "regex/names"), ("role", "Annotator")
    assert found["caspipe_component_seconds_count", names] == 4
    assert found["caspipe_component_seconds_sum", names] == pytest.approx(0.7102)
    assert found["caspipe_component_longest_seconds", names] == 0.7
    for edge, n in (("0.0001", 0), ("0.00025", 1), ("0.005", 2), ("0.01", 3), ("0.5", 3), ("1.0", 4), ("+Inf", 4)):
        assert found["caspipe_component_seconds_bucket", (names[0], ("le", edge), names[1])] == n
    assert found["caspipe_component_errors_total", (("component", "crf"), ("role", "Annotator"))] == 1


def test_the_older_text_format_reads_it_too(tmp_path: Path) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    watched(tmp_path / "m").ended(run_report())
    text = (tmp_path / "m").read_text()
    older = {
        (s.name, tuple(sorted(s.labels.items()))): s.value
        for f in text_string_to_metric_families(text)
        for s in f.samples
    }
    assert older == samples(text.encode())
    kinds = {line.split()[3] for line in text.splitlines() if line.startswith("# TYPE")}
    assert kinds == {"counter", "gauge", "histogram"}


def test_no_label_names_a_document(tmp_path: Path) -> None:
    watched(tmp_path / "m").ended(run_report())
    assert "Featherstone" not in (tmp_path / "m").read_text()


def test_the_file_is_written_at_the_start_now_and_then_and_at_the_end(tmp_path: Path) -> None:
    path, report = tmp_path / "m", run_report()
    observer = Metrics(path)
    observer.started(report, None)
    assert samples(path.read_bytes())["caspipe_run_active", ()] == 1
    path.unlink()
    for _ in range(100):
        observer.tick(report, None)
    assert not path.exists()
    observer._written -= metrics.EVERY
    observer.tick(report, 50)
    assert samples(path.read_bytes())["caspipe_documents_expected", ()] == 50
    observer.ended(report)
    assert samples(path.read_bytes())["caspipe_run_active", ()] == 0
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_folder_that_cannot_be_written_is_told_at_once_and_later_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConsumerError, match="is a file"):
        Metrics(tmp_path / "file" / "m").started(run_report(), None)
    folder = tmp_path / "there"
    observer = Metrics(folder / "m")
    observer.started(run_report(), None)
    (folder / "m").unlink()
    folder.rmdir()
    with pytest.warns(CaspipeWarning, match="cannot write.*; the run continues without these metrics$") as told:
        observer.ended(run_report())
        observer.ended(run_report())
    assert len(told) == 1


def test_a_memory_that_is_shared_is_not_fed_twice(tmp_path: Path) -> None:
    shared = Memory()
    observer = Metrics(tmp_path / "m", memory=shared)
    observer.worker(WorkerEvent(1, 0, "crashed", resident=5))
    assert shared.most == {}


@given(st.text(st.characters(codec=None)), st.floats(allow_nan=False))
def test_any_label_and_number_come_back(value: str, n: float) -> None:
    out = Exposition()
    out.gauge("a", 'b\\\n"c"', [({"x": value}, n)])
    (family,) = parser.text_string_to_metric_families(bytes(out).decode())
    (sample,) = family.samples
    assert sample.labels["x"] == value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert sample.value == n
    assert family.documentation == 'b\\\n"c"'


def test_buckets_agree_with_the_durations_to_five_percent() -> None:
    draw, timings = random.Random(1), Timings()
    durations = [math.exp(draw.uniform(-11, 5)) for _ in range(3000)]
    for seconds in durations:
        timings.add(seconds)
    found = metrics.buckets(timings)
    assert [edge for edge, _ in found] == [*metrics.EDGES, math.inf]
    for edge, n in found:
        assert sum(d <= edge / 1.06 for d in durations) <= n <= sum(d <= edge * 1.06 for d in durations)
    assert found[-1][1] == 3000
