"""The PHI scrubber (S5): its quick form is trained, applied, and takes medical words back."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from caspipe.annotators.disambiguation import Disambiguation
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.annotators.sequence.model_files import read_description
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import CaspipeWarning, Phi, PhiCandidate, PhiKind

pytestmark = pytest.mark.neural

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

SYSTEMS = folder() / "systems"
NAMES, SECOND = "s5-bilstm-cnn", "s5-id-cnn"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both networks of the quick form, of fewer documents."""
    out = tmp_path_factory.mktemp("s5")
    for file in ("s5_quick", "s5_quick_id_cnn"):
        small = [
            f"run.output={out}",
            "reader.synthetic.documents=25",
            "neural_trainer.epochs=20",
            "neural_trainer.dropout=0.2",
            "neural_trainer.threads=1",
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CaspipeWarning)  # gold spans that do not fit tokens
            Pipeline.load(SYSTEMS / f"{file}.yaml", small).run()
    return out


def trainer(file: str) -> Any:
    """The trainer of a shipped configuration, not opened."""
    (made,) = Pipeline.load(SYSTEMS / f"{file}.yaml").consumers
    return made


def test_the_first_source_file_has_the_numbers_of_table_2() -> None:
    made = trainer("s5_source")
    assert (made.encoder.name, made.encoder.width, made.encoder.layers) == ("lstm", 200, 2)
    assert (made.characters.name, made.characters.dim) == ("char_cnn", 95)
    assert (made.optimizer.name, made.optimizer.rate, made.epochs) == ("nadam", 0.001, 65)
    assert [repr(f) for f in made.features] == ["word_class"]
    assert (made.decoder.name, made.encoding) == ("softmax", "bilou")


def test_the_second_source_file_has_the_numbers_of_table_3() -> None:
    made = trainer("s5_source_id_cnn")
    encoder = made.encoder
    assert (encoder.filters, encoder.width, encoder.dilations, encoder.repeats) == (400, 3, [1, 2, 1], 1)
    assert (made.optimizer.name, made.optimizer.rate, made.epochs) == ("adam", 0.0001, 100)
    assert [repr(f) for f in made.features] == ["word_class(classes=4)"]
    assert (made.decoder.name, made.encoding, made.characters) == ("crf", "bilou", None)


@pytest.mark.parametrize(("scaled", "source"), [("s5_phi_scrubber", "s5_source"), ("s5_id_cnn", "s5_source_id_cnn")])
def test_the_scaled_files_keep_the_architecture(scaled: str, source: str) -> None:
    small, whole = trainer(scaled), trainer(source)
    for name in ("encoder", "decoder", "features", "encoding"):
        assert repr(getattr(small, name)) == repr(getattr(whole, name))
    assert small.epochs < whole.epochs


@pytest.mark.parametrize(("model", "file"), [("bilstm-cnn", "s5_phi_scrubber"), ("id-cnn", "s5_id_cnn")])
def test_the_experiment_on_the_networks_trains_those_of_the_configurations(model: str, file: str) -> None:
    card = ("model", "title", "language", "licence", "corpora", "limits")
    (consumer,) = yaml.safe_load((SYSTEMS / f"{file}.yaml").read_text(encoding="utf-8"))["consumers"]
    experiment = yaml.safe_load((folder() / "experiments" / "s5-networks.yaml").read_text(encoding="utf-8"))
    parameters = {name: value for name, value in consumer["neural_trainer"].items() if name not in card}
    assert experiment["models"][model]["trainer"]["neural_trainer"] == {**parameters, "checkpoint": False}


@pytest.mark.parametrize("file", ["s5_source", "s5_source_id_cnn"])
def test_the_source_files_learn_all_labels_of_their_corpus(file: str) -> None:
    pipeline = Pipeline.load(SYSTEMS / f"{file}.yaml")
    assert vars(pipeline.reader)["own_labels"]
    made = trainer(file)
    assert (made.kinds, made.first_level, made.complete) == ([], False, [])


