"""Adding an ONNX graph to a bundle that was written without one."""

from __future__ import annotations

import hashlib

from ...pipeline.errors import ResourceError
from ...pipeline.storage.files import write_atomic
from ..sequence.model_files import locate_model, update_description
from .network_model import ONNX, NeuralModel
from .onnx_graph import graph_of


def add_graph(name: str) -> int:
    """Writes the graph into a bundle's folder; its size in bytes.

    Raises ResourceError where the model is no network or lies in a zip, or where the library `onnx` is not installed.
    """
    model, path = NeuralModel.load(name), locate_model(name)
    if not path.is_dir():
        raise ResourceError(f"model {path}: expected a folder, not a zip: unpack it first")
    graph = graph_of(model.plan, model.arrays, "export-onnx")
    write_atomic(path / ONNX, graph)
    files = {**model.meta["files"], ONNX: hashlib.sha256(graph).hexdigest()}
    update_description(path, {"files": files})
    return len(graph)
