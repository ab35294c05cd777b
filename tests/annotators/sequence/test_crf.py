"""The CRF annotator says what CRFsuite's own tagger says: labels, marginals, and spans with confidences made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.lattice import Lattice
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.scoring import LabelScorer
from caspipe.annotators.sequence.viterbi import viterbi
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.errors import ResourceError
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

from .small_models import crf, disjoint, document, documents, svm

MANY = [
    *("token", "lower", "suffix2", {"suffix3": {"window": [-1, 2]}}, "shape", "char_pattern", "length", "hyphen"),
    *("list:places", "term", {"candidate": {"window": [0, 1]}}, "neighbours", "sentence_position", "document_position"),
]


def compare(bundle: LinearModel, folder: Path, cases: list[Cas]) -> int:
    """Asserts that labels are CRFsuite's and marginals differ by less than 1e-9; returns how many tokens were looked at."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "model" / "model.crfsuite"))
    assert bundle.weights.transitions is not None
    scorer, tokens = LabelScorer(bundle.features, bundle.weights), 0
    for cas in cases:
        columns = bundle.features.columns(Words(cas.view()))
        scores = scorer.scores(columns)
        path = viterbi(scores, columns.sentences, bundle.weights.transitions)
        attributes: list[Any] = list(bundle.features.attributes(columns))
        for first, last in columns.sentences:
            tagger.set(attributes[first:last])
            assert [bundle.labels[i] for i in path[first:last]] == tagger.tag()
            ours = Lattice(scores[first:last], bundle.weights.transitions).marginals()
            theirs = np.array([[tagger.marginal(label, t) for label in bundle.labels] for t in range(last - first)])
            assert np.abs(ours - theirs).max() < 1e-9
            tokens += last - first
    return tokens


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        {"algorithm": "lbfgs", "c1": 0.0, "c2": 0.1},
        {"algorithm": "lbfgs", "c1": 0.3, "c2": 0.0},
        {"algorithm": "lbfgs", "C": 0.001, "alpha": 0.5},
        {"algorithm": "l2sgd"},
        {"algorithm": "ap"},
        {"algorithm": "pa"},
        {"algorithm": "arow"},
        {"encoding": "bilou"},
        {"encoding": "io"},
        {"context": "document"},
        {"window": (-2, 0)},
        {"window": (0, 4), "context": "document", "encoding": "bilou"},
        {"possible_transitions": True},
        {"features": ["lower", "shape"], "window": (0, 0), "min_count": 2},
    ],
    ids=lambda given: " ".join(f"{k}={v}" for k, v in given.items()),
)
def test_labels_and_marginals_are_those_of_crfsuite(given: dict[str, Any], tmp_path: Path) -> None:
    bundle = crf(tmp_path, documents(10), **({"features": MANY, "max_iterations": 12} | given))
    assert compare(bundle, tmp_path, [*documents(10), *documents(15, seed=2)]) > 200


def test_labels_and_marginals_are_those_of_crfsuite_on_a_real_corpus(tmp_path: Path, shared: Path) -> None:
    folder = shared / "corpora" / "meddocan"
    if not folder.is_dir():
        pytest.skip("needs the MEDDOCAN corpus in ../shared/corpora")
    pipeline = Pipeline.parse("engines: [segmenter]")

    def some(part: str, count: int) -> list[Cas]:
        reader = I2b2Reader(folder=folder / part)
        reader.open()
        return [pipeline.process(cas) for cas, _ in zip(reader, range(count), strict=False)]

    features = ["token", "lower", "suffix3", "shape", "char_pattern", "length", "sentence_position"]
    bundle = crf(tmp_path, some("train", 8), features=features, max_iterations=15)
    assert compare(bundle, tmp_path, some("dev", 4)) > 1000


def candidates(bundle: LinearModel, cas: Cas, **given: Any) -> list[PhiCandidate]:
    annotator = CrfAnnotator(model=bundle, **given)
    annotator.open()
    cas = cas.copy()
    for old in cas.select(PhiCandidate):
        cas.remove(old)
    apply(annotator, cas)
    return cas.select(PhiCandidate)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> LinearModel:
    return crf(tmp_path_factory.mktemp("crf"), documents(25), max_iterations=40)


