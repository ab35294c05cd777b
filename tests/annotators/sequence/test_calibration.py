"""Confidences as probabilities: the curve, its reliability, and what the consumer writes into a model."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.calibration import Curve, cross_fitted, fit_curve, reliability
from caspipe.annotators.sequence.calibrator import Calibrator
from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.svm import SvmAnnotator
from caspipe.pipeline.errors import CasError, ConsumerError
from caspipe.typesystem import Cas, CaspipeWarning, PhiCandidate, PhiKind

from .small_models import crf, document, documents, svm

curves = st.builds(Curve, st.floats(0.05, 20), st.floats(-10, 10))
confidences = st.lists(st.floats(0, 1), max_size=30)


def test_reliability_is_as_counted_by_hand() -> None:
    found = reliability([0.95, 0.95, 0.95, 0.95, 0.15, 1.0], [True, True, False, False, False, True])
    # 0.9 to 1: five spans, mean 0.96, three right: 5 * 0.36; 0.1 to 0.2: one span, 0.15; together 1.95 of 6
    assert (found["spans"], found["ece"]) == (6, 0.325)
    assert found["bins"] == [
        {"spans": 1, "confidence": 0.15, "right": 0.0},
        {"spans": 5, "confidence": 0.96, "right": 0.6},
    ]
    assert found["brier"] == pytest.approx((2 * 0.05**2 + 2 * 0.95**2 + 0.15**2) / 6, abs=1e-4)
    assert reliability([], [])["ece"] is None


def certain(count: int) -> tuple[list[float], list[bool], list[int]]:
    """Spans of a model that says 0.99 where 80 of 100 are right, and 0.6 where 40 are; ten of each in a group."""
    chance = random.Random(1)
    rows = [(c, chance.random() < share, i // 10) for i in range(count) for c, share in ((0.99, 0.8), (0.6, 0.4))]
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]


def test_the_curve_makes_confidences_the_share_of_right_spans() -> None:
    said, right, groups = certain(300)
    curve = fit_curve(said, right)
    assert curve is not None
    high, low = curve.apply([0.99, 0.6])
    assert (high, low) == (pytest.approx(0.8, abs=0.05), pytest.approx(0.4, abs=0.06))
    fitted = cross_fitted(said, right, groups, 5, 1)
    assert reliability(said, right)["ece"] > 0.15 > 0.06 > reliability(fitted, right)["ece"]
    assert fitted == cross_fitted(said, right, groups, 5, 1)


def test_a_span_is_never_fitted_on_its_own_group() -> None:
    said, right, groups = certain(50)
    changed = [not r if g == 0 else r for r, g in zip(right, groups, strict=True)]
    pairs = zip(cross_fitted(said, right, groups, 5, 1), cross_fitted(said, changed, groups, 5, 1), groups, strict=True)
    assert all(a == b for a, b, group in pairs if group == 0)


@pytest.mark.parametrize("right", [[True] * 20, [False] * 20, [True, False] * 4])
def test_there_is_no_curve_where_there_is_nothing_to_fit(right: list[bool]) -> None:
    assert fit_curve([0.5] * len(right), right) is None


@given(curves, confidences)
def test_a_curve_gives_probabilities_and_keeps_their_order(curve: Curve, values: list[float]) -> None:
    found = curve.apply(sorted(values))
    assert found == sorted(found) and all(0 <= p <= 1 for p in found)


@given(curves, st.floats(0.01, 0.99))
def test_one_curve_after_another_is_a_curve(first: Curve, value: float) -> None:
    second = Curve(1.5, -0.5)
    twice = second.apply(first.apply([value]))[0]
    if 1e-5 < first.apply([value])[0] < 1 - 1e-5:
        assert second.after(first).apply([value])[0] == pytest.approx(twice, abs=1e-6)


def found(model: LinearModel, cases: list[Cas]) -> list[PhiCandidate]:
    """The candidates of a model, which are added to the documents."""
    engine = (SvmAnnotator if model.meta["type"] == "svm" else CrfAnnotator)(model=model)
    engine.open()
    added = []
    for cas in cases:
        for candidate in list(engine.annotate(cas.view())):
            assert isinstance(candidate, PhiCandidate)
            added.append(cas.view().add(candidate.set_source("models/tagger")))
    return added


def calibrated(folder: Path, cases: list[Cas], **given_: object) -> None:
    consumer = Calibrator(**{"model": Path("model"), "source": "tagger", **given_})  # type: ignore[arg-type]
    consumer.output = folder
    consumer.open()
    for cas in cases:
        consumer.process(cas)
    consumer.close()


def spoiled(seed: int) -> list[Cas]:
    """Documents in which every third gold span is missing, so that a model is too certain."""
    cases = documents(40, seed)
    for cas in cases:
        gold = cas.view("gold")
        for phi in [p for i, p in enumerate(gold) if i % 3 == 0]:
            gold.remove(phi)
    return cases


@pytest.mark.parametrize("make", [crf, svm])
@pytest.mark.parametrize("packed", [False, True])
def test_the_model_keeps_its_spans_and_gives_probabilities(make: object, packed: bool, tmp_path: Path) -> None:
    assert callable(make)
    file = Path("model.zip" if packed else "model")
    model: LinearModel = make(tmp_path, model=file, **({} if make is svm or not packed else {"keep_crfsuite": False}))
    before, cases = found(model, documents(40, 7)), spoiled(7)
    found(model, cases)
    calibrated(tmp_path, cases, model=file)
    again = LinearModel.load(str(tmp_path / file))
    after = found(again, documents(40, 7))
    assert [(c.begin, c.end, c.kind) for c in after] == [(c.begin, c.end, c.kind) for c in before]
    said = again.meta["confidence"]
    assert said["before"]["ece"] > said["after"]["ece"]
    mean = sum(c.confidence for c in after) / len(after)
    share = sum(b["spans"] * b["right"] for b in said["before"]["bins"]) / said["before"]["spans"]
    assert mean == pytest.approx(share, abs=0.02)
    if not packed:
        card = (tmp_path / "model/README.md").read_text(encoding="utf-8")
        assert f"| before | {said['before']['ece']:.3f} |" in card
        assert "in 40 documents that the model was not trained on" in card


def test_calibrating_again_composes_the_curves_instead_of_forgetting_the_first(tmp_path: Path) -> None:
    model, cases = crf(tmp_path), spoiled(7)
    found(model, cases)
    calibrated(tmp_path, cases)
    once = LinearModel.load(str(tmp_path / "model"))
    cases = spoiled(7)
    found(once, cases)
    calibrated(tmp_path, cases)
    first, second = (found(LinearModel.load(str(m)), documents(5, 7)) for m in (tmp_path / "model", tmp_path / "model"))
    assert [c.confidence for c in first] == [c.confidence for c in second]
    twice = found(LinearModel.load(str(tmp_path / "model")), documents(40, 7))
    assert [c.confidence for c in twice] == pytest.approx(
        [c.confidence for c in found(once, documents(40, 7))], abs=0.03
    )


def test_too_few_spans_leave_the_model_as_it_is(tmp_path: Path) -> None:
    model = crf(tmp_path)
    was = (tmp_path / "model/model.json").read_bytes()
    cases = [document("Dr. Smith .", [(4, 9, PhiKind.PERSON)])]
    cases[0].view().add(PhiCandidate(4, 9, kind=PhiKind.PERSON).set_source("tagger"))
    with pytest.warns(CaspipeWarning, match="1 spans, 1 of them right, are not enough to fit a curve"):
        calibrated(tmp_path, cases)
    assert (tmp_path / "model/model.json").read_bytes() == was
    assert model.meta.get("confidence") is None


def test_faults_say_what_is_missing(tmp_path: Path) -> None:
    crf(tmp_path)
    with pytest.raises(ConsumerError) as nothing:
        calibrated(tmp_path, [document("Dr. Smith .")])
    assert str(nothing.value) == (
        "calibrator: nothing to fit: no candidate of tagger in the documents; is it the id of an annotator?"
    )
    with pytest.raises(CasError, match="metadata original: expected the group of the document, found none"):
        calibrated(tmp_path, [document("Dr. Smith .")], group="original")
    with pytest.raises(ValueError, match="folds: expected 2 or more, got 1"):
        Calibrator(model=Path("model"), source="crf", folds=1)
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "model", other)
    meta = json.loads((other / "model.json").read_text(encoding="utf-8"))
    (other / "model.json").write_text(json.dumps({**meta, "type": "filter"}), encoding="utf-8")
    with pytest.raises(ConsumerError, match="trained as filter; expected one of crf, svm, neural"):
        calibrated(tmp_path, [], model=Path("other"))


def test_a_failed_document_is_taken_back(tmp_path: Path) -> None:
    crf(tmp_path)
    consumer = Calibrator(model=Path("model"), source="tagger")
    consumer.output = tmp_path
    consumer.open()
    cas = document("Dr. Smith .", [(4, 9, PhiKind.PERSON)])
    cas.view().add(PhiCandidate(4, 9, kind=PhiKind.PERSON).set_source("tagger"))
    consumer.process(cas)
    consumer.rollback(cas.id)
    with pytest.raises(ConsumerError, match="nothing to fit"):
        consumer.close()
