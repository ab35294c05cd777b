"""Values that replace those of a pipeline file: `--set` of the command line, and `set:` of a file that includes another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Fault, nearest
from ..storage.yaml_source import COMMAND_LINE, scalar
from .steps import Config, Step


@dataclass(frozen=True, slots=True)
class Setting:
    """The origin of a value: how messages call it, and its position."""

    shown: str
    place: tuple[str, int]

    def fault(self, what: str) -> Fault:
        """Return a fault at this value."""
        return Fault(self.shown, what, *(self.place if self.place[1] else ()))


def override(config: Config, text: str) -> None:
    """Apply an override of the command line: `reader.text.folder=notes`, `models.crf.model=x`, `run.output=there`."""
    path, equals, value = text.partition("=")
    if not equals or not path:
        config.faults.append(Fault(f"--set {text}", "expected NAME.PARAMETER=VALUE"))
        return
    data = value if path == "name" else scalar(value, Path.cwd(), COMMAND_LINE)
    replace(config, path, data, Setting(f"--set {path}", (COMMAND_LINE, 0)))


def replace(config: Config, path: str, data: Any, setting: Setting) -> None:
    """Give the parameter at a path another value. Adds a fault to the configuration if nothing has that path.

    `consumers.NAME` with a mapping adds that consumer, unless there is one.
    """
    keys = path.split(".")
    if keys[0] == "run" and len(keys) > 1:
        _put(config.run, keys[1:], data)
        return
    if keys[0] == "name" and len(keys) == 1:
        config.name = str(data)
        return
    if keys[0] == "reader" and len(keys) >= 2:
        _replace_reader(config, keys[1:], data, setting)
        return
    adds_consumer = keys[0] == "consumers" and len(keys) == 2 and isinstance(data, Mapping)
    steps = {"engines": config.engines, "consumers": config.consumers}.get(keys[0])
    keys = keys[1:] if steps is not None else keys
    steps = config.steps() if steps is None else steps
    targets, rest = _targets(steps, keys)
    if not targets and adds_consumer:
        config.consumers.append(Step(keys[0], keys[0], dict(data), ("consumers",), setting.place))
    elif not targets:
        wanted = keys[0] if keys else ""
        names = sorted({n for s in steps for n in (s.name, s.id, s.id.replace("/", "."))})
        config.faults.append(setting.fault(f"no component called {wanted!r}{nearest(wanted, names)}"))
    elif not rest and isinstance(data, Mapping) and targets[0] in config.consumers and len(targets) == 1:
        targets[0].given.update(data)
    elif not rest:
        config.faults.append(setting.fault("expected a parameter after the component"))
    elif len(targets) > 1:
        forms = ", ".join(f"{t.keys[0]}.{t.id.replace('/', '.')}" for t in targets)
        config.faults.append(setting.fault(f"{keys[0]} is ambiguous; expected one of {forms}"))
    else:
        _put(targets[0].given, rest, data)
        targets[0].lines[tuple(rest)] = setting.place


def _replace_reader(config: Config, keys: list[str], data: Any, setting: Setting) -> None:
    """Give the reader another value: the one that the first key names, else the only one or a new one."""
    targets = [step for step in config.readers if keys[0] in (step.id, step.name)]
    if len(targets) > 1 or (not targets and len(config.readers) > 1):
        targets = targets or config.readers
        ids = ", ".join(f"reader.{step.id}" for step in targets)
        config.faults.append(setting.fault(f"{keys[0]} is ambiguous; expected one of {ids}"))
        return
    if not targets and (not config.readers or len(keys) > 1):
        targets = config.readers = [Step(keys[0], keys[0], {}, ("reader",), ("command line", 0))]
    if targets:
        keys = keys[1:]
    if keys:
        _put((targets or config.readers)[0].given, keys, data)
    else:
        config.faults.append(setting.fault("expected a parameter after the reader"))


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
