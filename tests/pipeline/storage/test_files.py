"""Output files are whole or absent, private where they must be, and stay in their folder."""

from __future__ import annotations

import errno
import os
import threading
import time
from pathlib import Path

import pytest

from caspipe.pipeline.errors import ConsumerError, OutputError
from caspipe.pipeline.storage.file_names import FileNames
from caspipe.pipeline.storage.files import (
    AtomicFile,
    DocumentFolder,
    make_folder,
    place,
    restricted_folder,
    stage,
    write_atomic,
)
from caspipe.pipeline.storage.flushing import settle

SECRET = b"Marigold Featherstone"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def full_disk(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_is_written_and_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_atomic(path, b"one")
    write_atomic(path, b"two\r\n")
    assert path.read_bytes() == b"two\r\n"
    assert listing(tmp_path) == ["a.txt"]


def test_a_file_appears_only_when_it_is_committed(tmp_path: Path) -> None:
    file = AtomicFile(tmp_path / "a.txt")
    file.write(b"one")
    assert not (tmp_path / "a.txt").exists()
    file.commit()
    assert (tmp_path / "a.txt").read_bytes() == b"one"
    file.discard()
    assert (tmp_path / "a.txt").exists()


def test_a_discarded_file_leaves_nothing(tmp_path: Path) -> None:
    file = AtomicFile(tmp_path / "a.txt")
    file.write(b"one")
    file.discard()
    assert listing(tmp_path) == []


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "a.txt"
    write_atomic(path, b"old")
    monkeypatch.setattr(os, call, full_disk)
    with pytest.raises(ConsumerError) as caught:
        write_atomic(path, SECRET)
    assert str(caught.value) == f"{path}: cannot write: No space left on device"
    assert SECRET.decode() not in repr(caught.value)
    assert path.read_bytes() == b"old"
    assert listing(tmp_path) == ["a.txt"]


def test_a_rename_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(ConsumerError, match="cannot write: Is a directory"):
        write_atomic(tmp_path / "a.txt", b"one")
    assert listing(tmp_path) == ["a.txt"]


def test_an_interrupt_while_writing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "a.txt", b"one")
    assert listing(tmp_path) == []


def test_a_write_that_fails_half_way_takes_back_what_it_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    file = AtomicFile(tmp_path / "a.txt")
    file.write(b"one\n")

    def short(fd: int, data: bytes) -> int:
        if len(data) <= 3:
            full_disk()
        return write(fd, data[:3])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(ConsumerError, match="No space left on device"):
        file.write(b"second\n")
    monkeypatch.setattr(os, "write", write)
    file.write(b"three\n")
    file.commit()
    assert (tmp_path / "a.txt").read_bytes() == b"one\nthree\n"


def test_fsync_is_called_before_the_rename_and_only_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append((tmp_path / "a.txt").exists()))
    write_atomic(tmp_path / "a.txt", b"one", durable=False)
    assert seen == []
    (tmp_path / "a.txt").unlink()
    write_atomic(tmp_path / "a.txt", b"one")
    assert seen == [False]


@pytest.mark.parametrize("together", [True, False])
def test_staged_files_are_on_the_disk_before_they_get_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    fsync, synced = os.fsync, []

    def noted(fd: int) -> None:
        fsync(fd)
        synced.append(os.fstat(fd).st_ino)

    monkeypatch.setattr(os, "fsync", noted)
    staged = [stage(tmp_path, b"%d" % i) for i in range(40)]
    assert synced == []
    if together:
        settle(staged)
        assert len(synced) == 40
    for i, file in enumerate(staged):
        place(file, tmp_path / f"{i}.txt")
        assert (tmp_path / f"{i}.txt").stat().st_ino in synced
    assert len(synced) == 40
    settle(staged)
    settle([stage(tmp_path, b"", durable=False)])
    assert len(synced) == 40


def test_a_staged_file_that_the_disk_does_not_take_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = [stage(tmp_path, b"one"), stage(tmp_path, SECRET)]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        settle(staged)
    for file in staged:  # the disk has room again, but what was lost stays lost
        with pytest.raises(OutputError) as caught:
            place(file, tmp_path / "a.txt")
        assert str(caught.value) == f"{tmp_path}: cannot write: No space left on device"
    assert listing(tmp_path) == []


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 41])
def test_every_file_is_flushed_once_by_one_of_a_few_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    threads: dict[int, int] = {}

    def flushed(fd: int) -> None:
        time.sleep(0.001)
        assert os.fstat(fd).st_ino not in threads
        threads[os.fstat(fd).st_ino] = threading.get_ident()

    monkeypatch.setattr(os, "fsync", flushed)
    staged = [stage(tmp_path, b"%d" % i) for i in range(count)]
    settle(staged)
    assert len(threads) == count and not any(file.waits or file.fault for file in staged)
    assert (
        (1 if count < 9 else 2) <= len(set(threads.values())) <= 4
    )  # a thread may get the number of one that has ended
    assert {thread.ident for thread in threading.enumerate()}.isdisjoint(
        set(threads.values()) - {threading.get_ident()}
    )


