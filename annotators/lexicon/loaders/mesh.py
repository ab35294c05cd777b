"""MeSH descriptors in ASCII: `dYYYY.bin`, records of `KEY = VALUE` lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import head, numbered
from ..term import Format, Term, TermSource
from ..term_groups import TUI_OPTION, groups_of, mesh_groups, tui_groups

LICENCE = "Medical Subject Headings, courtesy of the U.S. National Library of Medicine (your copy)"
Record = dict[str, list[str]]


def detect(path: Path) -> bool:
    return head(path, 512).startswith("*NEWRECORD")


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    table = tui_groups(options)

    def terms() -> Iterator[Term]:
        for record in _records(path):
            if "MH" not in record or "UI" not in record:
                continue
            concept, heading = record["UI"][0], record["MH"][0]
            # ST holds the semantic types of the descriptor; headings without one go by their place in the tree
            groups = groups_of(record.get("ST", ()), table) or mesh_groups(record.get("MN", ()))
            for group in groups:
                yield Term(heading, group, concept)
                for entry in record.get("PRINT ENTRY", []) + record.get("ENTRY", []):
                    text, tag = _entry(entry)
                    for form in {text: 0, uninverted(text): 0}:
                        yield Term(form, group, concept, heading, "exact" if tag in ("ABB", "ACR") else "auto")

    return TermSource("MeSH", terms(), {"licence": LICENCE})


def _records(path: Path) -> Iterator[Record]:
    record: Record = {}
    for number, line in numbered(path):
        if line.startswith("*NEWRECORD"):
            if record:
                yield record
            record = {}
            continue
        key, equals, value = line.partition(" = ")
        if not equals:
            raise ResourceError(f"{path}:{number}: expected KEY = VALUE or *NEWRECORD")
        record.setdefault(key.strip(), []).append(value.strip())
    if record:
        yield record


def _entry(value: str) -> tuple[str, str]:
    """(term, lexical tag) of an entry `term|TUI|tag|relation|thesaurus|date|letters`.

    The last part says which of the fields a to f are there: a is the term, b the TUI, c the lexical tag.
    """
    parts = value.split("|")
    letters = parts[-1] if len(parts) > 1 else "a"
    fields = dict(zip(letters, parts[:-1] or parts, strict=False))
    text = fields.get("a", parts[0])
    tag = fields.get("c", "")
    if tag in ("ABB", "ACR"):
        text = text.partition(" (")[0]  # `QD (Disease)`: the words in brackets only tell homographs apart
    return text, tag


def uninverted(text: str) -> str:
    """A heading in natural order: `Arthritis, Rheumatoid` -> `Rheumatoid Arthritis`; others as they are."""
    head_, comma, rest = text.partition(", ")
    return f"{rest} {head_}" if comma and "," not in rest and not rest[:1].isdigit() else text


FORMAT = Format("mesh", "MeSH descriptors, ASCII (dYYYY.bin)", detect, read, options={"tuis": TUI_OPTION})
