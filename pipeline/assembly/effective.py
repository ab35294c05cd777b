"""The effective parameters of a component as plain data, and the files, classes and secrets that they refer to.

Files are represented by their content and secrets by whether they are set. So equal data means equal behavior, independent of
the paths of files and the values of secrets.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...typesystem import PhiKind
from ..contract.component import CasConsumer, CollectionReader, Component
from ..contract.resources import Resource, name_of, resource_class
from ..errors import ResourceError
from ..storage.hashing import below, file_digest, shipped_name
from ..storage.secrets import Secret, without_secrets

IN_MEMORY = "(in memory)"
"""Name of a resource that a program made."""

_WORDS = frozenset("key secret password passphrase token salt credential credentials".split())


@dataclasses.dataclass(frozen=True, slots=True)
class Input:
    """Files that a parameter names, with the files that they name in turn."""

    parameter: str
    """Path of the parameter below the component: `lists.0`, `kinds.DATE.file`."""
    name: str
    """As configured."""
    cls: type[Resource] | None
    """The Resource class that reads it; None for a plain file."""
    files: tuple[tuple[str, Path], ...]
    """Relative name and path of each file."""
    root: Path
    suffix: str = ""
    """Suffix of the name: `::umls?tuis=current`."""
    content: str = ""
    """Hash of a resource that exists only in memory."""
    uses: tuple[Input, ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """Return the content as plain data: hashes, and names without folders of this machine."""
        data: dict[str, Any] = {"files": [[_portable(name), file_digest(path)] for name, path in self.files]}
        more = {"said": self.suffix, "content": self.content, "uses": [used.data for used in self.uses]}
        return data | {key: value for key, value in more.items() if value}

    @property
    def digests(self) -> tuple[tuple[str, str], ...]:
        """Return (relative name, hash) of each file."""
        return tuple((name, file_digest(path)) for name, path in self.files) or ((self.name, self.content),)

    def all(self) -> Iterator[Input]:
        """Yield this input and those that it uses."""
        yield self
        for used in self.uses:
            yield from used.all()


@dataclasses.dataclass(slots=True)
class Effective:
    """The effective parameters of a component."""

    data: Any = None
    """Plain data, fit for JSON."""
    inputs: list[Input] = dataclasses.field(default_factory=list)
    classes: list[tuple[str, type[Any]]] = dataclasses.field(default_factory=list)
    """The class of the component and of each part in it, with the path of its parameter."""
    secrets: list[tuple[str, Callable[[], bytes]]] = dataclasses.field(default_factory=list)
    """Functions that return each secret, by the path of its parameter."""


def effective(component: Component) -> Effective:
    """Return the effective parameters of a component, whether it is open or not. Does not load anything.

    Raises ResourceError if a file is missing.
    """
    walk = _Walk(not isinstance(component, CasConsumer | CollectionReader))
    walk.found.data = walk.parameters(component, "")
    return walk.found


def is_secret(name: str, value: Any) -> bool:
    """Return whether a parameter contains a secret, by its type or its name: `key`, `api_token`, but not `max_tokens`."""
    return isinstance(value, Secret) or (isinstance(value, str | bytes | Path) and is_secret_name(name))


def is_secret_name(name: str) -> bool:
    """Return whether the name of a parameter means a secret."""
    return not _WORDS.isdisjoint(name.lower().split("_"))


class _Walk:
    def __init__(self, reads: bool) -> None:
        self.found = Effective()
        self.reads = reads
        """Return whether a path is read by default, unless its parameter says otherwise."""

    def parameters(self, value: Any, at: str) -> Any:
        """Add a component, part or other dataclass."""
        cls = type(value)
        self.found.classes.append((at, cls))
        private, reads = getattr(cls, "private", ()), self.reads
        inner = bool(at) and not isinstance(value, CasConsumer | CollectionReader)
        parameters: dict[str, Any] = {}
        for field in dataclasses.fields(value) if dataclasses.is_dataclass(value) else ():
            if not field.init:
                continue
            name = field.name
            below_ = f"{at}.{name}" if at else name
            content = getattr(value, name)
            if is_secret(name, content) or (name in private and content):
                parameters[name] = self.secret(content, below_)
                continue
            self.reads = reads or inner or name in getattr(cls, "reads", ())
            resource = resource_class(cls, name)
            parameters[name] = self.value(content, below_, resource)
            self.reads = reads
        implied = [self.input(kind, name, at) for kind, name in getattr(cls, "implied", ())]
        named = getattr(cls, "name", "") or cls.__qualname__
        return [named, parameters, *(one.data for one in implied)]

    def value(self, value: Any, at: str, resource: type[Resource] | None) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Resource):
            return self.resource(value, at)
        if isinstance(value, PhiKind | enum.Enum):
            return value.name
        if isinstance(value, str):
            return self.input(resource, str(value), at).data if resource is not None else self.text(str(value), at)
        if isinstance(value, Path):
            there = self.reads and value.exists()
            return self.input(None, str(value), at).data if there else self.text(value.as_posix(), at)
        if isinstance(value, Mapping):
            pairs = [[self.key(k), self.value(v, f"{at}.{self.key(k)}", resource)] for k, v in value.items()]
            return sorted(pairs, key=lambda pair: pair[0])
        if isinstance(value, list | tuple):
            return [self.value(v, f"{at}.{i}", resource) for i, v in enumerate(value)]
        if isinstance(value, set | frozenset):
            return sorted((self.value(v, at, resource) for v in value), key=repr)
        if isinstance(value, type):
            return f"{value.__module__}:{value.__qualname__}"
        if isinstance(value, Secret):
            return self.secret(value, at)
        if dataclasses.is_dataclass(value):
            return self.parameters(value, at)
        return hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()

    def key(self, key: Any) -> str:
        return str(key.name if isinstance(key, PhiKind | enum.Enum) else key)

    def text(self, value: str, at: str) -> str:
        shown, secret = without_secrets(value)
        if secret:
            self.found.secrets.append((at, lambda: secret.encode("utf-8", "surrogatepass")))
        return shown

    def secret(self, value: Any, at: str) -> dict[str, bool]:
        if value:
            self.found.secrets.append((at, lambda: _revealed(value)))
        return {"secret": bool(value)}

    def resource(self, value: Resource, at: str) -> Any:
        """Add a loaded resource."""
        name = name_of(value)
        if name is not None:
            return self.input(type(value), name, at).data
        content = hashlib.sha256(pickle.dumps(getattr(value, "__dict__", value), protocol=4)).hexdigest()
        added = Input(at, IN_MEMORY, type(value), (), Path(), content=content)
        self.found.inputs.append(added)
        return added.data

    def input(self, cls: type[Resource] | None, name: str, at: str) -> Input:
        added = input_of(cls, name, at)
        self.found.inputs.append(added)
        return added


def _revealed(value: Any) -> bytes:
    """Add a secret, or the content of its file."""
    if isinstance(value, Secret):
        return value.reveal()
    if isinstance(value, Path):
        try:
            return value.read_bytes()
        except OSError as error:
            raise ResourceError(f"{value}: cannot be read: {error.strerror or type(error).__name__}") from None
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def input_of(cls: type[Resource] | None, name: str, at: str, above: tuple[str, ...] = ()) -> Input:
    """Return the files of a name. Raises ResourceError if there are none, or if resources refer to each other in a cycle."""
    if cls is None:
        return _placed(Input(at, name, None, (), Path(name)), below(Path(name)))
    if name in above:
        raise ResourceError(f"{cls.kind} {name}: names itself: {' -> '.join([*above, name])}")
    place, suffix = cls.address(name)
    uses = tuple(input_of(kind, used, at, (*above, name)) for kind, used in cls.uses(name))
    return _placed(Input(at, name, cls, (), Path(place), suffix, uses=uses), cls.files(name))


def _placed(unplaced: Input, files: list[Path]) -> Input:
    """Return an input with files named relative to their root, or to caspipe if they ship with it."""
    if unplaced.root.is_dir() and all(file.is_relative_to(unplaced.root) for file in files):
        root = unplaced.root
    elif unplaced.root.is_file():
        root = unplaced.root.parent
    else:
        root = Path(os.path.commonpath([file.parent for file in files]))
    named = tuple((_relative(file, root), file) for file in files)
    return dataclasses.replace(unplaced, files=named, root=root)


def _relative(file: Path, root: Path) -> str:
    if file.is_relative_to(root):
        return file.relative_to(root).as_posix()
    if shipped := shipped_name(file):
        return f"caspipe/{shipped}"
    return Path(os.path.relpath(file, root)).as_posix()


def _portable(name: str) -> str:
    """Return a relative name without folders of this machine."""
    return name.rpartition("/")[2] if name.startswith("../") or Path(name).is_absolute() else name
