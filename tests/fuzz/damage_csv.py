"""Ways to spoil delimited files: quotes, cells and rows."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

_CELLS = (
    "",
    '"',
    '""',
    '"a',
    'a"b',
    "'",
    '"\n"',
    "9" * 5000,
    "-1",
    "\0",
    "\ud800",
    "x" * 2000,
    "=1+1",
    "1.0",
    "99/99/9999",
    "\r",
)


def _table(data: bytes) -> list[list[str]]:
    return [line.split(",") for line in data.decode("utf-8", "surrogateescape").split("\n")]


def _bytes(table: list[list[str]]) -> bytes:
    text = "\n".join(",".join(row) for row in table)
    return text.encode("utf-8", "surrogatepass" if "\ud800" in text else "surrogateescape")


def _cell(random: Random, data: bytes) -> bytes:
    table = _table(data)
    row = random.choice(table)
    row[random.randrange(len(row))] = random.choice(_CELLS)
    return _bytes(table) if not any("\udc80" <= c <= "\udcff" for r in table for cell in r for c in cell) else data[1:]


def _cells(random: Random, data: bytes) -> bytes:
    """Cells lost, doubled, or in each other's place."""
    table = _table(data)
    row, other = random.choice(table), random.choice(table)
    i, j = random.randrange(len(row)), random.randrange(len(other))
    way = random.randrange(4)
    if way == 0:
        del row[i]
    elif way == 1:
        row.insert(i, other[j])
    elif way == 2:
        row[i], other[j] = other[j], row[i]
    else:
        row[i] = other[j]
    return _bytes(table)


def _quotes(random: Random, data: bytes) -> bytes:
    places = [n for n, b in enumerate(data) if b == ord('"')]
    if not places:
        at = random.randrange(len(data) + 1)
        return data[:at] + b'"' + data[at:]
    at = random.choice(places)
    return data[:at] + random.choice((b"", b'""', b'"""', b"'", b'",')) + data[at + 1 :]


WAYS: tuple[Callable[[Random, bytes], bytes], ...] = (_cell, _cells, _quotes)
