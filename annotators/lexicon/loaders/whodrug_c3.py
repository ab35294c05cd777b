"""WHODrug in C3 csv format: MP.csv (medicinal products) and, where present, ThG.csv (ATC codes)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..delimited_files import encoding_of, find_files, open_text, without_nul, wrong_columns
from ..term import Format, Term, TermSource

MP = (
    "Record_Id UMC_Product_id DrecNo Seq1 Seq2 Seq3 Seq4 Synonym_flag Drug_name Name_specifier MA_number MA_date "
    "MA_withdrawal_date Country Company MA_holder Source_code Source_country Source_year Product_type Create_date Change_date"
)
THG = "ThG_Id ATC_code Create_date Official_ATC Record_Id"


def _files(path: Path) -> list[Path]:
    atc = path / "ThG.csv"
    return [*find_files(path, "a WHODrug C3 folder", ("MP.csv",)), *([atc] if atc.is_file() else [])]


def detect(path: Path) -> bool:
    return (path / "MP.csv").is_file()


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    mp, *others = _files(path)
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


FORMAT = Format("whodrug_c3", "WHODrug C3: folder with MP.csv", detect, read, _files)
