"""Shared parts of the figures: style, axes, lines, cells, labels. matplotlib is imported when the first figure is drawn."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec

from ...pipeline.errors import ConsumerError, nearest

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

P = ParamSpec("P")
Number = float | None

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#3B3B3B")
"""One for each series, in order; after the last, they repeat with another dash."""
_DASHES = ("-", "--", ":", "-.")
_MARKERS = "osD^vPX"
INK, MUTED, LINE = "#1b2430", "#5a6472", "#dde1e7"
_STYLE = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same letters on every machine
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,  # a feature name may hold a dollar sign
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.labelpad": 6,
    "axes.unicode_minus": True,
    "grid.color": LINE,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.2,
    "hatch.linewidth": 0.5,
    "svg.hashsalt": "caspipe",
    "svg.fonttype": "path",
    "figure.facecolor": "white",
}
WIDTH = 6.4
_LONGEST = 42
_TICKS = 9
"""Maximum number of values on a logarithmic axis, or at equal distances, that each have a tick."""
_ACROSS = 60
"""Maximum number of characters of the names on an x axis; more are turned."""


@contextlib.contextmanager
def plot_style() -> Iterator[None]:
    """Use matplotlib with our settings only, independent of the user's. Raises ConsumerError if it is not installed."""
    try:
        from matplotlib import style
    except ImportError:
        raise ConsumerError("plots need matplotlib, which is not installed: pip install 'caspipe[plots]'") from None
    with style.context(["default", _STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a letter the font lacks shows as a box
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with plot_style():
            return draw(*args, **kwargs)

    return drawn


def new_axes(
    title: str, xlabel: str, ylabel: str, *, height: float = 3.7, size: tuple[float, float] | None = None
) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=size or (WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
    return figure, axes


def panel_grid(titles: Sequence[str], xlabel: str, *, height: float = 5.2) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels in two columns, which share the x axis. Only the panels at the bottom have its label."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    panels = list(figure.subplots(math.ceil(len(titles) / 2), 2, sharex=True, squeeze=False).flat)
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title)
        axes.grid(True, axis="y")
    for axes in panels[-2:]:
        axes.set_xlabel(xlabel)
    return figure, panels


def new_panels(title: str, xlabel: str, names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each name, side by side, with the same vertical scale."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    count = max(1, len(names))
    figure = Figure(figsize=(max(WIDTH, 3.1 * count), 3.4), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    figure.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    axes = list(figure.subplots(1, count, sharey=True, squeeze=False)[0])
    for panel, name in zip(axes, names, strict=False):
        panel.set_title(name, fontweight="normal")
    axes[len(axes) // 2].set_xlabel(xlabel)
    return figure, axes


def shared_legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """Add one legend of all panels, outside of them. A name that several panels have occurs once."""
    handles: dict[str, Artist] = {}
    for panel in axes:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if len(handles) > 1:
        figure.legend(list(handles.values()), list(handles), loc="outside right upper")


def looks() -> Iterator[dict[str, Any]]:
    """Yield the styles of the series of a figure, without end."""
    for i in itertools.count():
        n, again = i % len(COLORS), i // len(COLORS)
        yield {"color": COLORS[n], "marker": _MARKERS[n], "ls": _DASHES[again % len(_DASHES)]}


def draw_lines(
    axes: Axes,
    what: str,
    x: Sequence[float],
    series: Mapping[str, Sequence[Number]],
    bands: Mapping[str, tuple[Sequence[Number], Sequence[Number]]],
) -> None:
    if unknown := [name for name in bands if name not in series]:
        raise ValueError(f"band: no series called {unknown[0]!r}{nearest(unknown[0], series)}")
    for (name, values), look in zip(series.items(), looks(), strict=False):
        same_length(what, x, name, values)
        axes.plot(x, floats(values), label=one_line(name), **look)
        if name in bands:
            low, high = bands[name]
            same_length(what, x, f"band of {name}", low)
            same_length(what, x, f"band of {name}", high)
            axes.fill_between(x, floats(low), floats(high), color=look["color"], alpha=0.16, lw=0)


def scale_x(axes: Axes, x: Sequence[float], log: bool) -> None:
    """Set up the x axis: logarithmic with plain numbers on it, or linear."""
    if log:
        for i, value in enumerate(x):
            if not value > 0:
                raise ValueError(
                    f"x: expected numbers above 0 on a logarithmic axis, got {value:g} at {i}; say log=False"
                )
        axes.set_xscale("log")
        if len(x) <= _TICKS:
            axes.set_xticks(x)
            axes.set_xticks([], minor=True)
    elif 1 < len(x) <= _TICKS and len({round(b - a, 9) for a, b in itertools.pairwise(x)}) == 1:
        axes.set_xticks(x)  # at equal distances, so that their numbers do not overlap
    axes.xaxis.set_major_formatter(plain)


def places(x: Sequence[float] | Sequence[str]) -> Sequence[float]:
    """Return the positions of values on the x axis: numbers themselves (the same object), or 0, 1, 2 ... for names."""
    return list(range(len(x))) if any(isinstance(v, str) for v in x) else x  # type: ignore[return-value]  # no name in it


def name_x(axes: Axes, names: Sequence[object]) -> None:
    """Set up an x axis with names at 0, 1, 2 ..., and remove the lines between them."""
    for line in axes.lines:
        line.set_linestyle("none")
    turned: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    labels = [one_line(str(name)) for name in names]
    axes.set_xticks(range(len(labels)), labels, **(turned if sum(map(len, labels)) > _ACROSS else {}))
    axes.margins(x=0.1)


def whole_numbers(axes: Axes) -> None:
    """Set up a linear x axis whose ticks are whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))


def plain(value: float, _: object = None) -> str:
    """Format the number of a tick: 0.001, 0.5, 10, 20,000; larger ones with an exponent."""
    return f"{value:,.0f}" if value == round(value) and 1e3 <= abs(value) < 1e8 else f"{value:g}"


def f1_lines(axes: Axes, low: float) -> None:
    """Draw thin lines of equal F1 behind a precision-recall curve above `low`, each with its number at the right edge."""
    for f1 in (f for f in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95) if f / (2 - f) > low):
        recall = [f1 / (2 - f1) + (1 - f1 / (2 - f1)) * i / 60 for i in range(61)]
        axes.plot(recall, [f1 * r / (2 * r - f1) for r in recall], color=LINE, lw=0.8, zorder=1)
        axes.annotate(
            f"F1 {f1:g}",
            (1, f1 / (2 - f1)),
            (4, 0),
            textcoords="offset points",
            fontsize=7,
            color=MUTED,
            va="center",
        )


def draw_cells(
    axes: Axes,
    rows: list[list[float]],
    texts: list[list[str]],
    xs: Sequence[float | str],
    ys: Sequence[float | str],
    colors: str,
    *,
    limits: tuple[float, float] | None = None,
    turn: bool = False,
) -> AxesImage:
    """Draw a grid of colored cells with their `texts`; undefined cells are hatched."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    low, high = limits or _range(rows)
    shade, color = Normalize(low, high), colormaps[colors]
    image = axes.imshow(rows or [[math.nan]], cmap=color, norm=shade, aspect="auto", zorder=2)
    axes.set_facecolor("#f3f4f6")
    if any(math.isnan(v) for row in rows for v in row):
        axes.patch.set(hatch="////", edgecolor=LINE)
    for r, c in itertools.product(range(len(ys)), range(len(xs))):
        if not math.isnan(rows[r][c]):
            red, green, blue, _ = color(float(shade(rows[r][c])))
            ink = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else INK
            axes.text(c, r, texts[r][c], ha="center", va="center", fontsize=7.5, color=ink, zorder=3)
    across: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if turn else {}
    axes.set_xticks(range(len(xs)), [tick(x) for x in xs], **across)
    axes.set_yticks(range(len(ys)), [tick(y) for y in ys])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return image


def color_bar(figure: Figure, axes: Axes, image: AxesImage) -> Colorbar:
    bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02)
    for spine in bar.ax.spines.values():
        spine.set_visible(False)
    return bar


def _range(rows: list[list[float]]) -> tuple[float, float]:
    known = [v for row in rows for v in row if not math.isnan(v)]
    return (min(known), max(known)) if known else (0.0, 1.0)


def legend_beside(figure: Figure, shown: int) -> None:
    """Add a legend with one line for each series, outside of the plot."""
    if shown > 1:
        figure.legend(loc="outside right upper")


def legend_above(figure: Figure, axes: Axes) -> None:
    """Add one legend for panels with the same series: those of `axes`, in one line above the panels."""
    handles, names = axes.get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside upper left", ncols=min(4, len(names)))


def floats(values: Sequence[Number]) -> list[float]:
    return [math.nan if v is None else float(v) for v in values]


def same_length(what: str, x: Sequence[float], name: str, values: Sequence[object]) -> None:
    if len(values) != len(x):
        raise ValueError(f"{name}: expected {len(x)} values, as many as {what}, got {len(values)}")


def shape(values: Sequence[Sequence[object]]) -> str:
    return f"{len(values)} rows of " + " and ".join(map(str, sorted({len(row) for row in values}) or [0]))


def one_line(name: str) -> str:
    """Return a name on one line, shortened if it is long: control characters become their pictures."""
    shown = "".join(chr(0x2400 + ord(c)) if ord(c) < 32 else c for c in name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def tick(value: float | str) -> str:
    return one_line(value) if isinstance(value, str) else f"{value:g}"


def count(n: int) -> str:
    return f"{n:,}" if n else "·"
