"""The SVM annotator decides as LIBLINEAR's own prediction does, for every solver, ties included."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from caspipe.annotators.sequence import svm_trainer
from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.labels import decode
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.matrix import design_matrix
from caspipe.annotators.sequence.scoring import LabelScorer
from caspipe.annotators.sequence.svm import SvmAnnotator
from caspipe.annotators.sequence.svm_trainer import SOLVERS, Solver
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.errors import ResourceError
from caspipe.typesystem import Cas, PhiCandidate, PhiKind

from .small_models import crf, document, documents, svm

MANY = ["lower", "suffix2", {"suffix3": {"window": [-1, 2]}}, "shape", "list:places", "term", "sentence_position"]


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, list[str]]]:
    """LIBLINEAR's own models as the trainer gets them, with their attributes."""
    from liblinear import liblinearutil

    kept: list[Any] = []
    names: list[list[str]] = []
    train, design = liblinearutil.train, svm_trainer.design_matrix

    def training(*given: Any) -> Any:
        kept.append((train(*given), names[-1]))
        return kept[-1][0]

    def designing(*given: Any) -> Any:
        matrix, attributes = design(*given)
        names.append(attributes)
        return matrix, attributes

    monkeypatch.setattr(liblinearutil, "train", training)
    monkeypatch.setattr(svm_trainer, "design_matrix", designing)
    return kept


def compare(bundle: LinearModel, model: Any, attributes: list[str], cases: list[Cas]) -> int:
    """Asserts that our labels are those of LIBLINEAR's `predict`; returns how many tokens were looked at."""
    from liblinear.liblinearutil import predict

    columns = [bundle.features.columns(Words(cas.view())) for cas in cases]
    matrix, names = design_matrix(bundle.features, columns)
    place = {name: i for i, name in enumerate(attributes)}
    coo = matrix.tocoo()
    known = np.array([names[j] in place for j in coo.col])
    rows: list[dict[int, float]] = [{} for _ in range(matrix.shape[0])]
    for i, j, v in zip(coo.row[known], coo.col[known], coo.data[known], strict=True):
        rows[i][place[names[j]] + 1] = float(v)
    said, _, _ = predict([], rows, model, "-q")
    numbered = sorted(bundle.labels)
    scorer = LabelScorer(bundle.features, bundle.weights)
    ours = [bundle.labels[i] for c in columns for i in scorer.scores(c).argmax(axis=1)]
    assert ours == [numbered[int(i)] for i in said]
    return len(ours)


@pytest.mark.parametrize("solver", get_args(Solver))
def test_labels_are_those_of_liblinear(solver: Solver, tmp_path: Path, theirs: list[Any]) -> None:
    bundle = svm(tmp_path, documents(10), features=MANY, solver=solver)
    assert compare(bundle, *theirs[-1], [*documents(10), *documents(15, seed=2)]) > 200


@pytest.mark.parametrize("solver", ["l2-hinge", "l1-squared-hinge", "crammer-singer"])
def test_two_labels_share_one_vector_and_ties_go_where_liblinear_lets_them(
    solver: Solver, tmp_path: Path, theirs: list[Any]
) -> None:
    bundle = svm(tmp_path, documents(10), features=MANY, solver=solver, encoding="io", kinds=[PhiKind.DATE])
    assert sorted(bundle.labels) == ["DATE", "O"]
    unknown = document("\N{SNOWMAN}", sentences=[])
    assert compare(bundle, *theirs[-1], [*documents(10), *documents(10, seed=3), unknown]) > 150


def test_ties_between_many_labels_go_where_liblinear_lets_them(tmp_path: Path, theirs: list[Any]) -> None:
    cases = documents(10)
    bundle = svm(tmp_path, cases, features=["term"], window=(0, 0))  # most tokens have no attribute at all
    assert compare(bundle, *theirs[-1], documents(10, seed=3)) > 150


def test_every_solver_of_the_parameter_has_its_number() -> None:
    assert set(get_args(Solver)) == set(SOLVERS)


def found(bundle: LinearModel, cas: Cas, **given: Any) -> list[PhiCandidate]:
    annotator = SvmAnnotator(model=bundle, **given)
    annotator.open()
    cas = cas.copy()
    for old in cas.select(PhiCandidate):
        cas.remove(old)
    apply(annotator, cas)
    return cas.select(PhiCandidate)


def test_confidence_is_the_calibrated_margin_of_the_least_sure_token(tmp_path: Path) -> None:
    bundle = svm(tmp_path, documents(60), features=["shape", "lower"], window=(0, 0), min_count=4)
    curve = bundle.meta["calibration"]
    assert curve is not None and curve["slope"] > 0
    scorer = LabelScorer(bundle.features, bundle.weights)
    for cas in documents(5, seed=8, marked=False):
        words = Words(cas.view())
        columns = bundle.features.columns(words)
        scores = scorer.scores(columns)
        labels = [bundle.labels[i] for i in scores.argmax(axis=1)]
        expected = []
        for first, last, _ in decode(labels, columns.sentences):
            best = np.sort(scores[first:last], axis=1)
            margin = (best[:, -1] - best[:, -2]).min()
            expected.append(1 / (1 + np.exp(-(curve["slope"] * margin + curve["offset"]))))
        assert [c.confidence for c in found(bundle, cas)] == pytest.approx(expected)


def test_a_model_of_another_kind_is_told(tmp_path: Path) -> None:
    bundle = crf(tmp_path)
    with pytest.raises(ResourceError) as error:
        SvmAnnotator(model=bundle).open()
    assert str(error.value) == f"model {tmp_path / 'model'}: trained as crf; the component crf applies it, not svm"


def test_labels_in_legal_order_never_begin_a_span_with_inside(tmp_path: Path) -> None:
    legal = svm(tmp_path / "legal", documents(12), label_order="legal")
    learned = svm(tmp_path / "learned", documents(12), label_order="learned")
    assert legal.weights.transitions is not None and learned.meta["label_strength"] >= 0
    for cas in documents(10, seed=3):
        words = Words(cas.view())
        for bundle in (legal, learned):
            annotator = SvmAnnotator(model=bundle)
            annotator.open()
            columns = bundle.features.columns(words)
            path = annotator.best(annotator._scorer.scores(columns), columns.sentences)
            labels = [bundle.labels[i] for i in path]
            for first, last in columns.sentences:
                for before, label in pairwise(labels[first:last]):
                    assert not label.startswith("I-") or before[2:] == label[2:]


def test_crf_takes_the_parameters_of_svm_and_a_threshold_of_probabilities() -> None:
    from caspipe.pipeline.contract.params import parameters

    assert {p.name for p in parameters(CrfAnnotator)} == {p.name for p in parameters(SvmAnnotator)} | {"threshold"}
