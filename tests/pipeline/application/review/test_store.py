"""The journal: what was confirmed is there after any crash, and damage is told, not repaired by guessing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.application.review import store
from caspipe.pipeline.application.review.state import ReviewError
from caspipe.pipeline.application.review.store import Journal, annotators, journal_path, parse, read_journal

pytestmark = pytest.mark.server

HEADER = {"annotator": "anna", "between": None}


def begun(path: Path, entries: int = 3) -> bytes:
    journal = Journal(path, HEADER)
    for n in range(1, entries + 1):
        journal.append({"n": n, "op": "accept", "docs": {}})
    journal.close()
    return path.read_bytes()


@given(st.data())
def test_whatever_a_crash_cuts_off_every_whole_entry_is_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("j") / "review" / "anna.jsonl"
    whole = begun(path)
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    entries, length = parse(whole[:cut], path)
    assert whole[:length].count(b"\n") == len(entries) == whole[:cut].count(b"\n")
    journal = Journal(path, HEADER)
    journal.append({"n": 9, "op": "reject", "docs": {}})
    journal.close()
    assert [e["n"] for e in read_journal(path)[1]] == [*(e["n"] for e in entries[1:]), 9]


def test_damage_in_the_middle_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "review" / "anna.jsonl"
    whole = bytearray(begun(path))
    whole[whole.index(b'"n":2') + 4] = ord("7")
    path.write_bytes(whole)
    with pytest.raises(ReviewError, match=r"anna\.jsonl: line 3 is damaged; restore the journal from a copy"):
        Journal(path, HEADER)
    assert path.read_bytes() == bytes(whole)


def test_a_second_process_cannot_write_the_same_journal(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "anna")
    first = Journal(path, HEADER)
    with pytest.raises(ReviewError, match="another review is open for this annotator"):
        Journal(path, HEADER)
    first.close()
    Journal(path, HEADER).close()


def test_an_adjudicator_cannot_go_on_in_another_pair(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "eva")
    Journal(path, {"annotator": "eva", "between": ["anna", "ben"]}).close()
    with pytest.raises(ReviewError, match=r"was created with between \['anna', 'ben'\], expected None"):
        Journal(path, {"annotator": "eva", "between": None})


def test_a_full_disk_is_told_and_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(journal_path(tmp_path, "anna"), HEADER)
    before = journal.path.read_bytes()
    real, calls = os.write, []

    def half(fd: int, data: bytes) -> int:
        calls.append(1)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(fd, bytes(data)[:10])

    monkeypatch.setattr(store.os, "write", half)
    with pytest.raises(ReviewError, match="cannot write: No space left on device"):
        journal.append({"n": 1, "op": "accept", "docs": {}})
    monkeypatch.undo()
    assert journal.path.read_bytes() == before
    journal.append({"n": 1, "op": "reject", "docs": {}})
    journal.close()
    assert [e["op"] for e in read_journal(journal.path)[1]] == ["reject"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_journals_are_for_their_owner_only(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "anna")
    Journal(path, HEADER).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["", "../x", "a/b", "Anna Ruiz", "x" * 41, "ä", ".anna", "anna.b"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ReviewError, match=r"^annotator: expected up to 40 letters"):
        journal_path(tmp_path, name)


def test_who_has_a_journal(tmp_path: Path) -> None:
    assert annotators(tmp_path) == []
    begun(journal_path(tmp_path, "ben"))
    begun(journal_path(tmp_path, "anna"))
    assert annotators(tmp_path) == ["anna", "ben"]


def test_something_else_is_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"")
    with pytest.raises(ReviewError, match="expected a review journal, found no entry"):
        read_journal(path)
    path.write_bytes(store._line({"a": 1}))
    with pytest.raises(ReviewError, match="expected a review journal, found something else"):
        read_journal(path)


def test_what_could_not_be_taken_back_is_taken_back_before_the_next_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(journal_path(tmp_path, "anna"), HEADER)
    real = os.write

    def half(fd: int, data: bytes) -> int:
        real(fd, bytes(data[:20]))
        raise OSError(5, "Input/output error")

    def refused(fd: int, length: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(store.os, "write", half)
    monkeypatch.setattr(store.os, "ftruncate", refused)
    with pytest.raises(ReviewError, match="cannot write: Input/output error"):
        journal.append({"n": 1, "op": "accept", "docs": {}})
    monkeypatch.undo()
    journal.append({"n": 1, "op": "reject", "docs": {}})
    journal.close()
    assert [e["op"] for e in read_journal(journal.path)[1]] == ["reject"]
