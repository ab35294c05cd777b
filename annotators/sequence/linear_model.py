"""Trained models as resources: the linear model, and the base class that it shares with networks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ...pipeline.contract.resources import Resource, resource_class
from ...pipeline.errors import ResourceError
from ...pipeline.storage.hashing import below
from ...typesystem import PhiKind
from .extraction import FeatureSet
from .model_features import feature_set, kinds_of, opened_features
from .model_files import CRFSUITE, WEIGHTS, known_models, locate_model, read_checked, read_description, write_model
from .weights import Weights


class TokenModel(Resource):
    """A model that labels tokens: its description (`meta`, the content of model.json) and its weights.

    Found by path (folder or zip), by a name in the folders of `CASPIPE_MODELS`, among those shipped with caspipe, or in
    the entry-point group `caspipe.models` (`name = package:folder/of/the/model`).
    """

    kind = "model"

    meta: dict[str, Any]
    place: str

    @classmethod
    def names(cls) -> list[str]:
        return sorted(known_models())

    @classmethod
    def address(cls, name: str) -> tuple[str, str]:
        return name, ""

    @classmethod
    def files(cls, name: str) -> list[Path]:
        return below(locate_model(name))

    @classmethod
    def uses(cls, name: str) -> Iterator[tuple[type[Resource], str]]:
        """Yield the resources that its features look words up in, except those in the model's own folder."""
        place = locate_model(name)
        for feature in feature_set(read_description(str(place)), str(place)).features:
            for field in fields(feature):
                kind, value = resource_class(type(feature), field.name), getattr(feature, field.name)
                for one in value if isinstance(value, list) else [value]:
                    if kind is not None and isinstance(one, str) and not Path(one).is_relative_to(place):
                        yield kind, one

    @property
    def name(self) -> str:
        return str(self.meta.get("name", ""))

    @property
    def labels(self) -> list[str]:
        return list(self.meta["labels"])

    @cached_property
    def features(self) -> FeatureSet:
        """The features the model looks at, opened; shared with other models that look at the same."""
        return opened_features(self.meta, self.place)

    @cached_property
    def kinds(self) -> dict[str, PhiKind]:
        """The PHI kind of every label that marks one. Kinds that this process does not know are defined first."""
        return kinds_of(self.meta, self.place)


@dataclass(eq=False)
class LinearModel(TokenModel):
    """A linear model: its description and its weights."""

    meta: dict[str, Any]
    weights: Weights
    place: str = ""

    @classmethod
    def load(cls, name: str) -> Self:
        """Read a model. Raise ResourceError if it is missing, damaged, foreign or in a newer format."""
        path, meta = locate_model(name), read_description(name)
        try:
            weights = Weights.from_npz(read_checked(path, meta, WEIGHTS), meta["labels"])
        except ValueError as error:
            raise ResourceError(f"model {path}: {error}") from None
        return cls(meta, weights, str(path))

    @property
    def labels(self) -> list[str]:
        return self.weights.labels

    def ranking(self, label: str, n: int = 20) -> list[tuple[str, float]]:
        """Return the attributes with the largest absolute weights for a label (appendix D of the VigiBase system)."""
        return self.weights.ranking(label, n)

    @cached_property
    def _by_label(self) -> dict[str, dict[str, float]]:
        """Weight of each attribute, by label; the bias under the empty name."""
        weights = self.weights
        bias = [0.0] * len(weights.labels) if weights.bias is None else weights.bias.tolist()
        found = {label: {"": b} for label, b in zip(weights.labels, bias, strict=True)}
        for row, column, value in zip(weights.rows, weights.columns, weights.values.tolist(), strict=True):
            found[weights.labels[column]][weights.attributes[row]] = value
        return found

    def margin(self, label: str, attributes: Iterable[str]) -> float:
        """Return the sum of the weights of attributes for a label, and its bias."""
        weights = self._by_label[label]
        return weights[""] + sum(weights.get(a, 0.0) for a in attributes)


def features_of(model: TokenModel | str) -> FeatureSet:
    """Return the features of a model: opened if it is loaded, as described if it is still a name."""
    return model.features if isinstance(model, TokenModel) else feature_set(read_description(model), model)


def check_type(model: TokenModel, wanted: str, who: str) -> None:
    """Raise ResourceError if a model is not of the type that a component applies."""
    type_name = model.meta["type"]
    if type_name != wanted:
        raise ResourceError(
            f"model {model.place}: trained as {type_name}; the component {type_name} applies it, not {who}"
        )


def write_linear_model(
    path: Path,
    meta: dict[str, Any],
    weights: Weights,
    card_text: str,
    crfsuite: bytes | None = None,
    attached: Mapping[str, Path] | None = None,
) -> None:
    """Write a linear model. `attached` are files of its features, copied by name. Raises as `write_model` does."""
    contents = {WEIGHTS: weights.to_npz()}
    if crfsuite is not None:
        contents[CRFSUITE] = crfsuite
    write_model(path, meta, contents | {name: file.read_bytes() for name, file in (attached or {}).items()}, card_text)