def test_candidates_are_the_spans_of_the_labels(small: LinearModel) -> None:
    hits = total = 0
    for cas in documents(20, seed=9, marked=False):
        found = candidates(small, cas)
        assert disjoint([(c.begin, c.end) for c in found])
        assert all(0 < c.confidence <= 1 and c.rule == "model" and c.source == "crf" for c in found)
        gold = {(p.begin, p.end, p.kind) for p in cas.view("gold").select(Phi)}
        hits += len(gold & {(c.begin, c.end, c.kind) for c in found})
        total += len(gold)
    assert hits / total > 0.9


def test_a_bias_on_outside_finds_more_and_leaves_confidences_alone(small: LinearModel) -> None:
    cases = documents(20, seed=4, marked=False)
    counts = {
        bias: sum(c.end - c.begin for cas in cases for c in candidates(small, cas, outside_bias=bias))
        for bias in (-8.0, 0.0, 4.0, 100.0)
    }
    assert counts[-8.0] < counts[0.0] <= counts[4.0] < counts[100.0]
    usual = {(c.begin, c.end, c.kind): c.confidence for c in candidates(small, cases[0])}
    bold = {(c.begin, c.end, c.kind): c.confidence for c in candidates(small, cases[0], outside_bias=1.0)}
    common = usual.keys() & bold.keys()
    assert common and all(usual[s] == bold[s] for s in common)


def test_a_lower_threshold_marks_more_and_each_token_of_a_span_reaches_it(small: LinearModel) -> None:
    cases = documents(20, seed=4, marked=False)
    marked = {}
    for threshold in (0.02, 0.3, 0.9):
        found = [(n, c) for n, cas in enumerate(cases) for c in candidates(small, cas, threshold=threshold)]
        assert all(threshold <= c.confidence <= 1 for _, c in found)
        marked[threshold] = {(n, i) for n, c in found for i in range(c.begin, c.end)}
    assert marked[0.9] < marked[0.3] < marked[0.02]
    assert candidates(small, cases[0], threshold=1.0, kinds=[PhiKind.DATE]) == []


def test_a_threshold_is_a_probability(small: LinearModel) -> None:
    with pytest.raises(ValueError, match="threshold: expected a number from 0 to 1, got 3"):
        CrfAnnotator(model=small, threshold=3)


def test_only_the_kinds_asked_for_are_marked(small: LinearModel) -> None:
    cas = documents(1, seed=6, marked=False)[0]
    everything = candidates(small, cas)
    dates = candidates(small, cas, kinds=[PhiKind.DATE])
    assert [c for c in everything if c.kind is PhiKind.DATE] and len(dates) < len(everything)
    assert [(c.begin, c.end) for c in dates] == [(c.begin, c.end) for c in everything if c.kind is PhiKind.DATE]


def test_without_confidence_every_candidate_has_1(small: LinearModel) -> None:
    assert {c.confidence for c in candidates(small, documents(1, seed=6)[0], confidence=False)} == {1.0}


@pytest.mark.parametrize("text", ["", " ", "\n\n", "x", "\N{GRINNING FACE}"])
def test_texts_with_hardly_a_token_are_no_trouble(small: LinearModel, text: str) -> None:
    candidates(small, document(text, sentences=[]))
    candidates(small, document(text))


def test_a_model_of_another_kind_is_told(tmp_path: Path) -> None:
    bundle = svm(tmp_path)
    with pytest.raises(ResourceError) as error:
        CrfAnnotator(model=bundle).open()
    assert str(error.value) == f"model {tmp_path / 'model'}: trained as svm; the component svm applies it, not crf"


def test_a_crf_without_transitions_is_told(small: LinearModel) -> None:
    import dataclasses

    weights = dataclasses.replace(small.weights, transitions=None)
    broken = dataclasses.replace(small, weights=weights, place="there")
    with pytest.raises(ResourceError, match=r"^model there: a CRF without transitions: damaged$"):
        candidates(broken, documents(1)[0])
