"""Reader of VAERS data."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.tables.us_states import US_STATES, known_state
from caspipe.readers.tables.vaers import VaersReader
from caspipe.typesystem import Cas

HEADER = (
    "VAERS_ID,RECVDATE,STATE,AGE_YRS,CAGE_YR,CAGE_MO,SEX,RPT_DATE,SYMPTOM_TEXT,DIED,DATEDIED,VAX_DATE,ONSET_DATE,LAB_DATA,OTHER_MEDS,"
    "CUR_ILL,HISTORY,PRIOR_VAX,SPLTTYPE,TODAYS_DATE,ALLERGIES"
)
ROW = (
    '7,04/01/2026,OH,65.0,65,,F,,"Fell ill in Ohio on 03/04/2026,\r\nas a 65-year-old. Café.",Y,3/9/2026,03/02/2026,03/04/2026,,'
    "aspirin,,,,OHJNJ1,,pollen"
)


def read(
    tmp_path: Path, *rows: str, header: str = HEADER, name: str = "2026VAERSDATA.csv", **options: Any
) -> list[Cas]:
    (tmp_path / name).write_bytes("\r\n".join([header, *rows, ""]).encode("cp1252"))
    reader = VaersReader(folder=tmp_path, **options)
    documents = list(reader)
    assert reader.failed == []
    return documents


def test_every_text_of_a_report_is_a_document(tmp_path: Path) -> None:
    documents = read(tmp_path, ROW)
    assert [(c.id, c.text) for c in documents] == [
        ("7/SYMPTOM_TEXT", "Fell ill in Ohio on 03/04/2026,\r\nas a 65-year-old. Café."),
        ("7/OTHER_MEDS", "aspirin"),
        ("7/ALLERGIES", "pollen"),
    ]
    assert {c.metadata["patient_id"] for c in documents} == {"7"}
    assert documents[0].metadata["encoding"] == "cp1252"


def test_what_the_row_knows_goes_with_every_text(tmp_path: Path) -> None:
    one, two, _ = read(tmp_path, ROW)
    known = [(k.kind.name, k.value, k.provenance, k.role) for k in one.known_phi]
    assert known == [(k.kind.name, k.value, k.provenance, k.role) for k in two.known_phi]
    assert known == [
        ("LOCATION_STATE", "Ohio", "STATE", "patient"),
        ("LOCATION_STATE", "OH", "STATE", "patient"),
        ("AGE", "65 years", "AGE_YRS", "patient"),
        ("AGE", "65 years", "CAGE_YR", "patient"),
        ("ID_CASE", "OHJNJ1", "SPLTTYPE", "case"),
        ("DATE", "2026-04-01", "RECVDATE", ""),
        ("DATE_DEATH", "2026-03-09", "DATEDIED", "patient"),
        ("DATE", "2026-03-02", "VAX_DATE", ""),
        ("DATE", "2026-03-04", "ONSET_DATE", ""),
    ]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("CT", ["Connecticut"]),
        ("ny", ["New York", "NY"]),
        ("XB", []),
        ("Foreign", ["Foreign"]),
        ("", []),
        ("DC", ["District of Columbia"]),
    ],
)
def test_a_state_is_looked_for_by_its_name_and_by_a_code_that_means_nothing_else(
    state: str, expected: list[str]
) -> None:
    assert known_state(state) == expected


def test_there_are_fifty_states_and_six_more() -> None:
    assert len(US_STATES) == 56
    assert (US_STATES["WY"], US_STATES["VI"]) == ("Wyoming", "Virgin Islands")


@pytest.mark.parametrize(
    ("age", "known"), [("65.0", ["65 years"]), ("0.5", []), ("", []), ("old", []), ("107", ["107 years"])]
)
def test_ages(tmp_path: Path, age: str, known: list[str]) -> None:
    one = read(tmp_path, f"7,{age},x", header="VAERS_ID,AGE_YRS,SYMPTOM_TEXT")[0]
    assert [k.value for k in one.known_phi] == known


def test_columns_that_older_files_lack_are_not_missed(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "7,x", header="VAERS_ID,SYMPTOM_TEXT")
    assert (one.text, one.known_phi) == ("x", [])


@pytest.mark.parametrize(("header", "missing"), [("VAERS_ID,TEXT", "SYMPTOM_TEXT"), ("ID,SYMPTOM_TEXT", "VAERS_ID")])
def test_a_file_that_is_not_of_vaers_has_failed(tmp_path: Path, header: str, missing: str) -> None:
    (tmp_path / "2026VAERSDATA.csv").write_bytes(f"{header}\n7,x\n".encode())
    reader = VaersReader(folder=tmp_path)
    assert list(reader) == []
    assert f"expected a field {missing}, found none" in str(reader.failed[0][1])


def test_the_other_files_of_a_download_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "2026VAERSVAX.csv").write_bytes(b"VAERS_ID,VAX_TYPE\n7,COVID19\n")
    (tmp_path / "2026VAERSSYMPTOMS.csv").write_bytes(b"VAERS_ID,SYMPTOM1\n7,Fever\n")
    assert len(read(tmp_path, ROW)) == 3


def test_a_download_is_read_from_its_archive_and_from_gz(tmp_path: Path) -> None:
    data = f"{HEADER}\r\n{ROW}\r\n".encode("cp1252")
    with zipfile.ZipFile(tmp_path / "2026VAERSData.zip", "w") as packed:
        packed.writestr("2026VAERSDATA.csv", data)
        packed.writestr("2026VAERSVAX.csv", b"VAERS_ID\n7\n")
    assert [c.id for c in VaersReader(folder=tmp_path / "2026VAERSData.zip")] == [
        "7/SYMPTOM_TEXT",
        "7/OTHER_MEDS",
        "7/ALLERGIES",
    ]
    (tmp_path / "gz").mkdir()
    (tmp_path / "gz" / "2026VAERSDATA.csv.gz").write_bytes(gzip.compress(data))
    assert len(list(VaersReader(folder=tmp_path / "gz"))) == 3


def test_broken_quotes_end_a_file_and_a_repeated_id_fails_alone(tmp_path: Path) -> None:
    secret = "Zyqqvandermeulen"
    rows = ["VAERS_ID,SYMPTOM_TEXT", "7,x", f"7,{secret}", f'8,"{secret}']
    (tmp_path / "2026VAERSDATA.csv").write_bytes("\n".join(rows).encode())
    reader = VaersReader(folder=tmp_path)
    assert [c.id for c in reader] == ["7/SYMPTOM_TEXT"]
    assert [document for document, _ in reader.failed] == ["7/SYMPTOM_TEXT", "2026VAERSDATA/3"]
    assert secret not in repr(reader.failed)


def test_the_dates_of_a_report_move_together(tmp_path: Path) -> None:
    rows = ['7,"Ill on 03/04/2026.","Ill on 03/04/2026."', '8,"Ill on 03/04/2026.",']
    engines = Pipeline.parse("engines: [segmenter, known_phi, dates, masker: {DATE: {shift: {key: k, style: iso}}}]")
    one, two, other = (
        engines.process(c).deidentified for c in read(tmp_path, *rows, header="VAERS_ID,SYMPTOM_TEXT,LAB_DATA")
    )
    assert one == two != other


def test_the_sample_of_the_shared_formats_is_masked_with_what_its_row_knows(shared: Path) -> None:
    (cas,) = VaersReader(folder=shared / "formats" / "terminologies" / "vaers")
    Pipeline.parse("engines: [segmenter, known_phi, dates, identifiers, resolver, masker]").process(cas)
    assert "03/04/2026" not in cas.deidentified
    assert "12-Mar-1961" not in cas.deidentified
