"""The experiments that come with caspipe, by name."""

from __future__ import annotations

from pathlib import Path

from .. import shipped
from ..errors import ConfigError, Fault, nearest


def folder() -> Path:
    """Where the shipped experiments lie."""
    return shipped.folder() / "experiments"


def names() -> list[str]:
    """Names of the shipped experiments."""
    return sorted(p.stem for p in folder().glob("*.yaml"))


def locate(name: str) -> Path:
    """The file a person means: a path, or the name of a shipped experiment. Raises ConfigError for neither."""
    path = Path(name)
    if path.is_file():
        return path
    if name in names():
        return folder() / f"{name}.yaml"
    near = sorted(str(p) for p in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
    hint = nearest(name, [*near, *names()]) or f"; shipped ones: {', '.join(names())}"
    raise ConfigError([Fault("", f"no experiment {name!r}{hint}")])
