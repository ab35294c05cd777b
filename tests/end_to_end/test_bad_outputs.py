"""Bad input, end to end: disks that are full, files in the way, components that fail."""

from __future__ import annotations

import errno
import json
import os
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whole_runs import CONSUMERS, MASKED, NOTE, SECRET, leaks, load, notes, run, whole

from caspipe.pipeline.contract.component import AnalysisEngine, CasConsumer, CollectionReader, component
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import Cas

pytestmark = pytest.mark.filterwarnings("ignore:.*has no key:UserWarning")


@pytest.mark.slow
@pytest.mark.parametrize(
    "blocked",
    ["", "release", "restricted", "release/text", "restricted/xmi", "restricted/html", "release/documents.jsonl/"],
)
def test_a_file_or_folder_in_the_way_is_named_before_or_while_nothing_is_lost(tmp_path: Path, blocked: str) -> None:
    path = tmp_path / "out" / blocked
    if blocked.endswith("/"):
        path.mkdir(parents=True)  # a folder where a file belongs
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("in the way")
    ran = run(tmp_path, {"a.txt": NOTE.encode()})
    assert ran.code == 4
    assert str(path) in ran.said
    assert "expected a folder, but" in ran.said or "cannot write" in ran.said
    assert blocked.endswith("/") or path.read_text() == "in the way"


@pytest.mark.slow
def test_what_holds_original_text_is_its_owners_only(tmp_path: Path) -> None:
    ran = run(tmp_path, {"a.txt": NOTE.encode()}, consumers=["text", "jsonl"], after=["t_failing_engine"])
    assert ran.counts() == (1, 0, 1, 0)
    paths = [ran.out / "restricted", *(ran.out / "restricted").rglob("*")]
    assert len(paths) == 9  # the folders, the ledger and its files, configuration, text, annotations and reason
    assert [p.name for p in paths if p.stat().st_mode & 0o077] == []


@pytest.mark.slow
def test_a_run_that_cannot_begin_leaves_the_files_of_the_run_before(tmp_path: Path) -> None:
    notes(tmp_path)
    assert load(tmp_path).run().exit_code == 0
    before = whole(tmp_path / "out")
    for path in (tmp_path / "out/restricted/html").iterdir():
        path.unlink()
    (tmp_path / "out/restricted/html").rmdir()
    (tmp_path / "out/restricted/html").write_text("in the way")
    with pytest.raises(ConsumerError, match="expected a folder, but"):
        load(tmp_path).run()
    after = whole(tmp_path / "out")
    assert {k: v for k, v in after.items() if "html" not in k} == {k: v for k, v in before.items() if "html" not in k}


class FullDisk:
    """`os.write` (or `os.fsync`) that fails from one call on: for good, or that once."""

    def __init__(self, call: str, at: int, *, for_good: bool = False) -> None:
        self.call, self.at, self.for_good, self.count = getattr(os, call), at, for_good, 0
        self.lock = threading.Lock()  # files are brought onto the disk by several threads

    def __call__(self, fd: int, *data: Any) -> Any:
        if fd > 2:
            with self.lock:
                self.count += 1
                fails = self.count == self.at or (self.for_good and self.count > self.at)
            if fails:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.call(fd, *data)


