"""Running a trained network: with PyTorch, or its ONNX graph with ONNX Runtime alone. Same scores within 1e-4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...pipeline.errors import ResourceError
from ..sequence.extraction import Floats
from .extras import installed, need
from .inputs import Batch, Seen, batches
from .network_model import ONNX, NeuralModel

Backend = Literal["auto", "torch", "onnx"]
Run = Callable[[Batch], npt.NDArray[np.float32]]
"""Scores of labels for a batch: (B, T, L)."""

TOGETHER = 4_096
"""Tokens, with filling, that go through the network at once."""


def runner(model: NeuralModel, backend: Backend, device: str, who: str, threads: int = 1) -> Run:
    """What computes scores. Raises ResourceError where the library it needs is not there, or the weights do not fit."""
    if backend == "auto":
        backend = "onnx" if model.onnx is not None and installed("onnxruntime") else "torch"
        if backend == "torch" and not installed("torch"):
            wanted = "neural]' or 'caspipe[onnx" if model.onnx is not None else "neural"
            raise ResourceError(f"{who}: needs PyTorch or ONNX Runtime: pip install 'caspipe[{wanted}]'")
    return _onnx(model, who, threads) if backend == "onnx" else _torch(model, device, who, threads)


def _torch(model: NeuralModel, device: str, who: str, threads: int) -> Run:
    torch = need("torch", "neural", who)
    if threads:
        torch.set_num_threads(threads)
    from ._torch.network import Network, Tensors

    network = Network(model.plan)
    try:
        network.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in model.arrays.items()})
    except RuntimeError:
        raise ResourceError(f"model {model.place}: its weights do not fit its description: damaged") from None
    place = chosen_device(torch, device)
    network.to(place).eval()

    def run(batch: Batch) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            return network(Tensors(batch, place)).cpu().numpy()  # type: ignore[no-any-return]

    return run


def chosen_device(torch: Any, device: str) -> str:
    """`auto` is a GPU where there is one."""
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device


def _onnx(model: NeuralModel, who: str, threads: int) -> Run:
    ort = need("onnxruntime", "onnx", who)
    if model.onnx is None:
        raise ResourceError(
            f"{who}: model {model.place} holds no {ONNX}: train it with `onnx: true`, or `caspipe model export-onnx` it"
        )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        session = ort.InferenceSession(model.onnx, options, providers=["CPUExecutionProvider"])
    except Exception:  # the runtime raises classes of its own, whose messages quote the graph
        raise ResourceError(
            f"model {model.place}: {ONNX} cannot be loaded by ONNX Runtime: damaged or too new"
        ) from None
    names = {i.name for i in session.get_inputs()}

    def run(batch: Batch) -> npt.NDArray[np.float32]:
        given = {name: getattr(batch, name) for name in names if name != "mask"}
        if "mask" in names:
            given["mask"] = batch.mask.astype(np.float32)
        return session.run(None, given)[0]  # type: ignore[no-any-return]

    return run


def emissions(model: NeuralModel, run: Run, seen: Seen) -> Floats:
    """Scores of labels for all tokens of a document: (tokens, L). Sequences of like length go through together."""
    found = np.zeros((len(seen), len(model.labels)))
    spans = seen.sequences
    for some in batches([last - first for first, last in spans], TOGETHER):
        scores = run(model.indexer.batch([(seen, spans[i]) for i in some]))
        for row, i in enumerate(some):
            first, last = spans[i]
            found[first:last] = scores[row, : last - first]
    return found
