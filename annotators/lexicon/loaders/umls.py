"""UMLS Metathesaurus: a `META` folder with MRCONSO.RRF and MRSTY.RRF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..delimited_files import find_files, split
from ..term import Format, Term, TermSource
from ..term_groups import TUI_OPTION, groups_of, tui_groups

MRCONSO = "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF"
MRSTY = "CUI TUI STN STY ATUI CVF"
ABBREVIATIONS = frozenset({"AB", "ACR", "AA"})
_NOT_IN_TEXT = (
    "FN SCD SBD SCDC SBDC SCDF SBDF SCDFP SBDFP SCDG SBDG SCDGP GPCK BPCK OCD OAF OF OAP OAS OM OP LO HX HS CCS"
)
NOT_IN_TEXT = frozenset(_NOT_IN_TEXT.split())
"""Term types that no note writes out: fully specified names, clinical drugs with dose, obsolete and hierarchical terms."""
_TAIL = re.compile(r"(?:,? NOS| \[(?:obsolete|dup|ambiguous|D|X|M|V|Q|SO)\]| - (?:finding|disorder|symptom))$", re.I)


def clean(text: str) -> str:
    """Return a term without additions: `, NOS`, `[obsolete]`, `- finding` (like cTAKES' dictionary builder)."""
    while True:
        shorter = _TAIL.sub("", text).strip()
        if shorter == text or not shorter:
            return text
        text = shorter


def _files(path: Path) -> list[Path]:
    names = ("MRCONSO.RRF", "MRSTY.RRF")
    return find_files(path, "a folder with MRCONSO.RRF and MRSTY.RRF", *((name, f"{name}.gz") for name in names))


def detect(path: Path) -> bool:
    return any((path / f"MRCONSO.RRF{gz}").is_file() for gz in ("", ".gz"))


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    table = tui_groups(options)
    language = options.get("language", "ENG")
    wanted = frozenset(filter(None, options.get("sources", "").split(",")))
    mrconso, mrsty = _files(path)

    def terms() -> Iterator[Term]:
        tuis: dict[str, list[str]] = {}
        for _, row in split(mrsty, "|", MRSTY):
            if table.get(row[1]):
                tuis.setdefault(row[0], []).append(row[1])
        groups = {cui: groups_of(found, table) for cui, found in tuis.items()}
        preferred: dict[str, str] = {}
        for _, row in split(mrconso, "|", MRCONSO):
            if row[0] in groups and row[1] == language and row[12] not in NOT_IN_TEXT:
                chosen = (row[2], row[4], row[6]) == ("P", "PF", "Y")
                preferred[row[0]] = clean(row[14]) if chosen else preferred.get(row[0], clean(row[14]))
        for _, row in split(mrconso, "|", MRCONSO):
            cui, lat, sab, tty, text, suppress = row[0], row[1], row[11], row[12], row[14], row[16]
            if lat != language or suppress not in ("N", "") or tty in NOT_IN_TEXT or (wanted and sab not in wanted):
                continue
            for group in groups.get(cui, ()):
                case = "exact" if tty in ABBREVIATIONS else "auto"
                yield Term(clean(text), group, cui, preferred.get(cui, ""), case, sab)

    return TermSource("UMLS", terms(), {"licence": "UMLS Metathesaurus licence (your copy)"}, ("source",))


FORMAT = Format(
    "umls",
    "UMLS: folder with MRCONSO.RRF and MRSTY.RRF",
    detect,
    read,
    _files,
    {"tuis": TUI_OPTION, "language": "LAT, default ENG", "sources": "SABs to keep, separated by commas; default all"},
)
