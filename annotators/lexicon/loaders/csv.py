"""CSV and TSV tables with a header line: one column holds the terms, others the concept, the group, the preferred name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import columns_of, table
from ..term import GROUPS, Format, Term, TermSource
from . import pack

TERM = ("form", "term", "name", "text", "label")
CONCEPT = ("concept", "concept_id", "code", "id", "cui")
PREFERRED = ("preferred", "preferred_name", "preferred_term", "canonical")
KNOWN_ELSEWHERE = ("LOINC_NUM",)


def _delimiter(path: Path) -> str:
    return "\t" if ".tsv" in path.suffixes else ","


def detect(path: Path) -> bool:
    if not path.is_file() or not {".csv", ".tsv"} & set(path.suffixes) or pack.detect(path):
        return False
    first = columns_of(path, _delimiter(path))
    return any(c.casefold() in TERM for c in first) and not set(KNOWN_ELSEWHERE) & set(first)


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    name = path.name.split(".")[0]
    delimiter = _delimiter(path)
    first = columns_of(path, delimiter)
    term = _column(path, first, options, "term", TERM)
    if not term:
        raise ResourceError(f"{path}:1: expected a column {', '.join(TERM)}, or the option term=COLUMN")
    concept = _column(path, first, options, "concept", CONCEPT)
    preferred = _column(path, first, options, "preferred", PREFERRED)
    group_column = next((c for c in first if c.casefold() == "group"), "") if "group" not in options else ""
    further = tuple(c for c in first if c and c not in (term, concept, preferred, group_column))

    def terms() -> Iterator[Term]:
        for number, row in table(path, delimiter, [c for c in (term, group_column, *further) if c]):
            group = row[group_column] if group_column else options.get("group", name)
            if group_column and group not in GROUPS:
                raise ResourceError(f"{path}:{number}: expected a group, one of {', '.join(sorted(GROUPS))}")
            if form := row[term].strip():
                columns = "\t".join([row[c].replace("\t", " ") for c in further])
                case = options.get("case", "auto")
                yield Term(form, group, row.get(concept, ""), row.get(preferred, ""), case, columns)

    return TermSource(name, terms(), {}, further)


def _column(path: Path, header: list[str], options: Mapping[str, str], option: str, usual: tuple[str, ...]) -> str:
    """Return the column that an option names, else the first with a usual name, else an empty string."""
    if option in options:
        if options[option] not in header:
            raise ResourceError(f"{path}:1: no column {options[option]!r}; the header has {', '.join(header)}")
        return options[option]
    return next((c for c in header if c.casefold() in usual), "")


FORMAT = Format(
    "csv",
    "CSV or TSV with a header line",
    detect,
    read,
    options={
        "term": "column of the terms; by default form, term, name, text or label",
        "concept": "column of the concept's identifier; by default concept, code, id or cui",
        "preferred": "column of the preferred name",
        "group": "group or list name of every row; by default the column group, else the file's name",
        "case": "auto, exact or any",
    },
)
