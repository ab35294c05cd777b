"""Bad input that is no matter of one format: hostile archives, packed files cut off, databases, lines of 5 MB, missing files."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import warnings
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import fhir_samples
import pytest
import review_exports
from bad_files import CANARY
from bad_markup import SPANS, TEXT
from bad_spoilt import MAKE
from format_samples import FORMATS, VAERS, Format, lines, marked, project, put
from test_bad_formats import Ran, run

from caspipe.pipeline.errors import ReaderError

IN_ARCHIVES = [name for name in FORMATS if name not in ("inception", "sql")]
ENCRYPTED, LINK = (8, 1), 0o120777


def _zip(members: Iterable[tuple[str, bytes]], suffix: str = "") -> bytes:
    """A zip; with `suffix` it holds an encrypted member, a link and one whose data are damaged too."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, data in members:
            archive.writestr(name, data)
        if suffix:
            archive.writestr(f"bad-crypt{suffix}", CANARY)
            archive.writestr(f"bad-crc{suffix}", CANARY, zipfile.ZIP_STORED)
            link = zipfile.ZipInfo(f"bad-link{suffix}")
            link.external_attr = LINK << 16
            archive.writestr(link, f"/etc/{CANARY}")
    if not suffix:
        return out.getvalue()
    data = bytearray(out.getvalue())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"bad-crypt")) + ENCRYPTED[0]
    data[at] |= ENCRYPTED[1]
    at = data.index(CANARY.encode(), data.index(b"bad-crc"))
    data[at] ^= 1
    return bytes(data)


