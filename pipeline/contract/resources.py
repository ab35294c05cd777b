"""Files that components share: lexicons, models, rule files. Loaded once per process, named in YAML by a string."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from ..errors import ResourceError, nearest
from ..storage.hashing import below
from .type_hints import hints, inner_classes

R = TypeVar("R", bound="Resource")

_LOADED: dict[tuple[type[Any], str], Any] = {}


class Resource:
    """Base class of everything that a component loads by name. Immutable after loading, shared between components.

    A parameter annotated with a Resource class takes a string in YAML: a path, or a name that the class knows (something
    shipped with caspipe or registered by a plug-in). `Component.open` replaces the string by the loaded resource.
    """

    kind: ClassVar[str] = "resource"

    @classmethod
    def load(cls, name: str) -> Self:
        """Read the resource. Raises ResourceError with the file and what was expected."""
        raise ResourceError(f"{cls.__name__} {name}: this class defines no load()")

    @classmethod
    def names(cls) -> list[str]:
        """Return the names that `load` accepts besides paths, for messages and completion."""
        return []

    @classmethod
    def check(cls, name: str) -> str | None:
        """Return the fault of a name without loading it, or None. By default, a path must exist."""
        if name in cls.names() or Path(name.partition("::")[0]).exists():
            return None
        known = f"; known names: {', '.join(cls.names())}" if 0 < len(cls.names()) <= 12 else ""
        return f"no {cls.kind} or file called {name!r}{nearest(name, cls.names()) or known}"

    @classmethod
    def address(cls, name: str) -> tuple[str, str]:
        """Split a name into the path or name itself and its suffix: `("META", "::umls?tuis=current")`."""
        place, mark, rest = name.partition("::")
        return (place, mark + rest) if Path(place).exists() else (name, "")

    @classmethod
    def files(cls, name: str) -> list[Path]:
        """Return the files that `load` reads, in a fixed order. By default, the file itself or every file below a folder.

        Raises ResourceError if they are missing.
        """
        return below(Path(cls.address(name)[0]))

    @classmethod
    def uses(cls, name: str) -> Iterator[tuple[type[Resource], str]]:
        """Yield class and name of other resources to which this one refers, except those in its own files."""
        yield from ()


def load(cls: type[R], name: str) -> R:
    """Return the resource called `name`, from memory if this process has loaded it before."""
    key = (cls, name)
    if key not in _LOADED:
        _LOADED[key] = cls.load(name)
    loaded: R = _LOADED[key]
    return loaded


def name_of(loaded: Resource) -> str | None:
    """Return the name by which a resource was loaded in this process; None if it was created by a program."""
    return next((name for (_, name), resource in _LOADED.items() if resource is loaded), None)


def forget(matches: Callable[[type[Resource], str], bool]) -> None:
    """Drop loaded resources for whose class and name `matches` returns true: they are read again when next used."""
    for key in [key for key in _LOADED if matches(*key)]:
        del _LOADED[key]


def resource_class(cls: type[Any], field: str) -> type[Resource] | None:
    """Return the Resource class of a parameter, also inside `X | None` and `list[X]`. None for other parameters."""
    return next((c for c in inner_classes(hints(cls)[field]) if issubclass(c, Resource)), None)
