"""Folders that are no models, or not those asked for, are refused with a message that helps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.pretrained import GlinerAnnotator, TransformerAnnotator
from caspipe.annotators.pretrained.folder import onnx_file
from caspipe.annotators.pretrained.gliner_folder import GlinerFolder
from caspipe.annotators.pretrained.transformer_folder import TransformerFolder
from caspipe.pipeline.contract.conformance import check_component
from caspipe.pipeline.errors import ConfigError, ResourceError
from caspipe.pipeline.pipeline import Pipeline

BERT: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertForTokenClassification"],
    "id2label": {"0": "O", "1": "B-PER"},
    "max_position_embeddings": 512,
}


def write(where: Path, name: str = "config.json", **config: Any) -> Path:
    (where / name).write_text(json.dumps({**BERT, **config}), encoding="utf-8")
    return where


def refusal(cls: Any, where: Path) -> str:
    with pytest.raises(ResourceError) as caught:
        cls.load(str(where))
    return str(caught.value).replace(str(where), "F")


@pytest.mark.parametrize("name", ["transformer", "gliner"])
def test_a_name_that_is_no_folder_is_never_looked_for_elsewhere(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Pipeline.parse(f"engines: [{{{name}: {{model: someone/some-model}}}}]")
    assert (
        "no folder someone/some-model: models are folders on disk and never downloaded; download the model yourself"
        in str(caught.value)
    )


def test_a_path_below_the_configuration_is_found(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep")
    (tmp_path / "p.yaml").write_text("engines: [transformer: {model: deep}]", encoding="utf-8")
    assert Pipeline.load(tmp_path / "p.yaml").engines


def test_files_and_empty_folders_are_no_models(tmp_path: Path) -> None:
    assert refusal(TransformerFolder, tmp_path) == (
        "token-classification model: F has no config.json: expected the folder of a token-classification model"
    )
    assert "F has no gliner_config.json and no tokenizer.json" in refusal(GlinerFolder, tmp_path)
    file = tmp_path / "x"
    file.touch()
    assert "is a file, not a folder" in refusal(TransformerFolder, file)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[" * 100_000, b"{}{}"], ids=["cut", "binary", "deep", "two"])
def test_a_damaged_config_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.json").write_bytes(content)
    assert refusal(TransformerFolder, tmp_path) == "F/config.json: damaged: expected JSON"


def test_odd_configs_are_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[]")
    assert refusal(TransformerFolder, tmp_path) == "F/config.json: expected a JSON object"
    (tmp_path / "config.json").write_text('{"a": 1, "a": 2}')
    assert "a property occurs twice" in refusal(TransformerFolder, tmp_path)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"architectures": ["BertForMaskedLM"]}, "model for another task (BertForMaskedLM)"),
        ({"auto_map": {"AutoModel": "modeling.X"}}, "contains Python code"),
        ({"id2label": None}, "config.json has no labels: expected id2label"),
        ({"id2label": {"0": "O", "2": "X"}}, "expected id2label with labels numbered from 0"),
        ({"id2label": {"a": "O"}}, "expected id2label with labels numbered from 0"),
    ],
)
def test_models_for_something_else_are_refused(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    assert message in refusal(TransformerFolder, write(tmp_path, **config))


def test_a_folder_without_weights_says_which_files_were_expected(tmp_path: Path) -> None:
    folder = TransformerFolder.load(str(write(tmp_path)))
    with pytest.raises(
        ResourceError, match=r"no weights: expected model.safetensors, pytorch_model.bin, model.onnx or"
    ):
        folder.graph("auto", "")
    with pytest.raises(ResourceError, match=r"has no model.onnx or onnx/model.onnx"):
        folder.graph("onnx", "")


def test_a_graph_is_found_where_exporters_put_it_and_never_outside(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    (folder / "onnx").mkdir(parents=True)
    assert onnx_file(folder, "") is None
    for name in ("onnx/model_quantized.onnx", "onnx/model.onnx", "model.onnx"):
        (folder / name).touch()
        assert onnx_file(folder, name) == folder / name
    assert onnx_file(folder, "") == folder / "model.onnx"
    with pytest.raises(
        ResourceError, match=r"has no file onnx/model_quantised.onnx; did you mean onnx/model_quantized.onnx"
    ):
        onnx_file(folder, "onnx/model_quantised.onnx")
    (tmp_path / "secret.onnx").touch()
    with pytest.raises(ResourceError, match="is outside of the folder"):
        onnx_file(folder, "../secret.onnx")


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        ({"max_position_embeddings": 512}, 512),
        ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 512),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514}, 512),
        ({"max_position_embeddings": -1}, None),
        ({"max_position_embeddings": None}, None),
    ],
)
def test_the_longest_sequence_is_read_from_the_config(
    tmp_path: Path, config: dict[str, Any], limit: int | None
) -> None:
    folder = TransformerFolder.load(str(write(tmp_path, **config)))
    assert folder.limit() == limit
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 1000000000000000019884624838656}')
    assert folder.limit() == limit
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 128}')
    assert folder.limit() == 128


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"labels_encoder": "x"}, "a bi-encoder (labels_encoder): expected GLiNER with one encoder"),
        ({"relations_layer": "x"}, "a relation extractor"),
        ({"model_type": "gliner_streaming_span"}, "a streaming model"),
        ({"words_splitter_type": "spacy"}, "words_splitter_type 'spacy': only whitespace is supported"),
        ({"max_width": 0}, "max_width: expected a whole number above 0"),
        ({"subtoken_pooling": "sum"}, "subtoken_pooling 'sum': expected one of first, last, mean, max"),
    ],
)
def test_other_forms_of_gliner_are_refused(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    (tmp_path / "tokenizer.json").touch()
    (tmp_path / "gliner_config.json").write_text(json.dumps(config))
    assert message in refusal(GlinerFolder, tmp_path)


@pytest.mark.parametrize("cls", [TransformerAnnotator, GlinerAnnotator])
def test_what_needs_no_model_keeps_the_contract(cls: Any) -> None:
    assert not [f"{f.check}: {f.fault}" for f in check_component(cls) if f.fault]


@pytest.mark.parametrize(
    ("cls", "given", "message"),
    [
        (TransformerAnnotator, {"min_confidence": 2.0}, "min_confidence must be between 0 and 1, got 2"),
        (TransformerAnnotator, {"window": 2}, "window must be 4 or more, got 2"),
        (TransformerAnnotator, {"stride": -1}, "stride must be 0 or more, got -1"),
        (TransformerAnnotator, {"batch": 0}, "batch must be 1 or more, got 0"),
        (TransformerAnnotator, {"threads": -1}, "threads must be 0 or more, got -1"),
        (GlinerAnnotator, {"threshold": 1.0}, "threshold must be between 0 and 1, got 1"),
        (GlinerAnnotator, {"window": 1}, "window must be 2 or more, got 1"),
        (GlinerAnnotator, {"stride": -1}, "stride must be 0 or more, got -1"),
        (GlinerAnnotator, {"batch": 0}, "batch must be 1 or more, got 0"),
        (GlinerAnnotator, {"kinds": {}}, "kinds is empty: expected a label for at least one kind"),
    ],
)
def test_parameters_out_of_range_are_refused(cls: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls(model="m", **given)


def test_a_label_given_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").touch()
    (tmp_path / "gliner_config.json").write_text("{}")
    with pytest.raises(ConfigError, match="kinds: expected different labels that are not empty, got 'name'"):
        Pipeline.parse(f"engines: [{{gliner: {{model: {tmp_path}, kinds: {{PERSON: [name, other], OTHER: name}}}}}}]")
