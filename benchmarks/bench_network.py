"""Compare the libraries that apply a neural network (NumPy, ONNX Runtime, PyTorch) on new notes, and the sizes of its model.

    python -m benchmarks.bench_network
    python -m benchmarks.bench_network --notes 100 --size 1400
    python -m benchmarks.bench_network --model out/my-network      a model of yours

Without `--model`, a network with the parts of S4 (word vectors of length 100, characters 25, features 100, a bidirectional LSTM
of width 100) is trained on synthetic narratives for one pass. Each note is new to each library: the first notes only fill the
caches of forms, then the libraries take turns note by note. Times are medians of the processor time for one note from tokens to
candidates, in one thread. The number of notes in which the libraries find different spans must be 0.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from caspipe.annotators.neural.annotator import NeuralAnnotator
from caspipe.annotators.neural.inputs import FIRST
from caspipe.annotators.neural.network_model import NETWORK, ONNX, NeuralModel, quantize_model
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.arrays import pack
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.model_files import write_model
from caspipe.annotators.sequence.tagging import ScoredBlock
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.apply import apply
from caspipe.readers.synthetic.reader import SyntheticReader
from caspipe.typesystem import Cas, View

LIBRARIES = ("numpy", "onnx", "torch")
WARMING = 60
"""Number of notes before the measured ones."""
FORMS = 30_000
"""Number of word forms of the model whose size is measured."""
TRAINER: dict[str, Any] = {
    "model": "network",
    "first_level": True,
    "features": [
        *("ehr", "morphology", "lexicon:stop_words", {"supersense": {"most": 3}}, "hypernym", "temporal", "regex"),
        *(f"gazetteer:{name}" for name in ("given_names", "surnames", "person_titles", "cities", "us_states")),
        "gazetteer:street_words",
    ],
    "tokens": {"random": {"dim": 100, "min_count": 1}},
    "characters": {"char_lstm": {"dim": 25, "width": 25}},
    "attributes": {"feed_forward": {"widths": [100]}},
    "encoder": {"lstm": {"width": 100}},
    "epochs": 1,
    "held_out": 0,
    "onnx": True,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of a trained network with an ONNX graph")
    parser.add_argument("--notes", type=int, default=150)
    parser.add_argument("--size", type=int, default=1_400, help="characters of a note")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or trained(Path(folder))
        views = list(itertools.islice(notes(given.size), WARMING + given.notes))
        measure(str(model), views)
        sizes(str(model), Path(folder))


def trained(folder: Path, documents: int = 100) -> Path:
    """Train the network for one pass over synthetic narratives."""
    config = {
        "reader": {"synthetic": {"documents": documents, "seed": 11, "known": True}},
        "engines": ["segmenter"],
        "consumers": [{"neural_trainer": TRAINER}],
        "run": {"output": str(folder), "on_error": "stop"},
    }
    Pipeline.parse(yaml.safe_dump(config)).run()
    return folder / "network"


def notes(size: int) -> Iterator[View]:
    """Yield synthetic narratives of the same length, segmented."""
    segmenter, text = Segmenter(), ""
    for cas in SyntheticReader(documents=100_000, seed=12):
        text += cas.view().text + "\n"
        if len(text) >= size:
            made = Cas(text[:size])
            apply(segmenter, made)
            yield made.view()
            text = ""


def measure(model: str, views: list[View]) -> None:
    """Print the time of each library for a new note, and of the steps with NumPy."""
    annotators = {name: opened(model, name) for name in LIBRARIES}
    times: dict[str, list[float]] = {name: [] for name in LIBRARIES}
    differing = 0
    for number, view in enumerate(views):
        found = {}
        for name, annotator in annotators.items():
            seconds, found[name] = timed(lambda a=annotator, v=view: [(c.begin, c.end, c.kind) for c in a.annotate(v)])
            if number >= WARMING:
                times[name].append(seconds)
        differing += any(spans != found["numpy"] for spans in found.values())
    measured = views[WARMING:]
    tokens = statistics.median(len(Words(view)) for view in measured)
    print(f"{len(measured)} new notes of {len(views[0].text):,} characters, {tokens:.0f} tokens (median)")
    print(f"notes with different spans: {differing}")
    fastest = statistics.median(times["numpy"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"  {name:12} {1e3 * middle:6.2f} ms per note  {middle / fastest:5.2f} x the time of numpy")
    steps(opened(model, "numpy"), views)


def steps(annotator: NeuralAnnotator, views: list[View]) -> None:
    """Print the time of each step with NumPy."""
    times: dict[str, list[float]] = {}
    for number, view in enumerate(views):
        words = Words(view)
        for name, seconds in timed_steps(annotator, words):
            if number >= WARMING:
                times.setdefault(name, []).append(seconds)
    for name, taken in times.items():
        print(f"    {name:20} {1e3 * statistics.median(taken):6.2f} ms")


def timed_steps(annotator: NeuralAnnotator, words: Words) -> Iterator[tuple[str, float]]:
    seconds, document = timed(lambda: annotator.model.index(words))
    yield "features", seconds
    seconds, (scores, sequences) = timed(lambda: annotator.scored_document(document))
    yield "network", seconds
    seconds, _ = timed(lambda: list(annotator.marked(words, [ScoredBlock(0, scores, sequences)])))
    yield "labels, confidence", seconds


def sizes(model: str, folder: Path) -> None:
    """Print the size on disk of the model with many word forms, as 32-bit numbers and as 8-bit integers."""
    many = folder / "many"
    grown(NeuralModel.load(model), many)
    print(f"size of the model with {FORMS:,} word forms")
    print(f"  32-bit numbers {(many / NETWORK).stat().st_size / 1e6:6.2f} MB")
    print(f"  8-bit integers {quantize_model(str(many)) / 1e6:6.2f} MB")
    if (Path(model) / ONNX).is_file():
        print(f"  ONNX graph of the small model {(Path(model) / ONNX).stat().st_size / 1e6:6.2f} MB")
    shutil.rmtree(many)


def grown(model: NeuralModel, path: Path) -> None:
    """Write the model with more words, whose vectors are drawn at random."""
    words, vectors = model.vocabularies["words"], model.arrays["words.weight"]
    more = max(0, FORMS - len(words))
    chance = np.random.default_rng(1)
    spread = vectors[FIRST:].std()
    added = chance.normal(0.0, spread, (more, vectors.shape[1])).astype(np.float32)
    entries = [*words, *(f"{chance.integers(10**9):x}" for _ in range(more))]
    meta = {**model.meta, "network": {**model.meta["network"]}}
    meta["network"]["sizes"] = {**meta["network"]["sizes"], "words": len(entries) + FIRST}
    arrays = {**model.arrays, "words.weight": np.concatenate([vectors, added])}
    write_model(path, meta, {NETWORK: pack(arrays, {**model.vocabularies, "words": entries})}, "")


def opened(model: str, backend: Any) -> NeuralAnnotator:
    annotator = NeuralAnnotator(model=NeuralModel.load(model), backend=backend, device="cpu")
    annotator.open()
    return annotator


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the processor that a function takes, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


if __name__ == "__main__":
    main()
