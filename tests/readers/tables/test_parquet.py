"""Reader of Parquet files."""

from __future__ import annotations

import datetime as dt
import gzip
import sys
import tracemalloc
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.errors import ReaderError, ResourceError
from caspipe.readers.tables.parquet import ParquetReader
from caspipe.typesystem import GOLD_VIEW, Phi, PhiKind

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'caspipe[parquet]'")
pq = pytest.importorskip("pyarrow.parquet")

NAME = "Featherstone"


def write(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def reader(tmp_path: Path, columns: dict[str, Any], *, row_group_size: int = 100, **options: Any) -> ParquetReader:
    write(tmp_path / "notes.parquet", columns, row_group_size=row_group_size, write_page_checksum=True)
    return ParquetReader(folder=tmp_path, **options)


def reasons(reader: ParquetReader) -> list[tuple[str, str]]:
    assert NAME not in repr(reader.failed)
    return [(document, str(error)) for document, error in reader.failed]


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_each_row_is_a_document_whatever_way_strings_are_stored(tmp_path: Path, kind: str) -> None:
    texts = ["one", "", "a\x00b\r\n\U0001f600", "x" * 5_000_000]
    type_ = pa.dictionary(pa.int32(), pa.string()) if kind == "dictionary" else getattr(pa, kind)()
    r = reader(
        tmp_path, {"id": ["1", "2", "3", "4"], "text": pa.array(texts, pa.string()).cast(type_)}, row_group_size=2
    )
    assert [(c.id, c.text) for c in r] == list(zip("1234", texts, strict=True))
    assert r.failed == []


def test_numbers_as_ids_and_rows_without_one(tmp_path: Path) -> None:
    r = reader(tmp_path, {"id": pa.array([7, None, 7, 9]), "text": ["a", NAME, NAME, None]})
    assert [(c.id, c.text) for c in r] == [("7", "a")]
    place = f"{tmp_path}/notes.parquet, row"
    assert reasons(r) == [
        ("notes/2", f"{place} 2: field id: expected a document id, found nothing"),
        ("7", f"{place} 3: an earlier document has the same id"),
        ("9", f"{place} 4: field text: expected text, found nothing"),
    ]
    assert [c.id for c in reader(tmp_path, {"text": ["a", "b"]}, id_field=None)] == ["notes/1", "notes/2"]
    exact = reader(tmp_path, {"id": pa.array([Decimal("12"), Decimal("1.5")]), "text": ["a", "b"]})
    assert [c.id for c in exact] == ["12", "1.5"]


def test_structs_lists_and_dates_become_metadata_and_known_phi(tmp_path: Path) -> None:
    r = reader(
        tmp_path,
        {
            "id": ["1", "2"],
            "text": ["a", "b"],
            "patient": [{"name": NAME, "phones": ["1", None, "2"]}, None],
            "born": pa.array([dt.date(1960, 3, 4), None]),
            "seen": pa.array([dt.datetime(2020, 3, 4), dt.datetime(2020, 3, 4, 5, 6, 7, 8)], pa.timestamp("ns")),
            "weight": pa.array([70.0, float("nan")]),
            "visit.no": [5, 6],
            "unread": [NAME, NAME],
        },
        metadata={"seen": "seen", "kg": "weight", "visit": "visit.no"},
        known_phi={"patient.name": PhiKind.PERSON_PATIENT, "patient.phones": PhiKind.PHONE, "born": PhiKind.DATE_BIRTH},
    )
    one, two = r
    assert one.metadata == {"seen": "2020-03-04", "kg": "70", "visit": "5"}
    assert two.metadata == {"seen": "2020-03-04T05:06:07.000008", "visit": "6"}
    assert [(k.kind.name, k.value, k.provenance) for k in one.known_phi] == [
        ("PERSON_PATIENT", NAME, "patient.name"),
        ("PHONE", "1", "patient.phones"),
        ("PHONE", "2", "patient.phones"),
        ("DATE_BIRTH", "1960-03-04", "born"),
    ]
    assert two.known_phi == []


def test_a_list_of_structs_is_reference_annotation(tmp_path: Path) -> None:
    spans = [[{"begin": 0, "end": 3, "kind": "PERSON"}], [{"begin": 0, "end": 9, "kind": "PERSON"}], None]
    r = reader(tmp_path, {"id": ["1", "2", "3"], "text": ["Ivy", "Ivy", "Ivy"], "spans": spans}, spans_field="spans")
    one, three = r
    assert [(p.begin, p.end, p.kind.name) for p in one.view(GOLD_VIEW).select(Phi)] == [(0, 3, "PERSON")]
    assert not three.has_view(GOLD_VIEW)
    assert reasons(r)[0][1].endswith("row 2: field spans: span 1: 0:9 is not a span of the text (0:3)")


def test_several_text_columns_make_several_documents(tmp_path: Path) -> None:
    r = reader(tmp_path, {"id": ["1", "2"], "a": ["x", None], "b": ["y", "z"]}, text_field=["a", "b"])
    assert [(c.id, c.metadata) for c in r] == [
        ("1/a", {"record": "1", "field": "a"}),
        ("1/b", {"record": "1", "field": "b"}),
        ("2/b", {"record": "2", "field": "b"}),
    ]


def test_a_missing_or_doubled_column_fails_the_file_and_names_the_nearest(tmp_path: Path) -> None:
    write(tmp_path / "z.parquet", {"id": ["9"], "text": ["nine"]})
    r = reader(tmp_path, {"id": ["1"], "texts": [NAME]})
    assert [c.id for c in r] == ["9"]
    assert reasons(r) == [
        ("notes", f"{tmp_path}/notes.parquet: expected a field text, found none; did you mean texts?")
    ]
    pq.write_table(pa.Table.from_arrays([["1"], ["x"], ["y"]], ["id", "text", "text"]), tmp_path / "notes.parquet")
    assert [c.id for c in r] == ["9"]
    assert reasons(r)[1:] == [("notes", f"{tmp_path}/notes.parquet: column text occurs twice")]


def test_bytes_in_place_of_text_and_broken_utf8_fail_their_row_only(tmp_path: Path) -> None:
    broken = pa.array([b"good", b"\xff" + NAME.encode(), b"fine"])
    text = pa.Array.from_buffers(pa.string(), 3, broken.buffers())
    r = reader(tmp_path, {"id": ["1", "2", "3"], "text": text})
    assert [c.text for c in r] == ["good", "fine"]
    assert reasons(r) == [("notes/2", f"{tmp_path}/notes.parquet, row 2: a value that cannot be read")]
    r = reader(tmp_path, {"id": ["1"], "text": [NAME.encode()]})
    assert list(r) == []
    assert reasons(r)[0][1].endswith("field text: expected text, found bytes")


def test_a_damaged_row_group_is_one_failed_document_and_the_next_is_read(tmp_path: Path) -> None:
    texts = [f"{NAME} {n} " + "ab" * (n * 97 % 50) for n in range(300)]
    r = reader(tmp_path, {"id": [str(n) for n in range(300)], "text": texts}, batch=10)
    path = tmp_path / "notes.parquet"
    at = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    begin = at.dictionary_page_offset + at.total_compressed_size // 2
    data[begin : begin + 20] = bytes(20)
    path.write_bytes(data)
    ids = [c.id for c in r]
    assert ids[:100] == [str(n) for n in range(100)]
    assert ids[-100:] == [str(n) for n in range(200, 300)]
    assert len(reasons(r)) == 1
    assert reasons(r)[0][1].endswith(" to 200: the Parquet data are damaged or cut off")


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"x" * 50 + b"PAR1", NAME.encode() * 5])
def test_what_is_no_parquet_file_has_failed_and_the_next_file_is_read(tmp_path: Path, data: bytes) -> None:
    write(tmp_path / "z.parquet", {"id": ["9"], "text": ["nine"]})
    r = ParquetReader(folder=tmp_path)
    (tmp_path / "a.parquet").write_bytes(data)
    assert [c.id for c in r] == ["9"]
    assert reasons(r) == [("a", f"{tmp_path}/a.parquet: the Parquet data are damaged or cut off")]


