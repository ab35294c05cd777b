"""Exports a trained network as an ONNX graph, so that ONNX Runtime can apply it without PyTorch."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from ...sequence.arrays import Array
from ..extras import need
from ..inputs import Batch
from ..plan import Plan
from .network import Network, Tensors

OPSET = 17
"""Supported by ONNX Runtime since version 1.12 (2022)."""
_AXES = {
    "words": "BT",
    "characters": "UC",
    "sizes": "U",
    "forms": "BT",
    "attributes": "BTK",
    "numbers": "BT",
    "lengths": "B",
    "mask": "BT",
}
"""The dynamic axes of each input, named as in `Batch`; the last axis of `numbers` is fixed."""


class _Exportable(nn.Module):
    """A network as a function of single tensors. The mask consists of numbers."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, *tensors: Tensor) -> Tensor:
        inputs = dict(zip(_AXES, tensors, strict=True))
        return self.network(Tensors(**{**inputs, "mask": inputs["mask"].bool()}))


def export_onnx(plan: Plan, arrays: Mapping[str, Array], who: str) -> bytes:
    """Return the graph of a network with these weights. The bytes are reproducible for the same version of PyTorch.

    The inputs are the fields of `Batch` that the network uses, with `mask` as 32-bit floats. The output `scores` has the shape
    (B, T, L).
    Raises ResourceError if the library `onnx` is not installed.
    """
    need("onnx", "neural", who)
    network = Network(plan)
    network.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in arrays.items()})
    batch = _example(plan)
    tensors = [torch.from_numpy(getattr(batch, name)) for name in _AXES if name != "mask"]
    axes = {name: dict(enumerate(names)) for name, names in _AXES.items()}
    file = io.BytesIO()
    with warnings.catch_warnings():
        # the exporter is deprecated and warns of shapes that may be fixed to those of the example, which tests exclude
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Exportable(network.eval()),
            (*tensors, torch.from_numpy(batch.mask.astype(np.float32))),
            file,
            dynamo=False,
            dynamic_axes={**axes, "scores": {0: "B", 1: "T"}},
            input_names=list(_AXES),
            output_names=["scores"],
            opset_version=OPSET,
        )
    return file.getvalue()


def _example(plan: Plan) -> Batch:
    """Return the example that the exporter traces: two sequences of different length."""
    return Batch(
        words=np.array([[1, 1, 1], [1, 1, 0]]),
        characters=np.array([[1, 1], [1, 0]]),
        sizes=np.array([2, 1]),
        forms=np.array([[0, 1, 0], [1, 0, 0]]),
        attributes=np.ones((2, 3, 2), dtype=np.int64),
        numbers=np.zeros((2, 3, plan.sizes["numbers"]), dtype=np.float32),
        lengths=np.array([3, 2]),
    )
