"""A risk report as an HTML page: cards, tables with an interval drawn in every row, and notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from ..pages.rendering import render_page
from .risk_result import CLASSES, SCORED, Risk, Share
from .risk_text import DENSITY_COLUMNS, density_rows, kind_rows, notes, shown, title


def risk_page(risk: Risk) -> bytes:
    """Return the page; it loads nothing and has no script."""
    heading = title(risk)
    return render_page(
        "risk.html.j2",
        title=heading[0].upper() + heading[1:],
        styles=["report.css", "risk.css"],
        unit=risk.unit,
        cards=[(f"{by}, observed", _percent(risk.observed[by].share)) for by in CLASSES],
        shares=_share_rows(risk),
        kinds=_with_chips(kind_rows(risk)),
        densities=_with_chips(density_rows(risk)) if risk.expected[1:] else [],
        density_columns=[c.capitalize() if n < 2 else f"#{c.capitalize()}" for n, c in enumerate(DENSITY_COLUMNS)],
        notes=notes(risk),
    )


def _with_chips(rows: Iterable[list[str]]) -> list[list[Any]]:
    return [[{"kind": kind}, *cells] for kind, *cells in rows]


def _share_rows(risk: Risk) -> list[list[object]]:
    shares = [*(seen.share for seen in risk.observed.values()), *(s for c in risk.expected for s in c.shares.values())]
    longest = max((v for s in shares for v in (s.value, s.high, s.at_most) if v is not None), default=0.0) or 1.0
    rows: list[list[object]] = []
    for by in CLASSES:
        seen = risk.observed[by]
        leaking = f"{seen.leaking:,}" if seen.share.value is not None else "unknown"
        drawn = _draw_interval(seen.share, "dot", longest)
        rows.append([by, "observed", SCORED, f"{seen.holding:,}", leaking, shown(seen.share), drawn])
        for corpus in risk.expected:
            share = corpus.shares[by]
            drawn = _draw_interval(share, "dot open", longest)
            rows.append([by, "expected", corpus.name, "", "", shown(share), drawn])
    return rows


def _draw_interval(share: Share, css: str, longest: float) -> Markup:
    """Draw the interval as a line and the estimate as a dot, on the scale that all rows of the page share."""

    def x(value: float) -> str:
        return f"{4 + 192 * value / longest:.1f}"

    shapes = ['<line class="axis" x1="4" y1="6" x2="196" y2="6"/>']
    if share.low is not None and share.high is not None:
        shapes.append(f'<line class="range" x1="{x(share.low)}" y1="6" x2="{x(share.high)}" y2="6"/>')
    if share.at_most is not None:
        shapes.append(f'<line class="most" x1="{x(share.at_most)}" y1="1" x2="{x(share.at_most)}" y2="11"/>')
    if share.value is not None:
        shapes.append(f'<circle class="{css}" cx="{x(share.value)}" cy="6" r="3.5"/>')
    return Markup(
        '<svg class="interval" viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f"{''.join(shapes)}</svg>"
    )


def _percent(share: Share) -> str:
    return "unknown" if share.value is None else f"{100 * share.value:.1f} %"
