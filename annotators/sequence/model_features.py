"""The features and PHI kinds that a model's description names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from ...pipeline.contract.params import convert
from ...pipeline.contract.resources import Resource
from ...pipeline.errors import ResourceError
from ...typesystem import PhiKind
from .extraction import FeatureSet
from .feature import Feature
from .labels import OUTSIDE, parts
from .model_files import CARD, CRFSUITE, META, WEIGHTS, known_models
from .plain_data import plain

_OPENED: WeakValueDictionary[str, FeatureSet] = WeakValueDictionary()


def feature_set(meta: Mapping[str, Any], place: str) -> FeatureSet:
    """Return the features of a description, not opened. Raise ResourceError for features that are not known here."""
    faults: list[str] = []
    folder = Path(place) if Path(place).exists() else known_models().get(place, Path(place))
    features = [
        convert(Feature, _with_paths(given, folder), lambda _, what: faults.append(what), ())
        for given in meta["features"]
    ]
    if faults:
        raise ResourceError(f"model {place}: its features cannot be made: {'; '.join(faults)}")
    low, high = meta["window"]
    try:
        return FeatureSet(features, (low, high), meta["context"])
    except ValueError as error:
        raise ResourceError(f"model {place}: its features cannot be made: {error}") from None


def _with_paths(given: Any, folder: Path) -> Any:
    """Return a feature's description with the names of files in the model's folder replaced by their paths."""

    def resolve(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: resolve(v) for k, v in value.items()}
        if isinstance(value, list):
            return [resolve(v) for v in value]
        own = isinstance(value, str) and value not in (META, WEIGHTS, CARD, CRFSUITE) and Path(value).name == value
        return str(folder / value) if own and (folder / value).is_file() else value

    return {name: resolve(parameters) for name, parameters in given.items()} if isinstance(given, dict) else given


def opened_features(meta: Mapping[str, Any], place: str) -> FeatureSet:
    """Return the features of a description with their files loaded.

    Models of a process with the same features share one FeatureSet, so that a document is looked up once for all of them.
    """
    features = feature_set(meta, place)
    attached = {n: digest for n, digest in meta["files"].items() if n not in (WEIGHTS, CRFSUITE)}
    classes = [f"{type(f).__module__}.{type(f).__qualname__}" for f in features.features]
    described = [plain(f) for f in features.features]
    key = json.dumps([classes, described, features.window, features.context, [place, attached] if attached else []])
    shared = _OPENED.get(key)
    if shared is None:
        features.open()
        shared = _OPENED[key] = features
    return shared


def attached_files(features: Iterable[Feature]) -> dict[str, Path]:
    """Return the files that features were made with, by name. A model has copies of them, so that it can be moved.

    Raises ResourceError if two different files have one name.
    """
    paths: dict[str, Path] = {}
    for feature in features:
        for f in fields(feature):
            value = getattr(feature, f.name)
            for one in value if isinstance(value, list) else [value]:
                file = Path(getattr(one, "place", "")) if isinstance(one, Resource) else None
                if file is None or not file.is_file():
                    continue
                if paths.setdefault(file.name, file).resolve() != file.resolve() or file.name in (META, WEIGHTS, CARD):
                    raise ResourceError(f"feature {feature.label}: a model can hold only one file called {file.name}")
    return paths


def kinds_of(meta: Mapping[str, Any], place: str) -> dict[str, PhiKind]:
    """Return the PHI kind of each label but `O`, after defining the model's own kinds."""
    defined: Mapping[str, Any] = meta.get("kinds", {})
    kinds: dict[str, PhiKind] = {}
    for label in meta["labels"]:
        if label == OUTSIDE:
            continue
        name = parts(label, meta["encoding"])[1]
        try:
            kinds[label] = PhiKind.of(name)
        except ValueError:
            if name not in defined:
                raise ResourceError(f"model {place}: its label {label} is not a PHI kind known here") from None
            try:
                own = defined[name] == {"own": True}
                if not own and defined.get(defined[name].get("parent")) == {"own": True}:
                    PhiKind.of_label(defined[name]["parent"])
                kinds[label] = PhiKind.of_label(name) if own else PhiKind.define(name, **defined[name])
            except (TypeError, ValueError) as error:
                raise ResourceError(f"model {place}: kind {name} cannot be defined: {error}") from None
    return kinds
