"""SNOMED CT, release format 2: the Snapshot description and concept files of an edition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import table
from ..term import Format, Term, TermSource
from .umls import clean

DESCRIPTION = "id active conceptId languageCode typeId term caseSignificanceId"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
CASE_SENSITIVE = "900000000000017005"
TAG = re.compile(r"\s*\(([^()]+)\)$")
GROUPS = {
    "finding": "SIGN_SYMPTOM",
    "disorder": "DISEASE_DISORDER",
    "morphologic abnormality": "DISEASE_DISORDER",
    "procedure": "LAB_PROCEDURE",
    "regime/therapy": "LAB_PROCEDURE",
    "body structure": "ANATOMICAL_SITE",
    "cell structure": "ANATOMICAL_SITE",
    "product": "MEDICATION",
    "medicinal product": "MEDICATION",
    "medicinal product form": "MEDICATION",
    "clinical drug": "MEDICATION",
    "substance": "MEDICATION",
}
"""Semantic tag at the end of a fully specified name -> group; other tags are not terms of the five groups."""


def _find(path: Path, kind: str) -> list[Path]:
    return sorted(path.glob(f"**/sct2_{kind}_Snapshot*.txt"))


def _files(path: Path) -> list[Path]:
    descriptions, concepts = _find(path, "Description"), _find(path, "Concept")
    if not descriptions or not concepts:
        missing = "Description" if not descriptions else "Concept"
        raise ResourceError(f"{path}: expected an RF2 Snapshot folder; no sct2_{missing}_Snapshot*.txt below it")
    return descriptions + concepts


def detect(path: Path) -> bool:
    return path.is_dir() and bool(_find(path, "Description"))


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    _files(path)
    language = options.get("language", "en")

    def terms() -> Iterator[Term]:
        active = {
            row["id"]
            for file in _find(path, "Concept")
            for _, row in table(file, "\t", "id active")
            if row["active"] == "1"
        }
        groups: dict[str, str] = {}
        preferred: dict[str, str] = {}
        for row in _rows(path, active, language):
            tag = TAG.search(row["term"])
            if row["typeId"] == FSN and tag and tag[1] in GROUPS:
                groups[row["conceptId"]] = GROUPS[tag[1]]
                preferred[row["conceptId"]] = row["term"][: tag.start()]
        for row in _rows(path, active, language):
            concept = row["conceptId"]
            if concept not in groups:
                continue
            text = preferred[concept] if row["typeId"] == FSN else row["term"]
            case = "exact" if row["caseSignificanceId"] == CASE_SENSITIVE and text.isupper() else "auto"
            abbreviated, dash, rest = text.partition(" - ")
            if dash and abbreviated.isupper() and len(abbreviated) <= 6:  # `MI - Myocardial infarction`
                yield Term(abbreviated, groups[concept], concept, preferred[concept], "exact")
                text = rest
            yield Term(clean(text), groups[concept], concept, preferred[concept], case)

    return TermSource("SNOMED CT", terms(), {"licence": "SNOMED CT Affiliate Licence (your copy)"})


def _rows(path: Path, active: set[str], language: str) -> Iterator[dict[str, str]]:
    for file in _find(path, "Description"):
        for _, row in table(file, "\t", DESCRIPTION):
            spoken = row["languageCode"] == language and row["typeId"] in (FSN, SYNONYM)
            if spoken and row["active"] == "1" and row["conceptId"] in active:
                yield row


FORMAT = Format(
    "snomed",
    "SNOMED CT RF2: folder that holds the Snapshot files",
    detect,
    read,
    _files,
    {"language": "language code of the descriptions, default en"},
)
