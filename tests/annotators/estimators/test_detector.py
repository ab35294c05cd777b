"""`PhiDetector`: the model and the spans of `crf_trainer` and `svm_trainer`, as an estimator."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from caspipe.annotators.dates.annotator import DateAnnotator
from caspipe.annotators.estimators import PhiDetector, PhiTagger, SpanScorer, score_spans
from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import CaspipeError, ComponentError, ConfigError, ConsumerError, ResourceError
from caspipe.typesystem import Phi, PhiKind

from .texts import corpus

FEATURES = ["lower", {"suffix": {"length": 2}}, "shape"]
X, y = corpus(40)
NEW, NEW_SPANS = corpus(25, seed=2)


@pytest.fixture(scope="module")
def detector() -> PhiDetector:
    return PhiDetector(features=FEATURES, window=(-2, 2), max_iterations=30).fit(X, y)


def spans_of(yaml: str, texts: list[str]) -> list[Any]:
    with Pipeline.parse(yaml) as pipeline:
        return [[(p.begin, p.end, p.kind.name) for p in pipeline.process(text).select(Phi)] for text in texts]


def test_spans_come_back(detector: PhiDetector) -> None:
    assert detector.predict(X).tolist() == y
    assert detector.score(X, y) == 1.0
    assert detector.score(NEW, NEW_SPANS) > 0.9
    assert detector.kinds_ == ["DATE", "PERSON"]
    assert detector.predict([]).tolist() == [] and detector.predict([""]).tolist() == [[]]


def test_each_span_has_a_confidence(detector: PhiDetector) -> None:
    found, confidences = detector.predict(NEW).tolist(), detector.predict_confidence(NEW).tolist()
    assert [len(c) for c in confidences] == [len(s) for s in found]
    assert 0.5 < min(c for some in confidences for c in some) <= max(c for some in confidences for c in some) <= 1


@pytest.mark.parametrize("learner", ["crf", "svm"])
def test_the_model_has_the_bytes_that_a_yaml_training_writes(learner: str, tmp_path: Path) -> None:
    given = {"options": {"language": "en", "title": "A test.", "corpora": ["made up"]}, "random_state": 3}
    PhiDetector(learner=learner, features=[*FEATURES, "list"], encoding="bilou", **given).fit(X, y).save(
        tmp_path / "model"
    )
    lines = [
        json.dumps({"id": f"X[{i}]", "text": text, "spans": [{"begin": b, "end": e, "kind": k} for b, e, k in spans]})
        for i, (text, spans) in enumerate(zip(X, y, strict=True))
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(lines), encoding="utf-8")
    yaml = f"""
        reader: {{jsonl: {{files: {tmp_path / "train.jsonl"}, spans_field: spans}}}}
        engines: [segmenter, lists]
        consumers:
          - {learner}_trainer: {{model: model, features: [lower, suffix: {{length: 2}}, shape, list], window: [-3, 3],
                           encoding: bilou, seed: 3, language: en, title: A test., corpora: [made up]}}
        run: {{output: {tmp_path / "yaml"}, on_error: stop}}
        """
    Pipeline.parse(yaml).run()
    ours, theirs = (
        {p.name: p.read_bytes() for p in sorted(f.iterdir())} for f in (tmp_path / "model", tmp_path / "yaml/model")
    )
    assert ours == theirs


@pytest.mark.parametrize("learner", ["crf", "svm"])
def test_a_saved_model_finds_the_same_spans_in_yaml(learner: str, tmp_path: Path) -> None:
    detector = PhiDetector(learner=learner, features=[*FEATURES, "pos", "term"]).fit(X, y)
    detector.save(tmp_path / "model.zip")
    yaml = f"engines: [segmenter, tagger, terms: {{lexicon: medical}}, {learner}: {{model: {tmp_path / 'model.zip'}}}]"
    assert spans_of(yaml, NEW) == detector.predict(NEW).tolist()
    loaded = PhiDetector.load(tmp_path / "model.zip")
    assert loaded.predict(NEW).tolist() == detector.predict(NEW).tolist()
    assert sorted(map(str, loaded.engines)) == sorted(map(str, detector.model_.engines))
    assert (
        loaded.learner == learner
        and loaded.predict_confidence(NEW).tolist() == detector.predict_confidence(NEW).tolist()
    )


def test_a_saved_model_runs_from_a_file(detector: PhiDetector, tmp_path: Path) -> None:
    detector.save(tmp_path / "model")
    (tmp_path / "texts").mkdir()
    for i, text in enumerate(NEW):
        (tmp_path / "texts" / f"{i:02}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "run.yaml").write_text(
        "reader: {text: {folder: texts}}\nengines: [segmenter, crf: {model: model}]\n"
        f"consumers: [{{jsonl: {{annotations: found}}}}]\nrun: {{output: {tmp_path / 'out'}, on_error: stop}}\n"
    )
    Pipeline.load(tmp_path / "run.yaml").run()
    written = sorted((tmp_path / "out").rglob("*.jsonl"))
    rows = [json.loads(line) for file in written for line in file.read_text(encoding="utf-8").splitlines()]
    found = {row["id"]: [(s["begin"], s["end"], s["kind"]) for s in row["spans"]] for row in rows}
    assert [found[name] for name in sorted(found)] == detector.predict(NEW).tolist()


def test_the_result_of_rules_and_model_together(tmp_path: Path) -> None:
    engines = ["segmenter", {"aggregate": {"id": "rules", "engines": ["dates", {"ages": {"id": "old"}}]}}]
    features = [*FEATURES, {"candidate": {"sources": ["rules/dates"]}}]
    detector = PhiDetector(engines=engines, features=features, max_iterations=20).fit(X, y)
    detector.save(tmp_path / "model")
    texts = [*NEW, "Aged 92 years, born 3 May 1930."]
    rules = "{aggregate: {id: rules, engines: [dates, {ages: {id: old}}]}}"
    assert (
        spans_of(f"engines: [segmenter, {rules}, crf: {{model: {tmp_path / 'model'}}}]", texts)
        == detector.predict(texts).tolist()
    )
    loaded = PhiDetector.load(tmp_path / "model")
    assert loaded.engines == engines
    assert loaded.predict(texts).tolist() == detector.predict(texts).tolist()
    assert "AGE_OVER_89" in {kind for _, _, kind in detector.predict(texts)[-1]}


def test_files_of_features_travel_with_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "names.txt").write_text("smith\tname\nnovak\tname\nfever\tsign\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    features = ["lower", {"cluster": {"file": "names.txt"}}]
    detector = PhiDetector(features=features, max_iterations=10).fit(X, y)
    found = detector.predict(NEW).tolist()
    detector.save("model")
    (tmp_path / "names.txt").unlink()
    assert (tmp_path / "model" / "names.txt").exists()
    assert (
        PhiDetector.load("model").predict(NEW).tolist()
        == pickle.loads(pickle.dumps(detector)).predict(NEW).tolist()
        == found
    )
    with pytest.raises(ConsumerError) as error:
        detector.save("model.zip")
    assert str(error.value) == "model.zip: expected a folder, not a zip: it contains files of its features (names.txt)"


def test_the_kept_crfsuite_model_is_a_tagger(detector: PhiDetector, tmp_path: Path) -> None:
    detector.save(tmp_path / "model")
    tagger = PhiTagger.from_crfsuite(tmp_path / "model" / "model.crfsuite", features=FEATURES, window=(-2, 2))
    assert tagger.predict([["Seen", "by", "Dr", ".", "Novak", "."]])[0][4] == "B-PERSON"


def test_recall_can_be_tuned_without_training(detector: PhiDetector) -> None:
    tuned = pickle.loads(pickle.dumps(detector)).set_params(threshold=0.001)
    assert sum(map(len, tuned.predict(NEW))) > sum(map(len, detector.predict(NEW)))
    biased = pickle.loads(pickle.dumps(detector)).set_params(outside_bias=np.float64(20))
    assert sum(map(len, biased.predict(NEW))) > sum(map(len, detector.predict(NEW)))


def test_scores_are_those_of_the_evaluation(detector: PhiDetector) -> None:
    texts, gold = ["Dr. Ann Lee, 3/4/2020"], [[(4, 11, "PERSON"), (13, 21, "DATE")]]

    class Fixed:
        def predict(self, X: Any) -> Any:
            return [[(0, 11, "PERSON"), (13, 16, "DATE")]]

    assert SpanScorer()(Fixed(), texts, gold) == 0.0
    assert SpanScorer("covering", "recall")(Fixed(), texts, gold) == 0.5
    assert SpanScorer("overlapping")(Fixed(), texts, gold) == 1.0
    assert SpanScorer("covering", "recall", "PERSON")(Fixed(), texts, gold) == 1.0
    scores = score_spans(texts, gold, Fixed().predict(texts))
    assert scores.criteria == ["strict", "covering", "overlapping"]
    assert scores.value("covering", "PERSON", "precision") == 1.0
    assert np.isnan(SpanScorer()(detector, ["Nothing."], [[]]))
    assert np.isnan(detector.score(["Nothing to report."], [[]]))
    coarse = PhiDetector(features=FEATURES, scoring="covering", max_iterations=30).fit(X, y)
    assert coarse.score(NEW, NEW_SPANS) == SpanScorer("covering")(coarse, NEW, NEW_SPANS)
    doctors = [[(b, e, "PERSON_DOCTOR" if k == "PERSON" else k) for b, e, k in spans] for spans in NEW_SPANS]
    assert SpanScorer(level="top")(detector, NEW, doctors) == detector.score(NEW, NEW_SPANS)


def test_a_model_that_finds_nothing_is_the_worst_one_for_a_selection() -> None:
    class Silent:
        def predict(self, texts: list[str]) -> list[list[object]]:
            return [[] for _ in texts]

    texts, spans = ["Seen by Ann."], [[(8, 11, "PERSON")]]
    assert SpanScorer()(Silent(), texts, spans) == SpanScorer(figure="recall")(Silent(), texts, spans) == 0
    assert np.isnan(SpanScorer(figure="precision")(Silent(), texts, spans))


def test_texts_and_spans_may_come_in_arrays_and_series(detector: PhiDetector) -> None:
    frame = pandas.DataFrame({"text": X, "spans": y}, index=range(100, 100 + len(X)))
    array = np.empty(len(y), dtype=object)
    array[:] = y
    for texts, spans in (
        (frame.text, frame.spans),
        (np.array(X, dtype=object), array),
        (np.array(X), y),
        (tuple(X), tuple(y)),
    ):
        assert clone(detector).fit(texts, spans).predict(texts).tolist() == y
    kinds = [[(np.int64(b), e, PhiKind.of(k)) for b, e, k in spans] for spans in y]
    assert clone(detector).fit(X, kinds).predict(X).tolist() == y


def test_a_fitted_detector_can_be_pickled(detector: PhiDetector) -> None:
    assert len(detector.predict(NEW[:1])) == 1
    folder = detector.model_.pipeline(outside_bias=0.0).engines[1].model.place
    copy = pickle.loads(pickle.dumps(detector))
    assert copy.predict(NEW).tolist() == detector.predict(NEW).tolist()
    again = pickle.loads(pickle.dumps(copy))
    place = Path(copy.model_.pipeline(outside_bias=0.0).engines[1].model.place)
    assert place.is_dir() and str(place) != folder
    del copy
    assert not place.exists()
    assert again.predict(NEW).tolist() == detector.predict(NEW).tolist()


def test_the_same_texts_give_the_same_model(detector: PhiDetector) -> None:
    again = clone(detector).fit(X, y)
    assert again.model_.files == detector.model_.files


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learner": "cfr"}, "PhiDetector: learner: unknown value 'cfr'; did you mean crf?"),
        ({"learner": "svm", "c1": 0.1}, "PhiDetector: c1: not a parameter of learner svm"),
        ({"window": 3}, "PhiDetector: window: expected (from, to) with from in -20..0 and to in 0..20, found 3"),
        ({"options": {"model": "x"}}, "PhiDetector: options: model: expected none: the detector sets it"),
        ({"options": {"c1": 1}}, "PhiDetector: options: c1: expected the parameter of the detector"),
        ({"options": {"kinds": ["AGE"]}}, "PhiDetector: options: kinds: expected a y with other kinds"),
        ({"options": {"seed": 2}}, "PhiDetector: options: seed: expected random_state"),
        ({"options": {"early_stp": 0.1}}, "crf_trainer.early_stp: no such parameter; did you mean early_stop?"),
        ({"c1": -1}, "crf_trainer: c1: expected a finite number of 0 or more, got -1.0"),
        ({"engines": ["segmenter", "datse"]}, "engines: no engine called 'datse'; did you mean dates?"),
        ({"features": ["lowr"]}, "no feature called 'lowr'; did you mean lower?"),
        ({"random_state": "x"}, "crf_trainer.seed: expected whole number, got 'x'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        PhiDetector(**{"features": FEATURES, **parameters}).fit(X, y)
    assert str(error.value) == message


def test_features_without_their_engine_are_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"^crf_trainer: needs PhiCandidate \(feature candidate\), which no earlier component"
    ):
        PhiDetector(features=["candidate"]).fit(X, y)
    with pytest.raises(ConfigError, match=r"^crf_trainer: needs ListHit \(feature list\)"):
        PhiDetector(features=["list"], engines=["segmenter"]).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (["Ann"], None, "requires y to be passed, but the target y is None"),
        ("Ann", [[]], "X: expected a list of texts, found str"),
        (["Ann", None], [[], []], "X[1]: expected a str, found None"),
        (["Ann", float("nan")], [[], []], "X[1]: expected a str, found float"),
        (
            np.array([["Ann"]]),
            [[]],
            "X: expected a list of texts, found an array of shape (1, 1). Reshape your data",
        ),
        (["Ann"], [[], []], "y: expected 1 lists of spans, one for each text, found 2"),
        (["Ann"], [3], "y[0]: expected a list of spans, found int"),
        (["Ann"], [[(0, 3)]], "y[0][0]: expected (begin, end, kind), found tuple of length 2"),
        (["Ann"], [["PERSON"]], "y[0][0]: expected (begin, end, kind), found str"),
        (
            ["Ann"],
            [[(0.5, 3, "PERSON")]],
            "y[0][0]: begin: expected a whole number of code points, found float",
        ),
        (["Ann"], [[(0, 4, "PERSON")]], "y[0][0]: expected a span of the text (0:3), found 0:4"),
        (["Ann"], [[(2, 2, "PERSON")]], "y[0][0]: expected a span of the text (0:3), found 2:2"),
        (
            ["Ann"],
            [[(0, 3, "PERSN")]],
            "y[0][0]: kind: expected the name of a PHI kind, found another str; did you mean PERSON?",
        ),
        (["Ann"], [[(0, 3, 7)]], "y[0][0]: kind: expected the name of a PHI kind, found int"),
        (
            ["Ann"],
            [[(1, 3, "AGE"), (0, 2, "PERSON")]],
            "y[0]: expected disjoint spans, found PERSON at 0:2 and AGE at 1:3",
        ),
    ],
)
def test_wrong_data(X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        PhiDetector().fit(X, y)
    assert str(error.value) == f"PhiDetector.fit: {message}"


def test_an_error_of_an_engine_names_the_text(detector: PhiDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, view: Any) -> Any:
        if "Smith" in view.text:
            raise RuntimeError(view.text)
        return ()

    monkeypatch.setattr(CrfAnnotator, "annotate", broken)
    monkeypatch.setattr(DateAnnotator, "annotate", broken)
    dates = PhiDetector(engines=["segmenter", "dates"], features=FEATURES)
    for method in (
        lambda: detector.predict(["Ann", "Smith"]),
        lambda: dates.fit(["Ann", "Smith"], [[(0, 3, "PERSON")], []]),
    ):
        with pytest.raises(ComponentError) as error:
            method()
        assert "Smith" not in str(error.value) and "RuntimeError at test_detector.py" in str(error.value)
        assert error.value.__notes__[0].endswith(": X[1]")


def test_nothing_to_learn(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError) as error:
        PhiDetector().fit(["Ann came."], [[]])
    assert str(error.value) == "crf_trainer: nothing to learn: no gold spans on tokens in 1 documents (view gold)"
    with pytest.raises(NotFittedError) as missing:
        PhiDetector().save(tmp_path / "model")
    assert str(missing.value) == "This PhiDetector instance is not fitted yet: call fit or load a model first."


def test_models_of_another_type_are_refused() -> None:
    with pytest.raises(ValueError) as error:
        PhiDetector.load("en-tagger")
    assert str(error.value) == "PhiDetector.load: en-tagger: expected a model of type crf or svm, found tagger"
    with pytest.raises(ResourceError, match="did you mean en-phi-crf"):
        PhiDetector.load("en-ph-crf")
    assert issubclass(ResourceError, CaspipeError)


def test_a_shipped_model_is_a_detector() -> None:
    shipped = PhiDetector.load("en-phi-crf")
    text = "Dr. Maria Lindqvist saw the 92-year-old on 3/4/2020."
    assert (4, 19, "PERSON") in [(b, e, PhiKind.of(k).top.name) for b, e, k in shipped.predict([text])[0]]
    assert shipped.engines[0] == "segmenter" and shipped.engines[-1]["aggregate"]["id"] == "rules"


def test_an_unknown_criterion() -> None:
    with pytest.raises(ConsumerError, match=r"^no criterion called 'strickt'; did you mean strict\?$"):
        PhiDetector(features=FEATURES, scoring="strickt", max_iterations=2).fit(X, y).score(X, y)
