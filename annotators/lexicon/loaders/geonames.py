"""GeoNames place files such as cities15000.txt: 19 tab-separated columns without header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import head, split
from ..term import Format, Term, TermSource

COLUMNS = (
    "geonameid name asciiname alternatenames latitude longitude feature_class feature_code country_code cc2 "
    "admin1_code admin2_code admin3_code admin4_code population elevation dem timezone modification_date"
)


def detect(path: Path) -> bool:
    first = head(path, 65536).split("\n")[0].split("\t")
    return len(first) == 19 and first[0].isdigit() and len(first[6]) == 1


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    alternates = options.get("alternates", "no")
    if alternates not in ("yes", "no"):
        raise ResourceError(f"option alternates: expected yes or no, got {alternates!r}")
    group = options.get("group", "cities")

    def terms() -> Iterator[Term]:
        for _, row in split(path, "\t", COLUMNS):
            names = [row[1], row[2], *(row[3].split(",") if alternates == "yes" else ())]
            state = row[10] if row[8] == "US" else ""
            for name in dict.fromkeys(filter(None, names)):
                yield Term(name, group, row[0], row[1], columns=f"{row[14]}\t{row[8]}\t{state}")

    header = {"licence": "CC BY 4.0", "source": "GeoNames, www.geonames.org"}
    return TermSource(path.name.split(".")[0], terms(), header, ("population", "country", "state"))


FORMAT = Format(
    "geonames",
    "GeoNames places (cities15000.txt)",
    detect,
    read,
    options={"alternates": "yes: also the alternate names; default no", "group": "list name, default cities"},
)
