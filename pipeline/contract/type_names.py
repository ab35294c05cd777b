"""Names of types and kinds of values, for messages and documentation."""

from __future__ import annotations

import enum
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...typesystem import PhiKind
from ..storage.secrets import is_secret, without_secrets
from .component import Part, family
from .resources import Resource
from .type_hints import UNIONS


def kind_of(value: Any) -> str:
    """Name the kind of a YAML value for messages."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    names = {str: "a string", int: "a whole number", float: "a number", list: "a list", dict: "a mapping"}
    return next((name for cls, name in names.items() if isinstance(value, cls)), type(value).__name__)


def shown(value: Any) -> str:
    """Show a configuration value in a message: short values in full, others by kind. Must not be called with a secret."""
    value = without_secrets(value)[0] if isinstance(value, str) else value
    return repr(value) if isinstance(value, str | int | float | bool) and len(repr(value)) <= 60 else kind_of(value)


def describe_type(hint: Any) -> str:
    """Describe a type hint in the words of YAML: `whole number`, `list of string`, `one of A, B`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if is_secret(hint):
        return "secret"
    if origin is typing.Annotated:
        return describe_type(arguments[0])
    if origin is typing.Literal:
        return "one of " + ", ".join(str(a) for a in arguments)
    if origin in UNIONS:
        return " or ".join(describe_type(a) for a in arguments if a is not type(None))
    if origin in (list, set, frozenset) or (origin is tuple and arguments[1:] == (...,)):
        return f"list of {describe_type(arguments[0])}"
    if origin is tuple:
        return f"list of {len(arguments)}: {', '.join(describe_type(a) for a in arguments)}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"mapping of {describe_type(arguments[0])} to {describe_type(arguments[1])}"
    plain = {str: "string", int: "whole number", float: "number", bool: "true or false", Path: "path", Any: "anything"}
    if hint in plain:
        return plain[hint]
    if isinstance(hint, type):
        if issubclass(hint, PhiKind):
            return "PHI kind"
        if issubclass(hint, Resource):
            return hint.kind
        if issubclass(hint, Part):
            return family(hint).__name__.lower()
        if issubclass(hint, enum.Enum):
            return "one of " + ", ".join(m.name for m in hint)
        return hint.__name__
    return str(hint)
