"""The values of a corpus by kind, from which a share of the substitutes comes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ....typesystem import PhiKind
from ..pieces import Piece
from .letters import natural
from .organizations import is_acronym
from .origins import SeenNames
from .people import collect
from .place_words import institution_class

CONTEXT = 24
"""Characters before a name in which titles and words for relatives count."""


@dataclass(slots=True)
class Corpus:
    """The values of all documents: names of people by part, and other values by kind, each once, in order of occurrence."""

    names: SeenNames = field(default_factory=SeenNames)
    values: dict[str, dict[str, None]] = field(default_factory=dict)
    _drawn: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, pieces: Iterable[Piece]) -> None:
        before = ""
        for text, mark in pieces:
            if mark is not None:
                if is_person(mark.kind):
                    collect(text, before, self.names)
                elif "\n" not in text:
                    value = text if any(c.isdecimal() for c in text) else natural(text)
                    self.values.setdefault(mark.kind.name, {}).setdefault(value)
            before = (before + text)[-CONTEXT:]

    def institutions(self, kind: PhiKind, of_class: str) -> tuple[str, ...]:
        """Return the institutions of a kind whose names say that they are of a class (`school`), or none."""
        key = f"{kind.name} {of_class}"
        if key not in self._drawn:
            self._drawn[key] = tuple(v for v in self.of(kind) if institution_class(v) == of_class and not is_acronym(v))
        return self._drawn[key]

    def of(self, kind: PhiKind) -> tuple[str, ...]:
        """Return the values of a kind."""
        if kind.name not in self._drawn:
            self._drawn[kind.name] = tuple(self.values.get(kind.name, ()))
        return self._drawn[kind.name]


def is_person(kind: PhiKind) -> bool:
    """Return whether spans of a kind are names of people."""
    return kind.top is PhiKind.PERSON and kind is not PhiKind.PERSON_USERNAME
