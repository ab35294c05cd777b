"""The English models that ship: they load, say what they are, stay small, and find names where no rule has a cue."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from whole_pipeline import SHIFT, disagreement, lines, process, shipped

from caspipe.annotators.neural.network_model import NeuralModel
from caspipe.annotators.sequence.crf import ChainTagger
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.annotators.sequence.model_files import locate_model, read_card, read_description
from caspipe.annotators.sequence.plain_data import plain
from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import Phi, PhiCandidate, PhiKind

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("en-phi-network", "en-phi-crf", "en-phi-svm")
DEFAULT = MODELS[:2]
KINDS = {"PERSON", "LOCATION", "ORGANIZATION", "PROFESSION", "AGE", "ID"}
SMALL = """
reader: {{synthetic: {{documents: 6, seed: 5}}}}
engines: [include: evidence-en.yaml]
consumers:
  - {trainer}: {{model: small, features: [lower, short_shape, "lexicon:surnames", "candidate:names"], first_level: true, {more}}}
run: {{output: "{output}", on_error: stop}}
"""
TRAIN = "import sys; from caspipe.pipeline import Pipeline; sys.exit(Pipeline.parse(sys.stdin.read()).run().exit_code)"


@pytest.mark.parametrize("name", MODELS)
def test_a_shipped_model_loads_by_name_and_is_small(name: str) -> None:
    model = NeuralModel.load(name) if name == "en-phi-network" else LinearModel.load(name)
    assert model.meta["language"] == "en"
    contact = {"DATE", "PHONE", "FAX", "EMAIL", "URL", "IP"} if name in DEFAULT else set()
    assert {kind.name for kind in model.kinds.values()} == KINDS | contact
    assert sum(f.stat().st_size for f in locate_model(name).iterdir()) <= 8_000_000


@pytest.mark.parametrize("name", DEFAULT)
def test_its_card_tells_licence_corpora_scores_and_limits(name: str) -> None:
    meta, card = read_description(name), read_card(name)
    assert meta["licence"] in card
    for corpus in ("phi_notes, train part", "MTSamples"):
        assert any(corpus in line for line in meta["training"]["corpora"])
    assert {row["criterion"] for row in meta["scores"]} == {"strict", "overlapping"}
    assert "invented documents, not on real notes" in card


@pytest.mark.parametrize("name", MODELS)
def test_its_description_holds_no_path_of_the_machine_that_made_it(name: str) -> None:
    told = json.dumps(read_description(name))
    assert str(Path.home()) not in told
    assert '"/' not in told
    assert "tmp" not in told


@pytest.mark.parametrize("name", MODELS)
def test_its_training_configuration_assembles_and_names_it(name: str) -> None:
    (trainer,) = Pipeline.load(locate(f"training/{name}")).consumers
    assert str(vars(trainer)["model"]) == name
    declared = [plain(feature) for feature in vars(trainer)["features"]]
    assert declared == read_description(name)["features"]


def test_the_shipped_pipelines_use_them() -> None:
    assert [e.id for e in shipped().engines if isinstance(e, ChainTagger)] == ["models/neural", "models/crf"]
    fast = Pipeline.load(locate("deidentify-fast"))
    assert [e.id for e in fast.engines if isinstance(e, ChainTagger)] == ["models/crf"]


@pytest.mark.parametrize("line", lines("models.txt"))
def test_names_without_a_cue_are_found_and_traps_are_not_taken(line: str) -> None:
    assert disagreement(line) == ""


@pytest.mark.parametrize("line", lines("known_failures.txt"))
def test_what_is_known_to_fail_still_fails(line: str) -> None:
    assert disagreement(line) != "", "it is right now: move the line to models.txt"


def test_a_rule_says_whose_name_it_is_that_a_model_found() -> None:
    cas = process("Seen by Dr. Szymborska, who agrees.")
    (phi,) = cas.select(Phi)
    assert phi.covered_text == "Szymborska"
    assert phi.kind is PhiKind.of("PERSON_DOCTOR")


def test_eponyms_that_a_model_takes_for_people_are_vetoed() -> None:
    """The veto, not luck: what the models say of the eponyms alone may be wrong."""
    cas = process("Parkinson's disease, Hashimoto's thyroiditis and a Foley catheter.")
    assert not cas.select(Phi)
    assert all(c.reason.startswith("vetoed") for c in cas.select(PhiCandidate))


def test_what_the_models_add_to_the_rules_on_the_samples() -> None:
    added = []
    for sample in sorted((ROOT / "configs" / "samples").glob("*.txt")):
        cas = process(sample.read_text(encoding="utf-8"), SHIFT)
        rules = [(c.begin, c.end) for c in cas.select(PhiCandidate) if c.source.startswith("rules")]
        added += [
            (sample.stem, phi.covered_text, phi.kind.name)
            for phi in cas.select(Phi)
            if not any(begin < phi.end and phi.begin < end for begin, end in rules)
        ]
    known_failures = [("icsr-002", "EK5730", "ID"), ("letter-001", "7.2", "DATE")]  # a lot number, a laboratory value
    assert added == [("discharge-001", "school teacher", "PROFESSION"), *known_failures]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trainer", "more"),
    [
        ("crf_trainer", "algorithm: ap, max_iterations: 5, temperature: 10, keep_crfsuite: false"),
        ("svm_trainer", "solver: crammer-singer, label_order: learned, prune: 0.02"),
    ],
)
def test_the_same_training_writes_the_same_bytes(trainer: str, more: str, tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        output = tmp_path / seed
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", TRAIN],
            input=SMALL.format(trainer=trainer, more=more, output=output),
            text=True,
            capture_output=True,
            check=False,
            cwd=ROOT / "configs",
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert done.returncode == 0, done.stderr
        written.append({f.name: f.read_bytes() for f in sorted((output / "small").iterdir())})
    assert written[0] == written[1]
    assert set(written[0]) == {"README.md", "model.json", "weights.npz"}
