"""Documents in archives are read in place and in a stable order; paths that leave the archive are refused."""

from __future__ import annotations

import gzip
import io
import os
import random
import stat
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.storage.archives import archive, tar_archive
from caspipe.pipeline.storage.archives.open_archives import exists, opened
from caspipe.readers.files.text import TextReader
from caspipe.readers.tables.csv import CsvReader
from caspipe.readers.tables.json_records import JsonlReader

NAME = "Featherstone"
NOTES = {
    "b.txt": b"two",
    "a.txt": b"one",
    "ward/c.txt": b"three \xf0\x9f\x98\x80",
    "ward/c.ann": b"T1",
    "z.txt.gz": gzip.compress(b"zipped"),
    ".hidden.txt": b"no",
    "__MACOSX/._a.txt": b"no",
}
MODES = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz"}
ALL = [".zip", ".ZIP", *MODES]


def packed(path: Path, members: dict[str, bytes] | Iterable[tuple[str, bytes]]) -> Path:
    """An archive of the kind its name says."""
    items = list(members.items() if isinstance(members, dict) else members)
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, data in items:
                file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
        return path
    with tarfile.open(path, MODES[next(s for s in MODES if path.name.endswith(s))]) as tar:  # type: ignore[call-overload]
        for name, data in items:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def read(**options: Any) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Texts by id, in reading order, and what failed."""
    reader = TextReader(**options)
    reader.open()
    texts = {cas.id: cas.text for cas in reader}
    failed = [(document, str(error)) for document, error in reader.failed]
    reader.close()
    assert NAME not in repr(failed)
    return texts, failed


@pytest.mark.parametrize("suffix", ALL)
def test_an_archive_is_read_like_the_folder_it_holds(tmp_path: Path, suffix: str) -> None:
    path = packed(tmp_path / f"notes{suffix}", NOTES)
    texts, failed = read(folder=path)
    assert texts == {"a": "one", "b": "two", "ward/c": "three \U0001f600", "z": "zipped"}
    assert failed == []
    sorted_by_name = suffix.lower() in (".zip", ".tar")
    assert list(texts) == (["a", "b", "ward/c", "z"] if sorted_by_name else ["b", "a", "ward/c", "z"])


@pytest.mark.parametrize("suffix", ALL)
def test_members_are_opened_and_looked_for_by_path(tmp_path: Path, suffix: str) -> None:
    path = packed(tmp_path / f"notes{suffix}", NOTES)
    for name in ("ward/c.ann", "./ward/c.ann", "ward/../ward/c.ann", "a.txt", "ward/c.ann"):
        assert exists(f"{path}!/{name}")
        with opened(f"{path}!/{name}") as file:
            assert file.read() == NOTES[name.removeprefix("./").replace("ward/../", "")]
    with opened(f"{path}!/z.txt.gz") as file:
        assert file.read() == b"zipped"
    for name in ("ward/d.ann", "ward", "../a.txt", "a.txt/b"):
        assert not exists(f"{path}!/{name}")
    assert exists(path)
    assert exists(Path(f"{path}!/a.txt").with_name("b.txt"))
    assert not exists(f"{path}x!/a.txt")
    with (
        pytest.raises(ReaderError, match=r"expected a member of the archive, found none; did you mean ward/c\.ann\?"),
        opened(f"{path}!/ward/c.anm"),
    ):
        pass


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_folders_patterns_and_lists_reach_into_archives(tmp_path: Path, suffix: str) -> None:
    path = packed(tmp_path / f"notes{suffix}", NOTES)
    assert set(read(folder=Path(f"{path}!") / "ward")[0]) == {"c"}
    assert set(read(folder=path, pattern="./*.txt")[0]) == {"a", "b", "z"}
    assert set(read(files=path)[0]) == {"a", "b", "ward/c", "z"}
    assert set(read(files=Path(f"{path}!/*.txt"))[0]) == {"a", "b", "z"}
    assert list(read(files=[Path(f"{path}!/ward/c.txt"), Path(f"{path}!/a.txt")])[0]) == ["c", "a"]
    assert list(read(files=[Path(f"{path}!/ward/c.txt")], folder=path)[0]) == ["ward/c"]
    assert list(read(files=[Path(f"{path}!/ward/c.txt")], folder=Path(f"{path}!/ward"))[0]) == ["c"]
    assert set(read(files=path, folder=tmp_path)[0]) == {"notes/a", "notes/b", "notes/ward/c", "notes/z"}
    with pytest.raises(ReaderError, match="is not in"):
        read(files=[Path(f"{path}!/a.txt")], folder=Path(f"{path}!/ward"))
    with pytest.raises(ReaderError, match=r"found none at .*!/wrad; did you mean ward\?"):
        read(folder=Path(f"{path}!/wrad"))
    with pytest.raises(ReaderError, match=r"no file matches \*\.xml in .*; its files end in \.ann, \.gz, \.txt"):
        read(folder=path, pattern="*.xml")
    with pytest.raises(ReaderError, match="expected a file, found none at"):
        read(files=Path(f"{path}!/no.txt"))


def test_archives_by_wildcard_keep_their_documents_apart_and_a_damaged_one_is_a_failed_document(tmp_path: Path) -> None:
    packed(tmp_path / "one.zip", {"a.txt": b"one"})
    packed(tmp_path / "two.tar.gz", {"a.txt": b"two"})
    packed(tmp_path / "xml.zip", {"a.xml": b"two"})
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04" + NAME.encode())
    texts, failed = read(files=tmp_path / "*")
    assert texts == {"one/a": "one", "two/a": "two"}
    assert failed == [
        ("bad.zip", f"{tmp_path}/bad.zip: the archive is damaged or cut off"),
        ("xml.zip", f"{tmp_path}/xml.zip: no file matches *.txt in {tmp_path}/xml.zip; its files end in .xml"),
    ]
    texts, failed = read(files=[tmp_path / "one.zip", tmp_path / "two.tar.gz"])
    assert texts == {"a": "one"}
    assert failed == [("a", f"{tmp_path}/two.tar.gz!/a.txt: its document id is that of {tmp_path}/one.zip!/a.txt too")]
    with pytest.raises(ReaderError, match=r"bad\.zip: the archive is damaged or cut off"):
        read(files=tmp_path / "bad.zip")
    with pytest.raises(ReaderError, match=r"bad\.zip: the archive is damaged or cut off"):
        read(folder=tmp_path / "bad.zip")


def test_a_folder_called_like_an_archive_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.zip").mkdir()
    (tmp_path / "notes.zip" / "a.txt").write_text("one")
    (tmp_path / "odd!").mkdir()
    (tmp_path / "odd!" / "b.txt").write_text("two")
    assert read(folder=tmp_path)[0] == {"notes.zip/a": "one", "odd!/b": "two"}
    assert read(folder=tmp_path / "notes.zip")[0] == {"a": "one"}


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz"])
def test_names_that_lead_elsewhere_repeated_names_and_archives_within_are_refused_one_by_one(
    tmp_path: Path, suffix: str
) -> None:
    members = [
        ("../../etc/up.txt", b"x"),
        ("/etc/root.txt", b"x"),
        ("C:/drive.txt", b"x"),
        ("..\\win.txt", b"x"),
        ("ok/./a.txt", b"one"),
        ("ok/a.txt", NAME.encode()),
        ("ok/a.txt", NAME.encode()),
        ("inner.zip", b"PK"),
        ("last.txt", b"end"),
    ]
    with pytest.warns(UserWarning, match="Duplicate name") if suffix == ".zip" else _nothing():
        path = packed(tmp_path / f"notes{suffix}", members)
    texts, failed = read(folder=path, pattern="*.*")
    assert texts == {"ok/a": "one", "last": "end"}
    up = "its path leads out of the archive"
    assert sorted(reason.partition("!/")[2] for _, reason in failed) == sorted(
        [
            f"../../etc/up.txt: {up}",
            "/etc/root.txt: its path in the archive is absolute",
            "C:/drive.txt: its path in the archive is absolute",
            f"..\\win.txt: {up}",
            "ok/a.txt: a member of this name was in the archive before",
            "ok/a.txt: a member of this name was in the archive before",
            "inner.zip: an archive within an archive is not read: unpack it",
        ]
    )
    for name in ("inner.zip", "../../etc/up.txt"):
        with pytest.raises(ReaderError), opened(f"{path}!/{name}"):
            pass


class _nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def test_links_devices_and_sparse_files_of_a_tar_are_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as tar:
        for name, kind in (
            ("sym.txt", tarfile.SYMTYPE),
            ("hard.txt", tarfile.LNKTYPE),
            ("fifo.txt", tarfile.FIFOTYPE),
            ("dev.txt", tarfile.CHRTYPE),
            ("sparse.txt", tarfile.GNUTYPE_SPARSE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
        folder = tarfile.TarInfo("folder.txt")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        tar.addfile(tarfile.TarInfo("empty.txt"), io.BytesIO(b""))
    texts, failed = read(folder=tmp_path / "t.tar.gz")
    assert texts == {"empty": ""}
    link, sparse = "a link or device in an archive is not followed", "a sparse file is not read"
    assert [reason.rpartition(": ")[2] for _, reason in failed] == [link, link, link, link, sparse]


def test_links_encrypted_members_and_unknown_compression_of_a_zip_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w") as file:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(link, "/etc/passwd")
        for name in ("crypt.txt", "lzh.txt", "good.txt"):
            file.writestr(name, name)
    data = path.read_bytes()
    for name, at, value in ((b"crypt.txt", 8, 1), (b"lzh.txt", 10, 99)):
        begin = data.rindex(b"PK\x01\x02", 0, data.rindex(name))
        data = data[: begin + at] + bytes([value, 0]) + data[begin + at + 2 :]
    path.write_bytes(data)
    texts, failed = read(folder=path)
    assert texts == {"good": "good.txt"}
    assert failed == [
        ("crypt", f"{path}!/crypt.txt: it is encrypted"),
        ("link", f"{path}!/link.txt: a link or device in an archive is not followed"),
        ("lzh", f"{path}!/lzh.txt: its compression method (99) is not supported"),
    ]


def test_names_made_on_windows_have_their_folders(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as file:
        for name, system in (("ward\\a.txt", 0), ("b\\c.txt", 3), ("up\\..\\..\\d.txt", 0)):
            info = zipfile.ZipInfo(name)
            info.create_system = system
            file.writestr(info, "x")
    texts, failed = read(folder=tmp_path / "w.zip")
    assert set(texts) == {"ward/a", "b\\c"}
    assert [document for document, _ in failed] == ["up/../../d"]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".zip", ".tar.gz", ".tar.xz"])
def test_a_bomb_is_refused_and_what_stands_before_it_is_read(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "FREE", 1_000_000)
    members = {"a.txt": b"one", "b.txt": bytes(60_000_000), "c.txt": b"three"}
    path = packed(tmp_path / f"bomb{suffix}", members)
    texts, failed = read(folder=path)
    said = "it unpacks to more than 200 times its size: unpack it yourself if you trust it"
    if suffix == ".zip":
        assert texts == {"a": "one"}
        assert [document for document, _ in failed] == ["b", "c"]
    else:
        assert texts == {"a": "one"}
        assert [document for document, _ in failed] == ["b", f"bomb{suffix}"]
    assert {reason.partition(": ")[2] for _, reason in failed} == {said}


def test_members_that_overlap_count_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quine of zip bombs: many entries of the directory that share one compressed body."""
    monkeypatch.setattr(archive, "FREE", 1_000_000)
    path = packed(tmp_path / "o.zip", {f"{n}.txt": bytes(300_000) for n in range(1, 6)})
    data = bytearray(path.read_bytes())
    at, offsets = 0, []
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        offsets.append(at)
        at += 4
    for begin in offsets[1:]:
        data[begin + 42 : begin + 46] = data[offsets[0] + 42 : offsets[0] + 46]
    path.write_bytes(data)
    texts, failed = read(folder=path)
    assert set(texts) == {"1"}
    assert len(failed) == 4


