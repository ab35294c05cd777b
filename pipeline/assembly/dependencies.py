"""What a pipeline depends on: every model, lexicon, rule file, list and plug-in it uses, by content, and one hash over all.

Nothing is opened or loaded for it, and no hash here tells anything of a secret.
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
from .assembly import Assembly
from .chain import Chain
from .effective import Effective, effective
from .plugin_imports import followed

__all__ = ["Dependency", "code_version", "dependencies", "fingerprint", "secrets"]

FORMAT = 1
PLUGIN = "caspipe_plugin_"
"""How the modules of `--plugin` files are called."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something outside caspipe's code that decides what a component does."""

    component: str
    """Id of the engine; `reader/<id>` and `consumers/<id>` for others; empty for a plug-in that no component is made of."""
    parameter: str
    """Path of the parameter that names it: `lists.0`, `kinds.DATE.file`; empty for the component's own code."""
    name: str
    """As configured; of a plug-in its module."""
    kind: Literal["resource", "file", "plugin"]
    files: tuple[tuple[str, str], ...]
    """(relative name, SHA-256 in hexadecimal) of each file, in a fixed order."""
    root: Path
    """What the relative names are relative to; those that begin with `caspipe/` ship with caspipe."""


def dependencies(assembly: Assembly) -> list[Dependency]:
    """Everything that a pipeline uses, in the order of its components and their parameters; plug-ins at the end of each.

    Raises ResourceError that names the component and the file that is missing.
    """
    found: dict[Dependency, None] = {}
    for place, component in _components(assembly):
        told = _effective(place, component)
        for source in told.inputs:
            for one in source.all():
                kind: Literal["resource", "file"] = "file" if one.cls is None else "resource"
                found[Dependency(place, one.parameter, one.name, kind, one.digests, one.root)] = None
        for at, cls in told.classes:
            for module in _foreign(cls):
                found[_plugin(place, at, module)] = None
    named = {one.name for one in found if one.kind == "plugin"}
    for module in sorted(name for name in sys.modules if name.startswith(PLUGIN)):
        if module not in named and _file_of(module) is not None:
            found[_plugin("", "", module)] = None
    return list(found)


def fingerprint(assembly: Assembly) -> str:
    """One hash, 64 hexadecimal digits, over all that decides what becomes of a document: engines and resumable consumers with the
    effective values of their parameters, the contents of every file behind these, plug-ins with what they import, caspipe's code,
    and the versions of the libraries that results depend on.

    It does not depend on where files lie, on the order of keys or comments in YAML, on `run:` options, or on other
    consumers. Of a secret it knows only whether it is set.
    """
    parts: list[Any] = []
    code: dict[str, Dependency] = {}
    for place, component in _components(assembly):
        if place.startswith("reader/") or (isinstance(component, CasConsumer) and not is_resumable(component)):
            continue
        told = _effective(place, component)
        parts.append([component.role, place, told.data, assembly.views.get(component.id, "")])
        for _, cls in told.classes:
            code |= {module: _plugin("", "", module) for module in _foreign(cls) if module not in code}
    for module in [name for name in sys.modules if name.startswith(PLUGIN) and _file_of(name) is not None]:
        code.setdefault(module, _plugin("", "", module))
    imported, installed = followed(
        (one.root / name, _bare(module)) for module, one in code.items() for name, _ in one.files
    )
    told_all = {
        "format": FORMAT,
        "code": code_version(),
        "components": parts,
        "plugins": {module: one.files for module, one in code.items()},
        "imported": imported,
        "installed": installed,
        "libraries": _libraries(),
    }
    return hashlib.sha256(json.dumps(told_all, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _libraries() -> dict[str, str]:
    """Versions of what results depend on besides caspipe; of Python only what a new feature release changes."""
    found = versions()
    del found["caspipe"]
    return {**found, "python": ".".join(found["python"].split(".")[:2])}


def secrets(assembly: Assembly) -> list[tuple[str, str, bytes]]:
    """(component, parameter, secret) of every secret of the engines and resumable consumers, in order: what `fingerprint` leaves
    out. A file that holds secrets, as a table of offsets, is told by its content. Raises ResourceError where one is missing."""
    found = []
    for place, component in _components(assembly):
        if not place.startswith("reader/") and (not isinstance(component, CasConsumer) or is_resumable(component)):
            found += [(place, at, reveal()) for at, reveal in _effective(place, component).secrets]
    return found


def _components(assembly: Assembly) -> Iterator[tuple[str, Component]]:
    """Every component, by how a Dependency calls it."""
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
    """Modules outside caspipe and Python that a class and its bases come from."""
    modules = dict.fromkeys(base.__module__ for base in cls.__mro__)
    own = {"caspipe", *sys.stdlib_module_names}
    return [name for name in modules if name.partition(".")[0] not in own or name == "__main__"]


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def _plugin(component: str, at: str, module: str) -> Dependency:
    """A plug-in by its code: the file of a module, or all files of the package that it lies in."""
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
    """The folder without `__init__.py` that a module is imported from, as a dotted name; empty where there is none."""
    file = _file_of(module)
    return module.rpartition(".")[0] if file is not None and package_of(file) is None else ""


def package_of(file: Path) -> Path | None:
    """The folder of the outermost package that a module's file lies in; None for a module by itself."""
    top = None
    for folder in file.parents:
        if not (folder / "__init__.py").is_file():
            break
        top = folder
    return top


def distributions_of(module: str) -> list[str]:
    """The installed distributions that bring a module, by name."""
    return sorted(set(packages_distributions().get(module.partition(".")[0], ())))
