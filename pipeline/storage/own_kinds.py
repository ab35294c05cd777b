"""The kinds that a configuration declares: `kinds: [WARDCODE, {name: STUDY_ARM, below: ID}]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ...typesystem import PhiKind
from ..errors import ConfigError, Fault, nearest
from .files import write_atomic
from .yaml_source import Keys, Source, read

FILE = "kinds.yaml"
"""Name of the file in which a run keeps its kinds, for those who read its documents later."""
_PARTS = ("name", "below", "description")


@dataclass(slots=True)
class OwnKinds:
    """The kinds of a configuration and of the files that it includes, in the order of their declarations."""

    kinds: dict[str, PhiKind] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """File and line of the first declaration of each kind."""
    below: dict[str, str] = field(default_factory=dict)
    _seen: dict[str, tuple[str, Keys]] = field(default_factory=dict)

    def declare(self, given: Any, keys: Keys, source: Source, faults: list[Fault]) -> None:
        """Declare the kinds of one section, before any component is built."""
        if given is None:
            return
        if not isinstance(given, list):
            faults.append(source.fault(keys, "expected a list of kinds: [WARDCODE, {name: STUDY_ARM, below: ID}]"))
            return
        for i, item in enumerate(given):
            self._declare(item, (*keys, i), source, faults)

    def _declare(self, item: Any, keys: Keys, source: Source, faults: list[Fault]) -> None:
        given = {"name": item} if isinstance(item, str) else item
        if not isinstance(given, Mapping) or not all(isinstance(v, str) for v in given.values()) or "name" not in given:
            faults.append(source.fault(keys, "expected a name, or {name: STUDY_ARM, below: ID, description: ...}"))
            return
        if unknown := [key for key in given if key not in _PARTS]:
            hint = nearest(unknown[0], _PARTS) or f"; expected one of {', '.join(_PARTS)}"
            faults.append(source.fault((*keys, unknown[0]), f"no such parameter{hint}"))
            return
        name, below = str(given["name"]), str(given.get("below", ""))
        file, line = source.place(keys)
        if (
            self._seen.setdefault(name, (file, keys)) == (file, keys) and name in self.kinds
        ):  # a file that is included twice
            return
        if name in self.kinds:
            if self.below[name] != below or self.places[name].rpartition(":")[0] == file:
                what = f"{name} is declared already in {self.places[name]}"
                where = f", below {self.below[name]}" if self.below[name] else ", at the first level"
                faults.append(source.fault(keys, what + (where if self.below[name] != below else "")))
            return
        try:
            kind = PhiKind.declare(name, below, str(given.get("description", "")))
        except ValueError as error:
            faults.append(source.fault(keys, f"kind {name!r}: {error}" if len(name) <= 40 else str(error)))
            return
        self.kinds[name], self.places[name], self.below[name] = kind, f"{file}:{line}", below

    def data(self) -> list[Any]:
        """Return the declarations as a section of a configuration."""
        return [as_declaration(kind) for kind in self.kinds.values()]


def as_declaration(kind: PhiKind) -> Any:
    """Return a kind as a section `kinds` declares it."""
    if kind.parent is None and not kind.description:
        return kind.name
    given = {"name": kind.name, "below": kind.parent.name if kind.parent else "", "description": kind.description}
    return {key: value for key, value in given.items() if value}


def write_kinds(kinds: Iterable[PhiKind], restricted: Path) -> None:
    """Write the kinds of a run into the folder of its restricted outputs; without kinds nothing is written."""
    declared = [as_declaration(kind) for kind in kinds]
    if declared:
        restricted.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(restricted / FILE, yaml.safe_dump({"kinds": declared}, sort_keys=False).encode(), private=True)


def declare_from(folder: Path) -> None:
    """Declare the kinds that a run kept in a folder, if it did. Raises ConfigError for a file with faults."""
    file = folder / FILE
    if not file.is_file():
        return
    source = read(file)
    faults = list(source.faults)
    given = source.data.get("kinds") if isinstance(source.data, Mapping) else None
    OwnKinds().declare(given, ("kinds",), source, faults)
    if faults:
        raise ConfigError(faults)
