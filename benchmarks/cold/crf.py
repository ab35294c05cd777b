"""Compare the CRF with sklearn-crfsuite on new notes, with the weights of `en-phi-crf` and the same feature strings.

    python -m benchmarks.cold.crf FOLDER     FOLDER holds `warm.jsonl` and `new.jsonl` (benchmarks/cold/texts.py)

sklearn-crfsuite gets the feature strings ready; caspipe begins with tokens. The labels of both must be the same.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import sklearn_crfsuite

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.crfsuite_file import parse
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.weights import Weights
from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas

from .texts import read

MODEL = "en-phi-crf"
_FEATURES_AT = 7
"""Field of CRFsuite's header with the place of the features."""
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_CHUNK = 12
"""Bytes before the features."""


def crfsuite_model(weights: Weights, file: Path) -> None:
    """Write the weights as a model of CRFsuite.

    CRFsuite trains a model with the same attributes and labels in one step, which gives a file with all their pairs; its weights
    are then replaced. Raises ValueError if the file does not hold the same weights afterwards.
    """
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(
        {"max_iterations": 1, "feature.minfreq": 0, "feature.possible_transitions": True, "c1": 0, "c2": 1e-9}
    )
    for label, attributes in _by_label(weights):
        trainer.append([attributes], [label])
    steps = transitions(weights)
    for pair in steps:
        trainer.append([{"": 1.0}, {"": 1.0}], list(pair))
    trainer.train(str(file))
    data = bytearray(file.read_bytes())
    template = parse(bytes(data))
    at = int(np.frombuffer(data, "<u4", 12)[_FEATURES_AT])
    count = int(np.frombuffer(data, "<u4", 1, at + 8)[0])
    features = np.frombuffer(data, _FEATURE, count, at + _CHUNK)
    known = _states(weights)
    labels, names = template.labels, template.attributes
    features["weight"] = [
        known.get((names[source], labels[target]), 0.0)
        if kind == 0
        else steps.get((labels[source], labels[target]), 0.0)
        for kind, source, target in zip(features["type"], features["source"], features["target"], strict=True)
    ]
    file.write_bytes(data)
    written = parse(bytes(data))
    if known != {pair: value for pair, value in _states(written).items() if value}:
        raise ValueError("the file of CRFsuite does not hold the weights of the model")
    if steps != transitions(written):
        raise ValueError("the file of CRFsuite does not hold the transitions of the model")


def _states(weights: Weights) -> dict[tuple[str, str], float]:
    """Return the weights by attribute and label."""
    return dict(zip(pairs(weights), weights.values.tolist(), strict=True))


def pairs(weights: Weights) -> Iterator[tuple[str, str]]:
    """Yield the attribute and the label of each weight."""
    for row, column in zip(weights.rows.tolist(), weights.columns.tolist(), strict=True):
        yield weights.attributes[row], weights.labels[column]


def transitions(weights: Weights) -> dict[tuple[str, str], float]:
    """Return the weights of pairs of labels that are not zero."""
    assert weights.transitions is not None
    rows, columns = weights.transitions.nonzero()
    labels = weights.labels
    return {(labels[a], labels[b]): float(weights.transitions[a, b]) for a, b in zip(rows, columns, strict=True)}


def _by_label(weights: Weights) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each label with its attributes. Their numbers differ, so that no weight of the training is exactly zero."""
    found: dict[str, dict[str, float]] = {label: {} for label in weights.labels}
    for n, (attribute, label) in enumerate(pairs(weights)):
        found[label][attribute] = 1 + (n * 0.6180339887) % 1
    yield from found.items()


def compared(folder: Path) -> dict[str, Any]:
    """Return the seconds of both for the new notes, after the notes to warm up. Raises ValueError if their labels differ."""
    evidence = Pipeline.load(locate("evidence-en")).open()
    warm, new = ([evidence.process(text) for text in read(folder / f"{name}.jsonl")] for name in ("warm", "new"))
    crf = CrfAnnotator(model=LinearModel.load(MODEL))
    crf.open()
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "model.crfsuite"
        crfsuite_model(crf.model.weights, file)
        other = sklearn_crfsuite.CRF(model_filename=str(file))
        seconds: dict[str, float] = {}
        mine: list[list[str]] = []
        for name, documents in (("warm", warm), ("cold", new), ("second", new)):
            parts = [_labels(crf, cas) for cas in documents]
            mine = [found for found, _ in parts]
            seconds |= {name: sum(s[0] for _, s in parts), f"{name} labels": sum(s[1] for _, s in parts)}
        theirs = []
        for documents in (warm, new):
            began = time.process_time()
            ready = [_strings(crf, cas) for cas in documents]
            made_strings = time.process_time()
            theirs = [[label for one in other.predict(sequences) for label in one] for sequences in ready]
            seconds |= {"crfsuite": time.process_time() - made_strings, "strings": made_strings - began}
    if mine != theirs:
        raise ValueError("the labels of caspipe and sklearn-crfsuite differ")
    tokens = sum(map(len, theirs))
    return {**seconds, "tokens": tokens, "documents": len(new)}


def _labels(crf: CrfAnnotator, cas: Cas) -> tuple[list[str], tuple[float, float]]:
    """Return the most probable label of every token, the seconds in all, and those after the features are known."""
    names, scorer = crf.model.labels, crf._scorer
    began = time.process_time()
    columns = scorer.features.columns(Words(cas.view()))
    known = time.process_time()
    found = []
    for block in columns.blocks():
        found += crf.best(scorer.scores(columns, block), block.sentences)
    ended = time.process_time()
    return [names[n] for n in found], (ended - began, ended - known)


def _strings(crf: CrfAnnotator, cas: Cas) -> list[Sequence[Any]]:
    """Return the feature strings of each sentence."""
    columns = crf.model.features.columns(Words(cas.view()))
    attributes = list(crf.model.features.attributes(columns))
    return [attributes[first:last] for first, last in columns.sentences]


if __name__ == "__main__":
    print(json.dumps(compared(Path(sys.argv[1]))))
