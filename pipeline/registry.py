"""Which component and which part answers to a name: declared in this process, by entry points, or by dotted paths."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import ConfigError, Fault, nearest

if TYPE_CHECKING:
    from .component import Component, Part

ENTRY_POINTS = "caspipe.components"

ROLES = ("reader", "engine", "consumer")

_COMPONENTS: dict[tuple[str, str], type[Component]] = {}
_PARTS: dict[tuple[str, str], type[Part]] = {}
_discovered = False


def _place(cls: type[Any]) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def register(cls: type[Component]) -> None:
    """Enters a component class. Raises ConfigError where another class of its role (reader, engine, consumer) has the name."""
    _claim(_COMPONENTS, (cls.role, cls.name), cls, f"{cls.role or 'component'} {cls.name}")


def register_part(cls: type[Part], family: type[Part]) -> None:
    """Enters a part class into its family. Raises ConfigError where another class claims the name."""
    _claim(_PARTS, (family.__name__, cls.name), cls, f"{family.__name__.lower()} {cls.name}")


def _claim(table: dict[Any, Any], key: Any, cls: type[Any], what: str) -> None:
    other = table.get(key)
    if other is not None and _place(other) != _place(cls):
        raise ConfigError([Fault("", f"{what} is claimed twice: by {_place(other)} and by {_place(cls)}")])
    table[key] = cls


def discover() -> None:
    """Imports what caspipe and installed packages announce under the entry-point group `caspipe.components`.

    A package that cannot be imported is an error that names it: a pipeline must not run without a part it counted on.
    """
    global _discovered
    if _discovered:
        return
    _discovered = True
    for point in _announced():
        try:
            _import(point, import_wing, point.value)
        except ConfigError:
            _discovered = False
            raise


@cache
def _announced() -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=ENTRY_POINTS), key=lambda p: (p.name, p.value)))


def _import(point: EntryPoint, run: Callable[[str], Any], module: str) -> None:
    try:
        run(module)
    except ImportError as error:
        raise ConfigError([Fault("", f"plug-in {point.name} = {point.value} cannot be imported: {error}")]) from error


def import_wing(module: str) -> None:
    """Imports a module; of a package, also every module directly in it, so that a new file is found without a list."""
    loaded = importlib.import_module(module.partition(":")[0])
    for name, _ in _members(getattr(loaded, "__path__", [])):
        importlib.import_module(f"{loaded.__name__}.{name}")


def _members(folders: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The modules and packages directly in the folders of a package, by name."""
    for folder in folders:
        for file in sorted(Path(folder).iterdir()):
            name = file.stem if file.suffix == ".py" else file.name if (file / "__init__.py").exists() else ""
            if name and not name.startswith("_"):
                yield name, file


_DECLARED = re.compile(r"""@(component|part)\(\s*["']([^"']+)["']""")


@cache
def _declaring() -> dict[tuple[str, str], list[tuple[EntryPoint, str]]]:
    """(`component` or `part`, name) to caspipe's own modules that declare it, read off the files without importing them.

    Importing all of them takes a second, reading them some hundredths: a command starts with what it needs.
    """
    own = __name__.partition(".")[0]
    found: dict[tuple[str, str], list[tuple[EntryPoint, str]]] = {}
    for point in _announced():
        spec = importlib.util.find_spec(point.value) if point.value.startswith(f"{own}.") else None
        for name, file in _members(spec.submodule_search_locations or () if spec else ()):
            for source in sorted(file.rglob("*.py")) if file.is_dir() else (file,):
                for declared in _DECLARED.findall(source.read_text(encoding="utf-8")):
                    found.setdefault(declared, []).append((point, f"{point.value}.{name}"))
    return found


@cache
def _import_declaring(sort: str, name: str) -> None:
    """Imports caspipe's own modules that declare a name, and every other package that announces components: one of those
    may claim the same name. Where nothing is found here, `discover` looks everywhere."""
    for point, module in _declaring().get((sort, name), ()):
        _import(point, importlib.import_module, module)
    own = __name__.partition(".")[0]
    for point in _announced():
        if not point.value.startswith(f"{own}."):
            _import(point, import_wing, point.value)


