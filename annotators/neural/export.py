"""Adds an ONNX graph to a model that was written without one."""

from __future__ import annotations

import hashlib

from ...pipeline.errors import ResourceError
from ...pipeline.storage.files import write_atomic
from ..sequence.model_files import locate_model, update_description
from .extras import torch_module
from .network_model import ONNX, NeuralModel


def add_graph(name: str) -> int:
    """Write the graph into a model's folder. Return its size in bytes.

    Raises ResourceError if the model is not a network or is a zip, or if PyTorch or `onnx` is not installed.
    """
    model, path = NeuralModel.load(name), locate_model(name)
    if not path.is_dir():
        raise ResourceError(f"model {path}: expected a folder, not a zip: unpack it first")
    graph: bytes = torch_module("onnx_export", "export-onnx").export_onnx(model.plan, model.arrays, "export-onnx")
    write_atomic(path / ONNX, graph)
    update_description(path, {"files": {**model.meta["files"], ONNX: hashlib.sha256(graph).hexdigest()}})
    return len(graph)
