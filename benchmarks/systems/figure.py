"""Draw the plot of the comparison: for each corpus and system strict F1, binary token recall and documents without a leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caspipe.consumers.scoring.drawing import COLORS, LINE, styled

from .corpora import CORPORA
from .declared import Row
from .results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from caspipe.consumers.scoring.counts import Array

SERIES = (
    ("strict F1", "strict", "f1", "o"),
    ("token precision", "token-binary", "precision", "D"),
    ("token recall", "token-binary", "recall", "s"),
    ("documents without a leak", "documents", "share", "^"),
)
"""Label, criterion, figure, marker."""
_ROW = 0.42
"""Height of a system in inches."""
_TICKS = (0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1)
_LAST = 0.005
"""Added to the distance from 1 before the logarithm, so that 1 has a finite position."""


@styled
def drawn(results: Sequence[Result], rows: Mapping[str, Row]) -> Figure:
    """Draw one panel for each corpus with rows, a line for each system, and a mark with its 95 % interval for each figure."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    shown = [c for c in CORPORA.values() if any(r.corpus == c.name for r in results)]
    names = [name for name in rows if any(r.row == name for r in results)]
    across = min(2, len(shown))
    down = -(-len(shown) // across)
    figure = Figure(
        figsize=(4.6 * across, down * (0.9 + _ROW * len(names)) + 0.4),
        layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08),
    )
    panels = figure.subplots(down, across, squeeze=False, sharey=True)
    for number, axes in enumerate(panels.ravel()):
        if number < len(shown):
            _panel(axes, shown[number].title, [r for r in results if r.corpus == shown[number].name], names)
        else:
            axes.set_visible(False)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(SERIES))
    return figure


def _panel(axes: Axes, title: str, results: Sequence[Result], names: Sequence[str]) -> None:
    at = {r.row: names.index(r.row) for r in results}
    for number, (label, criterion, name, marker) in enumerate(SERIES):
        shift = (number - (len(SERIES) - 1) / 2) * 0.19
        axes.plot([], [], ls="", marker=marker, color=COLORS[number], label=label)
        for result in results:
            value, interval = result.value(criterion, name), result.interval(criterion, name)
            if value is None:
                continue
            y = at[result.row] + shift
            axes.plot([value], [y], ls="", marker=marker, color=COLORS[number], clip_on=False, zorder=3)
            if interval:
                axes.plot(interval, [y, y], color=COLORS[number], lw=1.1, clip_on=False, zorder=2)
    for y in range(1, len(names)):
        axes.axhline(y - 0.5, color=LINE, lw=0.7, zorder=0)
    axes.set_xscale("function", functions=(_stretched, _shrunk))
    axes.set(title=title, xlim=(0, 1), ylim=(len(names) - 0.4, -0.6))
    axes.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")


def _stretched(values: Array) -> Array:
    """Map the distance from 1 to a logarithmic scale, because small differences near 1 are important."""
    import numpy as np

    return -np.log10(1 + _LAST - np.clip(values, 0, 1))


def _shrunk(values: Array) -> Array:
    return 1 + _LAST - 10.0**-values