def test_one_large_member_may_not_unpack_to_too_much(tmp_path: Path) -> None:
    path = packed(tmp_path / "m.zip", {"a.txt": b"one", "b.txt": bytes(20_000_000)})
    texts, failed = read(folder=path)
    assert texts == {"a": "one"}
    assert failed[0][1].endswith(
        "b.txt: it unpacks to more than 200 times its size: unpack it yourself if you trust it"
    )
    path = packed(tmp_path / "m.zip", {"a.txt": b"one", "b.txt": b"x" * 2000})
    texts, failed = read(folder=path, max_bytes=1000)
    assert failed == [("b", f"{path}!/b.txt: longer than max_bytes (1,000 bytes)")]


@pytest.mark.parametrize("suffix", [".zip", *MODES])
@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_archive_says_so_and_never_loses_documents_without_a_word(
    tmp_path: Path, suffix: str, cut: float
) -> None:
    members = {f"{n:03}.txt": os.urandom(300).hex().encode() for n in range(50)}
    path = packed(tmp_path / f"c{suffix}", members)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])
    try:
        texts, failed = read(folder=path)
    except ReaderError as error:
        assert str(error).startswith("reader text: ")
        assert "damaged" in str(error) or "end mark" in str(error)
        return
    assert suffix == ".tar"
    assert all(text == members[f"{n}.txt"].decode() for n, text in texts.items())
    if (suffix, cut) == (".tar", 0.99):  # padding after the end mark is not data
        assert len(texts) == 50
        return
    assert failed
    assert failed[-1][0] == path.name
    assert failed[-1][1] in (
        f"{path}: the archive is damaged or cut off",
        f"{path}: the archive ends without its end mark: it may be cut off",
    )


