"""Compare the speed of the tagger with CRFsuite with the same weights. CRFsuite gets its attributes as ready strings.

    python -m benchmarks.bench_tagger FILE.conllu.gz       trains a small model on the file, compares labels and speed
    python -m benchmarks.bench_tagger                      speed of the shipped `en-tagger` on synthetic narratives only

The tagger of caspipe does everything from tokens to tags. CRFsuite gets precomputed lists of attributes, so that only its own
work is timed. `cold` is the first round over new documents; `warm` is the median of the later, interleaved rounds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.narratives import narratives
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.viterbi import viterbi
from caspipe.annotators.tagging.tagger import Tagger
from caspipe.pipeline.application.training.tagger import train_tagger
from caspipe.pipeline.contract.apply import apply
from caspipe.typesystem import Cas, Token

COUNT, SIZE = 300, 2_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="CoNLL-U file to train a model for the comparison")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    documents = [Cas(text) for text in narratives(COUNT, SIZE)]
    segmenter = Segmenter()
    for cas in documents:
        apply(segmenter, cas)
    tokens = sum(cas.view().count(Token) for cas in documents)
    print(f"{COUNT} synthetic narratives of {SIZE:,} characters, {tokens:,} tokens")
    shipped = Tagger()
    shipped.open()
    shipped.tags(Cas("").view())
    alone(shipped, documents, tokens, given.rounds)
    if given.file:
        compared(given.file, documents, tokens, given.rounds)


def alone(tagger: Tagger, documents: Sequence[Cas], tokens: int, rounds: int) -> None:
    """Measure the shipped model: cold, warm, and the time of its parts."""
    cold = timed(lambda: [tagger.process(cas) for cas in documents])
    warm = statistics.median(timed(lambda: [tagger.process(cas) for cas in documents]) for _ in range(rounds))
    print(f"en-tagger: cold {speed(tokens, cold)}, warm {speed(tokens, warm)}")
    scorer = tagger._scorer
    columns = [scorer.features.columns(Words(cas.view())) for cas in documents]
    scores = [scorer.scores(c) for c in columns]
    transitions: Any = tagger.model.weights.transitions
    parts: dict[str, Callable[[], Any]] = {
        "scores": lambda: [scorer.scores(c) for c in columns],
        "Viterbi": lambda: [viterbi(s, c.sentences, transitions) for s, c in zip(scores, columns, strict=True)],
    }
    for name, seconds in in_turn(parts, rounds).items():
        print(f"  {name:26} {speed(tokens, seconds)}")


def compared(file: Path, documents: Sequence[Cas], tokens: int, rounds: int) -> None:
    """Train a model on the file and compare caspipe and CRFsuite with it."""
    import pycrfsuite

    model, raw = trained(file)
    tagger = Tagger(model=model)
    tagger.open()
    theirs = pycrfsuite.Tagger()
    theirs.open_inmemory(raw)
    sequences: list[list[Any]] = []
    for cas in documents:
        columns = tagger._scorer.features.columns(Words(cas.view()))
        attributes = list(tagger._scorer.features.attributes(columns))
        sequences.append([attributes[first:last] for first, last in columns.sentences])
    parts: dict[str, Callable[[], Any]] = {
        "caspipe, tokens to tags": lambda: [tagger.tags(cas.view()) for cas in documents],
        "python-crfsuite, strings": lambda: [[t for s in some for t in theirs.tag(s)] for some in sequences],
    }
    same = parts["caspipe, tokens to tags"]() == parts["python-crfsuite, strings"]()
    print(
        f"model trained on {file.name}, {len(model.labels)} tags; tags of both: {'identical' if same else 'DIFFERENT'}"
    )
    found = in_turn(parts, rounds)
    for name, seconds in found.items():
        print(f"  {name:26} {speed(tokens, seconds)}")
    mine, other = found.values()
    print(f"  ratio: {other / mine:.1f} x")


def trained(file: Path) -> tuple[LinearModel, bytes]:
    """Train a model with three passes over a file; return it as a bundle and in the format of CRFsuite."""
    with tempfile.TemporaryDirectory() as folder:
        made = train_tagger([file], Path(folder) / "model", max_iterations=3, keep_crfsuite=True)
        return LinearModel.load(str(made.path)), (made.path / "model.crfsuite").read_bytes()


def in_turn(parts: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each function over interleaved rounds."""
    seconds: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(rounds):
        for name, work in parts.items():
            seconds[name].append(timed(work))
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def speed(tokens: int, seconds: float) -> str:
    return f"{tokens / seconds / 1000:7.0f}k tokens/s"


if __name__ == "__main__":
    main()
