"""WHODrug in B3 format: DD.txt (drug names, fixed width) and, where present, DDA.txt (ATC codes)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import encoding_of, find_files, numbered
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
