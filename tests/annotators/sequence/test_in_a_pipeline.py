"""Models in whole pipelines: declared in YAML, trained, applied, settled with rules by the resolver."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.crf_trainer import CrfTrainer
from caspipe.annotators.sequence.model_files import read_description
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError
from caspipe.typesystem import ListHit, Phi, PhiCandidate, PhiKind, Token

from .small_models import crf, document, documents, features, svm


def loaded(folder: Path, text: str) -> Pipeline:
    (folder / "p.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    return Pipeline.load(folder / "p.yaml")


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        loaded(folder, text)
    return [str(f).replace(str(folder), "") for f in error.value.faults]


def test_features_are_declared_by_name_short_form_and_parameters(tmp_path: Path) -> None:
    pipeline = loaded(
        tmp_path,
        """\
        engines: [segmenter, lists]
        consumers:
          - crf_trainer:
              model: m
              window: [-2, 1]
              features:
                - lower
                - list:countries
                - suffix: {length: 4}
                - shape: {window: [0, 0]}
        """,
    )
    trainer = pipeline.consumers[0]
    assert isinstance(trainer, CrfTrainer)
    assert [f.label for f in trainer.features] == ["lower", "list:countries", "suffix:4", "shape"]
    assert trainer.window == (-2, 1) and list(trainer.feature_set.window_of(trainer.features[3])) == [0]


def test_a_misspelt_feature_is_told_with_its_place_and_the_nearest_name(tmp_path: Path) -> None:
    told = faults(
        tmp_path,
        """\
        engines: [segmenter]
        consumers:
          - crf_trainer:
              model: m
              features:
                - lower
                - shap
                - suffix: {lenght: 4}
        """,
    )
    assert len(told) == 2
    assert told[0].startswith("/p.yaml:7: crf_trainer.features") and told[0].endswith("did you mean shape?")
    assert told[1].startswith("/p.yaml:8: crf_trainer.features") and "did you mean length?" in told[1]


def test_a_feature_declared_twice_is_told_with_its_place(tmp_path: Path) -> None:
    assert faults(
        tmp_path,
        """\
        engines: [segmenter]
        consumers:
          - svm_trainer: {model: m, features: [lower, shape, lower]}
        """,
    ) == ["/p.yaml:3: svm_trainer: feature lower is declared twice"]


def test_what_a_models_features_need_must_be_made_upstream(tmp_path: Path) -> None:
    crf(tmp_path, features=["lower", "list:places", "pos"])
    told = faults(
        tmp_path,
        """\
        engines:
          - segmenter
          - crf: {model: model}
          - resolver
        """,
    )
    assert [t.partition("; ")[0] for t in told] == [
        "/p.yaml:3: crf: needs ListHit (feature list:places of model /model), which no earlier component creates",
        "/p.yaml:3: crf: needs Token:pos (feature pos of model /model), which no earlier component sets",
    ]
    assert "lists" in told[0] and "tagger" in told[1]


def test_a_model_that_is_not_there_is_told_with_the_nearest_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crf(tmp_path / "models", model=Path("ward-crf"))
    monkeypatch.setenv("CASPIPE_MODELS", str(tmp_path / "models"))
    told = faults(tmp_path, "engines: [segmenter, crf: {model: ward-crv}]\n")
    assert told == ["/p.yaml:1: crf.model: no model or file called 'ward-crv'; did you mean ward-crf?"]
    pipeline = loaded(tmp_path, "engines: [segmenter, crf: {model: ward-crf}]\n")
    assert pipeline.process("Dr. Smith saw the patient on 3/4/2020 .").select(Phi)


def test_labels_do_not_depend_on_whether_documents_come_alone(tmp_path: Path) -> None:
    crf(tmp_path, features=["lower", "shape", "list:places", "sentence_position"])
    config = "engines: [segmenter, lists, crf: {model: model}, resolver]\n"
    together = loaded(tmp_path, config)
    for cas in documents(6, seed=3, marked=False):
        alone = loaded(tmp_path, config)
        found = [
            [(p.begin, p.end, p.kind, p.confidence) for p in p_.process(cas.text).select(Phi)]
            for p_ in (together, alone)
        ]
        assert found[0] == found[1]


def test_the_resolver_weighs_confidences_of_models_and_rules(tmp_path: Path) -> None:
    crf(tmp_path, documents(25), max_iterations=40)
    svm(tmp_path, documents(25), model=Path("svm-model"))
    text = "Dr. Smith saw the patient on 3/4/2020 ."
    pipeline = loaded(
        tmp_path,
        """\
        engines:
          - segmenter
          - dates
          - crf: {model: model}
          - svm: {model: svm-model}
          - resolver: {priority: [dates, crf, svm]}
        """,
    )
    cas = pipeline.process(text)
    sources = {c.source for c in cas.select(PhiCandidate)}
    assert sources == {"dates", "crf", "svm"}
    assert [(p.kind, p.source) for p in cas.select(Phi)] == [(PhiKind.PERSON, "crf"), (PhiKind.DATE, "dates")]
    person = next(p for p in cas.select(Phi) if p.kind is PhiKind.PERSON)
    assert 0 < person.confidence < 1
    above = (person.confidence + 1) / 2
    strict = loaded(
        tmp_path,
        f"""\
        engines:
          - segmenter
          - crf: {{model: model}}
          - resolver: {{threshold: {{PERSON: {above!r}}}}}
        """,
    )
    assert PhiKind.PERSON not in {p.kind for p in strict.process(text).select(Phi)}


def test_gold_of_a_document_that_failed_upstream_is_not_learnt(tmp_path: Path) -> None:
    trainer = CrfTrainer(model=Path("m"), features=features("lower"), max_iterations=5)
    trainer.output = tmp_path
    trainer.open()
    for i in range(3):
        cas = document("Ann came .", [(0, 3, PhiKind.PERSON)], name=str(i))
        trainer.process(cas)
        if i == 1:
            trainer.rollback(cas.id)
    trainer.close()
    assert read_description(str(tmp_path / "m"))["training"]["documents"] == 2


def test_the_error_names_the_feature_and_the_model(tmp_path: Path) -> None:
    crf(tmp_path, features=["lower", "list:places", "pos"])
    told = faults(tmp_path, "engines: [segmenter, crf: {model: model}, resolver]\n")
    assert told[0].startswith("/p.yaml:1: crf: needs ListHit (feature list:places of model /model), which no earlier")
    assert told[1].startswith("/p.yaml:1: crf: needs Token:pos (feature pos of model /model), which no earlier")


def test_annotators_and_trainers_can_tell_which_feature_needs_what(tmp_path: Path) -> None:
    made = crf(tmp_path, features=["lower", "list:places", "pos"])
    for model in (made, str(tmp_path / "model")):
        annotator = CrfAnnotator(model=model)  # type: ignore[arg-type]
        assert annotator.explain_need(ListHit) == f"feature list:places of model {tmp_path / 'model'}"
        assert annotator.explain_need(Token) == ""
    trainer = CrfTrainer(model=Path("m"), features=features("pos", "pos_bigram"))
    assert trainer.explain_need("Token:pos") == "feature pos, pos_bigram" and trainer.explain_need(ListHit) == ""


def test_a_run_that_ended_early_leaves_no_model(tmp_path: Path) -> None:
    lines = [
        {"id": str(i), "text": "Ann came .", "spans": [{"begin": 0, "end": 3, "kind": "PERSON"}]} for i in range(9)
    ]
    lines[6]["spans"] = [{"begin": 0, "end": 99, "kind": "PERSON"}]
    (tmp_path / "n.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    pipeline = loaded(
        tmp_path,
        f"""\
        reader: {{jsonl: {{files: n.jsonl, spans_field: spans}}}}
        engines: [segmenter]
        consumers: [crf_trainer: {{model: m, features: [lower], max_iterations: 5}}]
        run: {{output: {tmp_path}, on_error: stop}}
        """,
    )
    assert pipeline.run().stopped
    assert not (tmp_path / "m").exists()
