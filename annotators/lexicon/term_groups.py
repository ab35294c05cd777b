"""The term groups of a concept, by UMLS semantic type (TUI) or MeSH tree number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from ...pipeline.errors import ResourceError
from .loaders import pack

TABLE = Path(str(files("caspipe.configs"))) / "lexicons" / "tui_groups.tsv"
TUI_OPTION = "`classic` (default): the five groups of cTAKES' dictionaries; `current`: those of its newer enumeration"


@cache
def _tables() -> dict[str, dict[str, str]]:
    tables: dict[str, dict[str, str]] = {"classic": {}, "current": {}}
    for term in pack.read(TABLE, {}).terms:
        _, classic, current = term.columns.split("\t")
        tables["classic"][term.form] = classic
        tables["current"][term.form] = current
    return tables


def tui_groups(options: Mapping[str, str]) -> dict[str, str]:
    """Return TUI -> group, which may be empty. Raises ResourceError for an unknown table."""
    chosen = options.get("tuis", "classic")
    if chosen not in _tables():
        raise ResourceError(f"option tuis: expected classic or current, got {chosen!r}")
    return _tables()[chosen]


def groups_of(tuis: Iterable[str], table: Mapping[str, str]) -> list[str]:
    """Return the groups of a concept, each once, sorted."""
    return sorted({table.get(tui, "") for tui in tuis} - {""})


MESH_TREES = (
    ("C23.888", "SIGN_SYMPTOM"),
    ("C", "DISEASE_DISORDER"),
    ("F03", "DISEASE_DISORDER"),
    ("A", "ANATOMICAL_SITE"),
    ("D", "MEDICATION"),
    ("E01", "LAB_PROCEDURE"),
    ("E02", "LAB_PROCEDURE"),
    ("E03", "LAB_PROCEDURE"),
    ("E04", "LAB_PROCEDURE"),
    ("E05.200", "LAB_PROCEDURE"),
)
"""Tree prefix -> group; the first match applies. E: diagnosis, therapeutics, anaesthesia, operations, laboratory."""


def mesh_groups(trees: Iterable[str]) -> list[str]:
    """Return the groups of a MeSH descriptor by its tree numbers, each once, sorted."""
    groups = {next((group for prefix, group in MESH_TREES if tree.startswith(prefix)), "") for tree in trees}
    return sorted(groups - {""})
