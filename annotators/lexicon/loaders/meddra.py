"""MedDRA: the `MedAscii` folder with llt.asc and, for groups, mdhier.asc; lowest level terms coded to their preferred terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import encoding_of, find_files, split
from ..term import Format, Term, TermSource

LLT = "llt_code llt_name pt_code whoart harts costart icd9 icd9cm icd10 llt_currency jart"
MDHIER = (
    "pt_code hlt_code hlgt_code soc_code pt_name hlt_name hlgt_name soc_name "
    "soc_abbrev null_field pt_soc_code primary_soc_fg"
)
RELEASE = "version language null1 null2 null3"
SOC_GROUPS = {
    "investigations": "LAB_PROCEDURE",
    "surgical and medical procedures": "LAB_PROCEDURE",
    "general disorders and administration site conditions": "SIGN_SYMPTOM",
    "social circumstances": "",
    "product issues": "",
}
"""Primary system organ class -> group; every other class holds disorders. MedDRA does not tell signs from diseases."""


def _files(path: Path, *names: str) -> list[Path]:
    choices = [(name, f"MedAscii/{name}") for name in names or ("llt.asc", "mdhier.asc")]
    return find_files(path, "a MedDRA folder (MedAscii)", *choices)


def detect(path: Path) -> bool:
    return any((path / name).is_file() for name in ("llt.asc", "MedAscii/llt.asc"))


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    llt, mdhier = _files(path)
    encoding = encoding_of(llt, "latin-1")
    given, currency = options.get("group", ""), options.get("currency", "current")
    if currency not in ("current", "all"):
        raise ResourceError(f"option currency: expected current or all, got {currency!r}")

    def terms() -> Iterator[Term]:
        groups: dict[str, str] = {}
        names: dict[str, str] = {}
        for _, row in split(mdhier, "$", MDHIER, encoding):
            names[row[0]] = row[4]
            if row[11] == "Y":
                groups[row[0]] = SOC_GROUPS.get(row[7].casefold(), "DISEASE_DISORDER")
        for _, row in split(llt, "$", LLT, encoding):
            group = given or groups.get(row[2], "DISEASE_DISORDER")
            if group and (currency == "all" or row[9] != "N"):
                yield Term(row[1], group, row[2], names.get(row[2], ""), columns=row[0])

    return TermSource(
        "MedDRA", terms(), {"licence": "MedDRA subscription (your copy)", **_release(path)}, ("llt_code",)
    )


def _release(path: Path) -> dict[str, str]:
    try:
        [file] = _files(path, "meddra_release.asc")
    except ResourceError:
        return {}
    for _, row in split(file, "$", RELEASE):
        return {"date": f"MedDRA {row[0]} {row[1]}"}
    return {}


FORMAT = Format(
    "meddra",
    "MedDRA: folder with llt.asc and mdhier.asc",
    detect,
    read,
    _files,
    {
        "currency": "`current` (default) or `all` lowest level terms",
        "group": "group of every term, instead of its SOC's",
    },
)
