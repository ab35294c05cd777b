"""S3, Anonimatik: its configurations assemble, the quick one learns within seconds, and what it learnt marks and masks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from caspipe.pipeline.application.experiment import read_plan
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import DEIDENTIFIED_VIEW, Phi, PhiKind

pytestmark = pytest.mark.neural

pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

ROOT = Path(__file__).resolve().parents[3]
SYSTEMS = ROOT / "configs" / "systems"
EXPERIMENTS = ROOT / "configs" / "experiments"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `out/s3-quick`, trained by the quick configuration on fewer documents."""
    folder = tmp_path_factory.mktemp("s3")
    few = ["run.output=" + str(folder / "out"), "reader.synthetic.documents=80", "neural_trainer.epochs=6"]
    Pipeline.load(SYSTEMS / "s3_quick.yaml", few).run()
    return folder


def trainer(name: str) -> dict[str, Any]:
    config = yaml.safe_load((SYSTEMS / name).read_text(encoding="utf-8"))
    found: dict[str, Any] = config["consumers"][0]["neural_trainer"]
    return found


@pytest.mark.parametrize("name", ["s3_anonimatik", "s3_balanced", "s3_quick", "s3_source"])
def test_every_training_assembles_and_sees_what_the_source_saw(name: str) -> None:
    Pipeline.load(SYSTEMS / f"{name}.yaml")
    given = trainer(f"{name}.yaml")
    assert given["features"] == ["pos", "length"] and "random" in given["tokens"] and given["characters"] is None
    assert given["binary"] is True and given["decoder"] == "softmax" and list(given["encoder"]) == ["window"]


def test_the_balanced_training_differs_in_its_balance_alone() -> None:
    whole, balanced = trainer("s3_anonimatik.yaml"), trainer("s3_balanced.yaml")
    assert balanced.pop("balance") == 1.0
    for told in ("model", "title"):
        assert whole.pop(told) != balanced.pop(told)
    assert whole == balanced


def test_the_settings_of_the_source_are_those_of_its_text() -> None:
    given = trainer("s3_source.yaml")
    assert given["encoder"]["window"] == {"size": "${S3_SIZE:-9}", "width": 256, "dense": [256]}
    assert given["optimizer"] == {"adam": {"rate": 0.001}} and given["dropout"] == 0


NAMES = ["s3-curves", "s3-hidden", "s3-optimizer", "s3-table-4-3", "s3-window"]


@pytest.mark.parametrize("name", NAMES)
def test_the_experiments_have_no_faults(name: str) -> None:
    assert read_plan(EXPERIMENTS / f"{name}.yaml")


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_helps_the_networks(name: str) -> None:
    corpora = read_plan(EXPERIMENTS / f"{name}.yaml").corpora
    assert all([step.name for step in c.config.engines] == ["segmenter", "tagger"] for c in corpora.values())


def sweep(name: str) -> tuple[Any, Any]:
    """A shipped sweep, and the parameters of its only trainer."""
    plan = read_plan(EXPERIMENTS / f"{name}.yaml")
    (model,) = plan.models.values()
    assert model.trainer is not None
    return plan.experiment, model.trainer.given


def test_the_parameters_tried_are_those_of_the_source() -> None:
    (window, one), (hidden, two), (optimizer, three) = map(sweep, ("s3-window", "s3-hidden", "s3-optimizer"))
    assert (window.parameter, window.values) == ("encoder.window.size", [5, 7, 9, 11, 13])
    assert [v["width"] for v in hidden.values] == [16, 32, 64, 128]
    assert all(v["dense"] == [v["width"]] for v in hidden.values), (
        "both layers change together, and the size is the default"
    )
    assert [v if isinstance(v, str) else next(iter(v)) for v in optimizer.values] == ["adam", "nadam", *["sgd"] * 3]
    assert one == two == three


def test_both_trainings_of_the_curves_differ_in_their_balance_alone() -> None:
    file = yaml.safe_load((EXPERIMENTS / "s3-curves.yaml").read_text(encoding="utf-8"))
    whole, balanced = (file["models"][f"{name} set"]["trainer"]["neural_trainer"] for name in ("whole", "balanced"))
    assert balanced.pop("balance") == 1.0
    assert whole == balanced
    assert whole["epochs"] == 30, "both of the source's trainings converge by the 30th"


def test_the_quick_one_learns_to_tell_phi_from_the_rest(trained: Path) -> None:
    from caspipe.consumers.scoring import score
    from caspipe.pipeline.application.evaluation.documents import pipeline_pairs

    config = f"""
    reader: {{synthetic: {{documents: 20, seed: 7}}}}
    engines: [segmenter, tagger, neural: {{model: {trained / "out" / "s3-quick"}}}]
    """
    scores = score(pipeline_pairs(Pipeline.parse(config)), ["token-binary"])
    recall, precision = (scores.value("token-binary", "micro", f) for f in ("recall", "precision"))
    # a marker that marks nothing has recall 0, one that marks everything a precision of about 0.15
    assert recall is not None and precision is not None and recall > 0.35 and precision > 0.5


def test_what_it_finds_is_of_no_kind_and_is_masked(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S3_MODEL", str(trained / "out" / "s3-quick"))
    pipeline = Pipeline.load(SYSTEMS / "s3_apply.yaml", [f"run.output={tmp_path}"])
    assert pipeline.reader is not None
    found, covered, characters = 0, 0, 0
    with pipeline:
        for cas in pipeline.reader:
            done = pipeline.process(cas)
            phi = list(done.select(Phi))
            assert {p.kind for p in phi} <= {PhiKind.OTHER}
            masked = done.view(DEIDENTIFIED_VIEW).text
            assert masked.count("[OTHER]") == len(phi)
            found += len(phi)
            characters += len(done.text)
            covered += sum(p.end - p.begin for p in phi)
    assert found > 10 and covered < 0.5 * characters, "neither nothing nor everything"
