"""Chart of a run's throughput: documents per second over the time of the run, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .rendering import render_fragment
from .units import duration, rate

WIDTH, HEIGHT = 720.0, 120.0


def pace_chart(counts: Sequence[int], seconds: float, total: float) -> Markup:
    """Draw a bar for each slice of `seconds`, in which `counts` documents ended; `total` is the length of the run.

    The last slice may be shorter. Empty if there are fewer than two slices.
    """
    if len(counts) < 2 or seconds <= 0:
        return Markup()
    total = min(max(total, (len(counts) - 1) * seconds), len(counts) * seconds)
    lengths = [seconds] * (len(counts) - 1) + [total - (len(counts) - 1) * seconds]
    rates = [n / length if length > seconds / 20 else 0.0 for n, length in zip(counts, lengths, strict=True)]
    highest = max(rates) or 1.0
    bars = []
    for i, (bar_rate, length) in enumerate(zip(rates, lengths, strict=True)):
        width, height = WIDTH * length / total, HEIGHT * bar_rate / highest
        if height > 0:
            bar_width = max(width - min(1.0, width / 5), 0.1)
            bars.append((WIDTH * i * seconds / total, HEIGHT - height, bar_width, height))
    mean = sum(counts) / total
    return render_fragment(
        "pace_chart.html.j2",
        width=WIDTH,
        height=HEIGHT,
        bars=bars,
        mean=HEIGHT - HEIGHT * min(mean / highest, 1.0),
        label=f"{rate(mean)} documents per second on average, {rate(highest)} at most, over {duration(total)}",
        middle=duration(total / 2),
        end=duration(total),
        each=duration(seconds),
    )
