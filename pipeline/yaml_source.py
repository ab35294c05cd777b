"""YAML with its places: every value knows its line, every string the folder that paths in it are relative to."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import yaml

from .errors import ConfigError, Fault

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # a build of PyYAML without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

Keys = tuple[str | int, ...]

MOST_VALUES = 100_000
"""A configuration larger than this is an accident or an attack (aliases of aliases)."""

DEEPEST = 100
"""Levels of nesting; more is a circle of aliases or an attack."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}")


class Text(str):
    """A string of a configuration, with the folder that a path in it is relative to."""

    __slots__ = ("base",)
    base: Path

    def __new__(cls, value: str, base: Path) -> Text:
        made = super().__new__(cls, value)
        made.base = base
        return made

    def __getnewargs__(self) -> tuple[str, Path]:  # type: ignore[override]
        return str(self), self.base


class Source:
    """One YAML file (or string) as plain data, with the line of every key and item."""

    def __init__(self, data: Any, file: str, base: Path) -> None:
        self.data = data
        self.file = file
        self.base = base
        self.lines: dict[Keys, tuple[str, int]] = {}
        self.faults: list[Fault] = []

    def place(self, keys: Keys) -> tuple[str, int]:
        """File and line of a value, or of the nearest value around it."""
        for end in range(len(keys), -1, -1):
            if keys[:end] in self.lines:
                return self.lines[keys[:end]]
        return self.file, 0


def read(path: Path, shown: str | None = None) -> Source:
    """Reads a YAML file. Raises ConfigError with file and line where it is missing, no UTF-8 or no YAML."""
    shown = shown or str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
        hint = f"; the folder holds {', '.join(near[:8])}" if near else ""
        raise ConfigError([Fault("", f"no such file{hint}", shown)]) from None
    except UnicodeDecodeError as error:
        raise ConfigError([Fault("", f"expected UTF-8, found an invalid byte at {error.start}", shown)]) from None
    except OSError as error:
        raise ConfigError([Fault("", f"cannot be read: {error.strerror}", shown)]) from None
    return parse(text, shown, path.resolve().parent)


def parse(text: str, shown: str, base: Path) -> Source:
    """Parses YAML text. Raises ConfigError with the line where it is malformed."""
    source = Source(None, shown, base)
    try:
        node = yaml.compose(text, Loader=Loader)
    except RecursionError:
        raise ConfigError([Fault("", f"nested more than {DEEPEST} deep", shown)]) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        context = getattr(error, "context", None)
        line = mark.line + 1 if mark is not None else 0
        raise ConfigError(
            [Fault("", f"malformed YAML: {problem}{f' {context}' if context else ''}", shown, line)]
        ) from None
    source.data = {} if node is None else _plain(node, (), source)
    return source


def _plain(node: yaml.Node, keys: Keys, source: Source) -> Any:
    if len(source.lines) > MOST_VALUES:
        raise ConfigError([Fault("", f"more than {MOST_VALUES} values: do aliases (*name) multiply?", source.file)])
    if len(keys) > DEEPEST:
        raise ConfigError(
            [Fault("", f"nested more than {DEEPEST} deep: does an alias (*name) hold itself?", source.file)]
        )
    source.lines.setdefault(keys, (source.file, node.start_mark.line + 1))
    if not isinstance(node, yaml.ScalarNode) and not node.tag.startswith("tag:yaml.org,2002:"):
        source.faults.append(_fault(source, keys, f"unknown tag {node.tag}"))
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            source.lines[(*keys, key)] = (source.file, key_node.start_mark.line + 1)
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag == "tag:yaml.org,2002:merge":
                source.faults.append(_fault(source, (*keys, key), "expected a plain key"))
                continue
            if key in found:
                source.faults.append(_fault(source, (*keys, key), f"key {key} is given twice"))
            found[key] = _plain(value_node, (*keys, key), source)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*keys, i), source) for i, item in enumerate(node.value)]
    return _scalar(node, keys, source)


def _scalar(node: yaml.Node, keys: Keys, source: Source) -> Any:
    def variable(match: re.Match[str]) -> str:
        name, optional, default = match.groups()
        if name in os.environ:
            return os.environ[name]
        if optional is None:
            source.faults.append(
                _fault(source, keys, f"environment variable {name} is not set; give a default as ${{{name}:-...}}")
            )
        return default or ""

    if not node.tag.startswith("tag:yaml.org,2002:"):
        source.faults.append(_fault(source, keys, f"unknown tag {node.tag}"))
    raw = str(node.value)
    value = _VARIABLE.sub(variable, raw)
    quoted = getattr(node, "style", None) in ("'", '"', "|", ">")
    if (
        quoted or value != raw or node.tag == "tag:yaml.org,2002:str"
    ):  # what a variable holds is text; its parameter's type reads it
        return Text(value, source.base)
    return scalar(value, source.base)


def scalar(text: str, base: Path) -> Any:
    """A bare word as YAML reads it: number, true or false, nothing, or a string."""
    try:
        value = yaml.load(text, Loader=Loader)
    except (yaml.YAMLError, ValueError, RecursionError):  # also numbers of more digits than Python converts
        value = text
    if isinstance(value, int | float | bool) or value is None:
        return value
    if isinstance(value, list | dict):
        return _based(value, base)
    return Text(text, base)  # dates and the like stay as they are written


def _based(value: Any, base: Path) -> Any:
    if isinstance(value, str):
        return Text(value, base)
    if isinstance(value, list):
        return [_based(v, base) for v in value]
    if isinstance(value, dict):
        return {str(k): _based(v, base) for k, v in value.items()}
    return value


def _fault(source: Source, keys: Keys, what: str) -> Fault:
    return Fault(dotted(keys), what, *source.place(keys))


def dotted(keys: Keys) -> str:
    """`engines.3.terms.group` for messages."""
    return ".".join(map(str, keys))
