"""Runs a trained network with PyTorch, or its ONNX graph with ONNX Runtime. Their scores differ by less than 1e-4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...pipeline.errors import ResourceError
from ..sequence.extraction import Floats
from .extras import installed, need, torch_module
from .inputs import Batch, Seen, batches
from .network_model import ONNX, NeuralModel

Backend = Literal["auto", "torch", "onnx"]
Run = Callable[[Batch], npt.NDArray[np.float32]]
"""From a batch to the scores of its labels: (B, T, L)."""

TOGETHER = 4_096
"""Tokens, with padding, that go through the network at once."""


def runner(model: NeuralModel, backend: Backend, device: str, who: str, threads: int = 1) -> Run:
    """Return what computes scores. Raise ResourceError if its library is missing or the weights do not fit the plan."""
    if backend == "auto":
        backend = "onnx" if model.onnx is not None and installed("onnxruntime") else "torch"
        if backend == "torch" and not installed("torch"):
            extra = "neural]' or 'caspipe[onnx" if model.onnx is not None else "neural"
            raise ResourceError(f"{who}: needs PyTorch or ONNX Runtime: pip install 'caspipe[{extra}]'")
    return _onnx(model, who, threads) if backend == "onnx" else _torch(model, device, who, threads)


def _torch(model: NeuralModel, device: str, who: str, threads: int) -> Run:
    torch = need("torch", "neural", who)
    networks = torch_module("network", who)
    if threads:
        torch.set_num_threads(threads)
    network = networks.Network(model.plan)
    try:
        network.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in model.arrays.items()})
    except RuntimeError:
        raise ResourceError(f"model {model.place}: its weights do not fit its description: damaged") from None
    place = select_device(torch, device)
    network.to(place).eval()

    def run(batch: Batch) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            return network(networks.Tensors.of(batch, place)).cpu().numpy()  # type: ignore[no-any-return]

    return run


def select_device(torch: Any, device: str) -> str:
    """Resolve `auto`: a GPU if there is one, else the CPU."""
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device


def _onnx(model: NeuralModel, who: str, threads: int) -> Run:
    ort = need("onnxruntime", "onnx", who)
    if model.onnx is None:
        raise ResourceError(
            f"{who}: model {model.place} has no {ONNX}: train it with `onnx: true`, or `caspipe model export-onnx` it"
        )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        session = ort.InferenceSession(model.onnx, options, providers=["CPUExecutionProvider"])
    except Exception:  # the runtime raises its own classes, whose messages quote the graph
        raise ResourceError(
            f"model {model.place}: {ONNX} cannot be loaded by ONNX Runtime: damaged or too new"
        ) from None
    names = {i.name for i in session.get_inputs()}

    def run(batch: Batch) -> npt.NDArray[np.float32]:
        inputs = {name: getattr(batch, name) for name in names if name != "mask"}
        if "mask" in names:
            inputs["mask"] = batch.mask.astype(np.float32)
        return session.run(None, inputs)[0]  # type: ignore[no-any-return]

    return run


def emissions(model: NeuralModel, run: Run, seen: Seen) -> Floats:
    """Return the scores of labels for all tokens of a document: (tokens, L). Sequences of similar length are batched."""
    scored = np.zeros((len(seen), len(model.labels)))
    spans = seen.sequences
    for numbers in batches([last - first for first, last in spans], TOGETHER):
        scores = run(model.indexer.batch([(seen, spans[i]) for i in numbers]))
        for row, i in enumerate(numbers):
            first, last = spans[i]
            scored[first:last] = scores[row, : last - first]
    return scored
