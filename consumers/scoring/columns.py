"""Tables as plain text: the first column to the left, numbers to the right, undefined shares said as such."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows of equal length as lines, two blanks between columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in rows
    )


def told(share: float | None) -> str:
    """A share with four digits; `undefined` for None."""
    return "undefined" if share is None else f"{share:.4f}"
