"""Training: the same bytes for the same documents, and a clear word on everything there is nothing to learn from."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.sequence.crf_trainer import CrfTrainer
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.svm_trainer import SvmTrainer
from caspipe.annotators.sequence.training import Trainer
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.component import CollectionReader
from caspipe.pipeline.errors import CasError, ConsumerError, ResourceError
from caspipe.typesystem import Cas, CaspipeWarning, Phi, PhiKind

from .small_models import crf, document, documents, features, svm

Make = Callable[..., LinearModel]
BOTH = pytest.mark.parametrize("make", [crf, svm], ids=["crf", "svm"])
CLASSES = pytest.mark.parametrize("cls", [CrfTrainer, SvmTrainer], ids=["crf", "svm"])


class Ready(CollectionReader):
    """Yields documents made beforehand."""

    def __init__(self, cases: list[Cas]) -> None:
        self.cases = cases

    def open(self) -> None:
        """Nothing to open."""

    def __iter__(self) -> Any:
        return iter(self.cases)


def opened(cls: type[Trainer], folder: Path, **given: Any) -> Trainer:
    trainer = cls(model=Path("model"), features=features("lower", "shape"), **given)
    trainer.output = folder
    trainer.open()
    return trainer


def content(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted((folder / "model").iterdir())}


@BOTH
def test_the_same_documents_give_the_same_bytes(make: Make, tmp_path: Path) -> None:
    given = {"outside_share": 0.7, "features": ["lower", "shape", "list", "sentence_position"]}
    make(tmp_path / "one", documents(15), **given)
    make(tmp_path / "between", documents(5, seed=3))  # LIBLINEAR draws from one generator for the whole process
    make(tmp_path / "two", documents(15), **given)
    assert content(tmp_path / "one") == content(tmp_path / "two")
    make(tmp_path / "three", documents(15), seed=2, **given)
    assert content(tmp_path / "one")["weights.npz"] != content(tmp_path / "three")["weights.npz"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crf", "svm"])
def test_the_bytes_do_not_depend_on_the_hash_seed(name: str, tmp_path: Path) -> None:
    code = f"""
        import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        import small_models as s
        s.{name}(Path(sys.argv[1]), s.documents(10), features=["lower", "list", "term", "candidate", "shape"])
        """
    for seed in ("0", "7"):
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
    assert content(tmp_path / "0") == content(tmp_path / "7")


@BOTH
def test_the_description_says_what_was_learnt_from(make: Make, tmp_path: Path) -> None:
    made = make(tmp_path, documents(12), language="en", licence="CC0-1.0", corpora=["made up, CC0"], limits="Toy.")
    meta = made.meta
    assert (meta["language"], meta["licence"], meta["limits"]) == ("en", "CC0-1.0", "Toy.")
    assert meta["training"]["documents"] == 12 and meta["training"]["spans"]["PERSON"] > 5
    assert meta["training"]["corpora"] == ["made up, CC0"]
    assert meta["active_features"] == made.weights.active > 10
    assert sorted(meta["versions"]) == sorted({"numpy", *meta["versions"]})
    text = json.dumps({k: v for k, v in meta.items() if k != "labels"})
    assert "Smith" not in text and str(tmp_path) not in text


@CLASSES
def test_documents_with_one_id_or_none_are_all_learnt_from(cls: type[Trainer], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path)
    cases = documents(8)
    for cas in cases:
        cas.id = "" if cas is cases[0] else "same"
        trainer.process(cas)
    trainer.rollback(cases[0].id)  # not the last one: nothing was kept of it since
    trainer.rollback(cases[-1].id)
    trainer.rollback(cases[-1].id)
    trainer.close()
    assert LinearModel.load(str(tmp_path / "model")).meta["training"]["documents"] == 7


@CLASSES
def test_documents_without_gold_or_with_another_text_are_told(cls: type[Trainer], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path)
    with pytest.raises(CasError, match="gold"):
        trainer.process(Cas("Ann came."))
    cas = Cas("Ann came.")
    cas.create_view("gold", "Ann came!")
    with pytest.raises(CasError) as error:
        trainer.process(cas)
    assert str(error.value) == "view gold has another text than the initial view: its spans have other offsets"


@CLASSES
def test_overlapping_gold_is_told_with_its_places(cls: type[Trainer], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path)
    cas = document("Ann Lee came .", [(0, 7, PhiKind.PERSON), (4, 7, PhiKind.AGE)])
    with pytest.raises(CasError) as error:
        trainer.process(cas)
    assert str(error.value) == "view gold: PERSON at 0:7 and AGE at 4:7 overlap, but a token has one label"
    only = opened(cls, tmp_path, kinds=[PhiKind.AGE])
    only.process(cas)  # the other one is not learnt


def test_gold_outside_the_text_cannot_be() -> None:
    with pytest.raises(CasError, match="lies outside the text of view gold"):
        document("Ann", [(0, 9, PhiKind.PERSON)])


@CLASSES
@pytest.mark.parametrize("cases", [[], [document("He came .")], [document("")]], ids=["none", "no spans", "empty"])
def test_a_corpus_without_entities_is_told(cls: type[Trainer], cases: list[Cas], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path)
    for cas in cases:
        trainer.process(cas)
    with pytest.raises(ConsumerError) as error:
        trainer.close()
    told = f"{trainer.name}: nothing to learn: no gold spans on tokens in {len(cases)} documents (view gold)"
    if not cases:
        told = f"{trainer.name}: nothing to learn: no document came this far: none was read, or all failed"
    assert str(error.value) == told
    assert not (tmp_path / "model").exists()


@CLASSES
def test_one_label_alone_is_told(cls: type[Trainer], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path, encoding="io")
    trainer.process(document("Ann", [(0, 3, PhiKind.PERSON)]))
    with pytest.raises(ConsumerError) as error:
        trainer.close()
    told = f"{trainer.name}: only one label occurs in training (PERSON): expected at least two"
    assert str(error.value) == told


@BOTH
def test_one_document_is_enough(make: Make, tmp_path: Path) -> None:
    made = make(tmp_path, [document("Ann came .", [(0, 3, PhiKind.PERSON)])])
    assert sorted(made.labels) == ["B-PERSON", "O"]


@CLASSES
def test_spans_that_do_not_fit_tokens_are_counted_in_a_warning(cls: type[Trainer], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path)
    trainer.process(document("Annabel came .", [(0, 3, PhiKind.PERSON)]))
    trainer.process(document("Ann came .", [(3, 4, PhiKind.PERSON), (4, 8, PhiKind.AGE)]))
    with pytest.warns(CaspipeWarning) as caught:
        trainer.close()
    assert [str(w.message) for w in caught] == [f"{trainer.name}: gold spans that do not fit tokens: 1 widened, 1 lost"]


@CLASSES
def test_a_place_that_is_taken_is_told_before_the_first_document(cls: type[Trainer], tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ResourceError, match="exists and is not a model: choose another name"):
        opened(cls, tmp_path)


@pytest.mark.parametrize(
    ("cls", "given", "fault"),
    [
        (CrfTrainer, {"c1": -1.0}, "c1: expected a finite number of 0 or more, got -1.0"),
        (CrfTrainer, {"c2": float("nan")}, "c2: expected a finite number of 0 or more, got nan"),
        (CrfTrainer, {"C": 1.0, "c1": 0.1}, "C: expected either C (with alpha) or c1 and c2, got both"),
        (CrfTrainer, {"alpha": 1.5}, "alpha: expected a share from 0 to 1, got 1.5"),
        (CrfTrainer, {"max_iterations": 0}, "max_iterations: expected 1 or more, got 0"),
        (CrfTrainer, {"window": (1, 2)}, "window: expected [from, to] with from in -20..0 and to in 0..20, got [1, 2]"),
        (CrfTrainer, {"features": []}, "features: expected at least one"),
        (SvmTrainer, {"C": 0.0}, "C: expected a finite number above 0, got 0.0"),
        (SvmTrainer, {"C": float("nan")}, "C: expected a finite number above 0, got nan"),
        (SvmTrainer, {"outside_share": 0.0}, "outside_share: expected a share above 0 up to 1, got 0.0"),
        (SvmTrainer, {"calibration_share": 1.0}, "calibration_share: expected a share from 0 up to 1, got 1.0"),
        (SvmTrainer, {"prune": -1.0}, "prune: expected 0 or more, got -1.0"),
        (SvmTrainer, {"min_count": 0}, "min_count: expected 1 or more, got 0"),
        (SvmTrainer, {"class_weights": {"O": 0.0}}, "class_weights O: expected a finite number above 0, got 0.0"),
    ],
)
def test_parameters_out_of_range_are_told(cls: type[Trainer], given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError) as error:
        cls(**{"model": Path("m"), **given})
    assert str(error.value) == fault


def test_class_weights_of_a_label_that_does_not_occur_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError, match="svm_trainer: class_weights: no label AGE occurs; labels: B-DATE"):
        svm(tmp_path, class_weights={"AGE": 2.0})


def test_class_weights_of_outside_make_it_rarer(tmp_path: Path) -> None:
    from caspipe.annotators.sequence.feature import Words
    from caspipe.annotators.sequence.scoring import LabelScorer

    shares = []
    for weight in (0.01, 1.0):
        made = svm(tmp_path, documents(12), class_weights={"O": weight}, C=0.01)
        scorer, outside = LabelScorer(made.features, made.weights), made.labels.index("O")
        shares.append(
            sum(
                int((scorer.scores(made.features.columns(Words(c.view()))).argmax(axis=1) == outside).sum())
                for c in documents(12, seed=4)
            )
        )
    assert shares[0] < shares[1]


def test_no_token_left_outside_is_told(tmp_path: Path) -> None:
    cases = [document("Ann came", [(0, 3, PhiKind.PERSON)])]
    with pytest.raises(ConsumerError, match="outside_share 1e-09 leaves no token labeled O"):
        svm(tmp_path, cases, outside_share=1e-9, calibration_share=0.0)


def test_c_and_alpha_become_c1_and_c2_by_the_number_of_sequences(tmp_path: Path) -> None:
    made = crf(tmp_path, documents(10), C=0.002, alpha=0.25)
    facts = made.meta["crfsuite"]
    n = facts["sequences"]
    assert n > 10
    assert facts["options"]["c1"] == pytest.approx(n * 0.002 * 0.25)
    assert facts["options"]["c2"] == pytest.approx(n * 0.002 * 0.75 / 2)


def test_more_regularisation_is_a_larger_c_for_the_crf_and_a_smaller_one_for_the_svm(tmp_path: Path) -> None:
    def size(make: Make, c: float) -> float:
        return float(abs(make(tmp_path, documents(10), C=c).weights.values).sum())

    assert size(crf, 1.0) < size(crf, 0.001)
    assert size(svm, 1.0) > size(svm, 0.001)


def test_early_stop_chooses_the_number_of_iterations(tmp_path: Path) -> None:
    made = crf(tmp_path, documents(20), early_stop=0.3, max_iterations=40)
    assert 1 <= made.meta["crfsuite"]["best_iteration"] <= 40
    assert made.meta["crfsuite"]["options"]["max_iterations"] == made.meta["crfsuite"]["best_iteration"]
    with pytest.raises(ConsumerError, match="early_stop holds out every document: 1 are too few"):
        crf(tmp_path, documents(1, seed=4), early_stop=0.5)


def test_first_level_and_chosen_kinds_are_learnt(tmp_path: Path) -> None:
    cases = [
        document(
            "Dr Ann saw Bob on Monday .",
            [(3, 6, PhiKind.PERSON_DOCTOR), (11, 14, PhiKind.PERSON_PATIENT), (18, 24, PhiKind.DATE)],
        )
        for _ in range(3)
    ]
    assert set(crf(tmp_path, cases).labels) == {"O", "B-PERSON_DOCTOR", "B-PERSON_PATIENT", "B-DATE"}
    assert set(crf(tmp_path, cases, first_level=True).labels) == {"O", "B-PERSON", "B-DATE"}
    assert set(crf(tmp_path, cases, kinds=[PhiKind.PERSON]).labels) == {"O", "B-PERSON_DOCTOR", "B-PERSON_PATIENT"}


@pytest.mark.parametrize("make", [crf, svm])
def test_progress_is_told_without_a_word_of_any_document(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "caspipe.training")
    make(tmp_path, documents(12))
    iterations = [r for r in caplog.records if r.getMessage() == "iteration"]
    assert [r.__dict__["iteration"] for r in iterations][:3] == [1, 2, 3]
    assert all(r.__dict__["of"] >= r.__dict__["iteration"] for r in iterations if make is crf)
    assert not any("Smith" in str(r.__dict__) or "smith" in str(r.__dict__) for r in caplog.records)
    assert caplog.records[-1].getMessage() == "written"


@CLASSES
def test_a_run_that_breaks_down_leaves_no_model(cls: type[Trainer], tmp_path: Path) -> None:
    trainer = opened(cls, tmp_path)
    for cas in documents(5):
        trainer.process(cas)
    trainer.abort()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(
        ConsumerError, match="nothing to learn: no document came this far: none was read, or all failed"
    ):
        trainer.close()


def test_an_interrupt_ends_the_training_and_leaves_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = CrfTrainer(
        model=Path("model"),
        features=features("lower", "shape", "suffix2"),
        max_iterations=100_000,
        delta=1e-30,
        epsilon=1e-30,
        c1=0.0,
    )
    pipeline = Pipeline([], reader=Ready(documents(60)), consumers=[trainer])
    pipeline.options.output = trainer.output = tmp_path
    log = logging.getLogger("caspipe.training")

    class Interrupting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.__dict__.get("iteration") == 2:
                os.kill(os.getpid(), signal.SIGINT)

    handler = Interrupting()
    log.addHandler(handler)
    monkeypatch.setattr(log, "level", logging.INFO)
    log.setLevel(logging.INFO)
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            pipeline.run()
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
    assert signal.getsignal(signal.SIGINT) is before
    assert not (tmp_path / "model").exists()


def test_training_works_in_a_thread_that_gets_no_signals(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            crf(tmp_path, documents(5))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed and (tmp_path / "model").is_dir()


def test_after_a_run_the_bundle_names_the_engines_before_it(tmp_path: Path) -> None:
    config = f"""
        engines: [segmenter]
        consumers: [crf_trainer: {{model: m, features: [lower], max_iterations: 5}}]
        run: {{output: {tmp_path}}}
        """
    pipeline = Pipeline.parse(textwrap.dedent(config))
    cases = []
    for i in range(4):
        cas = Cas(f"Ann came on day {i} .", id=str(i))
        cas.create_view("gold", cas.text).add(Phi(0, 3, kind=PhiKind.PERSON))
        cases.append(cas)
    pipeline.reader = Ready(cases)
    report = pipeline.run()
    assert report.exit_code == 0 and report.documents.released == 4
    meta = LinearModel.load(str(tmp_path / "m")).meta
    assert [e["component"] for e in meta["preprocessing"]] == ["segmenter"]