def test_files_are_flushed_without_threads_and_without_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    staged = [stage(tmp_path, b"%d" % i) for i in range(9)]
    settle(staged)
    assert len(synced) == 9 and not any(file.waits for file in staged)


def test_a_file_that_is_gone_before_it_is_flushed_gets_no_name(tmp_path: Path) -> None:
    staged = [stage(tmp_path, b"one"), stage(tmp_path, b"two")]
    Path(staged[0].temporary).unlink()
    settle(staged)
    with pytest.raises(ConsumerError, match="cannot write: No such file or directory"):
        place(staged[0], tmp_path / "a.txt")
    place(staged[1], tmp_path / "b.txt")
    assert listing(tmp_path) == ["b.txt"]


def test_a_private_file_is_for_its_owner_only(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a.txt", b"one", private=True)
    write_atomic(tmp_path / "b.txt", b"one")
    assert mode(tmp_path / "a.txt") == 0o600
    assert mode(tmp_path / "b.txt") == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_file_in_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError, match=r"no/a\.txt: cannot write: No such file or directory"):
        write_atomic(tmp_path / "no" / "a.txt", b"one")


def test_restricted_folders_are_private_below_the_output_folder_and_leave_it_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    restricted_folder(out / "restricted" / "xmi", out)
    assert mode(out) == 0o777 & ~_umask()
    assert mode(out / "restricted") == mode(out / "restricted" / "xmi") == 0o700
    restricted_folder(out / "restricted" / "xmi", out)


def test_a_restricted_folder_elsewhere_is_private_itself(tmp_path: Path) -> None:
    restricted_folder(tmp_path / "a" / "b", tmp_path / "out")
    restricted_folder(tmp_path / "a" / "c")
    assert mode(tmp_path / "a") == 0o777 & ~_umask()
    assert mode(tmp_path / "a" / "b") == mode(tmp_path / "a" / "c") == 0o700


@pytest.mark.parametrize("make", [make_folder, restricted_folder])
def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path, make: object) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(ConsumerError) as caught:
        make(tmp_path / "out" / "text")  # type: ignore[operator]
    assert str(caught.value).endswith(f": expected a folder, but {tmp_path}/out is a file")
    with pytest.raises(ConsumerError, match="out is a file"):
        make(tmp_path / "out")  # type: ignore[operator]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refused)
    for make in (make_folder, restricted_folder):
        with pytest.raises(ConsumerError, match=f"{tmp_path}.*: cannot make the folder: Permission denied"):
            make(tmp_path / "out")


def folder(tmp_path: Path, **options: bool) -> DocumentFolder:
    return DocumentFolder(Path("text"), FileNames(".txt"), below=tmp_path, **options)


def test_documents_get_files_in_sub_folders(tmp_path: Path) -> None:
    files = folder(tmp_path)
    assert str(files.write("ward/a", b"one")) == "ward/a.txt"
    assert str(files.write("ward/a", b"two")) == "ward/a-2.txt"
    assert (tmp_path / "text" / "ward" / "a-2.txt").read_bytes() == b"two"


def test_sub_folders_of_a_restricted_folder_are_private_too(tmp_path: Path) -> None:
    files = folder(tmp_path, restricted=True)
    files.write("ward/a", b"one")
    assert mode(tmp_path / "text" / "ward") == 0o700
    assert mode(tmp_path / "text" / "ward" / "a.txt") == 0o600


def test_a_rolled_back_document_leaves_no_file_and_others_stay(tmp_path: Path) -> None:
    files = folder(tmp_path)
    files.write("a", b"one")
    files.write("b", b"two")
    files.rollback("a")
    assert listing(tmp_path / "text") == ["a.txt", "b.txt"]
    files.rollback("b")
    files.rollback("b")
    assert listing(tmp_path / "text") == ["a.txt"]


def test_a_write_that_failed_is_not_rolled_back_from_another_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = folder(tmp_path)
    files.write("a", b"one")
    monkeypatch.setattr(os, "write", full_disk)
    with pytest.raises(ConsumerError):
        files.write("a", b"two")
    files.rollback("a")
    assert listing(tmp_path / "text") == ["a.txt"]


def test_a_symbolic_link_in_the_folder_cannot_lead_out_of_it(tmp_path: Path) -> None:
    files = folder(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "text" / "ward").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConsumerError, match="through a symbolic link"):
        files.write("ward/deep/a", b"one")
    assert listing(tmp_path / "elsewhere") == []


def test_an_absolute_folder_is_taken_at_its_word(tmp_path: Path) -> None:
    DocumentFolder(tmp_path / "x", FileNames(".txt"), below=Path("out")).write("a", b"one")
    assert (tmp_path / "x" / "a.txt").exists()
