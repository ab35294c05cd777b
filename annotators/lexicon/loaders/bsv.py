"""cTAKES' bar-separated dictionaries: `CUI|Text`, `CUI|TUI|Text` or `CUI|TUI|Text|PreferredTerm`, comments `//` and `#`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import numbered
from ..term import Format, Term, TermSource
from ..term_groups import TUI_OPTION, groups_of, tui_groups

TUI = re.compile(r"T?\d{3}")


def detect(path: Path) -> bool:
    return path.is_file() and ".bsv" in path.suffixes


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    table = tui_groups(options)
    given = options.get("group", "")
    name = path.name.split(".")[0]

    def terms() -> Iterator[Term]:
        for number, line in numbered(path):
            if line.startswith(("//", "#")):
                continue
            row = [field.strip() for field in line.split("|")]
            if not 2 <= len(row) <= 4 or (len(row) > 2 and not TUI.fullmatch(row[1])):
                raise ResourceError(f"{path}:{number}: expected CUI|Text, CUI|TUI|Text or CUI|TUI|Text|PreferredTerm")
            tui = "T" + row[1].removeprefix("T") if len(row) > 2 else ""
            groups = [given] if given else groups_of([tui], table) if tui else [name]
            text, preferred = (row[2], row[3] if len(row) > 3 else "") if len(row) > 2 else (row[1], "")
            for group in groups:
                yield Term(text, group, row[0], preferred)

    return TermSource(name, terms())


FORMAT = Format(
    "bsv",
    "cTAKES dictionary: CUI|Text or CUI|TUI|Text|PreferredTerm",
    detect,
    read,
    options={"tuis": TUI_OPTION, "group": "group of every row, instead of the one of its TUI"},
)
