"""A `restricted/` that others can use is closed, one that they control is refused, and nothing that is made is open to all."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import CaspipeError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX systems")
CONFIG = """
reader: {{text: {{folder: {notes}}}}}
engines: [identifiers, resolver, masker]
consumers: [text, {{xmi: {{folder: restricted/xmi}}}}, report]
"""


@pytest.fixture(params=[0o022, 0o000, 0o077], ids=lambda mask: f"umask {mask:03o}")
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(3):
        (folder / f"n{n}.txt").write_text(f"SSN 219-09-999{n}")
    return folder


def run(notes: Path, *overrides: str) -> RunReport:
    out = notes.parent / "out"
    text = CONFIG.format(notes=json.dumps(str(notes)))
    return Pipeline.parse(text, [f"run.output={out}", "run.workers=0", *overrides]).run()


def modes(folder: Path) -> dict[str, int]:
    """Return the bits of others, by path."""
    return {str(p.relative_to(folder)): stat.S_IMODE(p.lstat().st_mode) & 0o077 for p in [folder, *folder.rglob("*")]}


def closed(out: Path) -> None:
    restricted = out / "restricted"
    assert set(modes(restricted).values()) == {0}
    assert not [p for p, mode in modes(out).items() if mode & 0o002]


@pytest.mark.attack("permissions")
def test_nothing_is_open_to_all_whatever_the_umask_is(notes: Path, umask: int) -> None:
    assert run(notes).warnings == []
    out = notes.parent / "out"
    closed(out)
    assert run(notes, "run.resume=true").warnings == []


@pytest.mark.attack("permissions")
@pytest.mark.parametrize("mode", [0o755, 0o777, 0o710, 0o701])
def test_an_open_folder_is_closed_with_all_that_is_in_it_and_that_is_said_once(notes: Path, mode: int) -> None:
    run(notes)
    restricted = notes.parent / "out" / "restricted"
    for path in restricted.rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (restricted / "quarantine").mkdir(mode=0o777)
    (restricted / "quarantine" / "000007.txt").write_text("original")
    restricted.chmod(mode)
    (restricted / "link").symlink_to(notes)
    for resume in ("false", "true"):
        report = run(notes, f"run.resume={resume}")
        expected = f"{restricted}: its mode was {mode:04o}, so others could use it; now it is 0700"
        assert [w for w in report.warnings if "mode" in w] == ([expected] if resume == "false" else [])
        assert stat.S_IMODE(notes.stat().st_mode) == 0o755  # behind the link: not ours
        (restricted / "link").unlink(missing_ok=True)
        closed(notes.parent / "out")


@pytest.mark.attack("permissions")
def test_a_link_in_place_of_the_folder_is_refused(notes: Path) -> None:
    out, other = notes.parent / "out", notes.parent / "other"
    out.mkdir()
    other.mkdir()
    (out / "restricted").symlink_to(other)
    with pytest.raises(
        CaspipeError, match="restricted: expected a folder of its own, found a symbolic link, so others could"
    ):
        run(notes)
    assert not list(other.iterdir())


@pytest.mark.attack("permissions")
@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_an_output_folder_that_all_can_change_is_refused_once_it_has_originals(notes: Path, mode: int) -> None:
    run(notes)
    out = notes.parent / "out"
    out.chmod(mode)
    with pytest.raises(
        CaspipeError, match=f"which every user can change \\(mode {mode:04o}\\).*: chmod o-w {out}, or take"
    ):
        run(notes)
    out.chmod(mode | stat.S_ISVTX)  # as /tmp: nobody can replace what belongs to others
    run(notes)


@pytest.mark.attack("permissions")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
@pytest.mark.parametrize("name", ["restricted", "restricted/quarantine", "restricted/ledger.sqlite"])
def test_what_belongs_to_somebody_else_is_refused(notes: Path, name: str) -> None:
    run(notes)
    (notes.parent / "out" / "restricted" / "quarantine").mkdir(exist_ok=True)
    os.chown(notes.parent / "out" / name, 65534, -1)
    (notes / "bad.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(
        CaspipeError, match=r"expected a (folder|file) of the user 0, found one of 65534, who could read"
    ):
        run(notes, "run.on_error=quarantine")
        raise CaspipeError("the run did not look at it") if name == "restricted/quarantine" else AssertionError


@pytest.mark.attack("permissions")
@pytest.mark.skipif(sys.platform != "linux", reason="modes of links")
def test_a_ledger_elsewhere_is_closed_and_its_folder_is_left_alone(notes: Path) -> None:
    place = notes.parent / "ledgers"
    place.mkdir(mode=0o755)
    ledger = place / "study.sqlite"
    run(notes, f"run.ledger={ledger}")
    ledger.chmod(0o644)
    report = run(notes, f"run.ledger={ledger}")
    assert f"{ledger}: its mode was 0644, so others could use it; now it is 0600" in report.warnings
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    assert {stat.S_IMODE(p.stat().st_mode) for p in place.iterdir()} == {0o600}


@pytest.mark.attack("permissions")
def test_a_restricted_folder_is_closed_from_the_first_moment(notes: Path, umask: int) -> None:
    consumers = "[{jsonl: {file: restricted/masked.jsonl}}]"
    text = f"reader: {{text: {{folder: {notes}}}}}\nengines: [identifiers, masker]\nconsumers: {consumers}\n"
    Pipeline.parse(text, [f"run.output={notes.parent / 'out'}", "run.workers=0", "run.ledger=false"]).run()
    assert stat.S_IMODE((notes.parent / "out" / "restricted").stat().st_mode) == 0o700
