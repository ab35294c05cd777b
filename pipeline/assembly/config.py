"""Read YAML into steps: resolve includes, overrides and names. Components are not built, and no data is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ConfigError, Fault, nearest
from ..storage.yaml_source import COMMAND_LINE, Keys, Source, Text, dotted, read, scalar

SECTIONS = ("name", "resources", "reader", "engines", "consumers", "run")
_AGGREGATE = ("id", "view", "engines", "include")


@dataclass(slots=True)
class Step:
    """One configured component: its name, its id in the pipeline, its parameters, and their positions in the file."""

    name: str
    id: str
    given: dict[str, Any]
    keys: Keys
    place: tuple[str, int]
    lines: dict[Keys, tuple[str, int]] = field(default_factory=dict)
    """Lines of the parameters by path below the step."""

    def fault(self, below: Keys, what: str) -> Fault:
        """Return a fault at a parameter of this step."""
        place = self.place
        for end in range(len(below), 0, -1):
            if below[:end] in self.lines:
                place = self.lines[below[:end]]
                break
        return Fault(dotted((self.id or self.name, *below)), what, *place)


@dataclass(slots=True)
class Config:
    """A configuration whose components are not built yet."""

    file: str
    base: Path
    name: str = ""
    readers: list[Step] = field(default_factory=list)
    engines: list[Step] = field(default_factory=list)
    consumers: list[Step] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)
    run_step: Step | None = None
    resources: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    no_reader: str = ""
    """Why the reader of a package was removed."""
    aggregates: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the engines below each aggregate."""

    def unaliased(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with names under `resources:` replaced by their definitions."""
        return {k: self.resources.get(v, v) if isinstance(v, str) else v for k, v in given.items()}

    def steps(self) -> list[Step]:
        return [*self.readers, *self.engines, *self.consumers]


def read_config(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Read a pipeline file with its includes and apply `--set` overrides.

    Raises ConfigError if the file cannot be read. All other faults are collected in `faults`.
    """
    return settle(read(Path(path), str(path)), overrides)


def settle(source: Source, overrides: Iterable[str] = ()) -> Config:
    """Return the configuration in a parsed source."""
    config = Config(source.file, source.base)
    config.faults += source.faults
    data = source.data
    if not isinstance(data, Mapping):
        config.faults.append(Fault("", f"expected a mapping with {', '.join(SECTIONS)}", source.file, 1))
        return config
    for key in data:
        if key not in SECTIONS:
            hint = nearest(str(key), SECTIONS) or f"; expected one of {', '.join(SECTIONS)}"
            config.faults.append(source.fault((key,), f"no such section{hint}"))
    name = data.get("name")
    if isinstance(name, Mapping | list):
        config.faults.append(source.fault(("name",), "expected a string"))
    config.name = str(name or Path(source.file).stem)
    _resources(data.get("resources"), source, config)
    if data.get("reader") is not None:
        _readers(data["reader"], source, config)
    _sequence(data.get("engines"), ("engines",), source, config, config.engines, "", [source.base / source.file])
    _sequence(data.get("consumers"), ("consumers",), source, config, config.consumers, "", [])
    run = data.get("run") or {}
    if isinstance(run, Mapping):
        config.run = dict(run)
        config.run_step = Step("run", "run", config.run, ("run",), source.place(("run",)), _below(source, ("run",)))
    else:
        config.faults.append(source.fault(("run",), "expected a mapping"))
    for override in overrides:
        _override(config, override)
    return config


def _readers(data: Any, source: Source, config: Config) -> None:
    """Read one reader, or a list of readers."""
    if data == []:
        config.faults.append(source.fault(("reader",), "expected at least one reader"))
    items = [(("reader", i), item) for i, item in enumerate(data)] if isinstance(data, list) else [(("reader",), data)]
    config.readers = [step for keys, item in items if (step := _step(item, keys, source, config)) is not None]
    names = [step.name for step in config.readers]
    for i, step in enumerate(config.readers):
        step.id = step.name if names.count(step.name) == 1 else f"{step.name}-{1 + names[:i].count(step.name)}"


def _resources(aliases: Any, source: Source, config: Config) -> None:
    if not isinstance(aliases, Mapping | None):
        config.faults.append(source.fault(("resources",), "expected a mapping of names to files"))
        return
    for alias, target in (aliases or {}).items():
        if not isinstance(target, str):
            config.faults.append(source.fault(("resources", alias), "expected a file or the name of a resource"))
            continue
        try:
            there = (source.base / target).exists()
        except OSError as error:  # a name too long for a file, a folder that is closed to us
            what = f"cannot look for a file of that name: {error.strerror}"
            config.faults.append(source.fault(("resources", alias), what))
            continue
        config.resources[alias] = str(source.base / target) if there else str(target)


def _below(source: Source, keys: Keys) -> dict[Keys, tuple[str, int]]:
    n = len(keys)
    return {k[n:]: place for k, place in source.lines.items() if k[:n] == keys and len(k) > n}


def _step(item: Any, keys: Keys, source: Source, config: Config) -> Step | None:
    """Parse a name, or `name: {parameters}`."""
    if isinstance(item, str):
        return Step(str(item), "", {}, keys, source.place(keys))
    if isinstance(item, Mapping) and len(item) == 1:
        name, given = next(iter(item.items()))
        at = (*keys, name)
        if given is None:
            given = {}
        if isinstance(given, Mapping):
            return Step(name, "", dict(given), at, source.place(at), _below(source, at))
        config.faults.append(source.fault(at, "expected parameters as a mapping"))
        return None
    what = "expected a component: its name, or name: {parameters}"
    if isinstance(item, Mapping) and len(item) > 1:
        what += f"; found {len(item)} keys ({', '.join(map(str, list(item)[:4]))}): is the indentation right?"
    config.faults.append(source.fault(keys, what))
    return None


def _sequence(
    items: Any, keys: Keys, source: Source, config: Config, into: list[Step], prefix: str, opened: list[Path]
) -> None:
    """Flatten a list of steps. The ids of aggregates and includes become prefixes."""
    if items is None:
        return
    if not isinstance(items, list):
        config.faults.append(source.fault(keys, "expected a list of components"))
        return
    for i, item in enumerate(items):
        if isinstance(item, Mapping) and list(item) == ["include"]:
            _include(item["include"], (*keys, i, "include"), source, config, into, prefix, opened)
            continue
        step = _step(item, (*keys, i), source, config)
        if step is None:
            continue
        if step.name == "aggregate":
            _aggregate(step, source, config, into, prefix, opened)
            continue
        given_id = step.given.pop("id", None)
        if given_id is not None and (not isinstance(given_id, str) or "/" in given_id):
            config.faults.append(step.fault(("id",), "expected a string without slash"))
            given_id = None
        step.id = _unique(prefix + str(given_id or step.name), into, bool(given_id), step, config)
        into.append(step)


def _aggregate(step: Step, source: Source, config: Config, into: list[Step], prefix: str, opened: list[Path]) -> None:
    for key in step.given:
        if key not in _AGGREGATE:
            hint = nearest(key, _AGGREGATE) or f"; expected one of {', '.join(_AGGREGATE)}"
            config.faults.append(step.fault((key,), f"no such parameter{hint}"))
    below = f"{prefix}{step.given['id']}/" if step.given.get("id") else prefix
    first = len(into)
    if "engines" in step.given:
        _sequence(step.given["engines"], (*step.keys, "engines"), source, config, into, below, opened)
    if "include" in step.given:
        _include(step.given["include"], (*step.keys, "include"), source, config, into, below, opened)
    if "engines" not in step.given and "include" not in step.given:
        config.faults.append(step.fault((), "expected engines or include"))
    if "view" in step.given:
        for inner in into[first:]:
            inner.given.setdefault("view", step.given["view"])
    if below != prefix:
        config.aggregates[below.rstrip("/")] = [s.id for s in into[first:]]


def _include(
    target: Any, keys: Keys, source: Source, config: Config, into: list[Step], prefix: str, opened: list[Path]
) -> None:
    if not isinstance(target, str):
        config.faults.append(source.fault(keys, "expected the name of a YAML file"))
        return
    base = target.base if isinstance(target, Text) else source.base
    try:
        path = (base / target).resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a NUL
        config.faults.append(source.fault(keys, "expected the name of a YAML file, found one that no file has"))
        return
    if path in opened:
        chain = " -> ".join(p.name for p in [*opened[opened.index(path) :], path])
        config.faults.append(source.fault(keys, f"cyclic include: {chain}"))
        return
    try:
        part = read(path, str(Path(source.file).parent / target if base == source.base else path))
    except ConfigError as error:
        config.faults += [source.fault(keys, f"include {target}: {f.what}") for f in error.faults]
        return
    config.faults += part.faults
    opened = [*opened, path]
    if isinstance(part.data, list):
        _sequence(part.data, (), part, config, into, prefix, opened)
        return
    body, at = (part.data, ()) if "aggregate" not in part.data else (part.data["aggregate"], ("aggregate",))
    if not isinstance(body, Mapping):
        config.faults.append(Fault("", "expected engines: [...] or a list of components", part.file, 1))
        return
    _aggregate(
        Step("aggregate", "", dict(body), at, part.place(at), _below(part, at)), part, config, into, prefix, opened
    )


def _unique(wanted: str, steps: list[Step], explicit: bool, step: Step, config: Config) -> str:
    taken = {s.id for s in steps}
    if wanted not in taken:
        return wanted
    if explicit:
        config.faults.append(step.fault(("id",), f"id {wanted} is given twice"))
    n = 2
    while f"{wanted}-{n}" in taken:
        n += 1
    return f"{wanted}-{n}"


def _override(config: Config, text: str) -> None:
    """Apply an override: `reader.text.folder=notes`, `models.crf.model=x`, `run.output=there`."""
    path, equals, value = text.partition("=")
    where = f"--set {path}"
    if not equals or not path:
        config.faults.append(Fault(f"--set {text}", "expected NAME.PARAMETER=VALUE"))
        return
    data = scalar(value, Path.cwd(), COMMAND_LINE)
    keys = path.split(".")
    if keys[0] == "run" and len(keys) > 1:
        _put(config.run, keys[1:], data)
        return
    if keys[0] == "name" and len(keys) == 1:
        config.name = value
        return
    if keys[0] == "reader" and len(keys) >= 2:
        _override_reader(config, keys[1:], data, where)
        return
    steps = {"engines": config.engines, "consumers": config.consumers}.get(keys[0])
    keys = keys[1:] if steps is not None else keys
    steps = config.steps() if steps is None else steps
    targets, rest = _targets(steps, keys)
    if not targets:
        wanted = keys[0] if keys else ""
        names = sorted({n for s in steps for n in (s.name, s.id, s.id.replace("/", "."))})
        config.faults.append(Fault(where, f"no component called {wanted!r}{nearest(wanted, names)}"))
    elif not rest:
        config.faults.append(Fault(where, "expected a parameter after the component"))
    elif len(targets) > 1:
        forms = ", ".join(f"{t.keys[0]}.{t.id.replace('/', '.')}" for t in targets)
        config.faults.append(Fault(where, f"{keys[0]} is ambiguous; expected one of {forms}"))
    else:
        _put(targets[0].given, rest, data)
        targets[0].lines[tuple(rest)] = ("--set", 0)


def _override_reader(config: Config, keys: list[str], data: Any, where: str) -> None:
    """Apply an override to the reader that the first key names, else to the only one or to a new one."""
    targets = [step for step in config.readers if keys[0] in (step.id, step.name)]
    if len(targets) > 1:
        ids = ", ".join(f"reader.{step.id}" for step in targets)
        config.faults.append(Fault(where, f"{keys[0]} is ambiguous; expected one of {ids}"))
        return
    if not targets and (not config.readers or len(keys) > 1):
        targets = config.readers = [Step(keys[0], keys[0], {}, ("reader",), ("command line", 0))]
    if targets:
        keys = keys[1:]
    if keys:
        _put((targets or config.readers)[0].given, keys, data)
    else:
        config.faults.append(Fault(where, "expected a parameter after the reader"))


def _targets(steps: list[Step], keys: list[str]) -> tuple[list[Step], list[str]]:
    """Return the steps that a dotted path means, longest id first, and the rest of the path."""
    for n in range(len(keys), 0, -1):
        head = "/".join(keys[:n])
        targets = [s for s in steps if s.id == head] or ([s for s in steps if s.name == head] if n == 1 else [])
        targets = targets or [s for s in steps if s.id.endswith("/" + head)]
        if targets:
            return targets, keys[n:]
    return [], keys


def _put(into: dict[str, Any], keys: list[str], value: Any) -> None:
    for key in keys[:-1]:
        inner = into.get(key)
        into[key] = dict(inner) if isinstance(inner, Mapping) else {}
        into = into[key]
    into[keys[-1]] = value
