"""The page of figures: tables with bars, in the style of the other pages of caspipe; it holds no text of any document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caspipe.consumers.pages.rendering import render_page

from .documents import CORPORA
from .figures import ALL, Figures
from .tables import DIMENSIONS, FATE_HEADS, Table, fates, shown, tables

RUNS = 6
"""Number of colors of bars in notes.css."""
CARDS = 2
"""Number of programs up to which the totals are shown as cards, not as a table."""


def page(runs: Sequence[Figures], title: str = "Clinical notes: what is found and what is missed") -> bytes:
    """Return the page of some programs, side by side."""
    corpora = []
    every = list(tables(runs))
    for name, corpus in CORPORA.items():
        mine = [t for t in every if t.corpus == name]
        if mine:
            few = len({c.run for c in mine[0].columns}) <= CARDS
            listed = mine[1:] if few else mine
            corpora.append(
                {
                    "title": corpus.title,
                    "cards": _cards(mine[0]) if few else [],
                    "tables": [_shown(t) for t in listed],
                }
            )
    return render_page(
        "notes.html.j2",
        package=__package__,
        title=title,
        styles=["report.css", "notes.css"],
        runs=[{"name": run.name, "css": f"run-{n % RUNS}", "date": run.date} for n, run in enumerate(runs)],
        machines=sorted({run.machine for run in runs if run.machine}),
        corpora=corpora,
        fate={"columns": [*FATE_HEADS[:2], *(f"#{head}" for head in FATE_HEADS[2:])], "rows": list(fates(runs))},
    )


def _cards(table: Table) -> list[tuple[str, str]]:
    """Return the figures of all documents together."""
    assert table.dimension == ALL
    titles = {"covered": "spans covered", "clean": "documents clean", "false": "false spans per 1,000 words"}
    return [(f"{titles[c.figure]}: {c.run}", shown(c.figure, c.values[0])) for c in table.columns]


def _shown(table: Table) -> dict[str, Any]:
    """Return a table for the template, with a bar before each number of a share or rate."""
    columns = [DIMENSIONS[table.dimension], *(f"#{name}" for name, _ in table.sizes)]
    runs = list(dict.fromkeys(c.run for c in table.columns))
    longest = max((v or 0.0 for c in table.columns if c.figure == "false" for v in c.values), default=0.0) or 1.0
    for column in table.columns:
        columns += [column.title, "#"]
    rows = []
    for n, group in enumerate(table.groups):
        row: list[Any] = [group, *(numbers[n] for _, numbers in table.sizes)]
        for column in table.columns:
            value = column.values[n]
            share = (value or 0.0) / (longest if column.figure == "false" else 1.0)
            row += [{"share": share, "css": f"run-{runs.index(column.run) % RUNS}"}, shown(column.figure, value)]
        rows.append(row)
    return {"title": table.title.partition(": ")[2], "columns": columns, "rows": rows}
