"""Read the accuracy of the shipped profiles from the page of English results, which `benchmarks.score_notes` writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "english.md"
_BEGIN, _END = "<!-- begin: notes -->", "<!-- end: notes -->"
FIGURES = (
    ("phi_notes, dev: all documents", "covered", "spans covered, phi_notes dev"),
    ("phi_notes, dev: all documents", "clean", "notes with every span covered, phi_notes dev"),
    ("phi_notes, dev: all documents", "false", "false spans in 1,000 words, phi_notes dev"),
    ("MTSamples, without marks: all documents", "false", "false spans in 1,000 words, MTSamples without marks"),
)
"""Title of the table, figure, and its name on the page of speed."""


def accuracy(profiles: tuple[str, ...], page: str) -> list[tuple[str, list[str]]]:
    """Return (name, value of each profile) of the figures on the page. Raises ValueError if one is not there."""
    part = page.partition(_BEGIN)[2].partition(_END)[0]
    found = []
    for title, figure, name in FIGURES:
        heads, values = _table(part, title)
        row = []
        for profile in profiles:
            column = f"{figure}, {profile}"
            if column not in heads:
                raise ValueError(
                    f"{PAGE.name}: table {title!r}: expected a column {column!r}, found {', '.join(heads)}"
                )
            row.append(values[heads.index(column)])
        found.append((name, row))
    return found


def _table(part: str, title: str) -> tuple[list[str], list[str]]:
    """Return the headings and the first row of a table."""
    lines = part.partition(f"**{title}**\n")[2].strip().splitlines()
    rows = list(_rows(lines))
    if len(rows) < 3:
        raise ValueError(f"{PAGE.name}: expected a table {title!r}")
    return rows[0], rows[2]


def _rows(lines: list[str]) -> Iterator[list[str]]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]
