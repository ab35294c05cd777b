"""The figures of evaluation and experiments: plain data in, a matplotlib figure out, with the same bytes each time it is saved.

Colors are those of Okabe and Ito (2008, "Color Universal Design"), which color-blind people can distinguish; lines also differ
by marker and dash, for prints in gray. Values that are None are undefined: a gap in a line, a hatched cell in a grid.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...pipeline.errors import ConsumerError, nearest
from ...pipeline.storage.files import make_folder, write_atomic
from .drawing import (
    COLORS,
    MUTED,
    WIDTH,
    Number,
    color_bar,
    count,
    draw_cells,
    draw_lines,
    f1_lines,
    floats,
    legend_above,
    legend_beside,
    looks,
    name_x,
    new_axes,
    new_panels,
    one_line,
    panel_grid,
    places,
    plain,
    plot_style,
    same_length,
    scale_x,
    shape,
    shared_legend,
    styled,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def check() -> None:
    """Raise ConsumerError if figures cannot be drawn: before a long run, not after it."""
    with plot_style():
        pass


def save(figure: Figure, path: Path, *, private: bool = False) -> None:
    """Write a figure as .svg, .png (150 dots per inch) or .pdf, completely or not at all; the same figure gives the same bytes.

    `private`: readable by the owner only (mode 0600). Raises ConsumerError for another suffix or a path that cannot be written.
    """
    form = path.suffix.removeprefix(".").lower()
    if form not in _METADATA:
        hint = nearest(form, _METADATA)
        raise ConsumerError(f"{path}: expected a file name that ends in .svg, .png or .pdf, got {path.suffix!r}{hint}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    out = io.BytesIO()
    with plot_style():
        FigureCanvasAgg(figure).print_figure(out, format=form, dpi=150, metadata=_METADATA[form])
    make_folder(path.parent)
    write_atomic(path, out.getvalue(), private=private)


@styled
def precision_recall(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    chosen: Mapping[str, tuple[float, float]] | None = None,
    title: str = "Precision and recall over the confidence threshold",
) -> Figure:
    """Draw curves by name, each as (recall, precision) points by falling threshold; `chosen`: a point of each to be marked with
    a ring.

    The line is a step function: nothing can be interpolated between two thresholds (Davis & Goadrich 2006).
    """
    figure, axes = new_axes(title, "Recall", "Precision", height=4.2)
    lowest = min((p for points in curves.values() for _, p in points), default=0.0)
    low = min(math.floor(10 * lowest) / 10, 0.8)
    f1_lines(axes, low)
    for (name, points), look in zip(curves.items(), looks(), strict=False):
        recall, precision = [p[0] for p in points], [p[1] for p in points]
        look = {**look, "marker": None if len(points) > 30 else look["marker"]}
        axes.plot(recall, precision, label=one_line(name), drawstyle="steps-pre", clip_on=False, zorder=3, **look)
        if chosen and name in chosen:
            x, y = chosen[name]
            axes.plot([x], [y], "o", ms=9, mfc="none", mec=look["color"], mew=1.6, clip_on=False, zorder=4)
    axes.set(xlim=(0, 1), ylim=(low, 1))
    axes.grid(True)
    legend_beside(figure, len(curves))
    return figure


@styled
def sweep(
    x: Sequence[float] | Sequence[str],
    series: Mapping[str, Sequence[Number]],
    xlabel: str,
    band: Mapping[str, tuple[Sequence[Number], Sequence[Number]]] | None = None,
    *,
    ylabel: str = "F1",
    right: tuple[str, Sequence[Number]] | None = None,
    log: bool = True,
    title: str = "",
) -> Figure:
    """Draw series over the values of a parameter; `xlabel` is its name in the library (`c1 of CRFsuite`, `C of LIBLINEAR`).

    `band`: low and high of a series, drawn around it. `right`: label and values of a second scale, such as the number of active
    features; logarithmic if its values span a factor of 100. `log`: whether the x axis is logarithmic. Values that are names have
    equal distances and no lines between them. Raises ValueError for series of another length than `x`, and for x at or below 0 on
    a logarithmic axis.
    """
    figure, axes = new_axes(title or f"{ylabel} over {xlabel}", xlabel, ylabel)
    at = places(x)
    draw_lines(axes, "x", at, series, band or {})
    scale_x(axes, at, log) if at is x else name_x(axes, x)
    axes.grid(True, axis="y")
    shown = len(series)
    if right is not None:
        name, counts = right
        same_length("x", at, name, counts)
        other = axes.twinx()
        other.spines["right"].set_visible(True)
        other.plot(at, floats(counts), color=MUTED, ls=(0, (1, 1.6)), marker="x", ms=4, label=one_line(name))
        other.set_ylabel(one_line(name), color=MUTED)
        known = [c for c in counts if c is not None]
        if known and min(known) > 0 and max(known) / min(known) >= 100:
            other.set_yscale("log")
        other.yaxis.set_major_formatter(plain)
        shown += 1
    legend_beside(figure, shown)
    return figure


@styled
def learning_curve(
    sizes: Sequence[float],
    panels: Mapping[str, Mapping[str, Sequence[tuple[Number, Number, Number]]]],
    *,
    levels: Mapping[str, Mapping[str, Number]] | None = None,
    xlabel: str = "Documents for training",
    band: str = "quartiles of the repetitions",
    title: str = "Learning curve",
) -> Figure:
    """Draw series over the size of the training set, in a panel for each measure (`F1`, `Recall`) with the same scale.

    Each series has (low, middle, high) for each size; `band` describes low and high. `levels`: values of systems without
    training by measure and system, drawn as horizontal lines.
    """
    figure, axes = new_panels(title, xlabel, list(panels))
    names = dict.fromkeys(itertools.chain(*panels.values(), *(levels or {}).values()))
    styles = dict(zip(names, looks(), strict=False))
    for panel, (measure, series) in zip(axes, panels.items(), strict=False):
        for name, points in series.items():
            same_length("sizes", sizes, name, points)
            low, middle, high = (floats([p[n] for p in points]) for n in range(3))
            panel.plot(sizes, middle, label=one_line(name), **styles[name])
            panel.fill_between(sizes, low, high, color=styles[name]["color"], alpha=0.16, lw=0)
        for name, value in (levels or {}).get(measure, {}).items():
            if value is not None:
                panel.axhline(value, label=one_line(name), color=styles[name]["color"], ls=(0, (5, 2)))
        scale_x(panel, sizes, log=False)
        panel.grid(True, axis="y")
    if band:
        axes[len(axes) // 2].set_xlabel(f"{xlabel}\n(line: median; band: {band})")
    shared_legend(figure, axes)
    return figure


CURVES = {
    "loss": "Training loss",
    "token_accuracy": "Accuracy",
    "token_recall": "True positive rate",
    "true_negative_rate": "True negative rate",
}
"""The curves of a training: entries of its history, and the titles of their panels."""


@styled
def training_curves(
    runs: Mapping[str, Sequence[Mapping[str, Any]]], *, chosen: Mapping[str, int] | None = None
) -> Figure:
    """Draw loss, accuracy, true positive rate and true negative rate over the epochs of trainings by name.

    Each training is a list of epochs with the entries of `CURVES`; a missing entry is a gap. `chosen`: the epoch of a training
    whose weights were kept, to be marked with a ring.
    """
    figure, panels = panel_grid(list(CURVES.values()), "Epoch")
    for (name, epochs), look in zip(runs.items(), looks(), strict=False):
        x = [row["epoch"] for row in epochs]
        look = {**look, "marker": None if len(x) > 15 else look["marker"]}
        for axes, entry in zip(panels, CURVES, strict=True):
            y = floats([row.get(entry) for row in epochs])
            axes.plot(x, y, label=one_line(name), **look)
            if chosen and chosen.get(name) in x:
                kept = x.index(chosen[name])
                axes.plot(x[kept : kept + 1], y[kept : kept + 1], "o", ms=8, mfc="none", mec=look["color"], mew=1.5)
    for axes in panels:
        whole_numbers(axes)
    legend_above(figure, panels[0])
    return figure


@styled
def grid_heatmap(
    xs: Sequence[float | str],
    ys: Sequence[float | str],
    values: Sequence[Sequence[Number]],
    *,
    xlabel: str,
    ylabel: str,
    value: str = "F1",
    digits: int = 3,
    title: str = "",
    framed: bool = True,
) -> Figure:
    """Draw a grid of two parameters; `values[row][column]` belongs to `ys[row]` and `xs[column]`. `framed`: frame the best cell.

    Raises ValueError for a grid of another shape.
    """
    if len(values) != len(ys) or any(len(row) != len(xs) for row in values):
        raise ValueError(f"values: expected {len(ys)} rows of {len(xs)} (ys by xs), got {shape(values)}")
    rows = [floats(row) for row in values]
    size = max(WIDTH, 2.2 + 0.58 * len(xs)), max(2.4, 1.5 + 0.38 * len(ys))
    figure, axes = new_axes(title or f"{value} over {xlabel} and {ylabel}", xlabel, ylabel, size=size)
    image = draw_cells(axes, rows, [[f"{v:.{digits}f}" for v in row] for row in rows], xs, ys, "viridis")
    best = max(
        ((v, -r, -c) for r, row in enumerate(rows) for c, v in enumerate(row) if not math.isnan(v)), default=None
    )
    if best is not None and framed:
        from matplotlib.patches import Rectangle

        corner = -best[2] - 0.5, -best[1] - 0.5
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, ec=COLORS[1], lw=2.4, zorder=5, clip_on=False))
        color_bar(figure, axes, image).set_label(f"{value} (frame: best)")
    elif best is not None:
        color_bar(figure, axes, image).set_label(value)
    return figure


@styled
def confusion(matrix: Mapping[str, Mapping[str, int]], *, title: str = "Confusion between kinds") -> Figure:
    """Draw counts by gold kind and system kind, `matrix[gold][system]`; colors show each cell's share of its row.

    Rows and columns are in the order of the mapping; a missing cell counts 0.
    """
    rows = list(matrix)
    columns = list(dict.fromkeys(itertools.chain.from_iterable(matrix.values())))
    counts = [[matrix[row].get(column, 0) for column in columns] for row in rows]
    shares = [[n / max(sum(row), 1) for n in row] for row in counts]
    size = max(4.5, 2.4 + 0.56 * len(columns)), max(3.0, 2.2 + 0.36 * len(rows))
    figure, axes = new_axes(title, "System", "Gold", size=size)
    texts = [[count(n) for n in row] for row in counts]
    image = draw_cells(axes, shares, texts, columns, rows, "Blues", limits=(0, 1), turn=True)
    if rows and columns:
        bar = color_bar(figure, axes, image)
        bar.set_label("Share of the row")
    return figure


@styled
def boxplots(
    groups: Mapping[str, Sequence[float]],
    *,
    xlabel: str = "Position in the document (0: first token, 1: last)",
    title: str = "",
) -> Figure:
    """Draw the distribution of each group: box from the lower to the upper quartile, whiskers from 5 to 95 %, line: median.

    A group without values keeps its row with a note.
    """
    names = list(groups)
    figure, axes = new_axes(title, xlabel, "", size=(WIDTH, max(1.8, 1.2 + 0.34 * len(names))))
    full = [(i, list(groups[name])) for i, name in enumerate(names) if len(groups[name])]
    if full:
        _draw_boxes(axes, full)
    axes.set_yticks(range(len(names)), [f"{one_line(name)}  (n = {len(groups[name]):,})" for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    for i, name in enumerate(names):
        if not len(groups[name]):
            axes.text(0.01, i, "no values", transform=axes.get_yaxis_transform(), va="center", color=MUTED, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"{xlabel}\n(box: quartiles; whiskers: 5 % and 95 %)")
    axes.grid(True, axis="x")
    return figure


@styled
def bars(ranking: Sequence[tuple[str, float]], *, xlabel: str = "Weight", title: str = "", digits: int = 2) -> Figure:
    """Draw a ranking as horizontal bars, first on top; bars to the right and to the left of 0 have different colors."""
    values = [value for _, value in ranking]
    figure, axes = new_axes(title, xlabel, "", size=(WIDTH, max(1.6, 1.0 + 0.235 * len(ranking))))
    drawn = axes.barh(
        range(len(values)), values, height=0.72, color=[COLORS[0] if v >= 0 else COLORS[1] for v in values]
    )
    axes.bar_label(drawn, [f"{v:.{digits}f}" for v in values], padding=3, fontsize=7.5, color=MUTED)
    axes.axvline(0, color=MUTED, lw=0.8)
    axes.set_yticks(range(len(values)), [one_line(name) for name, _ in ranking])
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.margins(x=0.14)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(True, axis="x")
    return figure


def _draw_boxes(axes: Axes, groups: Sequence[tuple[int, list[float]]]) -> None:
    boxes = axes.boxplot(
        [values for _, values in groups],
        positions=[i for i, _ in groups],
        orientation="horizontal",
        widths=0.62,
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        medianprops={"color": COLORS[1], "linewidth": 2},
        boxprops={"facecolor": "#cfe1ef", "edgecolor": COLORS[0], "linewidth": 1},
        whiskerprops={"color": COLORS[0], "linewidth": 1},
        capprops={"color": COLORS[0], "linewidth": 1},
    )
    for median in boxes["medians"]:
        median.set_solid_capstyle("butt")