def test_a_file_cut_off_has_failed(tmp_path: Path) -> None:
    r = reader(tmp_path, {"id": ["1"], "text": [NAME]})
    path = tmp_path / "notes.parquet"
    whole = path.read_bytes()
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        r.failed.clear()
        assert list(r) == []
        assert reasons(r) == [("notes", f"{path}: the Parquet data are damaged or cut off")]


def test_a_text_beyond_the_limit_has_failed_and_the_next_is_read(tmp_path: Path) -> None:
    r = reader(tmp_path, {"id": ["1", "2"], "text": ["x" * 5000, "y"]}, max_bytes=1000)
    assert [c.id for c in r] == ["2"]
    assert reasons(r)[0][1].endswith("row 1: longer than max_bytes (1,000 bytes)")


def test_files_in_archives_and_gzipped_ones_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "n.parquet", {"id": ["1"], "text": ["x"]})
    with zipfile.ZipFile(tmp_path / "n.zip", "w") as file:
        file.write(path, "in/n.parquet")
    (tmp_path / "gz").mkdir()
    (tmp_path / "gz" / "n.parquet.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert [c.text for c in ParquetReader(folder=tmp_path / "n.zip")] == ["x"]
    assert [c.text for c in ParquetReader(folder=tmp_path / "gz")] == ["x"]
    r = ParquetReader(folder=tmp_path / "gz", max_bytes=100)
    assert list(r) == []
    assert reasons(r)[0][1].endswith("longer than max_bytes (100 bytes)")


@pytest.mark.slow
def test_memory_stays_flat(tmp_path: Path) -> None:
    texts = [f"{n} " + "text " * 400 for n in range(10_000)]
    r = reader(tmp_path, {"id": [str(n) for n in range(10_000)], "text": texts}, row_group_size=10_000)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    most = 0
    for _ in r:
        most = max(most, pa.total_allocated_bytes() - before)
    python = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert r.failed == []
    assert most < 12_000_000  # 20 MB of text in one row group
    assert python < 6_000_000


def test_faults_of_parameters() -> None:
    with pytest.raises(ValueError, match="batch: expected 1 or more, got 0"):
        ParquetReader(batch=0)
    with pytest.raises(ValueError, match="spans_field: expected one text_field"):
        ParquetReader(spans_field="s", text_field=["a", "b"])


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ResourceError, match=r"the reader parquet needs pyarrow: pip install 'caspipe\[parquet\]'"):
        ParquetReader(folder=tmp_path).open()


def test_a_folder_without_parquet_files(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"reader parquet: no file matches \*\.parquet"):
        ParquetReader(folder=tmp_path).open()


def test_a_table_of_patients_gives_each_row_its_patient(tmp_path: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("file,patient\n1,P-7001\n2,P-7002\n", encoding="utf-8")
    r = reader(tmp_path, {"id": ["1", "2"], "text": ["a", "b"]}, patients=table)
    r.open()
    assert [c.metadata["patient_id"] for c in r] == ["P-7001", "P-7002"]
    assert r.failed == []
