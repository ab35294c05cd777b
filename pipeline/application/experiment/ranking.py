"""The features that matter most to a trained model, label by label (appendix D of the VigiBase thesis)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....annotators.sequence.linear_model import LinearModel

EVERYTHING = 2**31


def rankings(path: Path, n: int) -> dict[str, Any]:
    """For each label of a model: its `n` features of highest absolute weight, signed, and the share of all weight they hold.

    Raises ResourceError if it is not a model.
    """

    model = LinearModel.load(str(path))
    found: dict[str, Any] = {}
    for label in model.labels:
        every = sorted(model.ranking(label, EVERYTHING), key=lambda item: (-abs(item[1]), item[0]))
        whole = sum(abs(weight) for _, weight in every)
        top = [(feature, float(weight)) for feature, weight in every[:n]]
        found[label] = {"top": top, "share": sum(abs(w) for _, w in top) / whole if whole else None, "of": len(every)}
    return found
