"""Read YAML into steps: resolve includes, overrides and names. Components are not built, and no data is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError, Fault, nearest
from ..storage.own_kinds import OwnKinds
from ..storage.yaml_source import Keys, Source, Text, read
from . import shipped
from .overrides import Setting, override, replace
from .steps import Config, Step

SECTIONS = ("name", "include", "kinds", "resources", "reader", "engines", "consumers", "run", "set")
_AGGREGATE = ("id", "view", "kinds", "engines", "include")
_PIPELINE = frozenset({"name", "reader", "consumers", "run", "resources", "set"})
"""Sections that only a pipeline file has, no part of one."""


def read_config(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Read a pipeline file with its includes and apply `--set` overrides.

    Raises ConfigError if the file cannot be read. All other faults are collected in `faults`.
    """
    return settle(read(Path(path), str(path)), overrides)


def settle(
    source: Source, overrides: Iterable[str] = (), opened: Sequence[Path] = (), own_kinds: OwnKinds | None = None
) -> Config:
    """Return the configuration in a parsed source. `opened`: the files that include this one; `own_kinds`: their kinds."""
    config = Config(source.file, source.base)
    if own_kinds is not None:
        config.own_kinds = own_kinds
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
    opened = opened or [source.base / Path(source.file).name]
    if data.get("include") is not None:
        _include_pipeline(data["include"], source, config, opened)
    config.own_kinds.declare(data.get("kinds"), ("kinds",), source, config.faults)
    _resources(data.get("resources"), source, config)
    if data.get("reader") is not None:
        _readers(data["reader"], source, config)
    if data.get("engines") is not None:
        config.engines.clear()
        _sequence(data["engines"], ("engines",), source, config, config.engines, "", opened)
    if data.get("consumers") is not None:
        config.consumers.clear()
        _sequence(data["consumers"], ("consumers",), source, config, config.consumers, "", [])
    _run(data.get("run"), source, config)
    _settings(data.get("set"), source, config)
    for text in overrides:
        override(config, text)
    return config


def _include_pipeline(target: Any, source: Source, config: Config, opened: Sequence[Path]) -> None:
    """Start from the sections of another pipeline file; the sections of this one replace them."""
    found = _included(target, ("include",), source, config, opened)
    if found is None:
        return
    part, path = found
    base = settle(part, opened=[*opened, path], own_kinds=config.own_kinds)
    config.faults += base.faults
    config.readers, config.engines, config.consumers = base.readers, base.engines, base.consumers
    config.resources, config.aggregates = base.resources, base.aggregates
    config.run, config.run_step = base.run, base.run_step


def _run(data: Any, source: Source, config: Config) -> None:
    """Read the options of the run, in addition to those of an included file."""
    if not isinstance(data, Mapping | None):
        config.faults.append(source.fault(("run",), "expected a mapping"))
        return
    config.run = {**config.run, **(data or {})}
    lines = config.run_step.lines if config.run_step is not None else {}
    place, lines = source.place(("run",)), {**lines, **_below(source, ("run",))}
    config.run_step = Step("run", "run", config.run, ("run",), place, lines)


def _settings(data: Any, source: Source, config: Config) -> None:
    """Replace single parameters: `set: {masker.default: redact}`."""
    if not isinstance(data, Mapping | None):
        what = "expected a mapping of NAME.PARAMETER to values, as after --set"
        config.faults.append(source.fault(("set",), what))
        return
    for path, value in (data or {}).items():
        replace(config, path, value, Setting(f"set.{path}", source.place(("set", path))))


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
    items: Any, keys: Keys, source: Source, config: Config, into: list[Step], prefix: str, opened: Sequence[Path]
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


def _aggregate(
    step: Step, source: Source, config: Config, into: list[Step], prefix: str, opened: Sequence[Path]
) -> None:
    for key in step.given:
        if key not in _AGGREGATE:
            hint = nearest(key, _AGGREGATE) or f"; expected one of {', '.join(_AGGREGATE)}"
            config.faults.append(step.fault((key,), f"no such parameter{hint}"))
    config.own_kinds.declare(step.given.get("kinds"), (*step.keys, "kinds"), source, config.faults)
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
    target: Any, keys: Keys, source: Source, config: Config, into: list[Step], prefix: str, opened: Sequence[Path]
) -> None:
    """Add the engines of another file: an aggregate, a list of engines, or a pipeline, of which it takes the engines."""
    found = _included(target, keys, source, config, opened)
    if found is None:
        return
    part, path = found
    opened = [*opened, path]
    if isinstance(part.data, list):
        config.faults += part.faults
        _sequence(part.data, (), part, config, into, prefix, opened)
        return
    if isinstance(part.data, Mapping) and not _PIPELINE.isdisjoint(part.data):
        _include_engines(settle(part, opened=opened, own_kinds=config.own_kinds), config, into, prefix)
        return
    config.faults += part.faults
    body, at = (part.data, ()) if "aggregate" not in part.data else (part.data["aggregate"], ("aggregate",))
    if not isinstance(body, Mapping):
        config.faults.append(Fault("", "expected engines: [...] or a list of components", part.file, 1))
        return
    _aggregate(
        Step("aggregate", "", dict(body), at, part.place(at), _below(part, at)), part, config, into, prefix, opened
    )


def _include_engines(base: Config, config: Config, into: list[Step], prefix: str) -> None:
    config.faults += base.faults
    config.resources = base.resources | config.resources
    for step in base.engines:
        step.id = _unique(prefix + step.id, into, False, step, config)
        into.append(step)
    config.aggregates |= {prefix + name: [prefix + id for id in ids] for name, ids in base.aggregates.items()}


def _included(
    target: Any, keys: Keys, source: Source, config: Config, opened: Sequence[Path]
) -> tuple[Source, Path] | None:
    """Read an included file: one relative to the including file, or else a shipped one by its name."""
    if not isinstance(target, str):
        config.faults.append(source.fault(keys, "expected the name of a YAML file"))
        return None
    base = target.base if isinstance(target, Text) else source.base
    shown: Path | str = Path(source.file).parent / target
    try:
        path = (base / target).resolve()
        if not path.exists() and target in shipped.names():
            path = (shipped.folder() / f"{target}.yaml").resolve()
            shown = path
    except (OSError, RuntimeError, ValueError):  # links in a circle, a NUL
        config.faults.append(source.fault(keys, "expected the name of a YAML file, found one that no file has"))
        return None
    if path in opened:
        chain = " -> ".join(p.name for p in [*opened[list(opened).index(path) :], path])
        config.faults.append(source.fault(keys, f"cyclic include: {chain}"))
        return None
    try:
        return read(path, str(shown if base == source.base else path)), path
    except ConfigError as error:
        hint = nearest(target, shipped.names())
        config.faults += [source.fault(keys, f"include {target}: {f.what}{hint}") for f in error.faults]
        return None


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
