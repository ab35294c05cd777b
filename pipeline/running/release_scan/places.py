"""The places that a consumer writes to, as its parameters name them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...contract.component import CasConsumer
from ...storage.release_place import place_in

_PATHS = ("folder", "file", "files", "url")


def places_of(consumer: CasConsumer) -> Iterator[str]:
    """Yield the places that the parameters of a consumer name, and the addresses of databases."""
    for field in dataclasses.fields(consumer):  # type: ignore[arg-type]
        value: Any = getattr(consumer, field.name)
        for each in value if isinstance(value, list | tuple) else (value,):
            if isinstance(each, Path) or (field.name in _PATHS and isinstance(each, str) and each):
                yield from _place(consumer, each)


def _place(consumer: CasConsumer, value: Path | str) -> Iterator[str]:
    if "://" not in str(value):
        if value != Path():
            yield place_in(consumer.output, Path(value))
    elif str(value).startswith("sqlite"):
        file = str(value).partition(":///")[2].partition("?")[0]
        if file not in ("", ":memory:"):
            yield place_in(consumer.output, Path(file))
    else:
        yield str(value)
