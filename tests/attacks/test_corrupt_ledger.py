"""A ledger that cannot be used: the message names the file and says what is safe, that works, and nothing released is lost."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.report import RunReport
from caspipe.pipeline.errors import CaspipeError, OutputError
from caspipe.pipeline.running.ledger import LedgerReader

DOCUMENTS = 30


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(DOCUMENTS):
        (folder / f"n{n}.txt").write_text(f"SSN 219-09-99{n:02}")
    return folder


def run(notes: Path, *overrides: str) -> RunReport:
    text = f"reader: {{text: {{folder: {json.dumps(str(notes))}}}}}\nengines: [identifiers, resolver, masker]\nconsumers: [text]"
    return Pipeline.parse(text, [f"run.output={notes.parent / 'out'}", "run.workers=0", *overrides]).run()


def released(notes: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (notes.parent / "out" / "release").rglob("*") if p.is_file()}


def truncated(ledger: Path) -> None:
    os.truncate(ledger, ledger.stat().st_size // 2)


def cut_in_a_page(ledger: Path) -> None:
    os.truncate(ledger, ledger.stat().st_size - 700)


def emptied(ledger: Path) -> None:
    os.truncate(ledger, 0)


def text(ledger: Path) -> None:
    ledger.write_text("This is no database.\n" * 400)


def overwritten(ledger: Path) -> None:
    with ledger.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(os.urandom(2048))


def zeroed(ledger: Path) -> None:
    with ledger.open("r+b") as file:
        file.seek(4096)
        file.write(bytes(4096))


def header(ledger: Path) -> None:
    with ledger.open("r+b") as file:
        file.write(bytes(100))


def another(ledger: Path) -> None:
    ledger.unlink()
    with sqlite3.connect(ledger) as database:
        database.executescript("CREATE TABLE patients(name TEXT); PRAGMA user_version = 1;")


def half_made(ledger: Path) -> None:
    with sqlite3.connect(ledger) as database:
        database.execute("DROP TABLE documents")


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "truncated": (truncated, r"a damaged one( \(SQLITE_CORRUPT\w*\))?"),
    "cut in a page": (cut_in_a_page, r"a damaged one( \(SQLITE_CORRUPT\w*\))?"),
    "emptied": (emptied, "an empty file"),
    "text": (text, r"a damaged one \(SQLITE_NOTADB\)"),
    "overwritten": (overwritten, r"a damaged one( \(SQLITE_CORRUPT\w*\))?"),
    "zeroed": (zeroed, r"a damaged one( \(SQLITE_CORRUPT\w*\))?"),
    "header": (header, r"a damaged one \(SQLITE_NOTADB\)"),
    "another": (another, "another database"),
    "half made": (half_made, "an incomplete one"),
}


def settled(ledger: Path) -> None:
    """Move everything from the log into the file, as when all programs have closed it."""
    with sqlite3.connect(ledger) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    database.close()


@pytest.mark.attack("corrupt-ledger")
@pytest.mark.parametrize("place", ["own", "elsewhere"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_with_what_to_do_and_that_works(notes: Path, damage: str, place: str) -> None:
    out = notes.parent / "out"
    elsewhere = [f"run.ledger={notes.parent / 'my ledgers' / 'study.sqlite'}"] if place == "elsewhere" else []
    ledger = notes.parent / "my ledgers" / "study.sqlite" if elsewhere else out / "restricted" / "ledger.sqlite"
    run(notes, *elsewhere)
    before = released(notes)
    settled(ledger)
    function, found = DAMAGES[damage]
    function(ledger)
    broken = ledger.read_bytes()
    for overrides in ([], ["run.resume=true"]):
        with pytest.raises(OutputError) as caught:
            run(notes, *elsewhere, *overrides)
        said = str(caught.value)
        assert re.match(
            f"{re.escape(str(ledger))}: expected a ledger, found {found}. Released files are not touched and stay valid. "
            "Put back a copy of this file and run again with --resume; or run `(.*)` and run again without --resume, which "
            "processes every document again; or take another output folder",
            said,
        )
        assert released(notes) == before
        assert ledger.read_bytes() == broken, "nothing is written into a file that is not ours"
    command = re.search("`(.*)`", said)
    assert command is not None
    subprocess.run(["/bin/sh", "-c", command[1]], check=True)
    if elsewhere:
        lock = re.search(r"also remove (\S+)$", said)
        assert lock is not None
        Path(lock[1]).unlink()
    assert run(notes, *elsewhere).reused == 0
    assert released(notes) == before
    assert run(notes, "run.resume=true", *elsewhere).reused == DOCUMENTS


@pytest.mark.attack("corrupt-ledger")
@pytest.mark.parametrize("damage", DAMAGES)
def test_status_says_the_same(notes: Path, damage: str) -> None:
    run(notes)
    ledger = notes.parent / "out" / "restricted" / "ledger.sqlite"
    settled(ledger)
    DAMAGES[damage][0](ledger)
    broken = ledger.read_bytes()
    with pytest.raises(
        CaspipeError, match=r"ledger\.sqlite: expected a ledger, found .*\. Released files are not touched"
    ):
        LedgerReader.read(ledger)
    assert ledger.read_bytes() == broken


@pytest.mark.attack("corrupt-ledger")
def test_a_newer_ledger_says_so(notes: Path) -> None:
    run(notes)
    ledger = notes.parent / "out" / "restricted" / "ledger.sqlite"
    settled(ledger)
    with sqlite3.connect(ledger) as database:
        database.execute("PRAGMA user_version = 2")
    expected = (
        f"{ledger}: expected a ledger of form 1, found form 2, which a newer caspipe wrote: run that version, or take another "
        "output folder"
    )
    with pytest.raises(OutputError, match=f"^{re.escape(expected)}$"):
        run(notes)


@pytest.mark.attack("corrupt-ledger")
def test_a_damaged_row_is_no_crash(notes: Path) -> None:
    run(notes)
    with sqlite3.connect(notes.parent / "out" / "restricted" / "ledger.sqlite") as database:
        database.execute("UPDATE documents SET outputs = '[[' WHERE number = 7")
    report = run(notes, "run.resume=true")
    assert "expected a ledger, found a damaged one (a document). Released files are not touched" in report.stopped
    assert report.exit_code == 4


@pytest.mark.attack("corrupt-ledger")
@pytest.mark.usefixtures("no_plugins")  # whose files that user may not read
@pytest.mark.skipif(not hasattr(os, "fork") or os.geteuid() != 0, reason="needs root, to become another user")
def test_a_ledger_that_cannot_be_written_says_so(notes: Path) -> None:
    run(notes)
    out = notes.parent / "out"
    for path in [out, *out.rglob("*")]:
        os.chown(path, 65534, 65534)
    (out / "restricted" / "ledger.sqlite").chmod(0o400)
    for path in [*notes.parents][:-1]:
        path.chmod(path.stat().st_mode | 0o055)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgid(65534)
            os.setuid(65534)
            run(notes)
        except BaseException as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    assert re.search(
        r"ledger\.sqlite: cannot use the ledger: SQLITE_READONLY\w*\. Released files are not touched and stay valid\. "
        "To go on, make the file and its folder writable for the user that runs caspipe$",
        said,
    )
