"""The steps of a pipeline as its file gives them: components that are not built yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import Fault
from ..storage.own_kinds import OwnKinds
from ..storage.yaml_source import Keys, dotted


@dataclass(slots=True)
class Step:
    """One configured component: its name, its id in the pipeline, its parameters, and their positions in the file."""

    name: str
    id: str
    given: dict[str, Any]
    keys: Keys
    place: tuple[str, int]
    lines: dict[Keys, tuple[str, int]] = field(default_factory=dict)
    """Lines of the parameters by path below the step."""

    def fault(self, below: Keys, what: str) -> Fault:
        """Return a fault at a parameter of this step, or at a value below it if only that is given elsewhere, as in `set:`."""
        place = self.place
        for end in range(len(below), 0, -1):
            here = [self.lines[k] for k in (below[:end], *self.lines) if k[:end] == below[:end] and k in self.lines]
            if here:
                place = here[0]
                break
        return Fault(dotted((self.id or self.name, *below)), what, *place)


@dataclass(slots=True)
class Config:
    """A configuration whose components are not built yet."""

    file: str
    base: Path
    name: str = ""
    readers: list[Step] = field(default_factory=list)
    engines: list[Step] = field(default_factory=list)
    consumers: list[Step] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)
    run_step: Step | None = None
    resources: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    no_reader: str = ""
    """Why the reader of a package was removed."""
    aggregates: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the engines below each aggregate."""
    own_kinds: OwnKinds = field(default_factory=OwnKinds)

    def unaliased(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with names under `resources:` replaced by their definitions."""
        return {k: self.resources.get(v, v) if isinstance(v, str) else v for k, v in given.items()}

    def steps(self) -> list[Step]:
        return [*self.readers, *self.engines, *self.consumers]
