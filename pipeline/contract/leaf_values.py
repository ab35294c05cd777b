"""Conversion of plain values: strings, numbers, paths, choices, and lists of them."""

from __future__ import annotations

import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import nearest
from ..storage.secrets import check_url
from ..storage.yaml_source import Text
from .type_hints import cached
from .type_names import describe_type, kind_of, shown

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
            made = [plain_value(h, v) for h, v in zip(inner, value, strict=True)]
            return NOT_PLAIN if NOT_PLAIN in made else origin(made)
    return NOT_PLAIN


def convert_leaf(hint: Any, value: Any, report: Report, path: tuple[str | int, ...]) -> Any:
    """Convert a value to a type that is neither a class of ours nor a union or mapping."""
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
