"""One set of features for all models of a process that look at the same: what a document shows them is looked up once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

from .extraction import FeatureSet

_OPEN: WeakValueDictionary[str, FeatureSet] = WeakValueDictionary()


def opened(made: FeatureSet, described: list[Any], brought: Mapping[str, str], place: str) -> FeatureSet:
    """The features, with their files loaded: those that another model has opened, where it looks at the same.

    `described` says what they are, as plain data; `brought` are checksums of the files that the model at `place` brings for them.
    """
    sorts = [f"{type(f).__module__}.{type(f).__qualname__}" for f in made.features]
    key = json.dumps([sorts, described, made.window, made.context, [place, dict(brought)] if brought else []])
    found = _OPEN.get(key)
    if found is None:
        made.open()
        found = _OPEN[key] = made
    return found
