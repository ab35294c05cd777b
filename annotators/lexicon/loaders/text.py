"""Plain text: one term a line; lines that begin with `#` are comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..delimited_files import head, numbered
from ..term import Format, Term, TermSource
from . import pack

SUFFIXES = {".txt", ".lst", ".dic", ".list"}


def detect(path: Path) -> bool:
    if not path.is_file() or path.with_suffix("").suffix + path.suffix in (".tsv.gz", ".csv.gz"):
        return False
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    start = head(path)
    return suffix in SUFFIXES and not pack.detect(path) and "\t" not in start and "|" not in start


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    name = path.name.split(".")[0]
    group, case = options.get("group", name), options.get("case", "auto")

    def terms() -> Iterator[Term]:
        for _, line in numbered(path):
            if not line.startswith("#"):
                yield Term(line.strip(), group, case=case)

    return TermSource(name, terms())


FORMAT = Format(
    "text",
    "plain text, one term a line, # for comments",
    detect,
    read,
    options={"group": "group or list name of every term", "case": "auto, exact or any"},
)
