"""The picture of an audit: how the bound falls with every document read and rises with every find, and where it would go."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from ....consumers.pages.page import esc
from .outcome import TARGETS, Outcome, Point

Scale = Callable[[float], float]
_TICKS = (1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)

STYLE = """
.plot { margin: 0; }
.plot svg { display: block; width: 100%; height: auto; }
.plot svg.narrow { display: none; }
.plot text { fill: var(--muted); font: 13px system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .axis { stroke: var(--muted); stroke-width: 1; }
.plot .target { stroke: var(--good); stroke-width: 1; stroke-dasharray: 2 4; }
.plot text.goal { fill: var(--good); }
.plot .bound { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linejoin: round; }
.plot .ahead { fill: none; stroke: var(--accent); stroke-width: 2; stroke-dasharray: 5 5; opacity: .75; }
.plot .find { fill: var(--bg); stroke: var(--bad); stroke-width: 2; }
.plot .now { fill: var(--accent); }
.plot text.told { fill: var(--ink); font-weight: 650; font-size: 14px; }
.plot figcaption { color: var(--muted); font-size: .85rem; padding: .3rem 0 0; }
@media (max-width: 40rem) { .plot svg.narrow { display: block; } .plot svg.wide { display: none; } }
"""


def bound_plot(outcome: Outcome) -> str:
    """The plot as HTML, drawn twice: for a wide page and for a narrow one, so that its letters stay legible."""
    wide = _svg(outcome, "wide", 920, 400, 8)
    narrow = _svg(outcome, "narrow", 360, 340, 4)
    finds = " A ring marks each document with a leak." if outcome.any.found else ""
    return (
        f'<figure class="plot">{wide}{narrow}<figcaption>Upper bound on the share of released documents with a leak, after each '
        f"document read (line) and if no further leak is found (dashes).{finds} The scale of shares is logarithmic."
        "</figcaption></figure>"
    )


def percent(share: float) -> str:
    """`1.49 %`, with as many digits as matter."""
    value = 100 * share
    digits = 0 if value >= 99.95 or value == 0 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f} %"


def _svg(outcome: Outcome, css: str, width: int, height: int, x_ticks: int) -> str:
    curve, ahead = outcome.curve, outcome.forecast
    left, right, top, bottom = 58, 62, 26, 46
    most = max(1, ahead[-1].read)
    lowest = min(point.rate for point in (*curve, *ahead) if point.rate > 0)
    floor = next((t for t in _TICKS if t <= lowest * 0.9), _TICKS[-1])

    def x(read: float) -> float:
        return round(left + (width - left - right) * read / most, 1)

    def y(share: float) -> float:
        depth = math.log(max(share, floor)) / math.log(floor)
        return round(top + (height - top - bottom) * depth, 1)

    parts = [
        f'<svg class="{css}" viewBox="0 0 {width} {height}" role="img" aria-label="{esc(_told(outcome))}">',
        *_shares(x, y, most, floor, width),
        *_documents(x, most, height - bottom, x_ticks),
        f'<text x="{left}" y="15">at most this share of the documents</text>',
        f'<text x="{(left + width - right) / 2:g}" y="{height - 8}" text-anchor="middle">documents read</text>',
        f'<path class="ahead" d="{_path(ahead, x, y)}"/>' if len(ahead) > 1 else "",
        f'<path class="bound" d="{_path(curve, x, y)}"/>',
    ]
    before = 0
    for point in curve:
        if point.found > before:
            parts.append(f'<circle class="find" cx="{x(point.read)}" cy="{y(point.rate)}" r="4.5"/>')
        before = point.found
    now = curve[-1]
    parts.append(f'<circle class="now" cx="{x(now.read)}" cy="{y(now.rate)}" r="5"/>')
    near = x(now.read) > width - right - 150
    anchor, dx = ("end", 2) if near else ("start", 8)
    told = f"{now.read:,} read: {percent(now.rate)}"
    parts.append(
        f'<text class="told" x="{x(now.read) + dx}" y="{y(now.rate) - 12}" text-anchor="{anchor}">{told}</text>'
    )
    return "".join([*parts, "</svg>"])


def _shares(x: Scale, y: Scale, most: int, floor: float, width: int) -> Iterable[str]:
    for tick in (t for t in _TICKS if t >= floor):
        yield f'<path class="grid" d="M{x(0)} {y(tick)}H{x(most)}"/>'
        yield f'<text x="{x(0) - 8}" y="{y(tick) + 4}" text-anchor="end">{100 * tick:g} %</text>'
    for target in (t for t in TARGETS if t >= floor):
        yield f'<path class="target" d="M{x(0)} {y(target)}H{x(most)}"/>'
        yield f'<text class="goal" x="{x(most) + 6}" y="{y(target) + 4}">{100 * target:g} %</text>'


def _documents(x: Scale, most: int, base: int, ticks: int) -> Iterable[str]:
    yield f'<path class="axis" d="M{x(0)} {base}H{x(most)}"/>'
    rough = most / ticks
    size = 10 ** math.floor(math.log10(max(rough, 1)))
    step = next(m * size for m in (1, 2, 5, 10) if m * size >= rough)
    for read in range(0, most + 1, max(1, int(step))):
        yield f'<path class="axis" d="M{x(read)} {base}v5"/>'
        yield f'<text x="{x(read)}" y="{base + 20}" text-anchor="middle">{read:,}</text>'


def _path(points: Sequence[Point], x: Scale, y: Scale) -> str:
    return "M" + "L".join(f"{x(point.read)} {y(point.rate)}" for point in points)


def _told(outcome: Outcome) -> str:
    return f"The bound after {outcome.read:,} documents is {percent(outcome.any.of_release)} of the released documents."