def loaded_files() -> list[str]:
    """The files that `load_file` imported, in order."""
    found = [module for name, module in sys.modules.items() if name.startswith("caspipe_plugin_")]
    return [str(module.__file__) for module in found if module.__file__]


def load_file(path: str) -> Any:
    """Imports a plug-in from a Python file (`--plugin path/to/file.py`). Raises ConfigError where that fails."""
    file = Path(path).resolve()
    name = f"caspipe_plugin_{file.stem}"
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == str(file):
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise ConfigError(
            [
                Fault(
                    "",
                    f"plug-in {path}: expected a Python file, found {'none' if not file.exists() else 'another kind'}",
                )
            ]
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except ConfigError:
        raise
    except Exception as error:
        del sys.modules[name]
        raise ConfigError([Fault("", f"plug-in {path}: {type(error).__name__}: {error}")]) from error
    return module


def find(name: str, role: str = "") -> type[Component]:
    """The component class for a name or a dotted path `package.module:Class`. Raises LookupError with the nearest name.

    `role` is where it is to stand: reader, engine or consumer; a name may be used once in each.
    """
    if ":" in name:
        return _dotted(name)
    _import_declaring("component", name)
    found = _named(name, role)
    if not found:
        discover()
        found = _named(name, role)
    if not found:
        elsewhere = _named(name, "")
        if elsewhere:
            raise LookupError(f"{name} is a {elsewhere[0].role}: it goes under {_SECTIONS[elsewhere[0].role]}")
        names = [n for r, n in _COMPONENTS if role in ("", r)]
        raise LookupError(f"no {role or 'component'} called {name!r}{nearest(name, names)}")
    return found[0]


_SECTIONS = {"reader": "reader", "engine": "engines", "consumer": "consumers", "": "nowhere"}


def is_known(name: str) -> bool:
    """Whether some component, in whatever role, has this name."""
    _import_declaring("component", name)
    if not _named(name, ""):
        discover()
    return bool(_named(name, ""))


def find_all(name: str) -> list[type[Component]]:
    """The components of a name, one for each role. Raises LookupError where there is none."""
    first = find(name)
    return _named(name, "") or [first]


def _named(name: str, role: str) -> list[type[Component]]:
    return [_COMPONENTS[r, name] for r in ROLES if role in ("", r) and (r, name) in _COMPONENTS]


def _dotted(name: str) -> type[Component]:
    from .component import Component

    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, ValueError) as error:
        raise LookupError(f"cannot import {module or 'a module without name'}: {error}") from error
    except AttributeError:
        if module not in sys.modules:  # it broke on the way
            raise LookupError(f"cannot import {module}: AttributeError") from None
        near = nearest(attribute, dir(sys.modules[module]))
        raise LookupError(f"{module} has no {attribute}{near}") from None
    except Exception as error:  # a relative name, or what the module itself does
        raise LookupError(f"cannot import {module}: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Component)):
        raise LookupError(f"{name} is no component: expected a class made with @component")
    return found


def find_part(family: type[Part], name: str) -> type[Part]:
    """The part of a family by name. Raises LookupError that lists the family."""
    if (family.__name__, name) not in _PARTS:
        _import_declaring("part", name)
    if (family.__name__, name) not in _PARTS:
        discover()
    if (family.__name__, name) not in _PARTS:
        names = [part.name for part in parts(family)]
        hint = nearest(name, names) or f"; expected one of {', '.join(names)}"
        raise LookupError(f"no {family.__name__.lower()} called {name!r}{hint}")
    return _PARTS[family.__name__, name]


def components() -> list[type[Component]]:
    """Every component known, by role and name."""
    discover()
    return [
        _COMPONENTS[key] for key in sorted(_COMPONENTS, key=lambda k: (ROLES.index(k[0]) if k[0] in ROLES else 9, k[1]))
    ]


def parts(family: type[Part]) -> list[type[Part]]:
    """Every part of a family, by name."""
    discover()
    return [cls for (fam, _), cls in sorted(_PARTS.items()) if fam == family.__name__]