def test_a_damaged_member_is_a_failed_document(tmp_path: Path) -> None:
    members = {f"{n}.txt": os.urandom(3000).hex().encode() for n in range(3)}
    path = packed(tmp_path / "d.zip", members)
    data = bytearray(path.read_bytes())
    at = data.index(b"1.txt") + 1000
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    texts, failed = read(folder=path)
    assert set(texts) == {"0", "2"}
    assert failed == [("1", f"{path}!/1.txt: its data in the archive are damaged or cut off")]


def test_a_damaged_header_in_the_middle_of_a_tar_is_reported(tmp_path: Path) -> None:
    path = packed(tmp_path / "d.tar", {f"{n}.txt": b"x" for n in range(5)})
    data = bytearray(path.read_bytes())
    data[2 * 1024 + 5] ^= 0xFF
    path.write_bytes(data)
    texts, failed = read(folder=path)
    assert set(texts) == {"0", "1"}
    assert failed == [("d.tar", f"{path}: the archive is damaged or cut off")]


def test_a_second_archive_behind_the_end_mark_is_reported(tmp_path: Path) -> None:
    path = packed(tmp_path / "d.tar", {"a.txt": b"x"})
    path.write_bytes(path.read_bytes() * 2)
    texts, failed = read(folder=path)
    assert set(texts) == {"a"}
    assert failed == [("d.tar", f"{path}: there is more after the end mark of the archive, which is not read")]


