"""Settings of a layout: how often it occurs, which dates and ages it uses, and how untidy its documents are."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class LayoutStyle:
    """Settings of a type of document. Shares refer to its documents; `wrap` and `flat` are the shares at noise 1."""

    name: str
    weight: float = 1.0
    dates: dict[str, float] = field(default_factory=lambda: {"numeric": 5, "prose": 3, "compact": 1, "iso": 1})
    """Weights of the families of date formats."""
    upper: float = 0.03
    lower: float = 0.03
    wrap: float = 0.2
    flat: float = 0.1
    short: float = 0.1
    """Share of documents with the abbreviations of hurried notes."""
    years: tuple[int, int] = (1998, 2026)
    ages: tuple[int, int] = (0, 104)
