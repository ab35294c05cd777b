"""Arguments that are text or a path already: typer converts them with pydantic, whose import takes a tenth of the start."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin

from typer.core import TyperCommand

LONG_WAY = object()
"""The value needs the conversion of typer."""
_NORMAL = {
    "parser": None,
    "click_type": None,
    "exists": False,
    "file_okay": True,
    "dir_okay": True,
    "writable": False,
    "resolve_path": False,
    "allow_dash": False,
    "path_type": None,
}
"""Settings with which a path may be anything that is readable, or missing."""


class PlainParameters:
    """A command or group that converts text and paths itself, and leaves the rest, also every fault, to typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                parameter.process_value = _shortened(parameter, parameter.process_value)
        return parameters


class PlainCommand(PlainParameters, TyperCommand):
    """A command whose plain arguments are converted without pydantic."""


def _shortened(parameter: Any, process: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def process_value(context: Any, value: Any) -> Any:
        plain = LONG_WAY if parameter.required else plain_value(parameter, value)
        if plain is LONG_WAY:
            return process(context, value)
        return plain if parameter.callback is None else parameter.callback(context, parameter, plain)

    return process_value


def plain_value(parameter: Any, value: Any) -> Any:
    """Return what typer makes of the value of a parameter, or LONG_WAY if only typer knows."""
    described = getattr(parameter, "type_descriptor", None)  # typer has it since it uses pydantic
    if described is None:
        return LONG_WAY
    several = parameter.multiple or parameter.nargs == -1
    if value is None:
        return () if several else None
    settings = described.parameter_info
    if any(getattr(settings, name, normal) != normal for name, normal in _NORMAL.items()):
        return LONG_WAY
    if get_origin(described.annotation) is list:
        [hint] = get_args(described.annotation)
        made = [_leaf(hint, item) for item in value] if several and isinstance(value, list | tuple) else [LONG_WAY]
        return LONG_WAY if LONG_WAY in made else made
    return LONG_WAY if several else _leaf(described.annotation, value)


def _leaf(hint: Any, value: Any) -> Any:
    try:
        value.encode()
        if hint is str and type(value) is str:
            return value
        if hint is Path and type(value) is str:
            return Path(value) if os.access(value, os.R_OK) or not _exists(value) else LONG_WAY
    except (AttributeError, ValueError):  # not a text, surrogates, or a null character
        pass
    return LONG_WAY


def _exists(path: str) -> bool:
    try:
        os.stat(path)  # noqa: PTH116  a Path would lose a null character's error
    except OSError:
        return False
    return True