@pytest.mark.parametrize(
    "data", [b"", b"x", b"PK", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", bytes(100), os.urandom(9000)]
)
@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tgz"])
def test_what_is_no_archive_is_reported(tmp_path: Path, data: bytes, suffix: str) -> None:
    (tmp_path / f"x{suffix}").write_bytes(data)
    with pytest.raises(ReaderError, match=r"damaged|it contains no files|end mark"):
        read(folder=tmp_path / f"x{suffix}")


@pytest.mark.parametrize("suffix", [".zip", *MODES])
def test_bytes_changed_at_random_never_go_unnoticed(tmp_path: Path, suffix: str) -> None:
    draw = random.Random(suffix)
    members = {f"{n}.txt": f"{NAME} {draw.random()} ".encode() * 20 for n in range(8)}
    whole = packed(tmp_path / f"w{suffix}", members).read_bytes()
    for n in range(150):
        data = bytearray(whole)
        for _ in range(draw.choice((1, 1, 3, 30))):
            data[draw.randrange(len(data))] ^= draw.randrange(1, 256)
        path = tmp_path / f"{n}{suffix}"
        path.write_bytes(data)
        try:
            texts, failed = read(folder=path)
        except ReaderError as error:
            assert NAME not in str(error)
            continue
        assert texts or failed
        if suffix != ".tar":  # the only one without checksums of what it holds
            assert {text.encode() for text in texts.values()} <= set(members.values())


def test_the_kind_is_reported_by_the_first_bytes_whatever_the_name(tmp_path: Path) -> None:
    packed(tmp_path / "a.tar", NOTES).rename(tmp_path / "a.tgz")
    packed(tmp_path / "b.zip", NOTES).rename(tmp_path / "b.tar.gz")
    assert (
        set(read(folder=tmp_path / "a.tgz")[0])
        == set(read(folder=tmp_path / "b.tar.gz")[0])
        == {"a", "b", "ward/c", "z"}
    )


def test_a_compressed_tar_is_read_in_one_pass_and_siblings_from_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tar_archive, "REMEMBERED", 8_000)
    passes = 0
    unpack = tar_archive.UNPACKERS["gz"]

    def counted(file: Any) -> Any:
        nonlocal passes
        passes += 1
        return unpack(file)

    monkeypatch.setitem(tar_archive.UNPACKERS, "gz", counted)
    members: dict[str, bytes] = {}
    for n in range(100):
        members |= {f"{n}.ann": b"T%d" % n, f"{n}.txt": os.urandom(250).hex().encode()}
    members["big.txt"] = b"y" * 5000
    path = packed(tmp_path / "s.tar.gz", members)
    reader = TextReader(folder=path)
    for cas in reader:
        assert cas.text == members[f"{cas.id}.txt"].decode()
        if cas.id != "big":
            with opened(f"{path}!/{cas.id}.ann") as file:
                assert file.read() == members[f"{cas.id}.ann"]
    assert reader.failed == []
    assert passes == 3  # to list, to read, and one for the member too large to hold
    with opened(f"{path}!/0.ann") as file:  # back to the beginning
        assert file.read() == b"T0"
    assert passes == 4


