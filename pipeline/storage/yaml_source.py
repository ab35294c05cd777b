"""YAML with source positions: every value knows its line, and every string the folder for relative paths in it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ..errors import ConfigError, Fault

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # a build of PyYAML without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

Keys = tuple[str | int, ...]

MOST_VALUES = 100_000
"""A configuration with more values is an accident or an attack (aliases of aliases)."""

MOST_BYTES = 10_000_000
"""Limit for the size of a configuration."""

DEEPEST = 100
"""Limit of nesting; more is a cycle of aliases or an attack."""

_BOTTOM = 1_000
"""Limit of nesting for the parser."""

COMMAND_LINE = "--set"
"""Origin of values from the command line."""

UNNAMED = "(text)"
"""Replaces the name of the file for YAML written by a program."""

_SECRET_NAME = re.compile(r"KEY|SECRET|PASS|TOKEN|CREDENTIAL|SALT", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}")


class Text(str):
    """A string of a configuration, with the folder for relative paths and its source."""

    __slots__ = ("base", "origin", "raw", "variables")
    base: Path
    origin: str
    """File and line, `pipeline.yaml:7`, or `--set`; empty if a program created it."""
    variables: tuple[str, ...]
    """Environment variables in it."""
    raw: str
    """The text in the file, with its `${...}`; empty if it is the same."""

    def __new__(cls, value: str, base: Path, origin: str = "", variables: tuple[str, ...] = (), raw: str = "") -> Text:
        text = super().__new__(cls, value)
        text.base = base
        text.origin = origin
        text.variables = variables
        text.raw = raw
        return text

    def __getnewargs__(self) -> tuple[str, Path, str, tuple[str, ...], str]:  # type: ignore[override]
        return str(self), self.base, self.origin, self.variables, self.raw

    def part(self, value: str) -> Text:
        """Return a part of this string with its source."""
        return Text(value, self.base, self.origin, self.variables)

    @property
    def hidden(self) -> bool:
        """Return whether it was taken from an environment variable whose name suggests a secret: no message may show it."""
        return any(_SECRET_NAME.search(name) for name in self.variables)


class Source:
    """A YAML file (or string) as plain data, with the line of every key and item."""

    def __init__(self, data: Any, file: str, base: Path) -> None:
        self.data = data
        self.file = file
        self.base = base
        self.lines: dict[Keys, tuple[str, int]] = {}
        self.faults: list[Fault] = []
        self.expand = True
        """Replace `${VARIABLE}` by its value."""

    def place(self, keys: Keys) -> tuple[str, int]:
        """Return file and line of a value, or of the nearest value around it."""
        for end in range(len(keys), -1, -1):
            if keys[:end] in self.lines:
                return self.lines[keys[:end]]
        return self.file, 0

    def fault(self, keys: Keys, what: str) -> Fault:
        """Return a fault at a value."""
        return Fault(dotted(keys), what, *self.place(keys))


def read(path: Path, shown: str | None = None) -> Source:
    """Read a YAML file. Raises ConfigError with file and line if it is missing, not UTF-8 or not YAML."""
    shown = shown or str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)  # a device gives bytes without end
        text = data.decode("utf-8-sig") if len(data) <= MOST_BYTES else None
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
        hint = f"; the folder holds {', '.join(near[:8])}" if near else ""
        raise ConfigError([Fault("", f"no such file{hint}", shown)]) from None
    except UnicodeDecodeError as error:
        raise ConfigError([Fault("", f"expected UTF-8, found an invalid byte at {error.start}", shown)]) from None
    except OSError as error:
        raise ConfigError([Fault("", f"cannot be read: {error.strerror}", shown)]) from None
    except ValueError:  # a NUL in its name
        raise ConfigError([Fault("", "cannot be read: no file has such a name", shown)]) from None
    if text is None:
        raise ConfigError([Fault("", f"expected at most {MOST_BYTES:,} bytes, found more", shown)])
    return parse(text, shown, path.resolve().parent)


def parse(text: str, shown: str, base: Path, *, expand: bool = True) -> Source:
    """Parse YAML text. Raises ConfigError with the line if it is malformed. `expand`: replace `${VARIABLE}` by its value."""
    source = Source(None, shown, base)
    source.expand = expand
    try:
        if bottomless(text):
            raise RecursionError
        node = yaml.compose(text, Loader=Loader)
    except RecursionError:
        raise ConfigError([Fault("", f"nested more than {DEEPEST} deep", shown)]) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        if "nesting depth" in problem:  # a limit of libyaml since PyYAML 6.0.4
            raise ConfigError([Fault("", f"nested more than {DEEPEST} deep", shown)]) from None
        context = getattr(error, "context", None)
        line = mark.line + 1 if mark is not None else 0
        raise ConfigError(
            [Fault("", f"malformed YAML: {problem}{f' {context}' if context else ''}", shown, line)]
        ) from None
    source.data = {} if node is None else _plain(node, (), source)
    return source


def bottomless(text: str) -> bool:
    """Return whether YAML is nested so deeply that composing it, which libyaml does by recursion, would end the process."""
    if sum(map(text.count, "[{-?")) < _BOTTOM:
        return False
    depth = 0
    with contextlib.suppress(yaml.YAMLError):  # told when it is composed
        for event in yaml.parse(text, Loader=Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _BOTTOM:
                return True
    return False


def _plain(node: yaml.Node, keys: Keys, source: Source) -> Any:
    if len(source.lines) > MOST_VALUES:
        raise ConfigError([Fault("", f"more than {MOST_VALUES} values: do aliases (*name) multiply?", source.file)])
    if len(keys) > DEEPEST:
        raise ConfigError(
            [Fault("", f"nested more than {DEEPEST} deep: does an alias (*name) hold itself?", source.file)]
        )
    source.lines.setdefault(keys, (source.file, node.start_mark.line + 1))
    if not isinstance(node, yaml.ScalarNode) and not node.tag.startswith("tag:yaml.org,2002:"):
        source.faults.append(source.fault(keys, f"unknown tag {node.tag}"))
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            source.lines[(*keys, key)] = (source.file, key_node.start_mark.line + 1)
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag == "tag:yaml.org,2002:merge":
                source.faults.append(source.fault((*keys, key), "expected a plain key"))
                continue
            if key in found:
                source.faults.append(source.fault((*keys, key), f"key {key} is given twice"))
            found[key] = _plain(value_node, (*keys, key), source)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*keys, i), source) for i, item in enumerate(node.value)]
    return _scalar(node, keys, source)


def _scalar(node: yaml.Node, keys: Keys, source: Source) -> Any:
    taken: list[str] = []

    def variable(match: re.Match[str]) -> str:
        name, optional, default = match.groups()
        if name in os.environ:
            taken.append(name)
            return os.environ[name]
        if optional is None:
            source.faults.append(
                source.fault(keys, f"environment variable {name} is not set; give a default as ${{{name}:-...}}")
            )
        return default or ""

    if not node.tag.startswith("tag:yaml.org,2002:"):
        source.faults.append(source.fault(keys, f"unknown tag {node.tag}"))
    raw = str(node.value)
    value = _VARIABLE.sub(variable, raw) if source.expand else raw
    quoted = getattr(node, "style", None) in ("'", '"', "|", ">")
    if (
        quoted or value != raw or node.tag == "tag:yaml.org,2002:str"
    ):  # what a variable holds is text; its parameter's type reads it
        raw = raw if _VARIABLE.search(raw) else ""
        return Text(value, source.base, _origin(source, keys), tuple(taken), raw)
    return scalar(value, source.base, _origin(source, keys))


def expanded(text: Text) -> Text | None:
    """Return a text that was parsed without its variables with their values; None if one is not set and has no default."""
    taken = [m[1] for m in _VARIABLE.finditer(text) if m[1] in os.environ]
    if any(m[1] not in os.environ and m[2] is None for m in _VARIABLE.finditer(text)):
        return None
    value = _VARIABLE.sub(lambda m: os.environ.get(m[1], m[3] or ""), text)
    return Text(value, text.base, text.origin, tuple(taken), str(text))


def variables_in(text: str) -> list[str]:
    """Return the names of the environment variables that a text names."""
    return [m[1] for m in _VARIABLE.finditer(text)]


def _origin(source: Source, keys: Keys) -> str:
    file, line = source.place(keys)
    return "" if file == UNNAMED else f"{file}:{line}"


def scalar(text: str, base: Path, origin: str = "") -> Any:
    """Return a plain scalar as YAML reads it: number, boolean, null or string."""
    try:
        value = yaml.load(text, Loader=Loader)
    except (
        Exception
    ):  # what has a tag but is none of it (`!!bool x`) fails in many ways, and so do numbers of 5,000 digits
        value = text
    if isinstance(value, int | float | bool) or value is None:
        return value
    if isinstance(value, list | dict):
        return mapped(value, lambda v: Text(v, base, origin) if isinstance(v, str) else v)
    quoted = isinstance(value, str) and text[:1] in ("'", '"')
    return Text(value if quoted else text, base, origin)  # dates and the like stay as they are written


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return nested mappings (with strings as keys) and lists in which `change` was applied to every other value."""
    if isinstance(value, Mapping):
        return {str(k): mapped(v, change) for k, v in value.items()}
    return [mapped(v, change) for v in value] if isinstance(value, list | tuple) else change(value)


def text_of(value: Any) -> Any:
    """Return a value with plain strings, without their positions, for reports and hashes."""
    return mapped(value, lambda v: str(v) if isinstance(v, str) else v)


def dotted(keys: Keys) -> str:
    """Return a path for messages: `engines.3.terms.group`."""
    return ".".join(map(str, keys))
