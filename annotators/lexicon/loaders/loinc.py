"""LOINC: Loinc.csv, the names of active laboratory and clinical observations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..delimited_files import head, table
from ..term import Format, Term, TermSource

REQUIRED = "LOINC_NUM STATUS SHORTNAME LONG_COMMON_NAME"
NAMES = ("LONG_COMMON_NAME", "DisplayName", "CONSUMER_NAME", "SHORTNAME")


def detect(path: Path) -> bool:
    return path.is_file() and head(path, 512).replace('"', "").startswith("LOINC_NUM,")


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    def terms() -> Iterator[Term]:
        for _, row in table(path, ",", REQUIRED):
            if row["STATUS"] != "ACTIVE":
                continue
            for name in dict.fromkeys([row.get(column, "").strip() for column in NAMES]):
                if name:
                    yield Term(
                        name, "LAB_PROCEDURE", row["LOINC_NUM"], row["LONG_COMMON_NAME"], columns=row.get("CLASS", "")
                    )

    return TermSource("LOINC", terms(), {"licence": "LOINC licence, with its notice (your copy)"}, ("class",))


FORMAT = Format("loinc", "LOINC: Loinc.csv", detect, read)
