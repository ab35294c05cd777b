"""Find the layer of an INCEpTION document that contains the PHI, and the feature that contains the label."""

from __future__ import annotations

from ...pipeline.errors import ReaderError
from ...typesystem.description import STRING, nearest
from ...typesystem.review_layers import NAMED_ENTITY, PHI_LAYER
from ...typesystem.typesystem import TypeSystem

_CUSTOM = "webanno.custom."
_LABELS = ("label", "value", "kind", "type", "category", "entity")


def find_layer(types: TypeSystem | None, wanted: str, feature: str, *, partial: bool) -> tuple[str, str]:
    """Return the UIMA name of the layer and the name of its feature. Raises ReaderError if they are ambiguous or missing.

    `wanted`, `feature`: the names to use, or empty strings. `partial`: the document contains only the types that it uses; both
    results are empty if it has no PHI.
    """
    if types is None:
        if partial:
            return "", ""
        raise ReaderError("expected a TypeSystem.xml beside it, as INCEpTION exports it, found none")
    layers = [name for name in types if types.defines(name) and "uima.tcas.Annotation" in types.supertypes(name)]
    if wanted:
        candidates = [name for name in layers if wanted in (name, name.rpartition(".")[2])]
        if len(candidates) > 1:
            raise ReaderError(
                f"{len(candidates)} layers called {wanted} in its type system; `layer` takes the whole name"
            )
        if not candidates and not partial:
            raise ReaderError(f"no layer called {wanted} in its type system{nearest(wanted, layers)}")
    else:
        candidates = _likely(types, layers)
        if not candidates and not partial:
            raise ReaderError("no layer for PHI in its type system; `layer` can name one")
    return (candidates[0], _feature(types, candidates[0], feature)) if candidates else ("", "")


def _likely(types: TypeSystem, layers: list[str]) -> list[str]:
    """Return the layer that contains the PHI, by its name. Raises ReaderError if there are several."""
    if PHI_LAYER in layers:
        return [PHI_LAYER]
    custom = [name for name in layers if name.startswith(_CUSTOM) and _string_features(types, name)]
    if len(custom) > 1:
        raise ReaderError(f"several layers could contain the PHI: {', '.join(custom)}; `layer` can select one")
    return custom or [name for name in layers if name == NAMED_ENTITY]


def _feature(types: TypeSystem, layer: str, wanted: str) -> str:
    features = _string_features(types, layer)
    if wanted:
        if wanted not in features:
            raise ReaderError(f"layer {layer} has no feature {wanted} of strings{nearest(wanted, features)}")
        return wanted
    likely = [name for name in _LABELS if name in features]
    if likely or len(features) == 1:
        return (likely or features)[0]
    raise ReaderError(
        f"layer {layer} has {len(features)} features of strings; `feature` can select the one with the label"
    )


def _string_features(types: TypeSystem, layer: str) -> list[str]:
    return [f.name for f in types.features(layer).values() if types.range_kind(f.range) == STRING]