def _tar(members: Iterable[tuple[str, bytes]], suffix: str = "") -> bytes:
    """A .tar.gz; with `suffix` it holds links and a device too."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        kinds = {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "pipe": tarfile.FIFOTYPE} if suffix else {}
        for name, kind in kinds.items():
            info = tarfile.TarInfo(f"bad-{name}{suffix}")
            info.type, info.linkname = kind, f"/etc/{CANARY}"
            archive.addfile(info)
    return out.getvalue()


def _packed(folder: Path, name: str, file: str, bad: list[tuple[str, bytes]], suffix: str) -> Ran:
    format_ = FORMATS[name]
    make = _zip if file.endswith(".zip") else _tar
    put(folder, {file: make([*format_.files.items(), *bad], suffix)})
    return run(
        folder, Format(format_.reader, {}, format_.consumer, {**format_.options, "folder": str(folder / file)}), {}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "file"),
    [(n, "corpus.zip") for n in IN_ARCHIVES] + [(n, "corpus.tar.gz") for n in ("brat", "csv", "e2b-r3", "fhir")],
)
def test_an_archive_with_hostile_members_gives_its_good_ones(name: str, file: str, tmp_path: Path) -> None:
    first = next(iter(FORMATS[name].files))
    suffix = first.removeprefix("2026") if name == "vaers" else Path(first).suffix
    bad = [
        (f"../bad-up{suffix}", CANARY.encode()),
        (f"ward/../../../bad-far{suffix}", CANARY.encode()),
        (f"/bad-root{suffix}", CANARY.encode()),
        (f"C:/bad-drive{suffix}", CANARY.encode()),
        (first, CANARY.encode()),
    ]
    if file.endswith(".zip"):
        bad.append((f"bad-bomb{suffix}", bytes(20_000_000)))
    good, ran = (_packed(tmp_path / n, name, file, b, s) for n, b, s in (("good", [], ""), ("bad", bad, suffix)))
    assert good.report.exit_code == 0
    assert (ran.report.exit_code, ran.report.documents.released) == (3, FORMATS[name].documents)
    assert ran.released() == good.released()
    said = {f.message.partition("!/")[2] for f in ran.report.failures}
    expected = {
        f"../bad-up{suffix}: its path leads out of the archive",
        f"ward/../../../bad-far{suffix}: its path leads out of the archive",
        f"/bad-root{suffix}: its path in the archive is absolute",
        f"C:/bad-drive{suffix}: its path in the archive is absolute",
        f"{first}: a member of this name was in the archive before",
        f"bad-link{suffix}: a link or device in an archive is not followed",
    }
    if file.endswith(".zip"):
        expected |= {
            f"bad-crypt{suffix}: it is encrypted",
            f"bad-crc{suffix}: its data in the archive are damaged or cut off",
            f"bad-bomb{suffix}: it unpacks to more than 200 times its size: unpack it yourself if you trust it",
        }
    else:
        expected |= {f"bad-{kind}{suffix}: a link or device in an archive is not followed" for kind in ("hard", "pipe")}
    assert {s.rpartition("!/")[2] for s in said} == expected
    assert len(ran.report.failures) == len(expected)
    assert CANARY not in ran.said + json.dumps(ran.report.to_json())
    assert not list(tmp_path.rglob("*bad-*"))


STREAMS = {"csv": "id,text\r\n", "jsonl": "", "doccano": "", "prodigy": "", "vaers": VAERS}


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
def test_of_a_packed_table_that_is_cut_off_what_stands_before_is_read(name: str, tmp_path: Path) -> None:
    rows = [MAKE[name][0](f"{n}").decode().removeprefix(STREAMS[name]) for n in range(300)]
    data = gzip.compress((STREAMS[name] + "".join(rows)).encode(), mtime=0)
    file = f"cut{MAKE[name][1]}.gz"
    ran = run(tmp_path, FORMATS[name], {file: data[: len(data) // 2]})
    assert ran.report.exit_code == 3
    assert 0 < ran.report.documents.released < 300
    (failure,) = ran.report.failures
    assert failure.message.endswith(f"{file}: the gzip data are damaged or cut off")


LONG = TEXT + " the patient felt well and slept without pain" * 120_000
LARGE = [name for name in MAKE if name not in ("meddocan", "e2b-r2", "fhir-bulk")]


def _long(name: str) -> dict[str, bytes]:
    make, suffix = MAKE[name]
    made = make("long")
    if name == "brat":
        return {"long.ann": made, "long.txt": LONG.encode()}
    if name == "conll":
        return {"long.conll": made.replace(CANARY.encode(), CANARY.encode() * 400_000)}
    if name == "marked":
        return {"long.txt": marked("long", LONG, SPANS)}
    if name == "inception":
        return {
            "long.zip": project(
                {"long.xmi": review_exports.exported("long", made.replace(TEXT.encode(), LONG.encode()))}
            )
        }
    if name.startswith("fhir"):
        return {f"long{suffix}": lines(fhir_samples.document(LONG))}
    return {f"long{suffix}": made.replace(TEXT.encode(), LONG.encode())}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_line_of_5_mb_is_a_document_like_others(name: str, tmp_path: Path) -> None:
    format_ = FORMATS[name]
    if format_.reader not in ("e2b", "fhir"):
        format_ = replace(format_, consumer="jsonl")
    ran = run(tmp_path, format_, {**format_.files, **_long(name)}, engines=["dates"])
    assert (ran.report.exit_code, ran.report.failures) == (0, [])
    assert max(p.stat().st_size for p in (ran.out / "release/text").rglob("*.txt")) > 5_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in LARGE if n != "inception"])
def test_more_than_max_bytes_is_refused_alone(name: str, tmp_path: Path) -> None:
    files = _long(name)
    ran = run(tmp_path, FORMATS[name], {**FORMATS[name].files, **files}, max_bytes=100_000)
    assert (ran.report.exit_code, ran.report.documents.released) == (3, FORMATS[name].documents)
    (failure,) = ran.report.failures
    assert "longer than max_bytes (100,000 bytes)" in failure.message
    assert CANARY not in ran.said + json.dumps(ran.report.to_json())


ROWS = [("a", TEXT, None), ("b", "Well.", "[]")]


def _sql(folder: Path, rows: list[tuple[object, ...]], **options: str) -> Ran:
    put(folder / "in", {"notes.db": rows})
    return run(folder, replace(FORMATS["sql"], options={"url": "", "spans_field": "spans"}), {}, **options)


@pytest.mark.slow
def test_bad_rows_of_a_database_fail_one_by_one(tmp_path: Path) -> None:
    bad = [
        (None, CANARY, None, "field id: expected a document id, found nothing"),
        ("b", CANARY, None, "an earlier document has the same id"),
        ("n", None, CANARY, "field text: expected text, found nothing"),
        ("i", 7, CANARY, "field text: expected text, found a number"),
        ("y", CANARY.encode(), None, "field text: expected text, found "),
        ("s", TEXT, CANARY, "field spans: expected a list of spans"),
        ("d", TEXT, "[" * 100_000, "field spans: expected a list of spans"),
        ("e", TEXT, '[{"begin": 5, "end": 9999, "kind": "DATE"}]', "span 1: 5:9999 is not a span of the text"),
        ("r", TEXT, '[{"begin": 18, "end": 5, "kind": "DATE"}]', "span 1: 18:5 is not a span of the text"),
        ("k", TEXT, '[{"begin": 5, "end": 18, "kind": "DATUM"}]', "span 1: no PHI kind called 'DATUM'"),
    ]
    ran = _sql(tmp_path / "bad", [*ROWS, *(row[:3] for row in bad)], query="SELECT * FROM notes ORDER BY rowid")
    assert (ran.report.exit_code, ran.report.documents.released) == (3, 2)
    for number, (failure, row) in enumerate(zip(ran.report.failures, bad, strict=True), 3):
        assert f"notes.db, row {number}: " in failure.message
        assert row[3] in failure.message
    assert ran.released() == _sql(tmp_path / "good", ROWS, query="SELECT * FROM notes ORDER BY rowid").released()
    assert CANARY not in ran.said + json.dumps(ran.report.to_json())


def test_bytes_in_a_text_column_that_are_no_utf_8_fail_alone(tmp_path: Path) -> None:
    query = (
        f"SELECT id, CASE id WHEN 'a' THEN CAST(x'ff' AS TEXT) || '{CANARY}' ELSE text END AS text, spans FROM notes"
    )
    ran = _sql(tmp_path, ROWS, query=query)
    assert (ran.report.exit_code, ran.report.documents.released) == (3, 1)
    assert ran.report.failures[0].message.endswith("row 1: expected UTF-8, found bytes that are not")
    assert CANARY not in ran.said + json.dumps([f.message for f in ran.report.failures])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"table": "note"}, "expected a table note, found none; did you mean notes?"),
        ({"table": "notes", "text_field": "txt"}, "expected a field txt, found none; did you mean text?"),
        ({"query": "SELECT * FROM note"}, "no such table: note (SQLITE_ERROR)"),
        ({"query": "SELECT id, txt AS text, spans FROM notes"}, "no such column: txt (SQLITE_ERROR)"),
        ({"query": f"SELECT '{CANARY}"}, "OperationalError (SQLITE_ERROR)"),
        ({"table": "notes", "url": f"sqlite:///{__file__}"}, "the file is not a database (SQLITE_NOTADB)"),
        ({"table": "notes", "url": "sqlite:///in/none.db"}, "expected a database file, found none"),
    ],
)
def test_a_database_that_does_not_hold_what_is_asked_for_is_told_before_the_first_document(
    options: dict[str, str], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ReaderError) as caught:
        _sql(tmp_path, ROWS, **options)
    assert reason in str(caught.value)
    assert CANARY not in str(caught.value)
    assert not (tmp_path / "out/release").exists()


def test_a_query_that_breaks_on_the_way_ends_the_run_and_what_came_before_stays(tmp_path: Path) -> None:
    rows = [(f"{n}", f"{TEXT} {n}", None) for n in range(200)]
    query = (
        f"SELECT id, spans, CASE WHEN rowid < 150 THEN text ELSE json_extract('{CANARY}', '$') END AS text FROM notes"
    )
    ran = _sql(tmp_path, rows, query=query)
    assert ran.report.exit_code == 4
    assert 100 < ran.report.documents.released < 150
    assert ran.report.stopped.endswith(f"after row {ran.report.documents.read}: OperationalError (SQLITE_ERROR)")
    assert len(list((ran.out / "release/text").iterdir())) == ran.report.documents.released
    assert CANARY not in ran.said + ran.report.stopped


@pytest.mark.parametrize("name", [n for n in FORMATS if "url" not in FORMATS[n].options and n != "inception"])
def test_a_folder_or_nothing_in_place_of_a_file_is_told_before_the_run(name: str, tmp_path: Path) -> None:
    first = next(iter(FORMATS[name].files))
    for file, reason in (
        (tmp_path / "in", "is a folder: give it as `folder`"),
        (tmp_path / f"in/x{first}", "found none"),
    ):
        given = replace(FORMATS[name], options={**FORMATS[name].options, "folder": None, "files": [str(file)]})
        with pytest.raises(ReaderError) as caught:
            run(tmp_path, given, given.files)
        assert reason in str(caught.value)
