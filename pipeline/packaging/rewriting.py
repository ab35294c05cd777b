"""Rewrite a configuration for a package: files become part of the package, secrets stay references, the rest is unchanged."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import typing
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ..assembly.assemble import SECTION_ROLES
from ..assembly.effective import Input, input_of, is_secret_name
from ..assembly.steps import Config, Step
from ..contract import params, registry
from ..contract.component import Component, Part, family
from ..contract.resources import Resource
from ..contract.type_hints import UNIONS
from ..errors import Fault, ResourceError
from ..storage.hashing import shipped_name
from ..storage.secrets import in_clear, is_secret
from ..storage.yaml_source import Keys, Text
from .manifest import HERE, RESOURCES

_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-)?\}")
"""A variable without default or with an empty one: the only references allowed for secrets."""
_NOTHING: Any = object()


@dataclasses.dataclass(slots=True)
class Rewritten:
    """A configuration for a package."""

    data: dict[str, Any]
    """Plain data for YAML."""
    files: dict[str, Path]
    """Current path of each file by its name in the package."""
    faults: list[Fault]


def rewritten(config: Config) -> Rewritten:
    """Return the configuration with includes, overrides and aliases resolved, and with paths of files in the package.

    `faults` lists what cannot be packed: secrets in clear and missing files.
    """
    work = Rewriter(config)
    data: dict[str, Any] = {"name": config.name}
    if config.own_kinds.kinds:
        data["kinds"] = config.own_kinds.data()
    readers = [{step.name: work.step(step, "reader")} for step in config.readers]
    if readers:
        data["reader"] = readers[0] if len(readers) == 1 else readers
    for section, steps in (("engines", config.engines), ("consumers", config.consumers)):
        if steps:
            data[section] = _nested([(step.id.split("/"), step, work.step(step, section)) for step in steps])
    if config.run:
        assert config.run_step is not None
        data["run"] = work.run(config.run_step, config.run)
    return Rewritten(data, work.files, work.faults)


def _nested(steps: list[tuple[list[str], Step, dict[str, Any]]]) -> list[Any]:
    """Return steps as aggregates: `regex/dates` becomes `dates` in the aggregate `regex`."""
    found: list[Any] = []
    for head, group in itertools.groupby(steps, key=lambda s: s[0][0] if len(s[0]) > 1 else ""):
        if head:
            inner = [(path[1:], step, given) for path, step, given in group]
            found.append({"aggregate": {"id": head, "engines": _nested(inner)}})
            continue
        for path, step, given in group:
            given = given if path[0] == step.name else {"id": path[0], **given}
            found.append({step.name: given} if given else step.name)
    return found


class Rewriter:
    """Walks over the parameters of components by their types. Subclasses change how each value is rewritten."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.files: dict[str, Path] = {}
        self.faults: list[Fault] = []
        self._places: dict[tuple[Path, ...], str] = {}
        self.reads = False
        self.current: Step

    def step(self, step: Step, section: str) -> dict[str, Any]:
        """Rewrite the parameters of a component."""
        self.current, self.reads = step, section == "engines"
        cls = registry.find(step.name, SECTION_ROLES[section])
        return self.parameters(cls, self.config.unaliased(step.given), (), section == "engines")

    def run(self, step: Step, given: Mapping[str, Any]) -> dict[str, Any]:
        """Rewrite the section `run`, whose key is a secret."""
        self.current = step
        return {k: self.secret(v, (k,)) if is_secret_name(k) else self.plain(v) for k, v in given.items()}

    def fault(self, at: Keys, what: str) -> None:
        self.faults.append(self.current.fault(at, what))

    def parameters(self, cls: type[Any], given: Mapping[str, Any], at: Keys, reads: bool) -> dict[str, Any]:
        """Rewrite the parameters of a component, part or other dataclass."""
        hints = {p.name: p.hint for p in params.parameters(cls)}
        extra_field = getattr(cls, "extra_field", "")
        private = getattr(cls, "private", ())
        parameters: dict[str, Any] = {}
        for key, value in given.items():
            hint = hints.get(key, typing.get_args(hints[extra_field])[1] if extra_field and key not in hints else Any)
            if self.is_secret(hint, key, value):
                parameters[key] = self.secret(value, (*at, key))
            elif key in private:
                parameters[key] = self.private(value, (*at, key))
            else:
                self.reads = reads or key in getattr(cls, "reads", ())
                parameters[key] = self.value(hint, value, (*at, key))
        return parameters

    def value(self, hint: Any, value: Any, at: Keys) -> Any:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if value is None:
            return None
        if is_secret(hint):
            return self.secret(value, at)
        if origin in UNIONS:
            return self.value(_meant(arguments, value), value, at)
        if origin in (list, tuple) and isinstance(value, list | tuple) and arguments:
            every = arguments[0] if origin is list or arguments[1:] == (...,) else None
            hinted = itertools.repeat(every) if every is not None else iter(arguments)
            return [self.value(h, v, (*at, i)) for i, (h, v) in enumerate(zip(hinted, value, strict=False))]
        if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
            return {str(k): self.value(arguments[1], v, (*at, k)) for k, v in value.items()}
        if isinstance(hint, type):
            if issubclass(hint, Resource) and isinstance(value, str | Path):
                return self.resource(hint, value, at)
            if issubclass(hint, Part):
                return self.part(hint, value, at)
            if issubclass(hint, Component):
                return self.component(hint, value, at)
            if hint is Path and self.reads and isinstance(value, str | Path):
                return self.file(value, at)
            if dataclasses.is_dataclass(hint) and isinstance(value, Mapping):
                return self.parameters(hint, value, at, self.reads)
        return self.plain(value, at)

    def is_secret(self, hint: Any, key: str, value: Any) -> bool:
        """Return whether a parameter holds a secret, by its type or by its name."""
        return is_secret(hint) or (is_secret_name(key) and isinstance(value, str))

    def private(self, value: Any, at: Keys) -> Any:
        """Return a parameter that no package may hold as it is."""
        return self.plain(value)

    def part(self, hint: type[Part], value: Any, at: Keys) -> Any:
        if isinstance(value, str):
            name, given = params.short_form(family(hint), value)
            if not given:
                return self.plain(value)
        elif isinstance(value, Mapping) and len(value) == 1:
            name, given = next(iter(value.items()))
            at = (*at, name)
        else:
            return self.plain(value)
        parameters = self.parameters(registry.find_part(family(hint), str(name)), given or {}, at, True)
        return {str(name): parameters} if parameters else str(name)

    def component(self, hint: type[Component], value: Any, at: Keys) -> Any:
        """Rewrite a component that is a parameter of another one."""
        if not (isinstance(value, Mapping) and len(value) == 1):
            return self.plain(value, at)
        (name, given), reads = next(iter(value.items())), self.reads
        self.reads = hint.role == "engine"
        cls = registry.find(str(name), hint.role)
        parameters = self.parameters(cls, given or {}, (*at, name), self.reads)
        self.reads = reads
        return {str(name): parameters}

    def plain(self, value: Any, at: Keys = ()) -> Any:
        """Return a value as it is in the file, including `${...}`."""
        if isinstance(value, Mapping):
            return {str(k): self.plain(v, (*at, str(k))) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(v, (*at, i)) for i, v in enumerate(value)]
        if isinstance(value, Path):
            return str(value)
        if not isinstance(value, str):
            return value
        raw = _raw(value)
        if what := in_clear(raw):
            self.fault(at, f"{what} in clear, which no bundle may carry: write ${{VARIABLE}} in its place")
        return raw

    def secret(self, value: Any, at: Keys) -> Any:
        """Rewrite a reference to a secret; a secret in clear is a fault."""
        if isinstance(value, Mapping):
            return {str(k): self.plain(v) for k, v in value.items()}
        if not isinstance(value, str):
            return self.plain(value)
        raw = _raw(value)
        if raw and not raw.startswith("file:") and not _REFERENCE.fullmatch(raw):
            self.fault(at, 'a secret in clear, which no bundle may carry: write "${CASPIPE_KEY}" or file:PATH')
        return raw

    def resource(self, cls: type[Resource], value: str | Path, at: Keys) -> str:
        """Rewrite the name of a resource, to a file in the package unless it ships with caspipe."""
        name = params.resource_name(cls, value)
        try:
            found = input_of(cls, name, "")
            return self.input(found, name, at)
        except ResourceError as error:
            self.fault(at, str(error))
            return name

    def input(self, found: Input, name: str, at: Keys) -> str:
        assert found.cls is not None
        for used in found.uses:
            if used.cls is None or not self.ships(used):
                self.fault(at, f"{name} names {used.name}, which lies outside it: no bundle can hold that")
        if self.ships(found):
            return name
        place = Path(found.cls.address(name)[0])
        if not place.exists():  # a name that the class knows: of a folder of models, for one
            place = found.root if len(found.files) > 1 else found.files[0][1]
        return self.placed(place, [path for _, path in found.files], at) + found.suffix

    def ships(self, found: Input) -> bool:
        """Return whether a resource is known by name and all its files come with caspipe."""
        assert found.cls is not None
        return found.name in found.cls.names() and all(shipped_name(path) for _, path in found.files)

    def file(self, value: str | Path, at: Keys) -> str:
        """Rewrite a file or folder that is read. A missing one stays a reference."""
        place = value.base / value if isinstance(value, Text) else Path(value)
        if not value or not place.exists():
            return str(self.plain(value, at))
        return self.placed(place, [path for _, path in input_of(None, str(place), "").files], at)

    def placed(self, place: Path, files: list[Path], at: Keys) -> str:
        """Add files to the package and return the name of `place` in it. Equal files are added once."""
        absolute = [Path(os.path.abspath(path)) for path in files]  # noqa: PTH100  links stay names
        place = Path(os.path.abspath(place))  # noqa: PTH100
        key = (place, *absolute)
        if key not in self._places:
            base = Path(os.path.commonpath([place.parent, *(path.parent for path in absolute)]))
            folder = PurePosixPath(RESOURCES, f"{len(self._places) + 1:02}")
            for path in absolute:
                self.files[str(folder / path.relative_to(base).as_posix())] = path
            self._places[key] = f"{HERE}{folder / place.relative_to(base).as_posix()}"
        return self._places[key]


def _raw(value: str) -> str:
    return (value.raw if isinstance(value, Text) else "") or str(value)


def _meant(choices: tuple[Any, ...], value: Any) -> Any:
    """Return the type in a union that fits a value."""
    for choice in choices:
        faults: list[str] = []
        if choice is not type(None):
            params.convert(choice, value, lambda _, what, into=faults: into.append(what), ())  # type: ignore[misc]
            if not faults:
                return choice
    return Any