@pytest.mark.parametrize(("name", "encoder"), [(NAMES, "lstm"), (SECOND, "id_cnn")])
def test_a_quick_network_labels_in_bilou(models: Path, name: str, encoder: str) -> None:
    meta = read_description(str(models / name))
    assert meta["encoding"] == "bilou"
    assert {label.partition("-")[0] for label in meta["labels"]} == set("OBILU")
    assert encoder in str(meta["network"])


@pytest.fixture(scope="module")
def scrubber(models: Path) -> Iterator[Pipeline]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S5", str(models))
        patch.setenv("CASPIPE_KEY", "a key for tests only, nothing is secret")
        made = Pipeline.load(SYSTEMS / "s5_apply.yaml")
    with made:
        yield made


def test_networks_and_patterns_each_give_their_kinds(scrubber: Pipeline) -> None:
    cas = scrubber.process(
        "Patient: Mary Jones\nSeen by Dr. John Smith at Boston on 03/04/2021.\nMRN: 00482913, phone (415) 555-0132."
    )
    kinds = {c.kind.top.name for c in cas.select(PhiCandidate) if c.source == "identifiers"}
    assert kinds == {"ID", "PHONE"}
    masked = cas.view("deidentified").text
    assert "00482913" not in masked
    assert "555-0132" not in masked


def touches(one: Phi | PhiCandidate, other: Phi | PhiCandidate) -> bool:
    return one.kind.top is other.kind.top and one.begin < other.end and other.begin < one.end


@pytest.mark.parametrize(
    ("source", "kinds", "precision"), [("bilstm", {"PERSON"}, 0.35), ("idcnn", {"PERSON", "LOCATION", "DATE"}, 0.7)]
)
def test_each_network_finds_its_kinds_in_its_training_texts_and_little_else(
    scrubber: Pipeline, source: str, kinds: set[str], precision: float
) -> None:
    reader = Pipeline.load(SYSTEMS / "s5_quick.yaml", ["reader.synthetic.documents=10"]).reader
    assert reader is not None
    marked, right, gold, found = 0, 0, Counter[str](), Counter[str]()
    seen: set[str] = set()
    for document in reader:
        cas = scrubber.process(document.text)
        own = [c for c in cas.select(PhiCandidate) if c.source == source]
        wanted = [p for p in document.view("gold").select(Phi) if p.kind.top.name in kinds]
        seen |= {c.kind.top.name for c in own}
        gold.update(p.kind.top.name for p in wanted)
        found.update(p.kind.top.name for p in wanted if any(touches(c, p) for c in own))
        marked += len(own)
        right += sum(any(touches(c, p) for p in wanted) for c in own)
    assert seen == kinds
    assert {kind for kind in kinds if found[kind] > 0.5 * gold[kind]} == kinds, (found, gold)
    assert right > precision * marked, (right, marked)


def test_medical_words_are_taken_back_from_the_networks_alone(scrubber: Pipeline) -> None:
    (engine,) = [e for e in scrubber.engines if isinstance(e, Disambiguation)]
    (resolver,) = [e for e in scrubber.engines if isinstance(e, Resolver)]
    for source, vetoed in (("bilstm", True), ("idcnn", True), ("identifiers", False)):
        cas = scrubber.process("He took Zofran.", stop_after="segmenter")
        candidate = PhiCandidate(8, 14, kind=PhiKind.PERSON, confidence=1.0)
        candidate._source = source
        cas.add(candidate)
        engine.process(cas)
        assert (candidate.reason == "vetoed: exact medical term") is vetoed
        resolver.process(cas)
        assert (not cas.select(Phi)) is vetoed


def test_a_bundle_that_is_not_there_is_told_before_any_document(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S5", str(tmp_path))
        with pytest.raises(ConfigError, match=r"bilstm\.model: no model or file called"):
            Pipeline.load(SYSTEMS / "s5_apply.yaml")
