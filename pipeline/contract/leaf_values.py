"""Conversion of plain values (strings, numbers, paths, choices, lists of them), and the names of types in messages."""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...typesystem import PhiKind
from ..errors import ResourceError, nearest
from ..storage.secrets import check_url, is_secret, without_secrets
from ..storage.shipped_corpora import corpus_folder, is_shipped
from ..storage.yaml_source import Text
from .component import Component, Part, family
from .resources import Resource
from .type_hints import UNIONS, cached


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
        if issubclass(hint, Component):
            return hint.role or "component"
        if issubclass(hint, enum.Enum):
            return "one of " + ", ".join(m.name for m in hint)
        return hint.__name__
    return str(hint)


Report = Callable[[tuple[str | int, ...], str], None]
"""Receives the path of a value below the component, and the fault."""

NOT_PLAIN = object()
"""Returned by `plain_value` for values that pydantic must convert."""


def plain_value(hint: Any, value: Any) -> Any:
    """Convert a value without pydantic, or return `NOT_PLAIN`. Most values are plain, and importing pydantic is slow."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    value = str(value) if type(value) is Text else value
    if hint in (str, int, float, bool):
        return value if type(value) is hint else float(value) if hint is float and type(value) is int else NOT_PLAIN
    if hint is Path and type(value) is str:
        return Path(value)
    if origin is typing.Literal:
        return value if type(value) is str and value in arguments else NOT_PLAIN
    if origin in (list, tuple) and type(value) is list:
        inner = (
            arguments * len(value)
            if origin is list
            else arguments[:1] * len(value)
            if arguments[1:] == (...,)
            else arguments
        )
        if len(inner) == len(value):
            items = [plain_value(h, v) for h, v in zip(inner, value, strict=True)]
            return NOT_PLAIN if NOT_PLAIN in items else origin(items)
    return NOT_PLAIN


def never_holds(hint: Any, value: Any) -> bool:
    """Return True for a number as one of several words, such as `workers: 2`: pydantic need not be asked."""
    if typing.get_origin(hint) is not typing.Literal or type(value) not in (int, float):
        return False
    return all(type(word) is str for word in typing.get_args(hint))


def convert_leaf(hint: Any, value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    """Convert a value to a type that is neither a class of ours nor a union or mapping."""
    if hint is Path and isinstance(value, str) and is_shipped(value):
        try:
            return corpus_folder(value)
        except ResourceError as error:
            report(path, str(error))
            return None
    if isinstance(value, Text):
        check_url(value)
        value = str(value.base / value) if hint is Path else str(value)
    if isinstance(value, bool) and hint in (int, float):
        report(path, f"expected {describe_type(hint)}, got {kind_of(value)}")
        return None
    if hint in (str, int, float, bool) and isinstance(value, list | dict):
        report(path, f"expected {describe_type(hint)}, got {kind_of(value)}")
        return None
    plain = plain_value(hint, value)
    if plain is not NOT_PLAIN:
        return plain
    from pydantic import ValidationError

    try:
        return leaf_adapter(hint).validate_python(value)
    except ValidationError as error:
        for item in error.errors():
            choices = item.get("ctx", {}).get("expected")
            near = nearest(str(value), [str(a) for a in typing.get_args(hint)]) if choices else ""
            expected = f"one of {choices.replace(chr(39), '')}" if choices else describe_type(hint)
            detail = "" if item["type"].endswith(("_type", "_parsing", "literal_error")) else f" ({item['msg']})"
            got = kind_of(item["input"]) if path and "key" in str(path[-1]) else shown(item["input"])
            report((*path, *item["loc"]), f"expected {expected}{detail}, got {got}{near}")
        return None


@cached
def leaf_adapter(hint: Any) -> Any:
    """Return pydantic's adapter for a plain type. It accepts `1` for a float and a string for a path."""
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True, coerce_numbers_to_str=True))
