"""The experiments that ship with caspipe, by name."""

from __future__ import annotations

from pathlib import Path

from ...assembly import shipped


def folder() -> Path:
    """Return the folder of the shipped experiments."""
    return shipped.folder() / "experiments"


def names() -> list[str]:
    """Return the names of the shipped experiments."""
    return sorted(p.stem for p in folder().glob("*.yaml"))


def locate(name: str) -> Path:
    """Return the file of a path or of a shipped experiment. Raises ConfigError if it is neither."""
    return shipped.find(name, names(), folder(), "experiment")
