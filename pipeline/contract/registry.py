"""Find components and parts by name: registered in this process, announced by entry points, or by dotted path."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from ..errors import ConfigError, Fault, nearest
from .component import Component, Part
from .registration import COMPONENTS, PARTS

ENTRY_POINTS = "caspipe.components"

INDEX = Path(__file__).with_name("component_index.json")
"""Generated file: the modules that declare each component or part."""

ROLES = ("reader", "engine", "consumer")

_discovered = False


def discover() -> None:
    """Import everything announced by caspipe and installed packages in the entry-point group `caspipe.components`.

    Raises ConfigError if a package cannot be imported: a pipeline must not run without a component that it expects.
    """
    global _discovered
    if _discovered:
        return
    _discovered = True
    for point in _announced():
        try:
            _import(point, import_package, point.value)
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


def import_package(name: str) -> None:
    """Import a module; if it is a package, also import every module and package below it.

    Names that start with an underscore are skipped: a package uses them for code that needs an optional library. So are the
    names that a package lists in `WITHOUT_COMPONENTS`.
    """
    module = importlib.import_module(name.partition(":")[0])
    skipped = getattr(module, "WITHOUT_COMPONENTS", ())
    for info in sorted(pkgutil.iter_modules(getattr(module, "__path__", [])), key=lambda info: info.name):
        if not info.name.startswith("_") and info.name not in skipped:
            import_package(f"{module.__name__}.{info.name}")


@cache
def _index() -> dict[str, list[str]]:
    """Return the modules of caspipe that declare a name, as `component csv` or `part shift`.

    Importing every module takes a second, so a command imports only the modules it needs. `scripts/build_component_index.py`
    writes the index and a test keeps it current. A name that is missing from it is still found by `discover`.
    """
    return json.loads(INDEX.read_text(encoding="utf-8")) if INDEX.exists() else {}


@cache
def _import_declaring(sort: str, name: str) -> None:
    """Import the modules of caspipe that declare a name, and all packages of other distributions that announce components.

    Other packages are imported as well because they may register the same name, which is an error.
    """
    own = __name__.partition(".")[0]
    for point in _announced():
        if not point.value.startswith(f"{own}."):
            _import(point, import_package, point.value)
    for module in _index().get(f"{sort} {name}", ()):
        with contextlib.suppress(ModuleNotFoundError):  # the index is older than the code: `discover` finds the name
            importlib.import_module(module)


def loaded_files() -> list[str]:
    """Return the files that `load_file` imported, in order."""
    modules = [module for name, module in sys.modules.items() if name.startswith("caspipe_plugin_")]
    return [str(module.__file__) for module in modules if module.__file__]


def load_file(path: str) -> Any:
    """Import a plug-in from a Python file (`--plugin path/to/file.py`). Raises ConfigError if that fails."""
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
    """Return the component class for a name or a dotted path `package.module:Class`. Raises LookupError with the nearest name.

    `role`: reader, engine or consumer. A name can be used once in each role.
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
        names = [n for r, n in COMPONENTS if role in ("", r)]
        raise LookupError(f"no {role or 'component'} called {name!r}{nearest(name, names)}")
    return found[0]


_SECTIONS = {"reader": "reader", "engine": "engines", "consumer": "consumers", "": "nowhere"}


def is_known(name: str) -> bool:
    """Return whether a component in any role has this name."""
    _import_declaring("component", name)
    if not _named(name, ""):
        discover()
    return bool(_named(name, ""))


def find_all(name: str) -> list[type[Component]]:
    """Return the components with a name, one for each role. Raises LookupError if there is none."""
    first = find(name)
    return _named(name, "") or [first]


def _named(name: str, role: str) -> list[type[Component]]:
    return [COMPONENTS[r, name] for r in ROLES if role in ("", r) and (r, name) in COMPONENTS]


def _dotted(name: str) -> type[Component]:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, ValueError) as error:
        raise LookupError(f"cannot import {module or 'a module without name'}: {error}") from error
    except AttributeError:
        if module not in sys.modules:  # its import failed
            raise LookupError(f"cannot import {module}: AttributeError") from None
        near = nearest(attribute, dir(sys.modules[module]))
        raise LookupError(f"{module} has no {attribute}{near}") from None
    except Exception as error:  # a relative name, or an error of the module
        raise LookupError(f"cannot import {module}: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Component)):
        raise LookupError(f"{name} is not a component: expected a class made with @component")
    return found


def find_part(family: type[Part], name: str) -> type[Part]:
    """Return the part of a family by name. Raises LookupError that lists the family."""
    if (family.__name__, name) not in PARTS:
        _import_declaring("part", name)
    if (family.__name__, name) not in PARTS:
        discover()
    if (family.__name__, name) not in PARTS:
        names = [part.name for part in parts(family)]
        hint = nearest(name, names) or f"; expected one of {', '.join(names)}"
        raise LookupError(f"no {family.__name__.lower()} called {name!r}{hint}")
    return PARTS[family.__name__, name]


def components() -> list[type[Component]]:
    """Return every known component, sorted by role and name."""
    discover()
    return [
        COMPONENTS[key] for key in sorted(COMPONENTS, key=lambda k: (ROLES.index(k[0]) if k[0] in ROLES else 9, k[1]))
    ]


def parts(family: type[Part]) -> list[type[Part]]:
    """Return every part of a family, sorted by name."""
    discover()
    return [cls for (fam, _), cls in sorted(PARTS.items()) if fam == family.__name__]


def all_parts() -> list[type[Part]]:
    """Return every known part of every family, sorted by family and name."""
    discover()
    return [PARTS[key] for key in sorted(PARTS)]
