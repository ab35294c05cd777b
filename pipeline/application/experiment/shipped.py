"""The experiments that come with caspipe, by name."""

from __future__ import annotations

from pathlib import Path

from ...assembly import shipped


def folder() -> Path:
    """Return the folder of the shipped experiments."""
    return shipped.folder() / "experiments"


def names() -> list[str]:
    """Return names of the shipped experiments."""
    return sorted(p.stem for p in folder().glob("*.yaml"))


def locate(name: str) -> Path:
    """Return the file a person means: a path, or the name of a shipped experiment. Raises ConfigError for neither."""
    return shipped.find(name, names(), folder(), "experiment")
