"""Documents that fail, in every place and by every cause: kept aside, and nothing of them anywhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import parts
import pytest
import running

from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.contract.handle import Handle
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas

SECRET = running.SECRET


def note(deed: str) -> str:
    return f"{SECRET} 123 do={deed}"


def everywhere(folder: Path, text: str) -> list[str]:
    """Files that hold a text, outside of quarantine."""
    found = [p for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]
    return sorted(p.relative_to(folder).as_posix() for p in found if "quarantine" not in p.parts)


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["exits", "finishes", "quotes", "interrupts"])
def test_what_is_raised_beside_exceptions_brings_one_document_down_and_quotes_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], deed: str
) -> None:
    notes = running.notes(tmp_path / "notes", {"a": "number 1", "b": note(deed), "c": "number 3"})
    report, seen = running.run(tmp_path / "out", notes, "run.workers=2", "run.retries=0")
    assert set(seen.statuses().values()) == {"released", seen.statuses()[2]}
    assert (report.documents.released, report.documents.quarantined) == (2, 1)
    assert seen.statuses()[2] != "released"
    told = capfd.readouterr()
    assert SECRET not in told.err + told.out
    assert (tmp_path / "out/restricted/quarantine/000002.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["exits", "finishes", "quotes"])
def test_what_is_raised_beside_exceptions_does_not_end_a_run_without_workers(tmp_path: Path, deed: str) -> None:
    notes = running.notes(tmp_path / "notes", {"a": "number 1", "b": note(deed), "c": "number 3"})
    _, seen = running.run(tmp_path / "out", notes)
    assert seen.statuses() == {1: "released", 2: "crash", 3: "released"}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_component_that_fails_the_first_time_may_have_a_second_one(tmp_path: Path, workers: int) -> None:
    notes = running.notes(tmp_path / "notes", {"a": "number 1", "b": "do=fails 2", "c": "number 3"})
    engines = f"[{{trouble: {{mark: {json.dumps(str(tmp_path / 'mark'))}}}}}, resolver, masker]"
    given = [f"run.workers={workers}", "run.retry_on=[error]"]
    report, seen = running.run(tmp_path / "out", notes, *given, engines=engines)
    assert (report.documents.released, report.attempts) == (3, 1)
    assert {e.number: e.attempts for e in seen.events} == {1: 1, 2: 2, 3: 1}
    running.run(tmp_path / "whole", notes, engines=engines)
    assert running.files(tmp_path / "out") == running.files(tmp_path / "whole")


@pytest.mark.slow
def test_a_component_that_always_fails_is_tried_as_often_as_asked(tmp_path: Path) -> None:
    notes = running.notes(tmp_path / "notes", {"b": "do=fails 2"})
    for workers in (0, 1):
        given = [f"run.workers={workers}", "run.retry_on=[error]", "run.retries=3"]
        report, seen = running.run(tmp_path / "out", notes, *given)
        assert (report.attempts, seen.events[0].attempts, report.documents.quarantined) == (3, 4, 1)


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["seconds", "component_seconds"])
def test_a_slow_document_is_found_out_between_components(tmp_path: Path, limit: str) -> None:
    notes = running.notes(tmp_path / "notes", {"a": "number 1", "b": note("dawdles")})
    report, seen = running.run(tmp_path / "out", notes, f"run.limits.{limit}=0.2")
    assert seen.statuses() == {1: "released", 2: "time"}
    assert report.failures[0].message == "trouble: TimeLimitError: took longer than its limit of 0.2 s"
    assert not everywhere(tmp_path / "out", SECRET)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_stop_ends_at_the_first_failure_and_skip_at_none(tmp_path: Path, workers: int) -> None:
    texts = {f"n{n}": "do=fails 1" if n in (2, 4) else f"number {n}" for n in range(6)}
    notes = running.notes(tmp_path / "notes", texts)
    report, seen = running.run(tmp_path / "stop", notes, f"run.workers={workers}", "run.on_error=stop")
    assert (report.exit_code, seen.statuses()) == (4, {1: "released", 2: "released", 3: "error"})
    assert sorted(running.files(tmp_path / "stop")) == [
        "release/documents.jsonl",
        "release/manifest.json",
        "release/text/n0.txt",
        "release/text/n1.txt",
        "restricted/quarantine/000003.cas",
        "restricted/quarantine/000003.json",
        "restricted/quarantine/000003.txt",
    ]
    report, _ = running.run(tmp_path / "skip", notes, f"run.workers={workers}", "run.on_error=skip")
    assert (report.exit_code, report.documents.skipped, report.documents.released) == (3, 2, 4)
    assert not [name for name in running.files(tmp_path / "skip") if "quarantine" in name]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_max_errors_is_the_most_that_may_fail(tmp_path: Path, workers: int) -> None:
    texts = {f"n{n}": "do=fails 1" if n % 2 else f"number {n}" for n in range(8)}
    notes = running.notes(tmp_path / "notes", texts)
    report, _ = running.run(tmp_path / "out", notes, f"run.workers={workers}", "run.max_errors=4")
    assert (report.exit_code, report.documents.read) == (3, 8)
    report, _ = running.run(tmp_path / "out", notes, f"run.workers={workers}", "run.max_errors=3")
    assert (report.exit_code, report.documents.read) == (4, 8)
    assert report.stopped == "4 documents failed: more than max_errors 3"
    report, _ = running.run(tmp_path / "out", notes, f"run.workers={workers}", "run.max_errors=0")
    assert (report.documents.read, report.stopped) == (2, "1 documents failed: more than max_errors 0")


def failing(pattern: str, out: Path, **options: Any) -> Any:
    """A run over a document for each letter; `x` is one that fails."""
    texts = ["two" if c == "x" else "one" for c in pattern]
    made = Pipeline(
        [parts.NumberAnnotator(), parts.CrashingEngine(), parts.TrustingResolver()],
        reader=parts.ListReader(texts=texts),
        options=RunOptions(output=out, workers=0, **options),
    )
    return made.run()


@pytest.mark.slow
def test_a_window_of_errors_holds_exactly_its_documents(tmp_path: Path) -> None:
    spread = "." * 20 + "x....x....x"
    assert failing(spread, tmp_path, error_window=5, max_error_rate=0.2).stopped == ""
    near = "." * 20 + "x...x"
    report = failing(near, tmp_path, error_window=5, max_error_rate=0.2)
    assert report.stopped == "2 of the last 5 documents failed: more than max_error_rate 0.2"
    assert failing(near, tmp_path, error_window=4, max_error_rate=0.25).stopped == ""
    assert failing("." * 20 + "x", tmp_path, error_window=1, max_error_rate=0.99).stopped
    assert failing("." * 100 + "xxx", tmp_path, error_window=None, max_error_rate=0.1).stopped == ""
    assert failing("." * 18 + "x.", tmp_path, max_error_rate=0).stopped == ""
    assert failing("." * 19 + "x", tmp_path, max_error_rate=0).stopped
    assert failing("x" * 20 + "." * 20, tmp_path, error_window=50, max_error_rate=1).stopped == ""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_limit_counts_documents_that_cannot_be_read_too(tmp_path: Path, workers: int) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"id": "a", "text": "1"}\n{\n{\n{\n{"id": "b", "text": "2"}\n{"id": "c", "text": "3"}\n')
    reader = f"{{jsonl: {{files: {json.dumps(str(file))}}}}}"
    for limit in range(1, 7):
        report, seen = running.run(tmp_path / "out", reader, f"run.limit={limit}", f"run.workers={workers}")
        assert report.documents.read == limit
        assert [e.number for e in seen.events] == list(range(1, limit + 1))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_limit_goes_with_workers_and_failures(tmp_path: Path, workers: int) -> None:
    texts = {f"n{n:02d}": "do=fails 1" if n % 3 == 0 else f"number {n}" for n in range(20)}
    notes = running.notes(tmp_path / "notes", texts)
    report, _ = running.run(tmp_path / "out", notes, "run.limit=10", f"run.workers={workers}")
    d = report.documents
    assert (d.read, d.released, d.quarantined, report.stopped, report.exit_code) == (10, 6, 4, "limit", 3)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("half", ["prepare", "commit"])
def test_nothing_stays_of_a_document_that_one_consumer_cannot_write(tmp_path: Path, half: str, workers: int) -> None:
    texts = {name: f"Patient {name} Zebedee has number 77" for name in ("a", "b", "c")}
    texts["b"] = "Marmaduke has number 88"
    notes = running.notes(tmp_path / "notes", texts)
    consumers = f"[text, jsonl, html, xmi, csv, {{halves: {{fail_in: {half}, on: b}}}}, brat, report]"
    out = tmp_path / "out"
    report, seen = running.run(out, notes, f"run.workers={workers}", consumers=consumers)
    assert seen.statuses() == {1: "released", 2: "error", 3: "released"}
    assert report.failures[0].message.startswith("consumers/halves: ValueError at troubles.py:")
    assert not everywhere(out, "Marmaduke")
    assert not list(out.rglob("*.tmp"))
    assert not list(out.rglob("b.*"))
    assert (out / "restricted/quarantine/000002.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_the_text_of_a_document_that_no_consumer_could_place_is_kept(tmp_path: Path, workers: int) -> None:
    notes = running.notes(tmp_path / "notes", {"b": "Marmaduke has number 88"})
    consumers = "[text, {halves: {fail_in: commit, on: b}}]"
    running.run(tmp_path / "out", notes, f"run.workers={workers}", consumers=consumers)
    assert (tmp_path / "out/restricted/quarantine/000001.txt").read_text() == "Marmaduke has number 88"


class Whole(parts.ListConsumer):  # type: ignore[misc]
    def process(self, cas: Cas) -> None:
        super().process(cas)
        if cas.text.startswith("two"):
            raise ValueError(SECRET)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_consumer_that_is_not_split_takes_a_document_back_from_those_that_are(tmp_path: Path, workers: int) -> None:
    made = running.pipeline(tmp_path / "out", "", f"run.workers={workers}")
    made.reader = parts.ListReader()
    made.consumers.append(Whole())
    report = made.run()
    assert report.documents.quarantined == 1
    assert not [p for p in (tmp_path / "out/release").rglob("*") if "doc2" in p.name or p.suffix == ".tmp"]
    assert b"doc2" not in (tmp_path / "out/release/documents.jsonl").read_bytes()
    assert (tmp_path / "out/restricted/quarantine/000002.txt").read_text() == "two 22"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_stops_leaves_no_temporary_file_without_a_ledger_either(tmp_path: Path, workers: int) -> None:
    texts = {f"n{n:02d}": f"number {n}" for n in range(60)} | {"n01": "do=fails 1", "n02": "do=dawdles 1"}
    notes = running.notes(tmp_path / "notes", texts)
    given = [f"run.workers={workers}", "run.on_error=stop", "run.ledger=false"]
    report, _ = running.run(tmp_path / "out", notes, *given)
    assert report.exit_code == 4
    assert not [p.name for p in (tmp_path / "out").rglob("*.tmp")]


class Breaking(parts.ListReader):  # type: ignore[misc]
    """Breaks down in the middle, with handles or without."""

    handled = False

    def handles(self) -> Iterator[Handle] | None:
        return self._handles() if self.handled else None

    def _handles(self) -> Iterator[Handle]:
        for n, _ in enumerate(self.texts, 1):
            if n == 3:
                raise ValueError(SECRET)
            yield Handle(f"doc{n}", n)

    def load(self, handle: int) -> Cas:
        return Cas(self.texts[handle - 1], id=f"doc{handle}")

    def __iter__(self) -> Iterator[Cas]:
        for n, cas in enumerate(super().__iter__(), 1):
            if n == 3:
                raise ValueError(SECRET)
            yield cas


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("handled", [False, True])
def test_a_reader_that_breaks_down_in_the_middle_ends_the_run_after_what_came_before(
    tmp_path: Path, workers: int, handled: bool
) -> None:
    made = running.pipeline(tmp_path / "out", "", f"run.workers={workers}")
    made.reader = Breaking(texts=["1", "2", "3", "4"])
    made.reader.handled = handled
    report = made.run()
    assert report.stopped.startswith("reader/t_reader: ValueError at test_failures.py:")
    assert (report.documents.released, report.exit_code) == (2, 4)
    assert sorted(running.files(tmp_path / "out")) == [
        "release/documents.jsonl",
        "release/manifest.json",
        "release/text/doc1.txt",
        "release/text/doc2.txt",
    ]


@pytest.mark.slow
def test_two_consumers_of_one_kind_have_names_of_their_own(tmp_path: Path) -> None:
    from caspipe.pipeline.contract import registry

    text = registry.find("text", "consumer")
    for resume in (False, True):
        made = running.pipeline(tmp_path / "out", "", consumers="[]")
        made = Pipeline(
            made.engines,
            reader=parts.ListReader(),
            consumers=[text(folder=Path("release/a")), text(folder=Path("release/b"))],  # type: ignore[call-arg]
            options=RunOptions(output=tmp_path / "out", workers=0, resume=resume, names="id"),
        )
        report = made.run()
        assert report.documents.released == 3
    assert report.reused == 3
    assert len(running.files(tmp_path / "out")) == 7  # with the manifest


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_a_file_that_cannot_have_its_name_takes_those_beside_it_back(tmp_path: Path, workers: int) -> None:
    notes = running.notes(tmp_path / "notes", {name: f"Patient {name}, number 77" for name in ("a", "b", "c")})
    out = tmp_path / "out"
    (out / "restricted/brat/b.ann").mkdir(parents=True)
    (out / "restricted/brat/b.ann/mine").touch()
    report, seen = running.run(out, notes, f"run.workers={workers}", consumers="[text, brat, jsonl]")
    assert seen.statuses() == {1: "released", 2: "output", 3: "released"}
    assert report.exit_code == 3
    assert sorted(p.name for p in (out / "restricted/brat").iterdir() if p.is_file()) == [
        "a.ann",
        "a.txt",
        "annotation.conf",
        "c.ann",
        "c.txt",
        "visual.conf",
    ]
    assert not (out / "release/text/b.txt").exists()
    assert b'"b"' not in (out / "release/documents.jsonl").read_bytes()
    assert not list(out.rglob("*.tmp"))
