"""Distributions that a pipeline requires besides caspipe, with versions, and their wheels from a folder."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
from collections.abc import Iterable
from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from pathlib import Path
from typing import Any

from ..contract.component import Component
from ..errors import CaspipeError, ResourceError
from ..storage.hashing import PACKAGE

OURS = "caspipe"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_FOLLOWED = ("annotators", "readers", "consumers", "pipeline/storage/database.py")
"""Packages of caspipe whose imports of each other are followed."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def requirements(components: Iterable[Any], code: Iterable[Path] = (), further: Iterable[str] = ()) -> list[str]:
    """Return `name==version` of caspipe, of its dependencies, and of what these components require; sorted.

    Engines must have been opened: extras mentioned in their source count if they have been imported. For readers and consumers,
    all imports in their source count. `code`: files of plug-ins, whose imports count; `further`: other required
    distributions.
    """
    wanted = {_normal(OURS), *map(_normal, further)}
    brings = packages_distributions()
    optional = _of_extras()
    for component in [c for outer in components for c in _with_nested(outer)]:
        late = getattr(component, "role", "") == "engine"
        modules = _of_component(type(component), strings=late) & (set(sys.modules) if late else set(brings))
        wanted |= {_normal(d) for module in modules for d in brings.get(module, ())} & optional
    for file in code:
        if file.suffix == ".py":
            wanted |= {_normal(d) for module, _ in _names(file, strings=False) for d in brings.get(module, ())}
    return sorted(f"{name}=={found}" for name, found in _closure(wanted).items())


def _with_nested(component: Any) -> list[Any]:
    return (
        [component, *component.nested()]
        if isinstance(component, Component) and is_dataclass(component)
        else [component]
    )


def wheels(lines: Iterable[str], folder: Path) -> list[Path]:
    """Return the wheels in a folder that satisfy these requirements, for any system, sorted by name.

    Raises ResourceError with every distribution without a wheel.
    """
    if not folder.is_dir():
        raise ResourceError(f"--wheels {folder}: no such folder")
    there: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.whl")):
        name, _, rest = path.name.partition("-")
        there.setdefault(f"{_normal(name)}=={rest.partition('-')[0]}", []).append(path)
    missing = [line for line in lines if line not in there]
    if missing:
        raise ResourceError(
            f"--wheels {folder}: no wheel of {', '.join(missing)}; with a network connection, `pip wheel` builds them from these"
        )
    return [path for line in lines for path in there[line]]


def _normal(name: str) -> str:
    """Normalize the name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def _of_extras() -> set[str]:
    """Return distributions that only extras of caspipe require."""
    found = [(_requirement(line), _EXTRA.search(line)) for line in _requires(OURS)]
    always = {name for name, extra in found if extra is None}
    return {name for name, extra in found if extra is not None} - always - {OURS}


def _closure(wanted: set[str]) -> dict[str, str]:
    """Return the versions of installed distributions and of their requirements, without extras."""
    found: dict[str, str] = {}
    left = sorted(wanted)
    while left:
        name = left.pop()
        if name in found:
            continue
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a requirement of another system or Python: not installed, so not needed here
            continue
        left += sorted(_requirement(line) for line in _requires(name) if not _EXTRA.search(line))
    return found


def _requires(name: str) -> list[str]:
    try:
        return distribution(name).requires or []
    except PackageNotFoundError:
        return []


def _requirement(line: str) -> str:
    found = _NAME.match(line.strip())
    return _normal(found[0]) if found else ""


def _of_component(cls: type[Any], *, strings: bool) -> set[str]:
    """Return the modules outside caspipe that the source of a component imports; with `strings`, also names of modules in
    string literals."""
    names: set[str] = set()
    left = [Path(file) for base in cls.__mro__ if (file := getattr(sys.modules.get(base.__module__), "__file__", None))]
    seen: set[Path] = set()
    while left:
        file = left.pop().resolve()
        if file in seen or not any(file.is_relative_to(PACKAGE / part) for part in _FOLLOWED):
            continue
        seen.add(file)
        for module, place in _names(file, strings=strings):
            if place is None:
                names.add(module)
            else:
                left += [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()]
    return names


@cache
def _names(file: Path, *, strings: bool) -> tuple[tuple[str, Path | None], ...]:
    """Return the imports of a file: the outermost module and, for relative imports, the path of the module. Imports for type
    checkers do not count."""
    found: list[tuple[str, Path | None]] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Import):
            found.extend((alias.name.partition(".")[0], None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(((node.module or "").partition(".")[0], None))
        elif isinstance(node, ast.ImportFrom):
            at = file.parents[node.level - 1].joinpath(*filter(None, (node.module or "").split(".")))
            found.append(("", at))
            found.extend(("", at / alias.name) for alias in node.names)
        elif strings and isinstance(node, ast.Constant) and isinstance(node.value, str) and _WORD.fullmatch(node.value):
            found.append((node.value, None))
        for child in ast.iter_child_nodes(node):
            visit(child)

    with contextlib.suppress(OSError, SyntaxError, ValueError):
        visit(ast.parse(file.read_bytes()))
    return tuple(dict.fromkeys(found))


def opened(engines: Iterable[Any], tolerated: set[str]) -> None:
    """Open and close engines to check that their requirements are met. Ignore errors of engines in `tolerated` (ids), whose key
    may not be on this machine.

    Raises the first CaspipeError.
    """
    for engine in engines:
        try:
            engine.open()
            engine.close()
        except CaspipeError:
            if engine.id not in tolerated:
                raise
