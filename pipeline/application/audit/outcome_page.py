"""The HTML page with the result of an audit: a summary sentence, a plot of the bound with its forecast, tables, and notes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from ....consumers.pages.rendering import escape, render_fragment, render_page
from ....typesystem import PhiKind
from . import outcome_text
from .outcome import TARGETS, BoundPoint, Outcome

_TICKS = (1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 62, 26, 46
"""Margins in pixels."""


def outcome_page(outcome: Outcome) -> bytes:
    """Return the page. It loads no other resource and runs no script."""
    bound = outcome.any
    cards = [
        ("Documents released", f"{bound.population:,}"),
        ("Drawn", f"{len(outcome.sample.numbers):,}"),
        ("Read", f"{outcome.read:,}"),
        ("With a leak", f"{bound.found:,}", "bad" if bound.found else ""),
        (f"At most, {outcome_text.level(outcome)}", outcome_text.percent(bound.of_release)),
    ]
    run = outcome.sample.run.get("name") or "run"
    confidence = f"Upper bounds with {outcome_text.level(outcome)} confidence"
    return render_page(
        "outcome.html.j2",
        package=__package__,
        title=f"{run}: release audit",
        styles=("report.css", "bound_plot.css", "outcome.css"),
        run=run,
        cards=cards,
        summary=_keep_percent_signs(outcome_text.summary(outcome)),
        leaks=_keep_percent_signs(outcome_text.leaks(outcome)),
        plot=bound_plot(outcome),
        bounds=_table(outcome_text.COLUMNS, outcome_text.bound_rows(outcome), caption=confidence),
        goals=_table(outcome_text.GOAL_COLUMNS, outcome_text.goal_rows(outcome), caption="If no further leak is found"),
        pairs=[
            _table(outcome_text.PAIR_COLUMNS, rows, text=_keep_percent_signs(text))
            for text, rows in outcome_text.pair_rows(outcome)
        ],
        notes=[_keep_percent_signs(note) for note in outcome_text.notes(outcome)],
        sample=outcome.sample.id,
        seed=outcome.sample.seed,
        release=outcome.sample.release[:16],
    )


def _keep_percent_signs(text: str) -> Markup:
    """Escape a text so that no line begins with a percent sign."""
    return Markup(escape(text).replace(" %", Markup("&nbsp;%")))


def _table(columns: Sequence[str], rows: Any, **texts: str) -> dict[str, Any]:
    """Return a table for the template, with numbers in all columns except the first."""
    kinds = {kind.name for kind in PhiKind}
    heads = [f"{'#' if n else ''}{c[:1].upper()}{c[1:]}" for n, c in enumerate(columns)]
    cells = [[{"kind": name} if name in kinds else name, *rest] for name, *rest in rows]
    return {"columns": heads, "rows": cells, **texts}


def bound_plot(outcome: Outcome) -> Markup:
    """Return the plot as HTML, in a wide and a narrow version so that its text stays legible on small screens."""
    share = outcome_text.percent(outcome.any.of_release)
    return render_fragment(
        "bound_plot.html.j2",
        package=__package__,
        plots=[_plot(outcome, "wide", 920, 400, 8), _plot(outcome, "narrow", 360, 340, 4)],
        label=f"The bound after {outcome.read:,} documents is {share} of the released documents.",
        with_leaks=bool(outcome.any.found),
    )


def _plot(outcome: Outcome, css: str, width: int, height: int, x_ticks: int) -> dict[str, Any]:
    """Return the coordinates that the template draws."""
    curve, forecast = outcome.curve, outcome.forecast
    most = max(1, forecast[-1].read)
    lowest = min(point.rate for point in (*curve, *forecast) if point.rate > 0)
    floor = next((t for t in _TICKS if t <= lowest * 0.9), _TICKS[-1])

    def x(read: float) -> float:
        return round(_LEFT + (width - _LEFT - _RIGHT) * read / most, 1)

    def y(share: float) -> float:
        depth = math.log(max(share, floor)) / math.log(floor)
        return round(_TOP + (height - _TOP - _BOTTOM) * depth, 1)

    def path(points: Sequence[BoundPoint]) -> str:
        return "M" + "L".join(f"{x(point.read)} {y(point.rate)}" for point in points)

    def shares(values: Sequence[float]) -> list[dict[str, Any]]:
        return [{"y": y(value), "text": f"{100 * value:g} %"} for value in values if value >= floor]

    now = curve[-1]
    near_edge = x(now.read) > width - _RIGHT - 150
    before = [0, *(point.found for point in curve)]
    return {
        "css": css,
        "width": width,
        "height": height,
        "left": x(0),
        "right": x(most),
        "middle": f"{(_LEFT + width - _RIGHT) / 2:g}",
        "base": height - _BOTTOM,
        "shares": shares(_TICKS),
        "targets": shares(TARGETS),
        "documents": [{"x": x(read), "text": f"{read:,}"} for read in range(0, most + 1, _step(most, x_ticks))],
        "forecast": path(forecast) if len(forecast) > 1 else "",
        "curve": path(curve),
        "finds": [{"x": x(p.read), "y": y(p.rate)} for p, found in zip(curve, before, strict=False) if p.found > found],
        "now": {
            "x": x(now.read),
            "y": y(now.rate),
            "dx": 2 if near_edge else 8,
            "anchor": "end" if near_edge else "start",
            "text": f"{now.read:,} read: {outcome_text.percent(now.rate)}",
        },
    }


def _step(most: int, ticks: int) -> int:
    """Return a round number of documents between the ticks of the axis."""
    rough = most / ticks
    size = 10 ** math.floor(math.log10(max(rough, 1)))
    return max(1, int(next(m * size for m in (1, 2, 5, 10) if m * size >= rough)))
