"""Rows of the shipped lexicon files of names and towns, read once per process."""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from operator import itemgetter

from ...pipeline.errors import ResourceError


@cache
def rows(name: str, *columns: str) -> tuple[tuple[str, ...], ...]:
    """Return the given columns of a list, in the order of the file. Raises ResourceError if one is missing."""
    file = files("caspipe.configs").joinpath("lexicons", f"{name}.tsv.gz")
    try:
        lines = gzip.decompress(file.read_bytes()).decode("utf-8").splitlines()
    except (OSError, EOFError) as error:
        raise ResourceError(f"lexicon list {name}: cannot be read ({type(error).__name__})") from None
    header = next((line for line in lines if line.startswith("# columns: ")), "")
    available = header.removeprefix("# columns: ").split("\t")
    missing = [c for c in columns if c not in available]
    if missing:
        raise ResourceError(f"lexicon list {name}: expected a column {missing[0]}, found {', '.join(available)}")
    indexes = [available.index(c) for c in columns]
    last = max(indexes) + 1
    wanted = itemgetter(*indexes) if len(indexes) > 1 else lambda cells: (cells[indexes[0]],)
    return tuple([wanted(line.split("\t", last)) for line in lines if line[:2] != "# "])
