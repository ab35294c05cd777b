"""A network's ONNX graph gives the scores that PyTorch gives, without PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from .small_networks import CHARACTERS, ENCODERS, arrays, batch, network, plan

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")
pytest.importorskip("onnx", reason="needs onnx: pip install 'caspipe[neural]'")
ort = pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install 'caspipe[onnx]'")

from caspipe.annotators.neural._torch.network import Tensors  # noqa: E402
from caspipe.annotators.neural._torch.onnx_export import export_onnx  # noqa: E402

pytestmark = pytest.mark.neural


def scores(graph: bytes, given: object) -> object:
    session = ort.InferenceSession(graph, providers=["CPUExecutionProvider"])
    inputs = {i.name: getattr(given, i.name) for i in session.get_inputs()}
    if "mask" in inputs:
        inputs["mask"] = inputs["mask"].astype(np.float32)
    return session.run(None, inputs)[0]


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("characters", CHARACTERS)
def test_the_graph_gives_the_scores_of_the_network(encoder: str, characters: str) -> None:
    made = plan(encoder, characters)
    net = network(made)
    graph = export_onnx(made, arrays(net), "test")
    for lengths in ([1], [7, 3, 1], [2, 2, 11, 5]):
        given = batch(lengths)
        with torch.inference_mode():
            expected = net(Tensors.of(given)).numpy()
        found = scores(graph, given)
        for row, n in enumerate(lengths):
            np.testing.assert_allclose(found[row, :n], expected[row, :n], atol=1e-4)


def test_the_same_weights_give_the_same_bytes() -> None:
    made = plan("id_cnn", "char_cnn")
    first, second = (export_onnx(made, arrays(network(made)), "test") for _ in range(2))
    assert first == second
