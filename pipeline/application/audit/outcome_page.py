"""An audit as an HTML page: the sentence for the protocol, the bound as a plot, tables, and notes on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from ....consumers.pages.rendering import escape, render_page
from ....typesystem import PhiKind
from .bound_plot import bound_plot, percent
from .outcome import Outcome
from .outcome_text import (
    COLUMNS,
    PAIR_COLUMNS,
    WANTED_COLUMNS,
    bound_rows,
    leaks,
    level,
    notes,
    pair_rows,
    verdict,
    wanted_rows,
)


def outcome_page(outcome: Outcome) -> bytes:
    """Return the page. It loads nothing and runs no script."""
    bound = outcome.any
    cards = [
        ("Documents released", f"{bound.population:,}"),
        ("Drawn", f"{len(outcome.sample.numbers):,}"),
        ("Read", f"{outcome.read:,}"),
        ("With a leak", f"{bound.found:,}", "bad" if bound.found else ""),
        (f"At most, {level(outcome)}", percent(bound.of_release)),
    ]
    run = outcome.sample.run.get("name") or "run"
    confidence = f"Upper bounds with {level(outcome)} confidence"
    return render_page(
        "outcome.html.j2",
        package=__package__,
        title=f"{run}: release audit",
        styles=("report.css", "bound_plot.css", "outcome.css"),
        run=run,
        cards=cards,
        verdict=_keep_percent_signs(verdict(outcome)),
        leaks=_keep_percent_signs(leaks(outcome)),
        plot=bound_plot(outcome),
        bounds=_table(COLUMNS, bound_rows(outcome), caption=confidence),
        wanted=_table(WANTED_COLUMNS, wanted_rows(outcome), caption="If no further leak is found"),
        pairs=[_table(PAIR_COLUMNS, rows, text=_keep_percent_signs(text)) for text, rows in pair_rows(outcome)],
        notes=[_keep_percent_signs(note) for note in notes(outcome)],
        sample=outcome.sample.id,
        seed=outcome.sample.seed,
        release=outcome.sample.release[:16],
    )


def _keep_percent_signs(text: str) -> Markup:
    """Escape a text so that no line begins with a percent sign."""
    return Markup(escape(text).replace(" %", Markup("&nbsp;%")))


def _table(columns: Sequence[str], rows: Any, **texts: str) -> dict[str, Any]:
    """Return a table for the template: numbers in all columns but the first."""
    kinds = {kind.name for kind in PhiKind}
    heads = [f"{'#' if n else ''}{c[:1].upper()}{c[1:]}" for n, c in enumerate(columns)]
    cells = [[{"kind": name} if name in kinds else name, *rest] for name, *rest in rows]
    return {"columns": heads, "rows": cells, **texts}
