"""Reader of CSV files."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.tables.csv import CsvReader
from caspipe.typesystem import PhiKind

NAME = "Featherstone"


def reader(tmp_path: Path, data: bytes | str, name: str = "notes.csv", **options: Any) -> CsvReader:
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return CsvReader(folder=tmp_path, **options)


def reasons(reader: CsvReader) -> list[tuple[str, str]]:
    assert NAME not in repr(reader.failed)
    return [(document, str(error)) for document, error in reader.failed]


def test_each_row_is_a_document_and_quoted_fields_hold_newlines(tmp_path: Path) -> None:
    r = reader(tmp_path, 'id,text\r\n1,"one\r\n""two"", \n"\r\n\r\n2,\U0001f600\r\n')
    assert [(c.id, c.text, c.metadata) for c in r] == [
        ("1", 'one\r\n"two", \n', {"encoding": "utf-8"}),
        ("2", "\U0001f600", {"encoding": "utf-8"}),
    ]
    assert r.failed == []


def test_a_row_with_a_wrong_number_of_columns_has_failed_under_its_number(tmp_path: Path) -> None:
    r = reader(tmp_path, f"id,text\n1,one\n{NAME}\n2,{NAME},three\n3,four\n")
    assert [c.id for c in r] == ["1", "3"]
    assert reasons(r) == [
        ("notes/2", f"{tmp_path}/notes.csv, row 2 (line 3): expected 2 columns, found 1"),
        ("notes/3", f"{tmp_path}/notes.csv, row 3 (line 4): expected 2 columns, found 3"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (f'"{NAME}', "a quote is opened and never closed"),
        (f'"x" {NAME}', "a quoted field continues after its closing quote"),
    ],
)
def test_after_a_quoting_fault_the_rest_of_the_file_is_one_failed_document(
    tmp_path: Path, row: str, reason: str
) -> None:
    (tmp_path / "z.csv").write_bytes(b"id,text\n9,nine\n")
    r = reader(tmp_path, f"id,text\n1,one\n2,{row}\n3,three\n")
    assert [c.id for c in r] == ["1", "9"]
    assert reasons(r) == [("notes/2", f"{tmp_path}/notes.csv, from row 2 on: {reason}")]


def test_encodings_are_decided_row_by_row(tmp_path: Path) -> None:
    r = reader(tmp_path, b"id,text\n1,M\xc3\xbcller\n2,M\xfcller\n3,\x81Featherstone\n4,x\n")
    assert [(c.id, c.text, c.metadata["encoding"]) for c in r] == [
        ("1", "Müller", "utf-8"),
        ("2", "Müller", "cp1252"),
        ("4", "x", "utf-8"),
    ]
    assert reasons(r) == [
        ("notes/3", f"{tmp_path}/notes.csv, row 3 (line 4): expected cp1252, found a byte that is not at byte 0")
    ]


def test_a_given_encoding_is_strict(tmp_path: Path) -> None:
    r = reader(tmp_path, b"id,text\n1,M\xfcller\n2,x\n", encoding="utf8")
    assert [c.id for c in r] == ["2"]
    assert reasons(r)[0][1].endswith("row 1 (line 2): expected utf-8, found bytes that are not")
    assert [c.text for c in reader(tmp_path, b"id,text\n1,M\xfcller\n", encoding="latin-1")] == ["Müller"]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_heeded(tmp_path: Path, codec: str) -> None:
    (cas,) = reader(tmp_path, "id,text\n1,Müller \U0001f600\n".encode(codec))
    assert cas.text == "Müller \U0001f600"


def test_a_damaged_utf16_file_ends_there(tmp_path: Path) -> None:
    data = "id,text\n1,x\n".encode("utf-16") + "2,y".encode("utf-16-le") + b"\x00\xd8"
    r = reader(tmp_path, data)
    list(r)
    assert reasons(r)[-1][1].endswith("bytes that are not in the encoding of the byte-order mark")


def test_other_delimiters_quotes_and_files_without_header(tmp_path: Path) -> None:
    r = reader(tmp_path, "1\t'a\tb'\n", delimiter="\\t", quote="'", columns=["id", "text"])
    assert [(c.id, c.text) for c in r] == [("1", "a\tb")]


def test_columns_become_metadata_and_known_phi(tmp_path: Path) -> None:
    data = f"id,text,patient,mrn,other\n1,x, {NAME} ,0017,z\n2,x,,,\n"
    r = reader(tmp_path, data, metadata={"patient": "mrn"}, known_phi={"patient": PhiKind.PERSON_PATIENT})
    one, two = r
    assert one.metadata == {"patient": "0017", "encoding": "utf-8"}
    assert [(k.kind.name, k.value, k.role) for k in one.known_phi] == [("PERSON_PATIENT", NAME, "patient")]
    assert two.known_phi == []


def test_a_missing_column_fails_the_file_and_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "z.csv").write_bytes(b"id,text\n9,nine\n")
    r = reader(tmp_path, f"id,texts\n1,{NAME}\n")
    assert [c.id for c in r] == ["9"]
    assert reasons(r) == [("notes", f"{tmp_path}/notes.csv: expected a field text, found none; did you mean texts?")]
    r = reader(tmp_path, f"id,{NAME}\n1,x\n")
    list(r)
    assert reasons(r)[0][1].endswith("expected a field text, found none")
    r = reader(tmp_path, "id,text,text\n1,x,y\n")
    list(r)
    assert reasons(r)[0][1].endswith("column text occurs twice")


def test_an_empty_file_lacks_its_header(tmp_path: Path) -> None:
    r = reader(tmp_path, b"")
    assert list(r) == []
    assert reasons(r) == [("notes", f"{tmp_path}/notes.csv: expected a header row, found an empty file")]
    r = reader(tmp_path, b"id,text\n")
    assert list(r) == []
    assert r.failed == []


def test_a_header_that_cannot_be_decoded_fails_the_file(tmp_path: Path) -> None:
    r = reader(tmp_path, b"id,text,\x81\n1,x,y\n")
    assert list(r) == []
    assert reasons(r)[0][1].startswith(f"{tmp_path}/notes.csv, header row: ")


def test_repeated_and_missing_ids_have_failed(tmp_path: Path) -> None:
    r = reader(tmp_path, "id,text\n1,x\n1,y\n ,z\n")
    assert [c.text for c in r] == ["x"]
    assert [reason.rpartition(": ")[2] for _, reason in reasons(r)] == [
        "an earlier document has the same id",
        "expected a document id, found only spaces",
    ]


def test_a_huge_field_is_read_and_one_beyond_the_limit_is_not(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    big = "x" * 5_000_000
    (cas,) = reader(tmp_path, f"id,text\n1,{big}\n")
    assert len(cas.text) == 5_000_000
    r = reader(tmp_path, f'id,text\n1,one\n2,"{big}"\n3,three\n', max_bytes=1_000_000)
    assert [c.id for c in r] == ["1"]
    assert reasons(r) == [("notes/2", f"{tmp_path}/notes.csv, from row 2 on: longer than max_bytes (1,000,000 bytes)")]
    lines = "\n".join("y" * 500_000 for _ in range(4))
    r = reader(tmp_path, f'id,text\n2,"{lines}"\n', max_bytes=1_000_000)
    assert list(r) == []
    assert "longer than max_bytes" in reasons(r)[0][1]
    assert csv.field_size_limit() == before


def test_control_characters_and_lone_carriage_returns(tmp_path: Path) -> None:
    (one, two) = reader(tmp_path, 'id,text\r1,"a\rb\x00\x0b"\r2,c\r')
    assert (one.text, two.text) == ("a\rb\x00\x0b", "c")


def test_gzipped_files_are_read_and_damaged_ones_have_failed(tmp_path: Path) -> None:
    data = gzip.compress(b"id,text\n1,x\n")
    assert [c.id for c in reader(tmp_path, data, "a.csv.gz")] == ["1"]
    r = reader(tmp_path, data[:-6], "a.csv.gz")
    list(r)
    assert reasons(r) == [("a", f"{tmp_path}/a.csv.gz: the gzip data are damaged or cut off")]


def test_what_the_csv_module_writes_comes_back(tmp_path: Path) -> None:
    texts = ['a "b", c', "x\r\ny\n", "\t;'", "", "é\u2028\x85", " lead and trail "]
    out = io.StringIO(newline="")
    csv.writer(out).writerows([["id", "text"], *([str(n), t] for n, t in enumerate(texts))])
    assert [c.text for c in reader(tmp_path, out.getvalue())] == texts


def test_several_text_columns_make_several_documents(tmp_path: Path) -> None:
    data = "VAERS_ID,SYMPTOM_TEXT,LAB_DATA\n7,one,\n8,,two\n"
    r = reader(tmp_path, data, id_field="VAERS_ID", text_field=["SYMPTOM_TEXT", "LAB_DATA"])
    assert [(c.id, c.text) for c in r] == [("7/SYMPTOM_TEXT", "one"), ("8/LAB_DATA", "two")]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"delimiter": ",,"}, "delimiter: expected one character, got ',,'"),
        ({"quote": ""}, "quote: expected one character, got ''"),
        ({"delimiter": '"'}, "delimiter: expected another character than the quote"),
        ({"columns": ["a", "a"]}, "columns: expected every name once"),
        ({"encoding": "utf9"}, "encoding: expected auto"),
    ],
)
def test_faults_of_parameters(given: Any, fault: str) -> None:
    with pytest.raises(ValueError) as caught:
        CsvReader(**given)
    assert str(caught.value).startswith(fault)


def test_a_folder_without_csv_files(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"reader csv: no file matches \*\.csv"):
        CsvReader(folder=tmp_path).open()
