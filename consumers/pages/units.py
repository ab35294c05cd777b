"""Durations, rates and sizes as people write them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Return a duration: `85 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def rate(each_second: float) -> str:
    """Return documents per second: `1,234`, `7.5`, `0.04`."""
    return f"{each_second:,.0f}" if each_second >= 10 else f"{each_second:.2g}"


def megabytes(size: float) -> str:
    """Return bytes as megabytes of 10^6: `245 MB`, `3.1 MB`."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:.2g} MB"
