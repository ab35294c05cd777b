"""Parameters as plain data: how features and trainers stand in the description of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from ...pipeline.contract.resources import Resource
from .feature import Feature


def plain(feature: Feature) -> Any:
    """A feature as YAML would write it: its name, with the parameters that are not defaults."""
    given: dict[str, Any] = {}
    for f in fields(feature):
        value = getattr(feature, f.name)
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if value != default:
            given[f.name] = as_data(value)
    return {feature.name: given} if given else feature.name


def as_data(value: Any) -> Any:
    """A parameter as plain data, for model.json."""
    if isinstance(value, tuple | list):
        return [as_data(v) for v in value]
    if isinstance(value, Mapping):
        return {str(as_data(k)): as_data(v) for k, v in value.items()}
    if isinstance(value, Resource) and isinstance(place := getattr(value, "place", None), str):
        return Path(place).name  # `brought` puts the file into the bundle
    return value if value is None or isinstance(value, str | int | float | bool) else str(getattr(value, "name", value))
