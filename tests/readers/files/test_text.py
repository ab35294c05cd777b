"""Reader of text files."""

from __future__ import annotations

import errno
import gzip
import os
import pickle
from pathlib import Path

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.files.text import TextReader


def reader(folder: Path, **files: bytes) -> TextReader:
    for name, data in files.items():
        (folder / f"{name}.txt").write_bytes(data)
    return TextReader(folder=folder)


def reasons(reader: TextReader) -> list[tuple[str, str]]:
    return [(document, str(error)) for document, error in reader.failed]


def test_each_file_is_a_document_in_a_stable_order(tmp_path: Path) -> None:
    r = reader(tmp_path, b=b"two", a=b"one")
    r.open()
    assert [(c.id, c.text, c.metadata) for c in r] == [
        ("a", "one", {"encoding": "utf-8"}),
        ("b", "two", {"encoding": "utf-8"}),
    ]
    assert len(r) == 2
    assert [c.id for c in r] == ["a", "b"]
    r.close()


def test_newlines_controls_and_emoji_stay_where_they_are(tmp_path: Path) -> None:
    text = "a\r\nb\rc\n\x00\x0b\x1f\U0001f468\u200d\U0001f469\u2028\u0085"
    (cas,) = reader(tmp_path, a=b"\xef\xbb\xbf" + text.encode())
    assert cas.text == text


def test_an_empty_file_is_an_empty_document(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, a=b"")
    assert cas.text == ""


def test_a_file_that_is_no_text_has_failed_and_the_others_are_read(tmp_path: Path) -> None:
    r = reader(tmp_path, a=b"one", b=b"Featherstone \x81\xff", c=b"three")
    assert [c.id for c in r] == ["a", "c"]
    ((document, reason),) = reasons(r)
    assert document == "b"
    assert reason.startswith(f"{tmp_path}/b.txt: neither UTF-8")
    assert "Feather" not in repr(r.failed)


def test_cp1252_is_noted(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, a=b"M\xfcller")
    assert (cas.text, cas.metadata["encoding"]) == ("Müller", "cp1252")


def test_a_given_encoding_is_strict(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"M\xfcller")
    r = TextReader(folder=tmp_path, encoding="utf-8")
    assert list(r) == []
    assert reasons(r) == [("a", f"{tmp_path}/a.txt: expected utf-8, found a byte that is not at byte 1")]


def test_gzipped_files_are_read_like_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"packed"))
    (cas,) = TextReader(folder=tmp_path)
    assert (cas.id, cas.text) == ("a", "packed")


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-5], lambda d: b"Featherstone", lambda d: d[:12] + b"\xff\xff" + d[14:]]
)
def test_a_damaged_gzip_file_has_failed_without_quoting_it(tmp_path: Path, damage: object) -> None:
    (tmp_path / "a.txt.gz").write_bytes(damage(gzip.compress(b"Featherstone" * 50)))  # type: ignore[operator]
    r = TextReader(folder=tmp_path)
    assert list(r) == []
    assert reasons(r) == [("a", f"{tmp_path}/a.txt.gz: the gzip data are damaged or cut off")]


def test_a_small_gzip_file_with_too_much_in_it_has_failed(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"0" * 3_000_000))
    (tmp_path / "b.txt").write_bytes(b"0" * 1000)
    r = TextReader(folder=tmp_path, max_bytes=1000)
    assert [c.id for c in r] == ["b"]
    assert reasons(r) == [("a", f"{tmp_path}/a.txt.gz: longer than max_bytes (1,000 bytes)")]


def test_a_line_of_50_mb_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 50_000_000)
    (cas,) = TextReader(folder=tmp_path)
    assert len(cas.text) == 50_000_000


def test_a_file_that_went_away_or_cannot_be_read_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    r = reader(tmp_path, a=b"one", b=b"two")
    r.open()
    (tmp_path / "a.txt").unlink()
    assert [c.id for c in r] == ["b"]
    assert reasons(r) == [("a", f"{tmp_path}/a.txt: cannot read: No such file or directory")]

    def refused(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    r.failed.clear()
    monkeypatch.setattr(Path, "open", refused)
    assert list(r) == []
    assert reasons(r)[1] == ("b", f"{tmp_path}/b.txt: cannot read: Permission denied")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_document(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    r = TextReader(folder=tmp_path)
    assert list(r) == []
    assert reasons(r) == [("a", f"{tmp_path}/a.txt: expected a regular file, found another kind")]


def test_links_that_leave_the_folder_are_failed_documents(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "notes" / "a.txt").symlink_to(tmp_path / "secret.txt")
    r = TextReader(folder=tmp_path / "notes")
    assert list(r) == []
    assert reasons(r)[0][1].endswith("a symbolic link that leaves the folder is not followed")


def test_nothing_is_touched_before_it_is_opened(tmp_path: Path) -> None:
    r = TextReader(folder=tmp_path / "absent")
    assert r
    assert pickle.loads(pickle.dumps(r)).folder == tmp_path / "absent"
    with pytest.raises(ReaderError, match="reader text: expected a folder, found none at"):
        r.open()
    with pytest.raises(ReaderError, match="found none at"):
        list(r)


def test_a_reader_without_folder_or_files_says_so_when_opened() -> None:
    with pytest.raises(ReaderError, match="reader text: expected folder or files, got neither"):
        TextReader().open()


def test_faults_of_parameters() -> None:
    with pytest.raises(ValueError, match="encoding: expected auto"):
        TextReader(encoding="utf9")
    with pytest.raises(ValueError, match="max_bytes: expected 1 or more, got 0"):
        TextReader(max_bytes=0)


def test_the_list_of_failures_can_be_emptied_while_reading(tmp_path: Path) -> None:
    r = reader(tmp_path, a=b"\x81", b=b"two", c=b"\x81")
    seen = []
    for cas in r:
        seen += [*[document for document, _ in r.failed], cas.id]
        r.failed.clear()
    assert seen == ["a", "b"]
    assert [document for document, _ in r.failed] == ["c"]


def test_a_packed_file_of_no_bytes_is_a_damaged_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(b"")
    (tmp_path / "b.txt").write_bytes(b"")
    reader = TextReader(folder=tmp_path)
    assert [cas.id for cas in reader] == ["b"]
    assert str(reader.failed[0][1]) == f"{tmp_path}/a.txt.gz: the gzip data are damaged or cut off"
