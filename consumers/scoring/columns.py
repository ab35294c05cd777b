"""Tables as plain text: the first column on the left, numbers on the right."""

from __future__ import annotations

from collections.abc import Sequence


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of equal length as lines, with two spaces between columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in rows
    )


def format_share(share: float | None) -> str:
    """Return a share with four digits; `undefined` for None."""
    return "undefined" if share is None else f"{share:.4f}"
