"""The page of names by origin: a heat map for each program, in the style of the other pages of caspipe."""

from __future__ import annotations

from collections.abc import Sequence

from caspipe.consumers.pages.rendering import render_page

from .table import Shares, heads, rows, summary

LEVELS = 10
"""Number of colors in origins.css, less one."""


def level(share: str) -> str:
    """Return the CSS class of a share."""
    return f"s{int(float(share) * LEVELS)}"


def page(shares: Sequence[Shares]) -> bytes:
    """Return the page of some programs."""
    maps = [
        {
            "summary": summary(one),
            "heads": heads(one),
            "rows": [[row[0], [(cell, level(cell)) for cell in row[1:]]] for row in rows(one)],
        }
        for one in shares
    ]
    title = "Names by origin and context: share wholly masked"
    return render_page("origins.html.j2", package=__package__, title=title, styles=["origins.css"], maps=maps)
