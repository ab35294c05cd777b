"""The result of a search of a release: hits, and what was not searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

_PLACES = 12
"""Maximum number of hits of a document or file."""


class Hit(NamedTuple):
    """A forbidden value in an output."""

    path: str
    """Relative to the output folder."""
    place: str
    """`byte 120`, `name`, `>member 2 byte 17`, `>row 7`."""
    kind: str
    owner: int
    """Number of the document whose value it is if it was found among its own outputs; else 0."""
    size: int
    digest: int

    def __str__(self) -> str:
        return f"{self.kind} in {'the name of a file' if self.place == 'name' else f'{self.path} at {self.place}'}"


@dataclass(slots=True)
class Outcome:
    """The result of a scan."""

    documents: dict[int, dict[Hit, None]] = field(default_factory=dict)
    """Hits by number of the document to withdraw."""
    files: dict[str, dict[Hit, None]] = field(default_factory=dict)
    """Hits in files, or in parts of files, that belong to no document, by path."""
    searched: int = 0
    """Files."""
    size: int = 0
    """Bytes."""
    forms: int = 0
    """Forms of values."""
    not_searched: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    unknown: int = 0
    """Documents of which no values are known."""

    @property
    def clean(self) -> bool:
        return not self.documents and not self.files

    def add(self, part: Part) -> None:
        """Add what was found in some documents."""
        for number, hits in part.documents.items():
            add(self.documents.setdefault(number, {}), hits)
        for path, hits in part.files.items():
            add(self.files.setdefault(path, {}), hits)


class Shared(NamedTuple):
    """The slices of a file that documents share: begin and end, flat."""

    consumer: str
    bounds: list[int]


class Part(NamedTuple):
    """The result of a search of the outputs of some documents."""

    documents: dict[int, dict[Hit, None]]
    files: dict[str, dict[Hit, None]]
    unreadable: Counter[str]
    shared: dict[str, Shared]
    attributed: list[str]
    """Files that belong to one of these documents alone."""


def add(held: dict[Hit, None], hits: Iterable[Hit]) -> None:
    """Add hits, up to the maximum number."""
    held.update(dict.fromkeys(islice(hits, max(_PLACES - len(held), 0))))