def calls(folder: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> int:
    """How many such calls a run takes."""
    disk = FullDisk(call, 0)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, disk)
        load(folder, None, "run.workers=0").run()
    return disk.count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "for_good"),
    [("write", True), ("write", False), ("fsync", False)],
    ids=["full", "full for a moment", "full when it counts"],
)
def test_a_disk_that_is_full_at_any_write_leaves_whole_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, for_good: bool
) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    for folder in (good, bad):
        folder.mkdir()
        notes(folder)
    count = calls(good, monkeypatch, call)
    expected = whole(good / "out")
    assert count > 10
    faults = []
    for at in range(1, count + 1):
        with monkeypatch.context() as patch:
            patch.setattr(os, call, FullDisk(call, at, for_good=for_good))
            try:
                report: RunReport | None = load(bad, None, "run.workers=0").run()
            except ConsumerError as error:
                report = None
                assert "No space left on device" in str(error)
                assert SECRET not in str(error)
        faults += [f"{call} {at}: {fault}" for fault in [*leaks(bad / "out"), *halves(bad / "out", expected)]]
        if report is not None:
            account(report, bad / "out")
        for path in sorted((bad / "out").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    assert faults == []


def halves(out: Path, expected: dict[str, bytes]) -> Iterator[str]:
    """Files that are not what a good run makes of them; those about all documents may lack some, as whole lines."""
    for name, data in whole(out).items():
        if name in ("release/documents.jsonl", "release/spans.csv"):
            if not set(data.splitlines(keepends=True)) <= set(expected[name].splitlines(keepends=True)):
                yield f"{name} holds half a line"
        elif name == "restricted/html/index.html":
            if not data.rstrip().endswith(b"</html>"):
                yield f"{name} is cut off"
        elif name == "release/manifest.json":
            json.loads(data)  # whole, with the counts of the run that failed
        elif not name.endswith(".tmp") and data != expected[name]:
            yield f"{name} is not whole"


def account(report: RunReport, out: Path) -> None:
    """Every document is where the report says, and the run has ended: the next document would have met the same."""
    d = report.documents
    assert d.read == d.released < 2 or not report.stopped
    assert report.exit_code == (4 if report.stopped else 0)
    assert "No space left" in report.stopped or d.released == 2
    assert len(list((out / "release/text").glob("*.txt"))) == d.released
    assert len((out / "release/documents.jsonl").read_bytes().splitlines()) == d.released
    assert not report.failures


@component("t_bad_consumer")
class BadConsumer(CasConsumer):
    """Fails where told, quoting the document, as other people's code does."""

    when: str = "process"
    """Where it fails."""

    def _maybe(self, when: str) -> None:
        if when == self.when:
            raise ValueError(NOTE)

    def open(self) -> None:
        super().open()
        self._maybe("open")

    def process(self, cas: Cas) -> None:
        if cas.id == "n1":
            self._maybe("process")

    def close(self) -> None:
        self._maybe("close")

    def finish(self, report: RunReport) -> None:
        self._maybe("finish")


@component("t_failing_engine")
class FailingEngine(AnalysisEngine):
    """Fails on every document."""

    def process(self, cas: Cas) -> None:
        raise KeyError(cas.text)


@component("t_bad_engine")
class BadEngine(AnalysisEngine):
    """Fails on one document, quoting it, after it half did its work."""

    def process(self, cas: Cas) -> None:
        if cas.id == "n1":
            cas.drop_view("deidentified")
            cas.create_view("deidentified", cas.text)
            raise KeyError(cas.text)


@component("t_bad_reader")
class BadReader(CollectionReader):
    """Fails after its first document, quoting it."""

    folder: Path | None = None
    """Not used."""

    def __iter__(self) -> Iterator[Cas]:
        yield Cas(NOTE, id="n0")
        raise ValueError(NOTE)


@pytest.mark.slow
def test_a_reader_that_fails_in_the_middle_ends_the_run_and_says_who_and_no_text(tmp_path: Path) -> None:
    ran = run(tmp_path, {}, reader="t_bad_reader")
    assert ran.code == 4
    assert "reader/t_bad_reader: ValueError" in ran.said
    assert ran.counts() == (1, 1, 0, 0)
    assert ran.released("n0").decode() == MASKED


@component("t_warning_engine")
class WarningEngine(AnalysisEngine):
    """Warns with the text of the document, as libraries do."""

    def process(self, cas: Cas) -> None:
        warnings.warn(cas.text, RuntimeWarning, stacklevel=1)
        warnings.warn(cas.text, UserWarning, stacklevel=1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore:.*:UserWarning")
def test_warnings_of_other_peoples_code_are_told_without_their_text(tmp_path: Path) -> None:
    notes(tmp_path, 5)
    ran = run(tmp_path, {}, after=["t_warning_engine"])
    assert (ran.code, ran.counts()) == (0, (5, 5, 0, 0))
    assert ran.said.count("UserWarning") <= 1


@pytest.mark.slow
def test_an_engine_that_fails_half_way_releases_nothing_of_that_document(tmp_path: Path) -> None:
    notes(tmp_path)
    ran = run(tmp_path, {}, after=["t_bad_engine"])
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    assert ran.failures()[0]["message"].startswith("t_bad_engine: KeyError")
    assert sorted(p.stem for p in ran.out.rglob("n*.*")) == ["n0"] * 3
    assert (ran.out / "restricted/quarantine/000002.txt").read_text().startswith(NOTE)


@pytest.mark.slow
def test_a_consumer_that_fails_in_the_middle_takes_the_document_back_everywhere(tmp_path: Path) -> None:
    notes(tmp_path)
    ran = run(tmp_path, {}, consumers=[*CONSUMERS, "t_bad_consumer"])
    assert (ran.code, ran.counts()) == (3, (2, 1, 1, 0))
    assert ran.failures()[0]["message"].startswith("consumers/t_bad_consumer: ValueError")
    assert not list(ran.out.rglob("n1.*"))
    assert b'"n1"' not in (ran.out / "release/documents.jsonl").read_bytes()
    assert b"n1," not in (ran.out / "release/spans.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("when", ["open", "close", "finish"])
def test_a_consumer_that_fails_at_the_ends_says_who_and_no_text(tmp_path: Path, when: str) -> None:
    notes(tmp_path)
    ran = run(tmp_path, {}, consumers=[*CONSUMERS, {"t_bad_consumer": {"when": when}}])
    assert ran.code == 4
    assert "t_bad_consumer: ValueError" in ran.said
