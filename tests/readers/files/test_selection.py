"""Selection of files: stable order, clear ids, no files outside the folder, no file left out silently."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.files.selection import select_files, select_folder, without_duplicates


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name in (
        "b.txt",
        "a.txt",
        "ward/c.txt",
        "ward/deep/d.v2.txt",
        "ward/x.xml",
        "z.txt.gz",
        ".hidden.txt",
        ".git/e.txt",
    ):
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path / "notes"


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        ("*.txt", ["a", "b", "ward/c", "ward/deep/d.v2", "z"]),
        ("./*.txt", ["a", "b", "z"]),
        ("ward/*.txt", ["ward/c"]),
        ("ward/**/*.txt", ["ward/c", "ward/deep/d.v2"]),
        ("**/d*", ["ward/deep/d.v2"]),
        ("*.xml", ["ward/x"]),
        ("*.gz", ["z"]),
        (".*.txt", [".hidden"]),
        ("[ab].txt", ["a", "b"]),
    ],
)
def test_a_pattern_selects_files_in_a_stable_order(notes: Path, pattern: str, ids: list[str]) -> None:
    assert [s.id for s in select_folder(notes, pattern, (".txt",))] == ids


def test_the_order_does_not_depend_on_the_file_system(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = select_folder(notes, "*", ())
    scandir = os.scandir

    class Reversed:
        def __init__(self, path: str) -> None:
            with scandir(path) as entries:
                self.entries = sorted(entries, key=lambda e: e.name, reverse=True)

        def __enter__(self) -> Iterator[Any]:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Reversed)
    assert select_folder(notes, "*", ()) == expected


def test_an_id_keeps_what_is_no_suffix_of_the_reader(tmp_path: Path) -> None:
    for name in ("note.1", "note.2", "scan.txt"):
        (tmp_path / name).write_text("")
    assert [s.id for s in select_folder(tmp_path, "*", (".txt",))] == ["note.1", "note.2", "scan"]


def test_listed_files_keep_their_order_and_wildcards_stand_for_all_that_match(notes: Path) -> None:
    files = [notes / "b.txt", notes / "ward" / "*.txt", notes / "*.txt"]
    assert [s.id for s in select_files(files, None, (".txt",))] == ["b", "c", "a", "z"]
    assert [s.id for s in select_files(files, notes, (".txt",))] == ["b", "ward/c", "a", "z"]


def test_a_file_whose_name_has_a_bracket_is_no_wildcard(tmp_path: Path) -> None:
    (tmp_path / "a[1].txt").write_text("")
    assert [s.id for s in select_files([tmp_path / "a[1].txt"], None, (".txt",))] == ["a[1]"]


def test_a_listed_file_outside_the_folder_is_refused(notes: Path) -> None:
    (notes.parent / "other.txt").write_text("")
    for path in (notes.parent / "other.txt", notes / ".." / "other.txt"):
        with pytest.raises(ReaderError, match="is not in"):
            select_files([path], notes, (".txt",))
    (notes / "link.txt").symlink_to(notes.parent / "other.txt")
    with pytest.raises(ReaderError, match="is not in"):
        select_files([notes / "link.txt"], notes, (".txt",))


def test_links_that_leave_the_folder_are_faults_and_links_inside_are_not(notes: Path) -> None:
    outside = notes.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("")
    (notes / "l1.txt").symlink_to(outside / "secret.txt")
    (notes / "l2").symlink_to(outside)
    (notes / "l3.txt").symlink_to(notes / "a.txt")
    (notes / "l4").symlink_to(notes / "ward")
    (notes / "l5.xml").symlink_to(outside / "secret.txt")
    found = {s.id: s.fault for s in select_folder(notes, "*.txt", (".txt",))}
    assert {i for i, fault in found.items() if fault} == {"l1", "l2/"}
    assert set(found) == {"a", "b", "l1", "l2/", "l3", "ward/c", "ward/deep/d.v2", "z"}


def test_a_link_in_a_circle_ends(notes: Path) -> None:
    (notes / "ward" / "up").symlink_to(notes)
    assert len(select_folder(notes, "*.txt", (".txt",))) == 5


def test_a_folder_that_cannot_be_listed_is_a_fault(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if str(path).endswith("deep"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = {s.id: s.fault for s in select_folder(notes, "*.txt", (".txt",))}
    assert found["ward/deep/"] == "cannot list the folder: Permission denied"
    assert found["ward/c"] == ""


def test_the_second_document_of_an_id_carries_a_fault_that_names_both(tmp_path: Path) -> None:
    for name in ("a.txt", "a.txt.gz"):
        (tmp_path / name).write_text("")
    first, second = without_duplicates(select_folder(tmp_path, "*.txt", (".txt",)))
    assert first.fault == ""
    assert second.fault == f"its document id is that of {tmp_path}/a.txt too"


def test_a_missing_folder_is_named_with_the_nearest_there_is(notes: Path) -> None:
    with pytest.raises(ReaderError) as caught:
        select_folder(notes.parent / "note", "*.txt", ())
    assert str(caught.value) == f"expected a folder, found none at {notes.parent}/note; did you mean notes?"
    with pytest.raises(ReaderError, match=r"expected a folder, found none at .*/wrad/deep; did you mean ward\?"):
        select_folder(notes / "wrad" / "deep", "*.txt", ())
    with pytest.raises(ReaderError, match=r"expected a folder, found a file: .*a\.txt"):
        select_folder(notes / "a.txt", "*.txt", ())
    with pytest.raises(ReaderError, match=r"found none at .*a\.txt/b: .*a\.txt is a file"):
        select_folder(notes / "a.txt" / "b", "*.txt", ())


def test_a_missing_file_is_named_with_the_nearest_there_is(notes: Path) -> None:
    with pytest.raises(ReaderError, match=r"expected a file, found none at .*b\.text; did you mean b\.txt\?"):
        select_files([notes / "b.text"], None, ())
    with pytest.raises(ReaderError, match="ward is a folder: give it as `folder`"):
        select_files([notes / "ward"], None, ())


def test_a_pattern_that_matches_nothing_says_what_is_there(notes: Path, tmp_path: Path) -> None:
    with pytest.raises(ReaderError) as caught:
        select_folder(notes, "*.rtf", ())
    assert str(caught.value) == f"no file matches *.rtf in {notes}; its files end in .gz, .txt, .xml"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReaderError, match=r"no file matches .* in .*empty; it contains no files"):
        select_folder(tmp_path / "empty", "*.txt", ())


@pytest.mark.parametrize("pattern", ["", "/", "../*.txt"])
def test_a_pattern_stays_in_the_folder(notes: Path, pattern: str) -> None:
    with pytest.raises(ReaderError, match="pattern: expected a file name pattern"):
        select_folder(notes, pattern, ())


def test_links_in_a_circle_cost_no_other_file(notes: Path) -> None:
    (notes / "loop.txt").symlink_to(notes / "loop.txt")
    (notes / "ward/l5").symlink_to(notes / "ward/l6")
    (notes / "ward/l6").symlink_to(notes / "ward/l5")
    found = select_folder(notes, "*", ())
    assert [s.id for s in found] == sorted(
        ["a.txt", "b.txt", "loop.txt", "z.txt", "ward/c.txt", "ward/deep/d.v2.txt", "ward/x.xml", "ward/l5", "ward/l6"],
        key=lambda n: n.split("/"),
    )
    assert not [s for s in found if s.fault]
