"""Networks in NumPy without PyTorch: the scores of a reference, the same bits in any order, damaged weights, quantized ones."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.neural.annotator import NeuralAnnotator
from caspipe.annotators.neural.arrays import network as network_module
from caspipe.annotators.neural.arrays import row_cache
from caspipe.annotators.neural.arrays.network import ArrayNetwork
from caspipe.annotators.neural.arrays.packing import places
from caspipe.annotators.neural.arrays.weights import Weights
from caspipe.annotators.neural.network_model import NeuralModel, quantize_model
from caspipe.annotators.neural.parts import CharacterEncoder, CharLstm, FeedForward, LstmEncoder, RandomEmbedding
from caspipe.annotators.neural.quantization import dequantize, quantize
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.sequence.feature import Words
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.errors import ResourceError
from caspipe.typesystem import Cas, TokenScore

from .small_arrays import document, drawn, expected_scores, write
from .small_networks import CHARACTERS, ENCODERS, SIZES, batch, plan


@given(lengths=st.lists(st.integers(1, 12), min_size=1, max_size=12), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_scores_are_those_of_the_literature(lengths: list[int], seed: int) -> None:
    made, some = plan("lstm", "char_lstm"), document(batch(lengths, seed))
    arrays = drawn(made)
    network = ArrayNetwork(made, Weights(arrays))
    np.testing.assert_allclose(network(some), expected_scores(arrays, some, layers=2), atol=1e-5)


@given(active=st.lists(st.integers(1, 5), min_size=1, max_size=6), parts=st.integers(1, 8))
def test_the_memory_of_a_step_is_contiguous(active: list[int], parts: int) -> None:
    active.sort(reverse=True)
    expected = [(t, part, i) for t, n in enumerate(active) for part in range(parts) for i in range(n)]
    elements = [(t, i) for t, n in enumerate(active) for i in range(n)]
    found = places(active, parts)
    assert found.shape == (parts, len(elements))
    for part in range(parts):
        assert [expected[place] for place in found[part]] == [(t, part, i) for t, i in elements]


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("characters", CHARACTERS)
def test_scores_of_a_document_do_not_depend_on_those_before(
    encoder: str, characters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan(encoder, characters)
    arrays = drawn(made)
    documents = [document(batch([5, 9, 2, 1, 12], seed)) for seed in range(12)]
    alone = [ArrayNetwork(made, Weights(arrays))(d) for d in documents]
    for room in (row_cache.ROOM, 30):  # the second holds no more than a form
        monkeypatch.setattr(row_cache, "ROOM", room)
        shared = ArrayNetwork(made, Weights(arrays))
        for i in [*range(12), *reversed(range(12))]:
            assert (shared(documents[i]) == alone[i]).all()


@pytest.mark.parametrize("encoder", ENCODERS)
def test_long_documents_are_scored_in_portions(encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, some = plan(encoder), document(batch([5, 9, 2, 1, 12]))
    network = ArrayNetwork(made, Weights(drawn(made)))
    whole = network(some)
    for tokens in (1, 6, 15):
        monkeypatch.setattr(network_module, "TOGETHER", tokens)
        np.testing.assert_allclose(network(some), whole, atol=1e-6)


@pytest.mark.parametrize("change", ["missing", "shape", "unknown"])
def test_weights_that_do_not_fit_are_refused(change: str, tmp_path: Path) -> None:
    made = plan()
    arrays = drawn(made)
    if change == "missing":
        del arrays["encoder.layers.1.backwards.bias_hh_l0"]
    elif change == "shape":
        arrays["out.weight"] = arrays["out.weight"][:, 1:]
    else:
        arrays["more.weight"] = np.zeros(3, np.float32)
    write(tmp_path / "m", made, arrays)
    with pytest.raises(ResourceError, match="its weights do not fit its description: damaged"):
        NeuralAnnotator(model=NeuralModel.load(str(tmp_path / "m"))).open()


TEXT = "words3 was seen on words7 by words1 words12 abc.\nHe came back words9 on words4 cde dec abba.\n"


def applied(model: Path, text: str = TEXT, **more: Any) -> list[tuple[int, float, str]]:
    cas = Cas(text)
    apply(Segmenter(), cas)
    annotator = NeuralAnnotator(model=NeuralModel.load(str(model)), token_scores=True, **more)
    annotator.open()
    found = [a for a in annotator.annotate(cas.view()) if isinstance(a, TokenScore)]
    assert len(found) == len(Words(cas.view()))
    return [(a.begin, a.score, a.kind.name) for a in found]


def without_attributes() -> Any:
    return replace(plan("lstm", "char_lstm"), attributes=None)


def test_a_model_is_applied_without_pytorch_and_onnx_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "m", without_attributes(), drawn(without_attributes()))
    wanted = applied(tmp_path / "m", backend="numpy")
    assert {kind for _, _, kind in wanted} == {"PERSON", "DATE"}
    for name in ("torch", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)
    assert applied(tmp_path / "m") == wanted


@pytest.mark.slow
def test_applying_a_model_imports_neither_pytorch_nor_onnx_runtime(tmp_path: Path) -> None:
    write(tmp_path / "m", without_attributes(), drawn(without_attributes()))
    code = (
        "import sys; from caspipe.pipeline import Pipeline; from caspipe.typesystem import Cas;"
        f"Pipeline.parse('engines: [segmenter, {{neural: {{model: {tmp_path / 'm'}}}}}]').process('words3 was here');"
        "print([m for m in ('torch', 'onnx', 'onnxruntime') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_parts_of_plug_ins_need_not_have_arrays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = without_attributes()
    assert made.runs_on_arrays()
    write(tmp_path / "m", made, drawn(made))
    monkeypatch.setattr(CharLstm, "in_arrays", CharacterEncoder.in_arrays)
    assert not made.runs_on_arrays()
    with pytest.raises(ResourceError, match="has a part of a plug-in without NumPy: use backend torch or onnx"):
        NeuralAnnotator(model=NeuralModel.load(str(tmp_path / "m")), backend="numpy").open()


def test_quantized_weights_are_close_and_keep_nearly_all_labels() -> None:
    made = replace(
        plan(),
        tokens=RandomEmbedding(dim=40),
        characters=CharLstm(dim=15, width=15),
        attributes=FeedForward(widths=[40]),
        encoder=LstmEncoder(width=40),
        sizes={**SIZES, "words": 300, "dim": 40, "attributes": 100},
    )
    arrays = drawn(made)
    stored = quantize(arrays)
    assert stored["words.weight"].dtype == np.int8 and stored["out.bias"].dtype == np.float32
    loaded = dequantize(stored)
    assert set(loaded) == set(arrays) and (loaded["chain.pairs"] == arrays["chain.pairs"]).all()
    for name, array in arrays.items():
        error = np.abs(loaded[name] - array).reshape(len(array), -1).max(axis=1)
        assert (error <= np.abs(array).reshape(len(array), -1).max(axis=1) / 253).all()
    agreeing = total = 0
    for seed in range(20):
        some = document(batch([20, 13, 7], seed))
        exact, rounded = (ArrayNetwork(made, Weights(a))(some).argmax(axis=1) for a in (arrays, loaded))
        agreeing, total = agreeing + int((exact == rounded).sum()), total + len(exact)
    assert agreeing / total > 0.98


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ({"a": np.zeros((2, 3), np.int8)}, "weights: a: expected numbers, or 8-bit integers and a scale for each row"),
        ({"a": np.zeros((2, 3), np.int8), "a/scale": np.ones(3, np.float32)}, "a scale for each row"),
        ({"a": np.zeros((2, 3), np.float32), "a/scale": np.ones(2, np.float32)}, "a scale for each row"),
        ({"a/scale": np.ones(2, np.float32)}, "weights: a/scale: a scale without weights"),
    ],
)
def test_quantized_weights_without_their_scales_are_refused(stored: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        dequantize(stored)


@pytest.mark.parametrize("name", ["m", "m.zip"])
def test_a_model_is_quantized_later(name: str, tmp_path: Path) -> None:
    made = without_attributes()
    big = replace(made, encoder=LstmEncoder(width=60))
    write(tmp_path / name, big, drawn(big))
    before, exact = (tmp_path / name / "network.npz"), applied(tmp_path / name)
    size = before.stat().st_size if before.exists() else (tmp_path / name).stat().st_size
    assert quantize_model(str(tmp_path / name)) < size / 2
    rounded = applied(tmp_path / name)
    same = [a[2] == b[2] for a, b in zip(rounded, exact, strict=True)]
    assert sum(same) > 0.85 * len(same)
    assert [s for _, s, _ in rounded] == pytest.approx([s for _, s, _ in exact], abs=0.05)
    model = NeuralModel.load(str(tmp_path / name))
    assert model.meta["quantize"] == "int8" and model.arrays["words.weight"].dtype == np.float32
