"""Bundles: a pipeline with its models, lexicons, rules and plug-ins in one file that can be checked and runs anywhere."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loading import load
    from .packing import Packed, pack

__all__ = ["Packed", "load", "looks_like_bundle", "pack"]

_SUFFIX, _MAGIC = ".zip", b"PK\x03\x04"


def looks_like_bundle(path: str | Path) -> bool:
    """Whether a path is to be loaded as a bundle: an archive by its name, or by its first bytes."""
    place = Path(path)
    if place.suffix.lower() == _SUFFIX:
        return True
    try:
        with place.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def __getattr__(name: str) -> Any:
    """What packs and loads is imported when it is asked for: most pipelines are no bundles."""
    where = {"Packed": "packing", "pack": "packing", "load": "loading"}.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{where}"), name)
