"""Imports of plug-ins outside Python and caspipe, found without importing anything."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ..storage.hashing import below, file_digest

_OWN = frozenset({"caspipe", "__main__", *sys.stdlib_module_names})
_INSTALLED = ("site-packages", "dist-packages")


def followed(files: Iterable[tuple[Path, str]]) -> tuple[dict[str, list[tuple[str, str]]], dict[str, str]]:
    """Follow the imports of Python files. Return module or outermost package -> (relative name, SHA-256) of its files; and for
    installed distributions, outermost module -> version, or SHA-256 if no distribution has that name.

    Each file is given with the folder without `__init__.py` from which it is imported, as `lab.tools`; empty if there is none, or
    if all files of the package are included. Every `import` statement counts, wherever it is in the file.
    """
    modules: dict[str, list[tuple[str, str]]] = {}
    installed: dict[str, str] = {}
    left = [(path, package) for path, package in files if not _is_installed(path)]
    seen: set[str] = set()
    while left:
        file, within = left.pop()
        for name in _imports(file, file_digest(file), within) if file.suffix == ".py" else ():
            if name in seen:
                continue
            seen.add(name)
            module, place = _outermost(name)
            if place is None:
                continue
            if _is_installed(place):
                installed[module] = _version(module, place)
            elif module not in modules:
                package = place.name == "__init__.py"
                own = below(place.parent) if package else [place]
                root = place.parent.parent if package else place.parent
                modules[module] = [(path.relative_to(root).as_posix(), file_digest(path)) for path in own]
                left += [(path, "" if package else module.rpartition(".")[0]) for path in own]
    return modules, installed


def _is_installed(path: Path) -> bool:
    return any(part in _INSTALLED for part in path.parts)


def _version(module: str, place: Path) -> str:
    with contextlib.suppress(PackageNotFoundError):
        return version(module)
    return file_digest(place)


def _outermost(name: str) -> tuple[str, Path | None]:
    """Return the outermost package of a dotted name, or the module itself, with its file if it has one. A folder without
    `__init__.py` is not a package, only its contents."""
    parts = name.split(".")
    for n in range(1, len(parts) + 1):
        module = ".".join(parts[:n])
        try:
            spec = find_spec(module)
        except (ImportError, ValueError, AttributeError):  # the last two of modules that were made by hand
            break
        if spec is None:
            break
        if spec.has_location and spec.origin is not None and Path(spec.origin).is_file():
            return module, Path(spec.origin)
    return name, None


@cache
def _imports(file: Path, digest: str, within: str) -> tuple[str, ...]:
    """Return the full names of imports in a source text, except Python and caspipe. For `from a import b`, it is `a.b`, which may
    be a module."""

    def names(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (within or not node.level):
            above = within.split(".")[: len(within.split(".")) - node.level + 1] if node.level else []
            yield from (".".join(filter(None, [*above, node.module, alias.name])) for alias in node.names)

    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ()
    found = (name for node in ast.walk(tree) for name in names(node))
    return tuple(dict.fromkeys(name for name in found if name.partition(".")[0] not in _OWN))