def test_an_archive_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = packed(tmp_path / "r.zip", {"a.txt": b"one"})
    assert read(folder=path)[0] == {"a": "one"}
    with opened(f"{path}!/a.txt") as file:
        file.read()
    packed(tmp_path / "new.zip", {"a.txt": b"three", "b.txt": b"x"}).replace(path)
    with opened(f"{path}!/a.txt") as file:
        assert file.read() == b"three"


def test_a_process_forked_off_reads_for_itself(tmp_path: Path) -> None:
    members = {f"{n}.txt": os.urandom(5000).hex().encode() for n in range(40)}
    for suffix in (".zip", ".tar.gz"):
        path = packed(tmp_path / f"f{suffix}", members)
        with opened(f"{path}!/0.txt") as file:
            file.read()
        child = os.fork()
        faults = 0
        for _ in range(5):
            for name, data in members.items():
                with opened(f"{path}!/{name}") as file:
                    faults += file.read() != data
        if not child:
            os._exit(min(faults, 100))
        assert faults == 0
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.bz2"])
def test_readers_of_records_stream_members(tmp_path: Path, suffix: str) -> None:
    rows = "id,text\n1,Müller\n2,\U0001f600\n"
    lines = b'{"id":"1","text":"one"}\n{"id":"2","text":"two"}\n'
    path = packed(
        tmp_path / f"rows{suffix}",
        {"a.csv": rows.encode("utf-16"), "b.csv.gz": gzip.compress(b"id,text\n3,c\n"), "c.jsonl": lines},
    )
    reader = CsvReader(folder=path)
    assert [(c.id, c.text) for c in reader] == [("1", "Müller"), ("2", "\U0001f600"), ("3", "c")]
    assert reader.failed == []
    assert [c.text for c in JsonlReader(folder=path)] == ["one", "two"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_run_over_an_archive_accounts_for_every_member(tmp_path: Path) -> None:
    path = packed(tmp_path / "n.zip", {"a.txt": b"Seen on 3/4/2020.", "../x.txt": NAME.encode(), "b.txt": b"\x81\xff"})
    report = Pipeline.parse(
        f"reader: {{text: {{folder: {path}}}}}\nengines: [segmenter, dates, resolver, masker]\n"
        f"consumers: [text]\nrun: {{output: {tmp_path / 'out'}, names: id}}\n"
    ).run()
    assert (report.documents.read, report.documents.released) == (3, 1)
    assert sorted(f.document for f in report.failures) == ["../x", "b"]
    names = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert all(n.startswith(("out/", "n.zip")) for n in names)
    assert "out/release/text/a.txt" in names
