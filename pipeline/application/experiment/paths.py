"""Parameters of the parts of a component by a dotted path: `encoder.window.width` is the width of the encoder `window`."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from typing import Any

from ...contract import params, registry
from ...contract.component import Part, family
from ...contract.type_hints import UNIONS
from ...errors import nearest

DEEPEST = 2
"""Parts inside parts that a path can reach."""


def with_path(given: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return parameters with the value at a path. A part that is given by its name gets parameters: `encoder: lstm`."""
    name, dot, rest = path.partition(".")
    if not dot:
        return {**given, name: value}
    inner = given.get(name)
    inner = {str(inner): {}} if isinstance(inner, str) else inner if isinstance(inner, Mapping) else {}
    return {**given, name: with_path(inner, rest, value)}


def path_fault(cls: type[Any], name: str, given: Mapping[str, Any], path: str) -> str:
    """Return the fault of a path into the parameters of a component, empty if there is none.

    `name` is the name of the component, `given` its parameters. The message for an unknown path ends with the nearest known one.
    """
    known = [p.name for p in params.parameters(cls)]
    if path in known:
        return ""
    paths = known if "." not in path else list(_paths(cls, DEEPEST))
    used = {first: _part_of(cls, given, first) for first in known}
    own = [p for p in paths if "." not in p or p.split(".")[1] == used[p.split(".")[0]]]
    if path in own:
        return ""
    if path in paths:
        first = path.split(".")[0]
        expected = f"{first}.{used[first]}" if used[first] else f"no path below {first}"
        return f"expected {expected}, as the model has it, got {path!r}"
    same_ends = [p for p in own if (p.split(".")[0], p.split(".")[-1]) == (path.split(".")[0], path.split(".")[-1])]
    return f"{name} has no parameter {path!r}{nearest(path, same_ends or own)}"


def _paths(cls: type[Any], depth: int) -> Iterator[str]:
    """Yield the paths to all parameters of a class, to its parts and their parameters. Items of lists have no path."""
    for parameter in params.parameters(cls):
        yield parameter.name
        for of in _families(parameter.hint) if depth else ():
            for part in registry.parts(family(of)):
                if issubclass(part, of):
                    yield f"{parameter.name}.{part.name}"
                    yield from (f"{parameter.name}.{part.name}.{path}" for path in _paths(part, depth - 1))


def _families(hint: Any) -> list[type[Part]]:
    """Return the families of parts of which a parameter has one."""
    choices = typing.get_args(hint) if typing.get_origin(hint) in UNIONS else (hint,)
    return [c for c in choices if isinstance(c, type) and not typing.get_args(c) and issubclass(c, Part)]


def _part_of(cls: type[Any], given: Mapping[str, Any], name: str) -> str:
    """Return the name of the part that a parameter has: given in YAML, or the default; empty if there is none."""
    parameter = next(p for p in params.parameters(cls) if p.name == name)
    value = given.get(name, parameter.default)
    chosen = next(iter(value), None) if isinstance(value, Mapping) else getattr(value, "name", value)
    return str(chosen or "")
