"""Training networks as people do: from a pipeline to a bundle, resumed after a kill, gone on from, applied, refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from caspipe.annotators.neural.network_model import NeuralModel
from caspipe.annotators.neural.trainer import NeuralTrainer
from caspipe.annotators.sequence.calibration import Curve
from caspipe.annotators.sequence.linear_model import LinearModel
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConsumerError, ResourceError
from caspipe.typesystem import Cas, Phi, PhiCandidate, Token, TokenScore

pytestmark = pytest.mark.neural

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

SMALL: dict[str, Any] = {
    "model": "small",
    "first_level": True,
    "kinds": ["PERSON", "DATE"],
    "tokens": {"random": {"dim": 16, "min_count": 1}},
    "characters": {"char_cnn": {"dim": 8, "filters": 12}},
    "features": ["capital_type", "numeric_type"],
    "attributes": {"feed_forward": {"widths": [8]}},
    "encoder": {"lstm": {"width": 16}},
    "optimizer": {"adam": {"rate": 0.01}},
    "dropout": 0.2,
    "batch": 8,
    "epochs": 4,
}


def pipeline(folder: Path, documents: int = 40, **more: Any) -> Pipeline:
    given = {**SMALL, **more}
    config = {
        "reader": {"synthetic": {"documents": documents, "seed": 3}},
        "engines": ["segmenter"],
        "consumers": [{"neural_trainer": given}],
        "run": {"output": str(folder), "on_error": "stop"},
    }
    return Pipeline.parse(yaml.safe_dump(config))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    pipeline(folder, documents=60, epochs=15, patience=0, onnx=True).run()
    return folder / "small"


def applied(model: Path, text: str, **more: Any) -> Cas:
    given = {"model": str(model), **more}
    made = Pipeline.parse(yaml.safe_dump({"engines": ["segmenter", {"neural": given}]})).open()
    return made.process(Cas(text, id="note"))


TEXT = "Mr. Henry Jones was seen on 3 March 2020 by Dr. Anna Smith.\nHe came back on 12/05/2021.\n"


def test_the_card_shows_the_scores_of_every_epoch(trained: Path) -> None:
    card = (trained / "README.md").read_text(encoding="utf-8").partition("## Epochs")[2].partition("## ")[0]
    history = json.loads((trained / "model.json").read_text())["history"]
    rows = [line.strip("| ").split(" | ") for line in card.splitlines() if line[2:3].isdigit()]
    assert [int(row[0]) for row in rows] == list(range(1, 16))
    last = history[-1]
    phi, others = (
        last[a] + last[b] for a, b in (("true_positives", "false_negatives"), ("true_negatives", "false_positives"))
    )
    assert f"held-out documents with {phi:,} PHI tokens and {others:,} others" in card
    expected = (last["loss"], last["f1"], (last["true_positives"] + last["true_negatives"]) / (phi + others))
    expected += (last["true_positives"] / phi, last["true_negatives"] / others)
    assert [float(cell) for cell in rows[-1][1:]] == [round(x, 3) for x in expected]


def test_a_network_learns_and_finds(trained: Path) -> None:
    history = json.loads((trained / "model.json").read_text())["history"]
    assert history[-1]["f1"] > 0.4 and history[-1]["loss"] < history[0]["loss"]
    found = {TEXT[c.begin : c.end]: c for c in applied(trained, TEXT).select(PhiCandidate)}
    assert "3 March 2020" in found
    assert all(0 <= c.confidence <= 1 and c.rule == "small" and c.source == "neural" for c in found.values())


def test_every_token_has_a_score_where_they_are_asked_for(trained: Path) -> None:
    cas = applied(trained, TEXT, token_scores=True)
    tokens, scores = cas.select(Token), cas.select(TokenScore)
    assert [(t.begin, t.end) for t in tokens] == [(s.begin, s.end) for s in scores]
    by_span = {(s.begin, s.end): s for s in scores}
    found = TEXT.index("March")
    assert by_span[found, found + 5].score > 0.5 and by_span[found, found + 5].kind.name == "DATE"
    assert all(0 <= s.score <= 1 for s in scores)


def test_both_libraries_find_the_same(trained: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install 'caspipe[onnx]'")
    seen = []
    for backend in ("torch", "onnx"):
        cas = applied(trained, TEXT, backend=backend, token_scores=True)
        seen.append(
            (
                [(c.begin, c.end, c.kind) for c in cas.select(PhiCandidate)],
                [c.confidence for c in cas.select(PhiCandidate)] + [s.score for s in cas.select(TokenScore)],
            )
        )
    assert seen[0][0] == seen[1][0] and "3 March 2020" in [TEXT[b:e] for b, e, _ in seen[0][0]]
    np.testing.assert_allclose(seen[0][1], seen[1][1], atol=1e-4)


def test_the_confidences_of_a_network_become_probabilities_in_a_run(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "small")
    config = {
        "reader": {"synthetic": {"documents": 30, "seed": 9}},
        "engines": ["segmenter", {"neural": {"model": str(tmp_path / "small")}}],
        "consumers": [{"calibrator": {"model": "small", "source": "neural"}}],
        "run": {"output": str(tmp_path), "on_error": "stop"},
    }
    Pipeline.parse(yaml.safe_dump(config)).run()
    said = json.loads((tmp_path / "small/model.json").read_text(encoding="utf-8"))["confidence"]
    assert said["documents"] == 30 and said["after"]["ece"] < 0.1

    def off(which: str) -> float:
        """How far the mean confidence is from the share of right spans."""
        bins = said[which]["bins"]
        return abs(sum(b["spans"] * (b["confidence"] - b["right"]) for b in bins)) / said[which]["spans"]

    assert off("after") < off("before")
    before, after = (applied(model, TEXT).select(PhiCandidate) for model in (trained, tmp_path / "small"))
    assert [(c.begin, c.end, c.kind) for c in after] == [(c.begin, c.end, c.kind) for c in before]
    assert [c.confidence for c in after] == pytest.approx(Curve(**said["curve"]).apply([c.confidence for c in before]))
    assert "expected calibration error" in (tmp_path / "small/README.md").read_text(encoding="utf-8")


def test_a_zip_is_as_good_as_a_folder(trained: Path, tmp_path: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", trained))
    first, second = (applied(p, TEXT).select(PhiCandidate) for p in (trained, archive))
    assert [(c.begin, c.end, c.confidence) for c in first] == [(c.begin, c.end, c.confidence) for c in second]
    assert "3 March 2020" in [c.covered_text for c in first]


def test_the_same_training_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        pipeline(tmp_path / name, epochs=2).run()
    first, second = ((tmp_path / n / "small" / "network.npz").read_bytes() for n in ("first", "second"))
    assert first == second


def test_pytorchs_own_random_numbers_are_left_alone(tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    pipeline(tmp_path, documents=10, epochs=1).run()
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(
    "more",
    [
        {"encoder": {"id_cnn": {"filters": 16, "repeats": 2}}, "encoding": "bilou"},
        {
            "encoder": {"window": {"size": 5, "width": 8, "dense": [8]}},
            "decoder": "softmax",
            "binary": True,
            "balance": 1.0,
        },
        {"decoder": "softmax", "class_weights": "balanced", "encoding": "io"},
        {"decoder": "softmax", "class_weights": {"O": 0.5, "PERSON": 2.0}},
        {
            "characters": {"char_lstm": {"dim": 6, "width": 6, "post_space": 3}},
            "sequence": "document",
            "max_length": 60,
        },
        {"tokens": None, "characters": None, "features": ["lower", "suffix3"], "window": [-1, 1]},
        {
            "optimizer": {"sgd": {"rate": 0.1, "momentum": 0.9}},
            "average": 2,
            "select": "recall",
            "precision_floor": 0.5,
        },
        {"optimizer": "nadam", "held_out": 0.0, "features": ["document_position", "lower"]},
    ],
    ids=str,
)
def test_every_sort_of_network_trains_and_is_applied(more: dict[str, Any], tmp_path: Path) -> None:
    pipeline(tmp_path, documents=14, **{"epochs": 2, "onnx": True, **more}).run()
    model = NeuralModel.load(str(tmp_path / "small"))
    assert len(model.meta["history"]) == 2
    both = [applied(tmp_path / "small", TEXT, backend=b, token_scores=True) for b in ("torch", "onnx")]
    first, second = ([s.score for s in cas.select(TokenScore)] for cas in both)
    np.testing.assert_allclose(first, second, atol=1e-4)
    if more.get("binary"):
        assert {label.rpartition("-")[2] for label in model.labels} == {"O", "OTHER"}


def test_a_killed_training_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    """Killed with SIGKILL after some epochs; started again, it ends with the bytes of one that was let alone."""
    epochs = 16  # enough that the kill comes before the last one on a busy machine
    pipeline(tmp_path / "calm", epochs=epochs, documents=30, patience=0).run()
    config = tmp_path / "train.yaml"
    made = {
        "reader": {"synthetic": {"documents": 30, "seed": 3}},
        "engines": ["segmenter"],
        "consumers": [{"neural_trainer": {**SMALL, "epochs": epochs, "patience": 0}}],
        "run": {"output": str(tmp_path / "killed"), "on_error": "stop"},
    }
    config.write_text(yaml.safe_dump(made))
    checkpoint = tmp_path / "killed" / ".small.checkpoint"
    command = [
        sys.executable,
        "-c",
        "from caspipe.pipeline.application.cli.main import main; main()",
        "train",
        str(config),
        "--quiet",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        limit = time.monotonic() + 120
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    assert checkpoint.exists() and not (tmp_path / "killed" / "small").exists()
    assert subprocess.run(command, check=False).returncode == 0
    assert not checkpoint.exists()
    one, other = ((tmp_path / n / "small" / "network.npz").read_bytes() for n in ("calm", "killed"))
    assert one == other


def test_a_checkpoint_of_another_training_is_not_gone_on_from(tmp_path: Path) -> None:
    (tmp_path / ".small.checkpoint").write_bytes(b"no checkpoint at all")
    pipeline(tmp_path, documents=10, epochs=1).run()
    assert len(NeuralModel.load(str(tmp_path / "small")).meta["history"]) == 1


def test_fine_tuning_goes_on_from_a_model(trained: Path, tmp_path: Path) -> None:
    base = NeuralModel.load(str(trained))
    pipeline(tmp_path, documents=20, start_from=str(trained), epochs=1, features=[]).run()
    tuned = NeuralModel.load(str(tmp_path / "small"))
    assert tuned.vocabularies == base.vocabularies and tuned.meta["features"] == base.meta["features"]
    assert tuned.meta["history"][0]["f1"] > base.meta["history"][0]["f1"]
    assert "3 March 2020" in [c.covered_text for c in applied(tmp_path / "small", TEXT).select(PhiCandidate)]


def test_fine_tuning_learns_kinds_that_the_model_did_not_know(trained: Path, tmp_path: Path) -> None:
    kinds = ["PERSON", "DATE", "LOCATION"]
    pipeline(tmp_path, documents=20, start_from=str(trained), epochs=12, patience=0, dropout=0, kinds=kinds).run()
    tuned = NeuralModel.load(str(tmp_path / "small"))
    assert "B-LOCATION" in tuned.labels and "B-LOCATION" not in NeuralModel.load(str(trained)).labels
    reader = pipeline(tmp_path, documents=10).reader
    assert reader is not None
    gold, found, covered, characters = 0, 0, 0, 0
    for document in reader:
        places = [p for p in document.view("gold").select(Phi) if p.kind.top.name == "LOCATION"]
        own = [c for c in applied(tmp_path / "small", document.text).select(PhiCandidate) if c.kind.name == "LOCATION"]
        gold += len(places)
        found += sum(any(c.begin < p.end and p.begin < c.end for c in own) for p in places)
        covered += sum(c.end - c.begin for c in own)
        characters += len(document.text)
    assert found > 0.3 * gold and covered < 0.2 * characters, (found, gold, covered, characters)


def test_a_training_that_fails_leaves_no_model(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError, match="class_weights: PHONE do not occur in training"):
        pipeline(tmp_path, documents=10, decoder="softmax", class_weights={"PHONE": 2.0}).run()
    assert not (tmp_path / "small").exists()


def test_no_epoch_that_masks_everything_is_kept(tmp_path: Path) -> None:
    """With such weights, the network labels every token as PHI."""
    weights = {"O": 0.0, "PERSON": 1.0}
    settings = {"decoder": "softmax", "class_weights": weights, "kinds": ["PERSON"], "epochs": 2, "select": "recall"}
    with pytest.raises(
        ConsumerError,
        match=r"^neural_trainer: select: recall: every token of the held-out documents is PHI after every epoch",
    ):
        pipeline(tmp_path, documents=10, **settings).run()
    assert not (tmp_path / "small").exists()


def test_a_floor_that_no_epoch_reaches_is_a_warning_of_the_run(tmp_path: Path) -> None:
    settings = {"kinds": [], "epochs": 3, "optimizer": {"adam": {"rate": 0.02}}, "precision_floor": 1.0}
    report = pipeline(tmp_path, documents=40, select="hipaa_recall", **settings).run()
    meta = NeuralModel.load(str(tmp_path / "small")).meta
    precision = [row["hipaa_precision"] for row in meta["history"]]
    assert precision[meta["epoch"] - 1] == max(precision) > 0
    expected = f"no epoch reaches precision_floor 1: the most precise one, {meta['epoch']}, is chosen"
    assert any(expected in warning for warning in report.warnings)


def test_hipaa_is_no_criterion_without_its_kinds(tmp_path: Path) -> None:
    with pytest.raises(
        ConsumerError, match=r"select: hipaa_f1 needs tokens of HIPAA kinds: 1 held-out documents have none"
    ):
        pipeline(
            tmp_path, documents=10, select="hipaa_f1", kinds=["AGE", "PROFESSION", "LOCATION_STATE"], first_level=False
        ).run()
    with pytest.raises(
        ValueError, match="select: hipaa_recall needs the kinds of tokens, but binary replaces them by OTHER"
    ):
        NeuralTrainer(model=Path("x"), select="hipaa_recall", binary=True)


@pytest.mark.parametrize("damage", ["network", "description", "vocabulary", "weights", "graph"])
def test_a_damaged_bundle_is_refused(trained: Path, tmp_path: Path, damage: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(trained, copy)
    meta = json.loads((copy / "model.json").read_text())
    if damage == "network":
        raw = bytearray((copy / "network.npz").read_bytes())
        raw[len(raw) // 2] ^= 1
        (copy / "network.npz").write_bytes(raw)
        expected = "network.npz is not what model.json says"
    elif damage == "description":
        meta["network"]["encoder"] = {"lstn": {}}
        expected = "its network cannot be built: encoder: .*lstm"
    elif damage == "vocabulary":
        meta["network"]["sizes"]["words"] += 1
        expected = "its vocabulary of words is not the one of its training"
    elif damage == "weights":
        meta["network"]["encoder"] = {"lstm": {"width": 17}}
        expected = "its weights do not fit its description"
    else:
        (copy / "model.onnx").write_bytes(b"\x08\x08graph")
        expected = "model.onnx is not what model.json says"
    (copy / "model.json").write_text(json.dumps(meta))
    with pytest.raises(ResourceError, match=expected):
        applied(copy, TEXT, backend="torch")


def test_a_linear_models_bundle_is_no_network_nor_the_other_way_round(trained: Path) -> None:
    with pytest.raises(ResourceError, match="trained as crf; the component crf applies it"):
        NeuralModel.load("en-phi-crf")
    with pytest.raises(ResourceError, match=r"weights\.npz"):
        LinearModel.load(str(trained))


def test_a_graph_can_be_added_later(trained: Path, tmp_path: Path) -> None:
    from caspipe.annotators.neural.network_model import add_onnx_graph

    pipeline(tmp_path, documents=10, epochs=1).run()
    model = tmp_path / "small"
    with pytest.raises(ResourceError, match=r"has no model\.onnx: train it with `onnx: true`"):
        applied(model, TEXT, backend="onnx")
    assert add_onnx_graph(str(model)) == (model / "model.onnx").stat().st_size
    assert applied(model, TEXT, backend="onnx").text == TEXT


def test_long_and_strange_texts_go_through(trained: Path) -> None:
    for text in ("", " ", "a", "\ud800 \udfff", "x" * 5_000, "word " * 3_000, "\U0001f600a\x00b\n" * 50):
        cas = applied(trained, text, token_scores=True)
        assert len(cas.select(TokenScore)) == len(cas.select(Token))
