"""RxNorm: RXNCONSO.RRF, alone or in its folder; ingredients, brand names and their synonyms, not drugs with dose and form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import split
from ..term import Format, Term, TermSource

RXNCONSO = "RXCUI LAT TS LUI STT SUI ISPREF RXAUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF"
TYPES = "IN,PIN,MIN,BN"


def _files(path: Path) -> list[Path]:
    choices = (path, path / "RXNCONSO.RRF", path / "rrf" / "RXNCONSO.RRF")
    file = next((f for f in choices if f.is_file()), None)
    if file is None:
        raise ResourceError(f"{path}: expected RXNCONSO.RRF or its folder")
    return [file]


def detect(path: Path) -> bool:
    if path.is_file():
        return path.name.upper().startswith("RXNCONSO")
    return any((path / name).is_file() for name in ("RXNCONSO.RRF", "rrf/RXNCONSO.RRF"))


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    [file] = _files(path)
    types = frozenset(options.get("types", TYPES).split(","))

    def terms() -> Iterator[Term]:
        names = {row[0]: row[14] for _, row in split(file, "|", RXNCONSO) if row[11] == "RXNORM" and row[12] in types}
        for _, row in split(file, "|", RXNCONSO):
            if row[1] == "ENG" and row[16] in ("N", "") and row[12] in types:
                yield Term(row[14], "MEDICATION", row[0], names.get(row[0], ""), "any", row[12])

    return TermSource("RxNorm", terms(), {"licence": "RxNorm, courtesy of the U.S. NLM (your copy)"}, ("type",))


FORMAT = Format(
    "rxnorm",
    "RxNorm: RXNCONSO.RRF or its folder",
    detect,
    read,
    _files,
    {"types": f"term types to keep, separated by commas; default {TYPES}"},
)
