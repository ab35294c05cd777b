"""Rows of the shipped lexicon lists: names of people and towns. Read as data files, once per process."""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from operator import itemgetter

from ...pipeline.errors import ResourceError


@cache
def rows(name: str, *columns: str) -> tuple[tuple[str, ...], ...]:
    """The wanted columns of a list, row by row, in the order of the file. Raises ResourceError where one is absent."""
    file = files("caspipe.configs").joinpath("lexicons", f"{name}.tsv.gz")
    try:
        lines = gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()
    except (OSError, EOFError) as error:
        raise ResourceError(f"lexicon list {name}: cannot be read ({type(error).__name__})") from None
    header = next((line for line in lines if line.startswith("# columns: ")), "")
    there = header.removeprefix("# columns: ").split("\t")
    missing = [c for c in columns if c not in there]
    if missing:
        raise ResourceError(f"lexicon list {name}: expected a column {missing[0]}, found {', '.join(there)}")
    at = [there.index(c) for c in columns]
    last = max(at) + 1
    wanted = itemgetter(*at) if len(at) > 1 else lambda cells: (cells[at[0]],)
    return tuple([wanted(line.split("\t", last)) for line in lines if line[:2] != "# "])
