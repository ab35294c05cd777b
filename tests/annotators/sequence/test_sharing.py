"""Models of one process that look at the same share their features; models that do not, do not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from caspipe.annotators.sequence.linear_model import LinearModel

from .small_models import crf


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models")
    crf(place, features=["lower", {"suffix": {"length": 4}}, "list:countries"])
    return place


def other(folder: Path, **changes: object) -> LinearModel:
    place = folder / f"other-{len(list(folder.iterdir()))}"
    shutil.copytree(folder / "model", place)
    meta = json.loads((place / "model.json").read_text(encoding="utf-8"))
    (place / "model.json").write_text(json.dumps(meta | changes), encoding="utf-8")
    return LinearModel.load(str(place))


def test_models_with_the_same_features_share_them(folder: Path) -> None:
    one, two = LinearModel.load(str(folder / "model")), other(folder)
    assert one.features is two.features


@pytest.mark.parametrize(
    "changes",
    [
        {"features": ["lower", {"suffix": {"length": 5}}, "list:countries"]},
        {"features": ["lower", "list:countries"]},
        {"window": [-1, 3]},
        {"context": "document"},
    ],
    ids=["parameter", "fewer", "window", "context"],
)
def test_models_that_look_at_something_else_do_not(folder: Path, changes: dict[str, object]) -> None:
    one, two = LinearModel.load(str(folder / "model")), other(folder, **changes)
    assert one.features is not two.features


def test_files_that_models_bring_are_told_apart_by_content(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    made = []
    for name, cluster in (("one", "0110"), ("two", "0111")):
        words.write_text(f"{cluster}\tsmith\t3\n{cluster}\tlane\t3\n", encoding="utf-8")
        (tmp_path / name).mkdir()
        crf(tmp_path / name, features=["lower", {"cluster": {"file": str(words)}}])
        made.append(LinearModel.load(str(tmp_path / name / "model")))
    assert made[0].features is not made[1].features
    assert made[0].features.bases("smith") != made[1].features.bases("smith")
