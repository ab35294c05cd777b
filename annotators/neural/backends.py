"""Applies a trained network with NumPy, PyTorch, or its ONNX graph with ONNX Runtime. Their scores differ by less than 1e-4."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from ...pipeline.errors import ResourceError
from ..sequence.extraction import Floats
from .arrays.network import ArrayNetwork
from .arrays.weights import Weights
from .extras import installed, need, torch_module
from .inputs import Batch, IndexedDocument, batch_by_length
from .network_model import ONNX, NeuralModel

Backend = Literal["auto", "numpy", "torch", "onnx"]
Scorer = Callable[[IndexedDocument], Floats]
"""Returns the label scores of all tokens of a document: (tokens, L)."""
BatchScorer = Callable[[Batch], npt.NDArray[np.float32]]
"""Returns the scores of the labels of a batch: (B, T, L)."""

BATCH_TOKENS = 4_096
"""Maximum number of tokens in a batch, including padding."""


def load_scorer(model: NeuralModel, backend: Backend, device: str, who: str, threads: int = 1) -> Scorer:
    """Return the function that scores documents.

    Raises ResourceError for a missing library and for weights that do not fit the plan.
    """
    chosen = select_backend(model, backend, device)
    if chosen == "numpy":
        return _array_scorer(model, who)
    score = _onnx_scorer(model, who, threads) if chosen == "onnx" else _torch_scorer(model, device, who, threads)
    return partial(emissions, model, score)


def select_backend(model: NeuralModel, backend: Backend, device: str) -> Backend:
    """Return the library that applies a model. `auto` is NumPy unless a GPU is asked for or a part needs PyTorch."""
    if backend != "auto":
        return backend
    if device not in ("auto", "cpu"):
        return "torch"
    if model.plan.runs_on_arrays():
        return "numpy"
    return "onnx" if model.onnx is not None and installed("onnxruntime") else "torch"


def _array_scorer(model: NeuralModel, who: str) -> Scorer:
    if not model.plan.runs_on_arrays():
        raise ResourceError(
            f"{who}: model {model.place} has a part of a plug-in without NumPy: use backend torch or onnx"
        )
    try:
        network = ArrayNetwork(model.plan, Weights(model.arrays))
    except ValueError:
        raise ResourceError(f"model {model.place}: its weights do not fit its description: damaged") from None
    blas, lock = ThreadpoolController(), Lock()  # the network keeps vectors of forms between documents

    def score(document: IndexedDocument) -> Floats:
        with lock, blas.limit(limits=1, user_api="blas"):  # the products are too small for several threads
            return network(document).astype(np.float64)

    return score


def _torch_scorer(model: NeuralModel, device: str, who: str, threads: int) -> BatchScorer:
    torch = need("torch", "neural", who)
    networks = torch_module("network", who)
    if threads:
        torch.set_num_threads(threads)
    network = networks.Network(model.plan)
    try:
        network.load_state_dict({name: torch.from_numpy(np.array(a)) for name, a in model.arrays.items()})
    except RuntimeError:
        raise ResourceError(f"model {model.place}: its weights do not fit its description: damaged") from None
    selected = select_device(torch, device)
    network.to(selected).eval()

    def score(batch: Batch) -> npt.NDArray[np.float32]:
        with torch.inference_mode():
            return network(networks.Tensors.of(batch, selected)).cpu().numpy()  # type: ignore[no-any-return]

    return score


def select_device(torch: Any, device: str) -> str:
    """Return the device. `auto` is a GPU if available, else the CPU."""
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device


def _onnx_scorer(model: NeuralModel, who: str, threads: int) -> BatchScorer:
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

    def score(batch: Batch) -> npt.NDArray[np.float32]:
        inputs = {name: getattr(batch, name) for name in names if name != "mask"}
        if "mask" in names:
            inputs["mask"] = batch.mask.astype(np.float32)
        return session.run(None, inputs)[0]  # type: ignore[no-any-return]

    return score


def emissions(model: NeuralModel, scorer: BatchScorer, document: IndexedDocument) -> Floats:
    """Return the label scores of all tokens of a document: (tokens, L). Sequences of similar length share a batch."""
    emitted = np.zeros((len(document), len(model.labels)))
    sequences = document.sequences
    for indexes in batch_by_length([last - first for first, last in sequences], BATCH_TOKENS):
        scores = scorer(model.indexer.batch([(document, sequences[i]) for i in indexes]))
        for row, i in enumerate(indexes):
            first, last = sequences[i]
            emitted[first:last] = scores[row, : last - first]
    return emitted
