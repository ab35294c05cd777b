"""The feature-augmented BiLSTM-CRF (S4): its configurations assemble, the quick one learns, the record changes what it finds."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.neural.annotator import NeuralAnnotator
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.model_files import read_description
from caspipe.pipeline.application.experiment import read_plan
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, CaspipeWarning, KnownPhi, Phi, PhiCandidate, PhiKind, TokenScore

pytestmark = pytest.mark.neural

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

SYSTEMS, EXPERIMENTS = folder() / "systems", folder() / "experiments"
FAMILIES = ["ehr", "morphology", "supersense", "hypernym", "temporal", "gazetteer", "regex"]


def trainer(file: str, *overrides: str) -> Any:
    """The trainer of a shipped configuration, not opened."""
    (made,) = Pipeline.load(SYSTEMS / f"{file}.yaml", list(overrides)).consumers
    return made


def train(out: Path, *overrides: str) -> None:
    few = [f"run.output={out}", "reader.synthetic.documents=60", "neural_trainer.epochs=4"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)  # gold spans that do not fit tokens
        Pipeline.load(SYSTEMS / "s4_quick.yaml", [*few, *overrides]).run()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of the quick form, of fewer documents."""
    out = tmp_path_factory.mktemp("s4")
    train(out)
    return out / "s4-quick"


def test_the_source_file_has_the_numbers_of_the_source() -> None:
    made = trainer("s4_source")
    assert (made.characters.name, made.characters.dim, made.characters.width) == ("char_lstm", 25, 25)
    assert (made.tokens.dim, made.encoder.name, made.encoder.width, made.encoder.layers) == (100, "lstm", 100, 1)
    assert (made.decoder.name, made.dropout, made.optimizer.name) == ("crf", 0.5, "sgd")
    assert made.features[0].label == "ehr"  # the four features of names, nothing else of the record


@pytest.mark.parametrize("file", ["s4_source", "s4_feature_bilstm_crf", "s4_quick"])
def test_every_training_has_every_family_of_features(file: str) -> None:
    made = trainer(file)
    assert made.attributes.name == "feed_forward"
    names = {feature.name for feature in made.features}
    assert names.issuperset(FAMILIES)
    assert all(feature.window is None for feature in made.features)
    assert made.window == (0, 0)


def test_rows_of_table_2_are_one_override_away() -> None:
    assert trainer("s4_source", "neural_trainer.features=[]").features == []
    only = trainer("s4_source", "neural_trainer.features=[ehr]", "neural_trainer.select=hipaa_recall")
    assert ([f.label for f in only.features], only.select) == (["ehr"], "hipaa_recall")


def test_applying_needs_a_model_and_says_so() -> None:
    with pytest.raises(ConfigError, match=r"s4_apply\.yaml:17: neural\.model: no model or file called"):
        Pipeline.load(SYSTEMS / "s4_apply.yaml")


@pytest.mark.parametrize("name", ["s4-features", "s4-features-quick"])
def test_the_ablation_compares_no_ehr_and_all_features_with_the_source(name: str) -> None:
    plan = read_plan(EXPERIMENTS / f"{name}.yaml")
    tables = plan.experiment.reference  # type: ignore[attr-defined]
    shown = [system for table in tables if not table.system for system in table.ours.values()]
    assert list(dict.fromkeys(shown)) == plan.chosen()
    assert tables[0].criterion == "token-binary-hipaa"
    given = {m.name: m.trainer.given for m in plan.models.values() if m.trainer is not None}
    for chosen_by in {m.partition("-")[2] for m in plan.chosen()}:
        none, ehr, whole = (dict(given[f"{what}-{chosen_by}"]) for what in ("no", "ehr", "all"))
        assert (none.pop("features", []), ehr.pop("features"), len(whole.pop("features"))) == ([], ["ehr"], 20)
        ehr.pop("attributes"), whole.pop("attributes")
        assert none == ehr == whole
        assert none["select"] == f"hipaa_{chosen_by}"


def test_the_bundle_holds_its_features_and_marks_with_them(model: Path) -> None:
    declared = read_description(str(model))["features"]
    assert len(declared) == len(trainer("s4_quick").features)
    with Pipeline.parse(f"engines: [segmenter, {{neural: {{model: {model}}}}}]") as pipeline:
        cas = pipeline.process("Seen on 3/4/2020 by Dr. Smith. A 45-year-old man, call 617-555-0123.")
        found = {(c.covered_text, c.kind.name) for c in cas.select(PhiCandidate)}
        plain = pipeline.process("The patient denies chest pain and has no fever.")
    assert {("3/4/2020", "DATE"), ("Smith", "PERSON"), ("617-555-0123", "PHONE")} <= found
    assert not plain.select(PhiCandidate), "a network that marks everything is not enough"


def test_what_the_record_says_raises_the_probability_of_a_name(model: Path) -> None:
    annotator = NeuralAnnotator(model=str(model), token_scores=True)  # type: ignore[arg-type]  # a path until it is opened
    text = "Today Qorvane Belthusi reports less pain."

    def certainty(*known: str) -> float:
        with Pipeline([Segmenter(), annotator], name="scores") as pipeline:
            cas = Cas(text)
            for name in known:
                cas.add(KnownPhi(kind=PhiKind.PERSON_PATIENT, value=name))
            pipeline.process(cas)
            return sum(s.score for s in cas.select(TokenScore) if s.covered_text in ("Qorvane", "Belthusi"))

    assert certainty("Belthusi, Qorvane") > certainty("Somebody Else")


def test_the_applied_system_masks_what_the_record_says(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASPIPE_KEY", "a key for this test alone")
    overrides = [f"neural.model={model}", f"run.output={tmp_path}"]
    with Pipeline.load(SYSTEMS / "s4_apply.yaml", overrides) as pipeline:
        cas = Cas("Qorvane Belthusi was seen on 3/4/2020.")
        cas.add(KnownPhi(kind=PhiKind.PERSON_PATIENT, value="Qorvane Belthusi"))
        pipeline.process(cas)
    found = {p.covered_text: p.source for p in cas.select(Phi)}
    assert found == {"Qorvane Belthusi": "known_phi", "3/4/2020": "neural"}, (
        "the name by the record, the date by the network"
    )
    assert "Belthusi" not in cas.view(DEIDENTIFIED_VIEW).text
