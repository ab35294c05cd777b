"""FDA National Drug Code directory: product.txt, brand and generic names and substances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..delimited_files import encoding_of, head, table
from ..term import Format, Term, TermSource

REQUIRED = "PRODUCTNDC PROPRIETARYNAME NONPROPRIETARYNAME SUBSTANCENAME"


def detect(path: Path) -> bool:
    return path.is_file() and "PRODUCTNDC\t" in head(path, 512)


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    encoding = encoding_of(path, "cp1252")

    def terms() -> Iterator[Term]:
        seen: set[tuple[str, str]] = set()
        for _, row in table(path, "\t", REQUIRED, encoding):
            generic = row["NONPROPRIETARYNAME"].strip()
            suffix = row.get("PROPRIETARYNAMESUFFIX", "").strip()
            names = [row["PROPRIETARYNAME"].strip(), generic, *map(str.strip, row["SUBSTANCENAME"].split(";"))]
            names += [f"{names[0]} {suffix}"] if suffix else []
            for name in dict.fromkeys(names):
                if name and (name, generic) not in seen:
                    seen.add((name, generic))
                    yield Term(name, "MEDICATION", row["PRODUCTNDC"], generic, "any")

    return TermSource("NDC", terms(), {"licence": "public domain (U.S. FDA)"})


FORMAT = Format("ndc", "FDA NDC directory: product.txt", detect, read)
