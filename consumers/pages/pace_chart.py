"""A small chart of a run's pace: documents a second over its time, as SVG that a page can hold."""

from __future__ import annotations

from collections.abc import Sequence

from .page import esc
from .units import duration, rate

WIDTH, HEIGHT = 720.0, 120.0


def pace_chart(counts: Sequence[int], seconds: float, whole: float) -> str:
    """Bars of `counts` documents for each slice of `seconds`; `whole` is the length of the run, which may end in a slice.

    Empty where there is nothing to show: fewer than two slices.
    """
    if len(counts) < 2 or seconds <= 0:
        return ""
    whole = min(max(whole, (len(counts) - 1) * seconds), len(counts) * seconds)
    last = whole - (len(counts) - 1) * seconds
    lengths = [seconds] * (len(counts) - 1) + [last]
    rates = [n / length if length > seconds / 20 else 0.0 for n, length in zip(counts, lengths, strict=True)]
    most = max(rates) or 1.0
    bars = []
    for i, (found, length) in enumerate(zip(rates, lengths, strict=True)):
        x, width = WIDTH * i * seconds / whole, WIDTH * length / whole
        height = HEIGHT * found / most
        if height > 0:
            bars.append(
                f'<rect x="{x:.2f}" y="{HEIGHT - height:.2f}" width="{max(width - min(1.0, width / 5), 0.1):.2f}" '
                f'height="{height:.2f}"/>'
            )
    mean = sum(counts) / whole
    line = HEIGHT - HEIGHT * min(mean / most, 1.0)
    told = f"{rate(mean)} documents a second on average, {rate(most)} at most, over {duration(whole)}"
    return (
        f'<figure class="pace"><svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{esc(told)}"><g class="bars">{"".join(bars)}</g>'
        f'<line class="mean" x1="0" x2="{WIDTH:g}" y1="{line:.2f}" y2="{line:.2f}"/></svg>'
        f'<div class="axis"><span>0 s</span><span>{esc(duration(whole / 2))}</span><span>{esc(duration(whole))}</span></div>'
        f"<figcaption>{esc(told)}. Each bar is {esc(duration(seconds))}; the line is the average.</figcaption></figure>"
    )
