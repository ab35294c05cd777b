"""An output folder is one ledger's, one run's at a time, and what a run that was cut off left unfinished in it goes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import running
from resuming import CONSUMERS, again, first, killed

from caspipe.pipeline.errors import ConsumerError
from caspipe.pipeline.running.ledger import Ledger
from caspipe.pipeline.storage.files import AtomicFile

LEDGER = "restricted/ledger.sqlite"


class Waiting(running.Seen):
    """Waits after the first document."""

    def __init__(self, ready: int, go: int) -> None:
        super().__init__()
        self.ready, self.go = ready, go

    def document(self, event: object) -> None:
        if self.ready >= 0:
            os.write(self.ready, b"1")
            os.read(self.go, 1)
            self.ready = -1


@contextmanager
def under_way(out: Path, notes: Path, *overrides: str) -> Iterator[None]:
    """A run in another process that has done a document and does the others afterwards."""
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
            running.pipeline(out, reader, *overrides, consumers=CONSUMERS).run(observers=[Waiting(ready[1], go[0])])
        finally:
            os._exit(0)
    os.close(ready[1])
    assert os.read(ready[0], 1) == b"1"
    try:
        yield
    finally:
        os.write(go[1], b"1")
        os.waitpid(child, 0)


def ledger(tmp_path: Path, name: str) -> str:
    return f"run.ledger={tmp_path / name}"


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [("a.sqlite", "b.sqlite"), ("", "b.sqlite"), ("a.sqlite", "")])
def test_two_runs_with_ledgers_of_their_own_cannot_write_to_one_folder(
    tmp_path: Path, notes: Path, one: str, other: str
) -> None:
    out = tmp_path / "out"
    given = [[ledger(tmp_path, name)] if name else [] for name in (one, other)]
    told = "another run is writing to this output folder" if other else "written with the ledger"
    with under_way(out, notes, *given[0]), pytest.raises(ConsumerError, match=told):
        running.run(out, notes, *given[1], consumers=CONSUMERS)
    assert again(out, notes, *given[0]) == []


@pytest.mark.slow
def test_a_folder_that_was_written_with_another_ledger_is_refused(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes, ledger(tmp_path, "a.sqlite"))
    before = running.files(out)
    for name in ("b.sqlite", ""):
        for resume in ("true", "false"):
            given = [ledger(tmp_path, name)] if name else []
            told = f"{out}: written with the ledger {tmp_path / 'a.sqlite'}, found {tmp_path / name if name else out / LEDGER}"
            with pytest.raises(ConsumerError, match=re.escape(told)):
                running.run(out, notes, f"run.resume={resume}", *given, consumers=CONSUMERS)
    assert running.files(out) == before
    assert not (out / LEDGER).exists()
    assert again(out, notes, ledger(tmp_path, "a.sqlite")) == []


@pytest.mark.slow
def test_a_folder_with_a_ledger_of_its_own_is_refused_to_another(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes)
    told = f"{out}: written with the ledger {out / LEDGER}, found {tmp_path / 'b.sqlite'}"
    with pytest.raises(ConsumerError, match=re.escape(told)):
        running.run(out, notes, ledger(tmp_path, "b.sqlite"), consumers=CONSUMERS)
    assert not (tmp_path / "b.sqlite").exists()
    assert again(out, notes) == []
    assert again(out, notes, f"run.ledger={out / LEDGER}") == []


@pytest.mark.slow
def test_a_ledger_and_its_folder_may_move(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "kept").mkdir()
    first(tmp_path / "out", notes, ledger(tmp_path, "a.sqlite"))
    (tmp_path / "a.sqlite").rename(tmp_path / "kept/b.sqlite")
    (tmp_path / "out").rename(tmp_path / "moved")
    assert again(tmp_path / "moved", notes, ledger(tmp_path, "kept/b.sqlite")) == []
    (tmp_path / "kept/b.sqlite").rename(tmp_path / "moved" / LEDGER)
    assert again(tmp_path / "moved", notes) == []
    (tmp_path / "moved" / LEDGER).rename(tmp_path / "c.sqlite")
    assert again(tmp_path / "moved", notes, ledger(tmp_path, "c.sqlite")) == []


def test_a_ledger_that_was_made_anew_does_not_take_the_place_of_the_first(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, ledger(tmp_path, "a.sqlite"))
    (tmp_path / "a.sqlite").unlink()
    with pytest.raises(ConsumerError, match="take that ledger, or another output folder"):
        running.run(tmp_path / "out", notes, ledger(tmp_path, "a.sqlite"), consumers=CONSUMERS)


@pytest.mark.slow
def test_the_mark_of_a_ledger_is_private_and_tells_nothing_of_it(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, ledger(tmp_path, "a.sqlite"))
    mark = tmp_path / "out" / f"{LEDGER}.lock"
    assert mark.stat().st_mode & 0o777 == 0o600
    assert mark.parent.stat().st_mode & 0o777 == 0o700
    with Ledger.read(tmp_path / "a.sqlite") as found:
        assert found.salt not in mark.read_bytes()
        assert found.salt.hex() not in mark.read_text()


# -- what was left unfinished -------------------------------------------------------------------------------------------


def left_behind(folder: Path) -> Path:
    """A file that a run was writing when it was killed."""
    folder.mkdir(parents=True, exist_ok=True)
    file = AtomicFile(folder / "thing")
    file.write(b"half a th")
    os.close(file._fd)
    return file.temporary


@pytest.mark.slow
@pytest.mark.parametrize("resume", ["true", "false"])
def test_what_a_killed_run_was_writing_goes_wherever_it_lies(tmp_path: Path, notes: Path, resume: str) -> None:
    out = tmp_path / "out"
    killed(out, notes, 4)
    left = [left_behind(out / name) for name in ("release", "release/text/ward/3", "restricted/quarantine", "own")]
    left.append(out / "restricted/html" / f".staged-{'0' * 16}.tmp")
    left[-1].write_bytes(b"half a th")
    running.run(out, notes, f"run.resume={resume}", consumers=CONSUMERS)
    assert [path for path in left if path.exists()] == []
    assert not list(out.rglob("*.tmp"))


NEAR_MISSES = [
    "release/text/.0123456789abcde.tmp", "release/text/.0123456789abcdef0.tmp", "release/text/.0123456789abcdeF.tmp",
    "release/text/0123456789abcdef.tmp", "release/text/.0123456789abcdef.tmp.txt", "release/text/.staged-mine.tmp",
    "release/text/.mine-0123456789abcdef.tmp", "own/.0123456789abcdef.temp",
]  # fmt: skip


@pytest.mark.slow
def test_files_of_others_that_are_named_alike_stay(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    killed(out, notes, 4)
    for name in NEAR_MISSES:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("mine")
    folder, link, elsewhere = out / f"own/.{'1' * 16}.tmp", out / f"own/.{'2' * 16}.tmp", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    link.symlink_to(elsewhere)
    (out / "linked").symlink_to(elsewhere)
    theirs = left_behind(elsewhere)
    running.run(out, notes, "run.resume=true", consumers=CONSUMERS)
    assert all((out / name).read_text() == "mine" for name in NEAR_MISSES)
    assert folder.is_dir()
    assert link.is_symlink()
    assert theirs.exists()


@pytest.mark.slow
def test_what_another_run_is_writing_in_a_folder_below_stays(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    killed(out, notes, 4)
    with under_way(out / "below", notes), under_way(out, notes, "run.shard=1/2"):
        written = sorted(out.rglob("*.tmp"))
        inner = [path for path in written if path.relative_to(out).parts[0] in ("below", "shards")]
        assert len({path.relative_to(out).parts[0] for path in inner}) == 2
        running.run(out, notes, "run.resume=true", consumers=CONSUMERS)
        assert sorted(out.rglob("*.tmp")) == inner
    assert again(out / "below", notes) == []


@pytest.mark.slow
def test_common_files_of_a_killed_run_are_still_taken_over(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", 0)
    killed(tmp_path / "out", notes, 6)
    assert not (tmp_path / "out/release/documents.jsonl").exists()
    assert again(tmp_path / "out", notes) == [7, 8]
