"""Dependencies of a pipeline: its models, lexicons, rule files, lists and plug-ins by content, and one hash over all of them.

Nothing is opened or loaded, and no hash depends on the value of a secret.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Literal

from ..contract.component import CasConsumer, CollectionReader, Component, is_resumable
from ..contract.report import versions
from ..errors import ResourceError
from ..storage.hashing import below, code_version, file_digest
from ..storage.own_kinds import as_declaration
from ..storage.secrets import Secret
from .assembly import Assembly
from .chain import Chain
from .effective import Effective, effective
from .plugin_imports import followed

__all__ = ["Dependency", "code_version", "dependencies", "fingerprint", "secrets"]

FORMAT = 1
PLUGIN = "caspipe_plugin_"
"""Prefix of the module names of `--plugin` files."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something outside the code of caspipe that determines what a component does."""

    component: str
    """Id of the engine; `reader/<id>` and `consumers/<id>` for others; empty for a plug-in without component."""
    parameter: str
    """Path of the parameter that names it: `lists.0`, `kinds.DATE.file`; empty for the component's own code."""
    name: str
    """As configured; the module of a plug-in."""
    kind: Literal["resource", "file", "plugin"]
    files: tuple[tuple[str, str], ...]
    """(relative name, SHA-256 in hexadecimal) of each file, in a fixed order."""
    root: Path
    """Base folder of the relative names. Names that start with `caspipe/` ship with caspipe."""


def dependencies(assembly: Assembly) -> list[Dependency]:
    """Return everything that a pipeline uses, in the order of components and parameters, with plug-ins after each component.

    Raises ResourceError with the component and the missing file.
    """
    found: dict[Dependency, None] = {}
    for place, component in _components(assembly):
        content = _effective(place, component)
        for source in content.inputs:
            for one in source.all():
                kind: Literal["resource", "file"] = "file" if one.cls is None else "resource"
                found[Dependency(place, one.parameter, one.name, kind, one.digests, one.root)] = None
        for at, cls in content.classes:
            for module in _foreign(cls):
                found[_plugin(place, at, module)] = None
    named = {one.name for one in found if one.kind == "plugin"}
    for module in sorted(name for name in sys.modules if name.startswith(PLUGIN)):
        if module not in named and _file_of(module) is not None:
            found[_plugin("", "", module)] = None
    return list(found)


def fingerprint(assembly: Assembly) -> str:
    """Return a hash (64 hexadecimal digits) over everything that determines the output: engines and resumable consumers with the
    effective values of their parameters, the contents of all their files, plug-ins with their imports, the code of caspipe,
    and the versions of the libraries that determine results.

    It does not depend on paths of files, on the order of keys or comments in YAML, on `run:` options except for names, or on
    other consumers.
    A secret contributes only whether it is set.
    """
    parts: list[Any] = []
    code: dict[str, Dependency] = {}
    for place, component in _components(assembly):
        if place.startswith("reader/") or (isinstance(component, CasConsumer) and not is_resumable(component)):
            continue
        content = _effective(place, component)
        parts.append([component.role, place, content.data, assembly.views.get(component.id, "")])
        for _, cls in content.classes:
            code |= {module: _plugin("", "", module) for module in _foreign(cls) if module not in code}
    for module in [name for name in sys.modules if name.startswith(PLUGIN) and _file_of(name) is not None]:
        code.setdefault(module, _plugin("", "", module))
    imported, installed = followed(
        (one.root / name, _bare(module)) for module, one in code.items() for name, _ in one.files
    )
    own = {"kinds": [as_declaration(kind) for kind in assembly.own_kinds]} if assembly.own_kinds else {}
    told_all = {
        **own,
        "format": FORMAT,
        "code": code_version(),
        "components": parts,
        "names": [assembly.options.names, bool(assembly.options.key)],
        "plugins": {module: one.files for module, one in code.items()},
        "imported": imported,
        "installed": installed,
        "libraries": _libraries(),
    }
    return hashlib.sha256(json.dumps(told_all, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _libraries() -> dict[str, str]:
    """Return the versions of libraries that determine results, and the feature release of Python."""
    found = versions()
    del found["caspipe"]
    return {**found, "python": ".".join(found["python"].split(".")[:2])}


def secrets(assembly: Assembly) -> list[tuple[str, str, bytes]]:
    """Return (component, parameter, secret) for every secret of engines, of resumable consumers and of names, which `fingerprint`
    leaves out.
    For files with secrets, such as tables of offsets, it is their content. Raises ResourceError if a file is missing."""
    found = []
    for place, component in _components(assembly):
        if not place.startswith("reader/") and (not isinstance(component, CasConsumer) or is_resumable(component)):
            found += [(place, at, reveal()) for at, reveal in _effective(place, component).secrets]
    if assembly.options.key:
        found.append(("run", "key", Secret.of(assembly.options.key).reveal()))
    return found


def _components(assembly: Assembly) -> Iterator[tuple[str, Component]]:
    """Yield every component with its name in a Dependency."""
    reader = assembly.reader
    readers: list[CollectionReader] = (
        reader.readers if isinstance(reader, Chain) else [] if reader is None else [reader]
    )
    yield from ((f"reader/{one.id}", one) for one in readers)
    yield from ((engine.id, engine) for engine in assembly.engines)
    yield from ((f"consumers/{one.id}", one) for one in assembly.consumers)


def _effective(place: str, component: Component) -> Effective:
    try:
        return effective(component)
    except ResourceError as error:
        raise ResourceError(f"{place}: {error}") from None


def _foreign(cls: type[Any]) -> list[str]:
    """Return the modules outside caspipe and Python that define a class and its bases."""
    modules = dict.fromkeys(base.__module__ for base in cls.__mro__)
    own = {"caspipe", *sys.stdlib_module_names}
    return [name for name in modules if name.partition(".")[0] not in own or name == "__main__"]


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def _plugin(component: str, at: str, module: str) -> Dependency:
    """Return a plug-in with the file of its module, or all files of its package."""
    file = _file_of(module)
    if file is None:
        source = getattr(sys.modules.get(module), "__file__", None)
        if source:
            raise ResourceError(f"plug-in {module}: its file {source} is gone")
        return Dependency(component, at, module, "plugin", (), Path())
    top = None if module.startswith(PLUGIN) else package_of(file)
    files = [file] if top is None else below(top)
    root = file.parent if top is None else top.parent
    digests = tuple((path.relative_to(root).as_posix(), file_digest(path)) for path in files)
    return Dependency(component, at, module, "plugin", digests, root)


def _bare(module: str) -> str:
    """Return the folder without `__init__.py` from which a module is imported, as a dotted name; empty if there is none."""
    file = _file_of(module)
    return module.rpartition(".")[0] if file is not None and package_of(file) is None else ""


def package_of(file: Path) -> Path | None:
    """Return the folder of the outermost package of a file; None for a single module."""
    top = None
    for folder in file.parents:
        if not (folder / "__init__.py").is_file():
            break
        top = folder
    return top


def distributions_of(module: str) -> list[str]:
    """Return the names of the installed distributions that provide a module."""
    return sorted(set(packages_distributions().get(module.partition(".")[0], ())))
