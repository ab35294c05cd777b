"""Observers in a real run: what they tell agrees with the report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import parts
import pytest

from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.running.observing import EventLog, Memory, Metrics, read_events
from caspipe.pipeline.running.run import run

parser = pytest.importorskip("prometheus_client.openmetrics.parser", reason="needs prometheus_client")


@pytest.mark.slow
def test_events_and_metrics_agree_with_the_report(tmp_path: Path) -> None:
    texts = ["one", "two 22", *(f"number {n}" for n in range(30))]
    pipeline = Pipeline(
        [parts.NumberAnnotator(), parts.CrashingEngine(), parts.TrustingResolver()],
        reader=parts.ListReader(texts=texts, broken=5),
        consumers=[parts.ListConsumer()],
        options=RunOptions(output=tmp_path / "out", workers=0),
    )
    events, metrics, memory = tmp_path / "events.jsonl", tmp_path / "caspipe.prom", Memory()
    report = run(pipeline, observers=[memory, EventLog(events), Metrics(metrics, memory=memory)])
    assert report.documents.quarantined >= 2

    found = list(read_events(events))
    documents = [e for e in found if e["event"] == "document"]
    assert [e["number"] for e in documents] == list(range(1, report.documents.read + 1))
    by_status = Counter(e["status"] for e in documents)
    assert by_status["released"] == report.documents.released
    assert by_status["quarantined"] == report.documents.quarantined
    assert Counter(e["reason"] for e in documents if e["reason"]) == report.reasons
    assert (found[0]["event"], found[-1]["event"]) == ("run_started", "run_ended")
    assert found[-1]["read"] == found[-1]["released"] + found[-1]["quarantined"] + found[-1]["skipped"]

    samples = {
        (s.name, *sorted(s.labels.values())): s.value
        for family in parser.text_string_to_metric_families(metrics.read_text())
        for s in family.samples
    }
    assert samples["caspipe_documents_total", "released"] == report.documents.released
    failures = [value for key, value in samples.items() if key[0] == "caspipe_failures_total"]
    assert sum(failures) == report.documents.quarantined
    assert samples["caspipe_component_seconds_count", "Annotator", "t_numbers"] == report.documents.released + 1
    assert memory.most["run"] > 1_000_000
