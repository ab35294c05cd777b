"""The figure of a risk report: shares of documents at risk with their intervals, corpus by corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .drawing import COLOURS, MUTED, WIDTH, new_axes, one_line, styled
from .risk_result import CLASSES, Risk, Share
from .risk_text import shown, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def risk_plot(risk: Risk) -> Figure:
    """Draw one row for each corpus, class, observed or expected: a dot, its interval, its upper limit. An unknown share has a
    note.

    Filled dots were observed, open ones are expected. Raises ConsumerError if matplotlib is not installed.
    """
    rows: list[tuple[str, int, bool, Share]] = []
    for number, by in enumerate(CLASSES):
        rows.append((f"{by}, observed", number, True, risk.observed[by].share))
        rows += [(f"{by}, expected: {c.name}", number, False, c.shares[by]) for c in risk.expected]
    figure, axes = new_axes(
        title(risk).capitalize(), f"Share of {risk.unit}s at risk", "", size=(WIDTH + 1.2, 1.3 + 0.3 * len(rows))
    )
    for y, (_, number, observed, share) in enumerate(rows):
        colour = COLOURS[number]
        if share.value is None:
            axes.text(0.01, y, shown(share), transform=axes.get_yaxis_transform(), va="center", color=MUTED, fontsize=8)
        if share.low is not None and share.high is not None:
            axes.plot([share.low, share.high], [y, y], color=colour, lw=2, solid_capstyle="round")
        if share.value is not None:
            axes.plot([share.value], [y], "o", color=colour, mfc=colour if observed else "white", ms=6, mew=1.5)
        if share.at_most is not None:
            axes.plot([share.at_most], [y], "|", color=MUTED, ms=10, mew=1.5)
    axes.set_yticks(range(len(rows)), [one_line(name) for name, *_ in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")
    known = [s for *_, s in rows if s.at_most is not None]
    axes.set_xlabel(
        f"Share of {risk.unit}s at risk\n(line: {100 * risk.settings.level:g} % interval; filled: observed; open: expected"
        + ("; bar: if kinds without a reference all leak)" if known else ")")
    )
    return figure
