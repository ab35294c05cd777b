"""A run that is cut off anywhere goes on where it was: what comes out is what an undisturbed run writes, to the byte."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import OutputError

from . import corpus
from .test_poisoned import released

pytestmark = pytest.mark.server

KILLS = int(os.environ.get("CASPIPE_KILLS", "6"))
"""Times that runs are killed, two times each; `make soak` kills 50 times, in runs of more documents."""
DOCUMENTS = 2_000 if KILLS > 10 else 400

CONFIG = """\
reader: {text: {folder: notes}}
engines: [segmenter, dates, identifiers, names, resolver, masker]
consumers: [text, jsonl, csv, xmi, html, brat, conll, report]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("killed")
    drawn = random.Random("killed")
    (made / "notes").mkdir()
    for n in range(DOCUMENTS):
        (made / "notes" / f"n{n:05d}.txt").write_text(corpus.note(drawn))
    (made / "run.yaml").write_text(CONFIG)
    return made


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> dict[str, bytes]:
    assert subprocess.run(call("whole", "--workers", "0"), cwd=folder, check=False).returncode == 0
    return released(folder / "whole")


def call(out: str, *arguments: str) -> list[str]:
    program = [sys.executable, "-m", "caspipe.pipeline.application.cli.main"]
    return [*program, "run", "run.yaml", "-q", "--set", f"run.output={out}", *arguments]


@pytest.mark.parametrize("seed", range((KILLS + 1) // 2))
def test_a_run_killed_anywhere_ends_with_the_same_bytes(folder: Path, undisturbed: dict[str, bytes], seed: int) -> None:
    drawn = random.Random(f"kill {seed}")
    out = folder / f"out{seed}"
    kills = 0
    while True:
        arguments = ["--workers", "2", *(["--resume"] if kills else [])]
        run = subprocess.Popen(call(out.name, *arguments), cwd=folder, start_new_session=True)
        ready = out / "restricted" / "ledger.sqlite"
        share = drawn.random()
        try:
            if kills == 2:
                assert run.wait(timeout=300) == 0
                break
            _wait_until(partial(_far, out, share * len(undisturbed), run))
            if run.poll() is None:
                os.kill(run.pid, signal.SIGKILL)
                kills += 1
            else:
                break
        finally:
            run.kill()
            run.wait()
    assert ready.exists()
    assert released(out) == undisturbed
    shutil.rmtree(out)


def _progress(out: Path) -> int:
    """Files so far: a measure of how far the run is that does not disturb it."""
    return sum(len(names) for _, _, names in os.walk(out))


def _far(out: Path, files: float, run: subprocess.Popen[bytes]) -> bool:
    return _progress(out) > files or run.poll() is not None


def _wait_until(happened: Callable[[], bool], timeout: float = 200.0) -> None:
    end = time.monotonic() + timeout
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes; skips where none can be had."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("needs to mount a file system: not root, or no mount")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False)


def test_a_full_disk_ends_the_run_and_more_room_lets_it_go_on(
    folder: Path, undisturbed: dict[str, bytes], small_disk: Path
) -> None:
    first = subprocess.run(call(str(small_disk), "-w", "2"), cwd=folder, check=False, capture_output=True, text=True)
    assert first.returncode == 4, first.stdout + first.stderr
    assert "No space left on device" in first.stdout + first.stderr or "SQLITE_FULL" in first.stdout + first.stderr
    assert corpus.SECRET not in first.stdout + first.stderr
    subprocess.run(["mount", "-o", "remount,size=500m", str(small_disk)], check=True)
    second = subprocess.run(call(str(small_disk), "-w", "2", "--resume"), cwd=folder, check=False)
    assert second.returncode == 0
    assert released(small_disk) == undisturbed


@pytest.mark.parametrize("after", [3, 150, 700])
def test_a_folder_that_becomes_read_only_ends_the_run_and_it_goes_on_later(
    folder: Path, undisturbed: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.chdir(folder)
    out, opened, left = tmp_path / "out", os.open, iter(range(after))

    def refusing(path: object, flags: int, *rest: object, **more: object) -> int:
        inside = str(path).startswith(str(out)) and flags & os.O_CREAT and "ledger" not in str(path)
        if inside and next(left, None) is None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *rest, **more)  # type: ignore[arg-type]

    def run(*overrides: str) -> RunReport:
        given = [f"run.output={out}", "run.workers=0", *overrides]
        return Pipeline.load("run.yaml", given).run()

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing)
        if after == 3:  # not even the run's own files can be made
            with pytest.raises(OutputError, match="Read-only file system"):
                run()
        else:
            report = run()
            assert report.exit_code == 4
            assert "Read-only file system" in report.stopped
            assert report.documents.read == report.documents.released < DOCUMENTS
    assert run("run.resume=true").exit_code == 0
    assert released(out) == undisturbed
