"""Bundles are found, read and written whole; every way in which one can be no bundle has its own words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.sequence.crf import CrfAnnotator
from caspipe.annotators.sequence.linear_model import LinearModel, write_linear_model
from caspipe.annotators.sequence.model_files import (
    known_models,
    locate_model,
    read_card,
    read_description,
    update_description,
)
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.contract.resources import load
from caspipe.pipeline.errors import ConsumerError, ResourceError
from caspipe.typesystem import PhiCandidate, PhiKind

from .small_models import crf, document, documents

Broken = Callable[..., Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bundles")
    crf(place, features=["lower", {"suffix": {"length": 4}}, "list:countries"], title="Tries things.")
    crf(place, model=Path("zipped.zip"))
    return place


@pytest.fixture
def broken(folder: Path, tmp_path: Path) -> Broken:
    """A copy of the bundle with other values in model.json."""

    def make(*without: str, **changes: Any) -> Path:
        place = tmp_path / "copy"
        shutil.copytree(folder / "model", place)
        meta = json.loads((place / "model.json").read_text(encoding="utf-8")) | changes
        meta = {k: v for k, v in meta.items() if k not in without}
        (place / "model.json").write_text(json.dumps(meta), encoding="utf-8")
        return place

    return make


def fault_of(path: Path) -> str:
    """The message that loading it ends with, without the path."""
    with pytest.raises(ResourceError) as error:
        LinearModel.load(str(path))
    assert str(error.value).startswith(f"model {path}: ")
    return str(error.value).removeprefix(f"model {path}: ")


def test_folder_and_zip_hold_the_same_model(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "by hand.zip", "w") as archive:  # as people zip folders: with the folder inside
        for file in (folder / "model").iterdir():
            archive.write(file, f"model/{file.name}")
    one, other = LinearModel.load(str(folder / "model")), LinearModel.load(str(tmp_path / "by hand.zip"))
    assert one.weights.to_npz() == other.weights.to_npz() and one.meta == other.meta
    assert one.name == "model" and LinearModel.load(str(folder / "zipped.zip")).name == "zipped"
    assert one.labels[0] in one.meta["labels"] and one.ranking("B-DATE", 3) == one.weights.ranking("B-DATE", 3)


def test_a_folder_holds_data_only(folder: Path) -> None:
    assert sorted(p.name for p in (folder / "model").iterdir()) == [
        "README.md",
        "model.crfsuite",
        "model.json",
        "weights.npz",
    ]
    assert not [p for p in folder.iterdir() if p.name.startswith(".")]


def test_features_are_declared_as_in_yaml(folder: Path) -> None:
    assert read_description(str(folder / "model"))["features"] == [
        "lower",
        {"suffix": {"length": 4}},
        {"list": {"names": "countries"}},
    ]
    made = LinearModel.load(str(folder / "model")).features.features
    assert [f.label for f in made] == ["lower", "suffix:4", "list:countries"]


def test_the_card_says_what_the_model_is_and_warns(folder: Path) -> None:
    text = read_card(str(folder / "model"))
    assert text.startswith("# model\n\nTries things.\n")
    assert "may contain names" in text and "`suffix(length=4)`" in text and "| PERSON |" in text


def test_what_is_no_bundle_is_told(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert fault_of(empty) == "it has no model.json: not a model of caspipe, or damaged"
    text = tmp_path / "notes.txt"
    text.write_text("hello", encoding="utf-8")
    assert fault_of(text) == "expected a folder or a zip archive: damaged, truncated or foreign"
    foreign = tmp_path / "foreign.zip"
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("data.csv", "1,2")
    assert fault_of(foreign) == "it has no model.json: not a model of caspipe, or damaged"
    cut = tmp_path / "cut.zip"
    whole = (folder / "zipped.zip").read_bytes()
    for share in (0.2, 0.5, 0.9, 0.99):
        cut.write_bytes(whole[: int(len(whole) * share)])
        assert fault_of(cut) == "expected a folder or a zip archive: damaged, truncated or foreign"


def test_changed_bytes_are_told(broken: Broken, folder: Path, tmp_path: Path) -> None:
    place = broken()
    data = (place / "weights.npz").read_bytes()
    (place / "weights.npz").write_bytes(data[:-10])
    told = "weights.npz is not what model.json says (checksum differs): damaged or changed"
    assert fault_of(place) == told
    (place / "weights.npz").write_bytes(data[:500] + bytes([data[500] ^ 1]) + data[501:])
    assert fault_of(place) == told
    (place / "weights.npz").unlink()
    assert fault_of(place) == "it has no weights.npz: not a model of caspipe, or damaged"
    packed = bytearray((folder / "zipped.zip").read_bytes())
    for at in range(200, len(packed), len(packed) // 9):
        changed = bytearray(packed)
        changed[at] ^= 255
        (tmp_path / "changed.zip").write_bytes(changed)
        try:
            LinearModel.load(str(tmp_path / "changed.zip"))
        except ResourceError:
            continue


@pytest.mark.parametrize("raw", [b"", b"{", b"[" * 100_000, b"\xff\xfe{}", b"null"])
def test_a_description_that_is_no_json_object_is_told(broken: Broken, raw: bytes) -> None:
    place = broken()
    (place / "model.json").write_bytes(raw)
    assert fault_of(place) in (
        "model.json is not valid JSON: damaged",
        "model.json has no format number: not a model of caspipe",
    )


def test_a_newer_format_is_told_with_who_made_it(broken: Broken) -> None:
    assert (
        fault_of(broken(format=2, caspipe="9.1"))
        == "made by a newer caspipe (9.1), in format 2; this one reads formats up to 1"
    )


@pytest.mark.parametrize(
    ("without", "changes", "fault"),
    [
        (("format",), {}, "model.json has no format number: not a model of caspipe"),
        (("window", "type"), {}, "model.json lacks type, window: damaged"),
        ((), {"labels": ["O", 1]}, "model.json: labels: expected a list of different strings: damaged"),
        ((), {"labels": ["O", "O"]}, "model.json: labels: expected a list of different strings: damaged"),
        ((), {"labels": []}, "model.json: labels: expected a list of different strings: damaged"),
        ((), {"encoding": "bio"}, "model.json: encoding: expected one of iob2, bilou, io: damaged"),
        ((), {"context": ["sentence"]}, "model.json: context: expected one of sentence, document: damaged"),
        ((), {"window": [1]}, "model.json: window: expected two whole numbers: damaged"),
        ((), {"window": [-1, True]}, "model.json: window: expected two whole numbers: damaged"),
        ((), {"features": "lower"}, "model.json: features: expected a list: damaged"),
        ((), {"files": []}, "model.json: files: expected a mapping: damaged"),
        ((), {"labels": ["O"]}, "weights: columns name labels that are not there (there are 1)"),
    ],
)
def test_a_description_that_does_not_fit_is_told(
    broken: Broken, without: tuple[str, ...], changes: dict[str, Any], fault: str
) -> None:
    assert fault_of(broken(*without, **changes)) == fault


def test_a_feature_that_is_unknown_here_is_named(broken: Broken) -> None:
    place = broken(features=["lowr", {"suffix": {"length": 0}}])
    with pytest.raises(ResourceError) as error:
        _ = LinearModel.load(str(place)).features
    told = str(error.value)
    assert told.startswith(f"model {place}: its features cannot be made: ")
    assert "lowr" in told and "did you mean lower?" in told and "length" in told


def test_two_features_that_are_one_are_told(broken: Broken) -> None:
    place = broken(features=["lower", "lower"])
    with pytest.raises(ResourceError, match=r"its features cannot be made: feature lower is declared twice$"):
        _ = LinearModel.load(str(place)).features


def test_a_label_that_is_no_kind_is_told(broken: Broken) -> None:
    place = broken(labels=["O", "B-NOBODY", *read_description(str(broken_source(broken)))["labels"][2:]])
    with pytest.raises(ResourceError) as error:
        _ = LinearModel.load(str(place)).kinds
    assert str(error.value) == f"model {place}: its label B-NOBODY is not a PHI kind known here"


def broken_source(broken: Broken) -> Path:
    """An unchanged copy, removed again, to read from."""
    place = broken()
    other = place.with_name("source")
    shutil.move(place, other)
    return other


def test_a_kind_that_cannot_be_defined_is_told(broken: Broken) -> None:
    labels = read_description(str(broken_source(broken)))["labels"]
    place = broken(labels=["B-XYZ_A", *labels[1:]], kinds={"XYZ_A": {"parent": "XYZ"}})
    with pytest.raises(ResourceError, match="kind XYZ_A cannot be defined: no PHI kind called 'XYZ'"):
        _ = LinearModel.load(str(place)).kinds


def test_kinds_of_ones_own_travel_with_the_bundle(tmp_path: Path) -> None:
    kind = PhiKind.define("ID_TURTLE", parent="ID", description="number of a turtle", direct=True)
    cases = [document(f"Turtle {n} swam .", [(7, 9, kind)], name=str(n)) for n in range(10, 40)]
    made = crf(tmp_path, cases)
    found = apply_to(made, "Turtle 77 swam .")
    assert [(c.begin, c.end, c.kind) for c in found] == [(7, 9, kind)]
    code = (
        "import sys; from caspipe.annotators.sequence.linear_model import LinearModel; from caspipe.typesystem import PhiKind\n"
        "assert not hasattr(PhiKind, 'ID_TURTLE')\n"
        f"kinds = LinearModel.load({str(tmp_path / 'model')!r}).kinds\n"
        "k = kinds['B-ID_TURTLE']; print(k.name, k.parent.name, k.direct, k.description, k is PhiKind.of('ID_TURTLE'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "ID_TURTLE ID True number of a turtle True\n", done.stderr


def apply_to(made: LinearModel, text: str) -> list[PhiCandidate]:
    annotator = CrfAnnotator(model=made)
    annotator.open()
    cas = document(text)
    apply(annotator, cas)
    return cas.select(PhiCandidate)


def test_bundles_are_found_by_name(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_MODELS", os.pathsep.join([str(tmp_path / "absent"), str(folder)]))
    assert {"model", "zipped"} <= set(known_models()) == set(LinearModel.names())
    assert locate_model("model") == folder / "model" and locate_model("zipped") == folder / "zipped.zip"
    assert LinearModel.check("model") is None
    with pytest.raises(ResourceError, match=r"^no model or file called 'modle'; did you mean model\?$"):
        locate_model("modle")


def test_bundles_of_packages_are_found_by_their_entry_point(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "turtles"
    shutil.copytree(folder / "model", package / "data" / "turtle-crf")
    (package / "__init__.py").write_text("", encoding="utf-8")
    info = tmp_path / "turtles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: turtles\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[caspipe.models]\nturtle-crf = turtles:data/turtle-crf\ngone = no_such_package:x\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert known_models()["turtle-crf"] == package / "data" / "turtle-crf" and "gone" not in known_models()
    assert LinearModel.load("turtle-crf").name == "model"


def test_what_is_no_model_is_never_overwritten(folder: Path, tmp_path: Path) -> None:
    made = LinearModel.load(str(folder / "model"))
    full, file, foreign = tmp_path / "full", tmp_path / "file", tmp_path / "foreign.zip"
    full.mkdir()
    (full / "thesis.txt").write_text("mine", encoding="utf-8")
    file.write_text("mine", encoding="utf-8")
    foreign.write_text("mine", encoding="utf-8")
    for path in (full, file, foreign):
        with pytest.raises(ResourceError) as error:
            write_linear_model(path, made.meta, made.weights, "card")
        assert str(error.value) == f"{path}: exists and is not a model: choose another name"
    assert (full / "thesis.txt").read_text(encoding="utf-8") == file.read_text(encoding="utf-8") == "mine"
    assert foreign.read_text(encoding="utf-8") == "mine"
    with pytest.raises(ConsumerError, match=r"expected a folder, but .* is a file"):
        write_linear_model(file / "below", made.meta, made.weights, "card")


def test_a_model_takes_the_place_of_an_older_one_also_for_who_loaded_that(tmp_path: Path) -> None:
    crf(tmp_path, documents(5))
    name = str(tmp_path / "model")
    first = load(LinearModel, name)
    assert load(LinearModel, name) is first
    crf(tmp_path, documents(9))
    assert load(LinearModel, name).meta["training"]["documents"] == 9
    empty = tmp_path / "empty"
    empty.mkdir()
    write_linear_model(empty, first.meta, first.weights, "card")
    assert LinearModel.load(str(empty)).labels == first.labels


@pytest.mark.parametrize("name", ["model", "zipped.zip"])
def test_what_is_known_later_is_added(folder: Path, tmp_path: Path, name: str) -> None:
    source = folder / name
    place = tmp_path / name
    shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)
    update_description(place, {"scores": [{"f1": 0.5}]})
    assert read_description(str(place))["scores"] == [{"f1": 0.5}]
    assert LinearModel.load(str(place)).weights.to_npz() == LinearModel.load(str(source)).weights.to_npz()


def test_files_that_features_are_opened_with_travel_with_the_bundle(tmp_path: Path) -> None:
    clusters = tmp_path / "here" / "towns.tsv"
    clusters.parent.mkdir()
    clusters.write_text("Oslo\ttown\nUlm\ttown\nSmith\tname\n", encoding="utf-8")
    given = {"features": ["lower", {"cluster": {"file": str(clusters)}}]}
    made = crf(tmp_path / "one", **given)
    crf(tmp_path / "two", **given)
    for name in ("model.json", "weights.npz", "README.md", "towns.tsv"):
        assert (tmp_path / "one" / "model" / name).read_bytes() == (tmp_path / "two" / "model" / name).read_bytes()
    assert made.meta["features"][1] == {"cluster": {"file": "towns.tsv"}}
    shutil.rmtree(clusters.parent)
    shutil.move(tmp_path / "one" / "model", tmp_path / "moved")
    moved = LinearModel.load(str(tmp_path / "moved"))
    assert "cluster:towns=town" in moved.features.bases("Oslo")
    assert any("cluster:towns=" in a for a in moved.weights.attributes)
    with pytest.raises(
        ConsumerError, match=r"expected a folder, not a zip: it contains files of its features \(towns.tsv\)$"
    ):
        crf(
            tmp_path,
            model=Path("m.zip"),
            features=["lower", {"cluster": {"file": str(tmp_path / "moved" / "towns.tsv")}}],
        )
