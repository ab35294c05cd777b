"""A report of risk as an HTML page: cards, tables, an interval drawn in every row, and what has to be said about them."""

from __future__ import annotations

from ..pages.page import cell, chip, esc, page, table
from ..pages.style import REPORT
from .risk_result import CLASSES, SCORED, Risk, Share
from .risk_text import DENSITY_COLUMNS, density_rows, kind_rows, notes, shown, title

_STYLE = """
.scroll { margin-top: 1.2rem; }
svg.interval { width: 16rem; height: .9rem; vertical-align: middle; }
svg.interval .axis { stroke: var(--line); stroke-width: 1; }
svg.interval .range { stroke: var(--accent); stroke-width: 3; }
svg.interval .dot { fill: var(--accent); stroke: var(--accent); stroke-width: 2; }
svg.interval .open { fill: var(--bg); }
svg.interval .most { stroke: var(--muted); stroke-width: 2; }
"""


def risk_page(risk: Risk) -> bytes:
    """The whole page; it loads nothing and runs nothing."""
    heading = title(risk)
    heading = heading[0].upper() + heading[1:]
    cards = "".join(
        f"<div><dt>{by}, observed</dt><dd>{esc(_short(risk.observed[by].share))}</dd></div>" for by in CLASSES
    )
    shares = _shares(risk)
    kinds = [
        f'<th scope="row">{chip(kind)}</th>{"".join(_cell(c, n > 0) for n, c in enumerate(rest))}'
        for kind, *rest in kind_rows(risk)
    ]
    parts = [
        f'<header><h1>{esc(heading)}</h1><dl class="cards">{cards}</dl></header><main>',
        table(
            f"Share of {risk.unit}s at risk",
            ["Identifiers", "How", "Corpus", "#Hold some", "#Leak", "#Share", "Interval, from 0 to the largest"],
            shares,
        ),
        table(
            "Leaks by kind",
            ["Kind", "Identifies", "#Documents", "#Identifiers", "#Leaked", "#Recall", "#Leak probability"],
            kinds,
        ),
    ]
    if risk.expected[1:]:
        dense = [
            f'<th scope="row">{chip(kind)}</th>{"".join(_cell(c, n > 0) for n, c in enumerate(rest))}'
            for kind, *rest in density_rows(risk)
        ]
        head = [c.capitalize() if n < 2 else f"#{c.capitalize()}" for n, c in enumerate(DENSITY_COLUMNS)]
        parts.append(table("How often kinds occur", head, dense))
    said = "".join(f"<li>{esc(note)}</li>" for note in notes(risk))
    return page(
        heading,
        "\n".join([*parts, f'<h2>What to know</h2><ul class="notes">{said}</ul></main>']),
        style=REPORT + _STYLE,
    )


def _shares(risk: Risk) -> list[str]:
    every = [*(seen.share for seen in risk.observed.values()), *(s for c in risk.expected for s in c.shares.values())]
    longest = max((v for s in every for v in (s.value, s.high, s.at_most) if v is not None), default=0.0) or 1.0
    rows = []
    for by in CLASSES:
        seen = risk.observed[by]
        leaking = f"{seen.leaking:,}" if seen.share.value is not None else "unknown"
        rows.append(_row(by, "observed", SCORED, f"{seen.holding:,}", leaking, seen.share, longest))
        rows += [_row(by, "expected", c.name, "", "", c.shares[by], longest) for c in risk.expected]
    return rows


def _row(by: str, how: str, corpus: str, holding: str, leaking: str, share: Share, longest: float) -> str:
    plain = cell(by, head=True) + _cell(how) + _cell(corpus)
    return plain + _cell(holding, True) + _cell(leaking, True) + _cell(shown(share), True) + _drawn(share, how, longest)


def _drawn(share: Share, how: str, longest: float) -> str:
    """The interval as a line, the estimate as a dot; all of the page's on one scale."""

    def at(value: float) -> str:
        return f"{4 + 192 * value / longest:.1f}"

    marks = ['<line class="axis" x1="4" y1="6" x2="196" y2="6"/>']
    if share.low is not None and share.high is not None:
        marks.append(f'<line class="range" x1="{at(share.low)}" y1="6" x2="{at(share.high)}" y2="6"/>')
    if share.at_most is not None:
        marks.append(f'<line class="most" x1="{at(share.at_most)}" y1="1" x2="{at(share.at_most)}" y2="11"/>')
    if share.value is not None:
        css = "dot" if how == "observed" else "dot open"
        marks.append(f'<circle class="{css}" cx="{at(share.value)}" cy="6" r="3.5"/>')
    return (
        '<td><svg class="interval" viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f"{''.join(marks)}</svg></td>"
    )


def _cell(value: str, number: bool = False) -> str:
    return f"<td{' class=n' if number else ''}>{esc(value)}</td>"


def _short(share: Share) -> str:
    return "unknown" if share.value is None else f"{100 * share.value:.1f} %"
