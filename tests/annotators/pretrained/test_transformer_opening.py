"""Folders with faults are refused when they are opened: damaged weights, another head, code of their own, missing parts."""

from __future__ import annotations

import builtins
import json
import pickle
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'caspipe[transformers]'")

import torch

from caspipe.annotators.pretrained import TransformerAnnotator
from caspipe.pipeline.errors import ResourceError
from caspipe.typesystem import Cas

from .tiny_models import IOB, byte_level, change, folder, planted, word_piece

pytestmark = pytest.mark.neural


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted(tmp_path_factory.mktemp("good") / "m", {"maria": "B-PER"})


@pytest.fixture
def model(good: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(good, tmp_path / "m"))


def opened(where: Path, **given: Any) -> TransformerAnnotator:
    made = TransformerAnnotator(model=str(where), **{"threads": 1, **given})  # type: ignore[arg-type]
    made.open()
    return made


def refusal(where: Path, **given: Any) -> str:
    with pytest.raises(ResourceError) as caught:
        opened(where, **given)
    return str(caught.value).replace(str(where), "F")


def found(annotator: TransformerAnnotator) -> list[tuple[int, int]]:
    return [(c.begin, c.end) for c in annotator.annotate(Cas("by Maria").view())]


def test_a_bin_file_is_read_as_weights_only(model: Path) -> None:
    from safetensors.torch import load_file

    torch.save(load_file(model / "model.safetensors"), model / "pytorch_model.bin")
    (model / "model.safetensors").unlink()
    assert found(opened(model)) == [(3, 8)]


def test_a_bin_file_that_would_run_code_is_refused(model: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return builtins.open, (str(model / "trapped"), "w")

    (model / "model.safetensors").unlink()
    torch.save({"classifier.weight": Trap()}, model / "pytorch_model.bin")
    assert "transformers cannot load it: UnpicklingError" in refusal(model)
    (model / "pytorch_model.bin").write_bytes(pickle.dumps({"classifier.weight": Trap()}))
    assert "transformers cannot load it" in refusal(model)
    assert not (model / "trapped").exists()


def test_damaged_weights_are_named(model: Path) -> None:
    raw = (model / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(raw[: len(raw) // 2])
    assert refusal(model).startswith("F: transformers cannot load it: ")


def test_a_model_without_a_head_for_tokens_is_refused(model: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = {k: v for k, v in load_file(model / "model.safetensors").items() if not k.startswith("classifier")}
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    assert refusal(model) == (
        "F: lacks weights (classifier.bias, classifier.weight): expected a model trained for token classification"
    )


def test_a_head_of_another_size_is_refused(model: Path) -> None:
    change(model / "config.json", id2label={str(i): name for i, name in enumerate([*IOB, "B-ORG"])}, label2id=None)
    message = refusal(model)
    assert "has weights whose shapes differ from config.json (classifier" in message or "cannot load it" in message


def test_an_unknown_sort_of_model_is_refused(model: Path) -> None:
    change(model / "config.json", model_type="no-such-model")
    assert refusal(model).startswith("F: transformers cannot load it: ValueError")


def test_another_models_tokenizer_is_refused(model: Path) -> None:
    byte_level().save(str(model / "tokenizer.json"))
    assert "files of different models" in refusal(model)
    (model / "tokenizer.json").write_text("{}")
    assert refusal(model) == "F/tokenizer.json: damaged: expected a tokenizer of Hugging Face tokenizers"


def test_a_folder_without_a_fast_tokenizer_says_what_is_missing(model: Path) -> None:
    (model / "tokenizer.json").unlink()
    assert refusal(model) == (
        "F: has no fast tokenizer: expected tokenizer.json, the only type that gives the offsets of pieces"
    )


def test_a_plain_vocabulary_becomes_a_fast_tokenizer(model: Path) -> None:
    vocabulary = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    (model / "tokenizer.json").unlink()
    words = sorted(vocabulary, key=lambda word: int(vocabulary[word]))
    (model / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (model / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer", "do_lower_case": true}')
    assert found(opened(model)) == [(3, 8)]


def test_the_case_is_lowered_as_the_tokenizers_config_says(model: Path) -> None:
    word_piece(["maria"], lower=False).save(str(model / "tokenizer.json"))
    assert found(opened(model)) == []
    other = Path(shutil.copytree(model, model.parent / "other"))
    (other / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    assert found(opened(other)) == [(3, 8)]


def test_sizes_the_model_cannot_take_are_refused(model: Path) -> None:
    assert refusal(model, window=65) == "transformer F: window 65: the model takes 64 pieces at most"
    assert refusal(model, window=20, stride=18) == (
        "transformer F: stride 18: must be below 18, the pieces of text in a window of 20"
    )


def test_unmapped_labels_are_told_before_weights_are_read(tmp_path: Path) -> None:
    where = folder(tmp_path / "m", labels=["O", "B-GENE", "I-GENE"])
    (where / "model.safetensors").unlink()
    assert "no PHI kind is known for the labels GENE" in refusal(where)


def test_a_missing_library_is_named_with_its_extra(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    real = importlib.import_module

    def without(name: str, *rest: Any) -> Any:
        if name == "transformers":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    assert refusal(model) == ("transformer F: needs Hugging Face transformers: pip install 'caspipe[transformers]'")


def test_nothing_is_asked_of_the_network(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert found(opened(model)) == [(3, 8)]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_told(model: Path) -> None:
    assert refusal(model, device="cuda") == "transformer F: device cuda: PyTorch finds no GPU; use auto or cpu"


def test_a_graph_that_is_damaged_or_of_another_model_is_refused(model: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install 'caspipe[onnx]'")
    onnx = pytest.importorskip("onnx", reason="making a graph needs onnx: pip install 'caspipe[neural]'")
    (model / "model.onnx").write_bytes(b"no graph")
    assert refusal(model) == "F/model.onnx: ONNX Runtime cannot load it: damaged, or for a later version"

    def write(name: str, ids: list[Any], shape: list[Any]) -> None:
        helper, kind = onnx.helper, onnx.TensorProto
        value = helper.make_tensor("v", kind.FLOAT, [1], [0.0])
        graph = helper.make_graph(
            [
                helper.make_node("Shape", [name], ["s0"]),
                helper.make_node("Concat", ["s0", "extra"], ["s"], axis=0),
                helper.make_node("ConstantOfShape", ["s"], ["logits"], value=value),
            ],
            "g",
            [helper.make_tensor_value_info(name, kind.INT64, ids)],
            [helper.make_tensor_value_info("logits", kind.FLOAT, None)],
            [helper.make_tensor("extra", kind.INT64, [len(shape)], shape)],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        (model / "model.onnx").write_bytes(made.SerializeToString())

    def again() -> str:
        other = Path(shutil.copytree(model, model.parent / f"n{len(list(model.parent.iterdir()))}"))
        return refusal(other)

    write("pixels", ["b", "n"], [5])
    assert "takes pixels: expected input_ids, attention_mask and optionally token_type_ids" in again()
    write("input_ids", ["b", 128], [5])
    assert "takes sequences of 128 pieces only: export it with dynamic axes" in again()
    write("input_ids", ["b", "n"], [7])
    assert "returns an array of shape (1, 4, 7), but config.json names 5 labels" in again()
    write("input_ids", ["b", "n"], [5])
    other = Path(shutil.copytree(model, model.parent / "fits"))
    assert type(opened(other)._network).__name__ == "OnnxNetwork"
