"""Parameters as plain data: how features, parts of networks and trainers are written in the description of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import Part
from ...pipeline.contract.resources import Resource


def plain(part: Part) -> Any:
    """Return a part as YAML would write it: its name, with the parameters that are not defaults."""
    given: dict[str, Any] = {}
    for f in fields(part):  # type: ignore[arg-type]
        value = getattr(part, f.name)
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if value != default:
            given[f.name] = as_data(value)
    return {part.name: given} if given else part.name


def as_data(value: Any) -> Any:
    """Return a parameter as plain data, for model.json."""
    if isinstance(value, tuple | list):
        return [as_data(v) for v in value]
    if isinstance(value, Mapping):
        return {str(as_data(k)): as_data(v) for k, v in value.items()}
    if isinstance(value, Resource) and isinstance(place := getattr(value, "place", None), str):
        return Path(place).name  # `attached_files` puts the file into the model
    return value if value is None or isinstance(value, str | int | float | bool) else str(getattr(value, "name", value))
