"""The tables in which the decorators enter components and parts. `registry` looks them up."""

from __future__ import annotations

from typing import Any

from ..errors import ConfigError, Fault

COMPONENTS: dict[tuple[str, str], type[Any]] = {}
"""Component classes by role and name."""
PARTS: dict[tuple[str, str], type[Any]] = {}
"""Part classes by name of the family and name."""


def register(cls: type[Any]) -> None:
    """Enter a component class. Raises ConfigError if another class with the same role has this name."""
    _enter(COMPONENTS, (cls.role, cls.name), cls, f"{cls.role or 'component'} {cls.name}")


def register_part(cls: type[Any], family: type[Any]) -> None:
    """Enter a part class into its family. Raises ConfigError if another class has this name."""
    _enter(PARTS, (family.__name__, cls.name), cls, f"{family.__name__.lower()} {cls.name}")


def _enter(table: dict[tuple[str, str], type[Any]], key: tuple[str, str], cls: type[Any], label: str) -> None:
    other = table.get(key)
    if other is not None and _origin(other) != _origin(cls):
        raise ConfigError([Fault("", f"{label} is claimed twice: by {_origin(other)} and by {_origin(cls)}")])
    table[key] = cls


def _origin(cls: type[Any]) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"
