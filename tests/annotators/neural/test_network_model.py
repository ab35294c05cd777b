"""A pipeline with a network travels in a bundle, and says that it needs PyTorch."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.dependencies import fingerprint
from caspipe.pipeline.packaging.manifest import REQUIREMENTS
from caspipe.typesystem import PhiCandidate, TokenScore

pytestmark = pytest.mark.neural

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")

TRAINER: dict[str, Any] = {
    "model": "small",
    "kinds": ["PERSON", "DATE"],
    "tokens": {"random": {"dim": 8, "min_count": 1}},
    "characters": None,
    "features": ["capital_type"],
    "attributes": {"feed_forward": {"widths": [4]}},
    "encoder": {"lstm": {"width": 8}},
    "optimizer": {"adam": {"rate": 0.02}},
    "dropout": 0.1,
    "batch": 8,
    "epochs": 12,
    "held_out": 0,
}
TEXT = "John Smith was seen on 3/4/2020 by Dr. Mary Jones.\nDate of birth: 12/5/1960\n"


def test_a_network_finds_the_same_from_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training = {
        "reader": {"synthetic": {"documents": 20, "seed": 3}},
        "engines": ["segmenter"],
        "consumers": [{"neural_trainer": TRAINER}],
        "run": {"output": str(tmp_path / "out"), "on_error": "stop"},
    }
    Pipeline.parse(yaml.safe_dump(training)).run()
    model = shutil.copytree(tmp_path / "out" / "small", tmp_path / "site" / "small")
    (tmp_path / "site" / "p.yaml").write_text(
        "engines: [segmenter, {neural: {model: small, backend: torch, token_scores: true}}]", encoding="utf-8"
    )
    plain = Pipeline.load(tmp_path / "site" / "p.yaml")
    cas = plain.process(TEXT)
    marks = [(c.covered_text, c.kind.name, c.confidence) for c in cas.select(PhiCandidate)]
    assert ("12/5/1960", "DATE") in [(text, kind) for text, kind, _ in marks]
    wanted = [(t.begin, t.end, t.kind, t.score) for t in cas.select(TokenScore)]
    mark = fingerprint(plain)
    call = [
        sys.executable,
        "-m",
        "caspipe.pipeline.application.cli.main",
        "pack",
        "p.yaml",
        "-o",
        str(tmp_path / "p.zip"),
    ]
    subprocess.run(call, cwd=tmp_path / "site", check=True)  # what other tests have imported is not needed
    packed = zipfile.ZipFile(tmp_path / "p.zip")
    assert "resources/01/small/network.npz" in packed.namelist()
    needed = {line.partition("==")[0] for line in packed.read(REQUIREMENTS).decode().split()}
    packed.close()
    assert "torch" in needed
    assert "onnxruntime" not in needed
    shutil.rmtree(model.parent)
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    loaded = Pipeline.load(tmp_path / "p.zip", trust=True)
    again = loaded.process(TEXT)
    assert [(c.covered_text, c.kind.name, c.confidence) for c in again.select(PhiCandidate)] == marks
    assert [(t.begin, t.end, t.kind, t.score) for t in again.select(TokenScore)] == wanted
    assert len(wanted) > 10
    assert fingerprint(loaded) == mark
