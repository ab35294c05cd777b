"""WHODrug in B3 format (DD.txt, fixed width) and in C3 csv format (MP.csv), with ATC codes where present."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import encoding_of, find_files, numbered, open_text, without_nul, wrong_columns
from ..term import Format, Term, TermSource

CODE = re.compile(r"\d{11}")
NAME_AT = 30
"""First character of the drug name in DD.txt; DRN, Seq1 and Seq2 fill characters 0 to 11."""
BASE = "01001"
"""Seq1 and Seq2 of the record that gives the preferred base name of a drug record number."""


def _files(path: Path) -> list[Path]:
    atc = path / "DDA.txt"
    return [*find_files(path, "a WHODrug B3 folder", ("DD.txt",)), *([atc] if atc.is_file() else [])]


def detect(path: Path) -> bool:
    return (path / "DD.txt").is_file()


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    dd, *others = _files(path)
    encoding = encoding_of(dd, "latin-1")

    def terms() -> Iterator[Term]:
        atc: dict[str, str] = {}
        for file in others:
            for number, line in numbered(file, encoding):
                atc.setdefault(_code(file, number, line), line[12:19].strip())
        names = {code[:6]: name for code, name in _drugs(dd, encoding) if code[6:] == BASE}
        for code, name in _drugs(dd, encoding):
            yield Term(name, "MEDICATION", code, names.get(code[:6], ""), "any", atc.get(code, ""))

    return TermSource("WHODrug", terms(), {"licence": "WHODrug licence (your copy)"}, ("atc",))


def _drugs(file: Path, encoding: str) -> Iterator[tuple[str, str]]:
    for number, line in numbered(file, encoding):
        code, name = _code(file, number, line), line[NAME_AT:].strip()
        if not name:
            raise ResourceError(f"{file}:{number}: expected a drug name from character {NAME_AT + 1} on")
        yield code, name


def _code(file: Path, number: int, line: str) -> str:
    if not CODE.match(line):
        raise ResourceError(f"{file}:{number}: expected DRN, Seq1 and Seq2 (11 digits) at the beginning of the line")
    return line[:11]


FORMAT = Format("whodrug_b3", "WHODrug B3: folder with DD.txt", detect, read, _files)


MP = (
    "Record_Id UMC_Product_id DrecNo Seq1 Seq2 Seq3 Seq4 Synonym_flag Drug_name Name_specifier MA_number MA_date "
    "MA_withdrawal_date Country Company MA_holder Source_code Source_country Source_year Product_type Create_date Change_date"
)
THG = "ThG_Id ATC_code Create_date Official_ATC Record_Id"


def _csv_files(path: Path) -> list[Path]:
    atc = path / "ThG.csv"
    return [*find_files(path, "a WHODrug C3 folder", ("MP.csv",)), *([atc] if atc.is_file() else [])]


def detect_csv(path: Path) -> bool:
    return (path / "MP.csv").is_file()


def read_csv(path: Path, options: Mapping[str, str]) -> TermSource:
    mp, *others = _csv_files(path)
    encoding = encoding_of(mp, "latin-1")

    def terms() -> Iterator[Term]:
        atc = {row[4]: row[1] for file in others for row in reversed(list(_rows(file, THG, encoding)))}
        names: dict[str, str] = {}
        for row in _rows(mp, MP, encoding):
            if (row[3], row[4]) == ("01", "001"):
                names.setdefault(row[2], row[8])
        for row in _rows(mp, MP, encoding):
            code = row[2] + row[3] + row[4]
            yield Term(row[8], "MEDICATION", code, names.get(row[2], ""), "any", f"{row[0]}\t{atc.get(row[0], '')}")

    return TermSource("WHODrug", terms(), {"licence": "WHODrug licence (your copy)"}, ("record_id", "atc"))


def _rows(file: Path, columns: str, encoding: str) -> Iterator[list[str]]:
    expected = columns.split()
    with open_text(file, encoding) as lines:
        reader = csv.reader(without_nul(file, lines))
        for row in reader:
            if row and len(row) != len(expected):
                raise wrong_columns(file, reader.line_num, len(row), expected)
            if row:
                yield row


CSV_FORMAT = Format("whodrug_c3", "WHODrug C3: folder with MP.csv", detect_csv, read_csv, _csv_files)
