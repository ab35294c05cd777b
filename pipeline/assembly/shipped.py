"""The configurations that ship with caspipe, by name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from ..errors import ConfigError, Fault, nearest

_PLACES = ("*.yaml", "training/*.yaml", "systems/*.yaml", "systems/*/*.yaml")


def folder() -> Path:
    """Return the folder of the shipped configurations."""
    return Path(str(files("caspipe.configs")))


def names() -> list[str]:
    """Return the names of the shipped configurations."""
    files = [p for pattern in _PLACES for p in folder().glob(pattern)]
    return sorted(p.relative_to(folder()).with_suffix("").as_posix() for p in files)


def locate(name: str) -> Path:
    """Return the file of a path or of a shipped configuration. Raises ConfigError if it is neither."""
    return find(name, names(), folder(), "configuration")


def find(name: str, shipped: list[str], there: Path, what: str) -> Path:
    """Return the file of a path or of a shipped name in the folder `there`. Raises ConfigError with the nearest name."""
    path = Path(name)
    if path.is_file():
        return path
    if name in shipped:
        return there / f"{name}.yaml"
    near = sorted(str(p) for p in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
    hint = nearest(name, [*near, *shipped]) or f"; shipped ones: {', '.join(shipped)}"
    raise ConfigError([Fault("", f"no {what} {name!r}{hint}")])
