"""The release scanner reads what is packed and what is not UTF-8; what it cannot open is counted."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import tarfile
import tracemalloc
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from attacks.scanning import ANN, BOB, STANDING, pipeline, released, run

from caspipe.pipeline.running.ledger import merging
from caspipe.pipeline.running.release_scan.pieces import pieces_of
from caspipe.pipeline.running.release_scan.readings import readings
from caspipe.pipeline.running.release_scan.tokens import FormTable, Hasher, Tokens, forms_array, words_of

pytestmark = pytest.mark.attack("release-scanner")

VALUE = "Zoë Quéllmüre"


def found(path: Path, value: str = VALUE) -> tuple[bool, Counter[str]]:
    """Return whether the scanner finds a name in a file, and what it could not read."""
    hasher, words, unreadable = Hasher(b"k"), words_of(value), Counter[str]()
    table = FormTable(forms_array([(hasher.words(words), len(words), 0, 3)]))
    texts = [text for piece in pieces_of(path, unreadable) for text, _ in readings(piece.text)]
    return any(list(Tokens(text, hasher).find(table)) for text in texts), unreadable


def zipped(*members: tuple[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def tarred(data: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def table(data: bytes) -> bytes:
    """Return a Parquet table with a text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({"text": [data.decode()] * 3}), out, compression="zstd")
    return out.getvalue()


def database(data: bytes, tmp_path: Path) -> bytes:
    path = tmp_path / "made.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t(a BLOB, b TEXT)")
        connection.execute("INSERT INTO t VALUES (?, 'x')", (data,))
    return path.read_bytes()


ENCODINGS = [
    "utf-8",
    "utf-8-sig",
    "cp1252",
    "latin-1",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-32-le",
    "utf-32-be",
]


LONG = "word " * 209_713
"""Longer than what is read at once, so that the next piece begins inside a character of UTF-16."""
CASES = [(name, "") for name in ENCODINGS] + [(name, LONG) for name in ("utf-8", "cp1252", "utf-16-le")]


@pytest.mark.parametrize(("encoding", "before"), CASES, ids=lambda value: value[:10])
def test_every_encoding(tmp_path: Path, encoding: str, before: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(f"{before}Seen by {VALUE}".encode(encoding))
    assert found(path)[0]
    path.write_bytes(f"Seen by {VALUE}x and Zoë.".encode(encoding))
    assert not found(path)[0]


def test_one_file_in_two_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Größe. ".encode() * 300_000 + f"Seen by {VALUE}".encode("cp1252"))
    assert found(path)[0]
    path.write_bytes("Jos\u00e9".encode("cp1252"))
    assert found(path, "José")[0]  # the last byte could begin a character of UTF-8


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "gz": gzip.compress,
    "zip": lambda data: zipped(("a.txt", b"x"), ("b.txt", data)),
    "zip in zip": lambda data: zipped(("a.zip", zipped(("b.txt", data)))),
    "xz in zip": lambda data: zipped(("a.xz", lzma.compress(data))),
    "bz2 in tar": lambda data: tarred(bz2.compress(data)),
    "tar in xz": lambda data: lzma.compress(tarred(data)),
    "zip in gz": lambda data: gzip.compress(zipped(("a.txt", data))),
    "Parquet in zip": lambda data: zipped(("a.parquet", table(data))),
    "Parquet in tar in gz": lambda data: gzip.compress(tarred(table(data))),
    "name in zip": lambda data: zipped((data.decode(), b"x")),
    "Windows-1252 in zip": lambda data: zipped(("a.txt", data.decode().encode("cp1252"))),
    "UTF-16 in xz": lambda data: lzma.compress(data.decode().encode("utf-16-le")),
    "program and zip": lambda data: b"#!/bin/sh\n" + zipped(("a.txt", data)),
    "PDF": lambda data: (
        b"%PDF-1.4\n1 0 obj <</Filter /FlateDecode>>\nstream\n" + zlib.compress(data.decode().encode("cp1252"))
    ),
    "two gz": lambda data: gzip.compress(b"x") + gzip.compress(data),
    "after a damaged member": lambda data: zipped(("a.gz", b"\x1f\x8b\x08\0broken"), ("b.txt", data)),
}


@pytest.mark.parametrize("way", PACKED)
def test_everything_that_is_packed(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(PACKED[way](f"Seen by {VALUE}".encode()))
    hit, unreadable = found(path)
    assert hit and bool(unreadable.total()) == (way == "after a damaged member")
    path.write_bytes(PACKED[way](f"Seen by {VALUE}x".encode()))
    assert not found(path)[0]


def test_the_original_name_in_gz(tmp_path: Path) -> None:
    with (tmp_path / "a.gz").open("wb") as file, gzip.GzipFile(f"{VALUE}.txt", "wb", fileobj=file) as packed:
        packed.write(b"x")
    assert found(tmp_path / "a.gz")[0]


def test_a_database_in_an_archive(tmp_path: Path) -> None:
    for data in (VALUE.encode(), VALUE.encode("cp1252")):
        (tmp_path / "made.db").unlink(missing_ok=True)
        (tmp_path / "a.bin").write_bytes(zipped(("a.db", database(data, tmp_path))))
        assert found(tmp_path / "a.bin")[0]


UNREADABLE = {
    "a damaged or encrypted archive": gzip.compress(os.urandom(5000))[:-900],
    "an archive in too many archives": gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"x")))),
    "a file compressed with zstd": b"\x28\xb5\x2f\xfd" + os.urandom(40),
    "a 7z archive": b"7z\xbc\xaf\x27\x1c" + os.urandom(40),
    "an image": b"\x89PNG\r\n\x1a\n" + os.urandom(40),
    "a PDF with streams that cannot be read": b"%PDF-1.4\n1 0 obj <</Filter /FlateDecode>> stream\nxyz",
    "a damaged Parquet table": b"PAR1" + os.urandom(40),
    "a damaged database": b"SQLite format 3\0" + os.urandom(4000),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_opened_is_counted(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.bin"
    for data in (UNREADABLE[what], zipped(("a", UNREADABLE[what]))):
        path.write_bytes(data)
        if data is UNREADABLE[what] or "too many" not in what:
            assert found(path)[1] == {what: 1}


def test_an_encrypted_member_does_not_hide_the_others(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.txt", b"secret"), ("b.txt", VALUE.encode())))
    for magic, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flag] |= 1  # marks the first member as encrypted
    (tmp_path / "a.zip").write_bytes(data)
    assert found(tmp_path / "a.zip") == (True, {"a damaged or encrypted archive": 1})


@pytest.mark.parametrize("pack", ["gz", "zip"])
def test_memory_is_bounded(tmp_path: Path, pack: str) -> None:
    (tmp_path / "a.bin").write_bytes(PACKED[pack](b"some words and more\n" * 600_000))
    tracemalloc.start()
    for _ in pieces_of(tmp_path / "a.bin", Counter()):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


INCEPTION = "inception: {{file: release/review.zip, annotations: masked, format: {}}}"


@pytest.mark.parametrize("form", ["xmi", "jsoncas"])
def test_documents_of_a_project_for_inception(tmp_path: Path, form: str) -> None:
    out, texts = tmp_path / "out", {"a": ANN, "b": "Annabel Quellmore again.", "c": BOB, "d": STANDING}
    report = run(out, texts, f"[{INCEPTION.format(form)}]")
    assert [f.document for f in report.failures] == ["b", "d"] and report.documents.released == 2
    assert report.failures[0].message.startswith("the release contains masked values: PERSON in release/review.zip at")
    with zipfile.ZipFile(out / "release/review.zip") as project:
        members = {name: project.read(name) for name in project.namelist()}
    assert len([name for name in members if name.startswith("documents/")]) == 2
    assert not any(b"Quellmore" in data for data in members.values())
    assert report.scan.not_checked == []
    report = run(out, texts, f"[{INCEPTION.format(form)}]", "run.resume=true")
    assert report.reused == 4 and len(report.failures) == 2


def test_documents_of_a_project_in_shards(tmp_path: Path) -> None:
    out, texts, given = (
        tmp_path / "out",
        {"a": ANN, "b": "Annabel Quellmore.", "c": BOB},
        f"[{INCEPTION.format('xmi')}]",
    )
    for n in (1, 2):
        run(out, texts, given, f"run.shard={n}/2")
    assert [f.document for f in merging.merge(pipeline(out, texts, given)).failures] == ["b"]


@pytest.mark.parametrize("form", ["bz2", "xz", "latin", "sixteen"])
def test_a_packed_file_of_a_plugin_leaves_the_release(tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    report = run(
        out,
        {"a": "{PERSON:Zoë Müller} came. MRN {ID:8812-3456}.", "b": BOB},
        f"[text, leaking_files: {{form: {form}}}]",
    )
    assert report.scan.moved == 1 and not (out / "release/leaking.txt").exists() and b"ller" not in released(out)
