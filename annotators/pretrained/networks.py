"""Networks for token classification, run by PyTorch or ONNX Runtime. They score the labels of each piece."""

from __future__ import annotations

import contextlib
import importlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from ...pipeline.errors import ResourceError
from ..neural.extras import need
from .windows import Floats

Ints = npt.NDArray[np.int64]
Device = Literal["auto", "cpu", "cuda"]

_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


class Network(Protocol):
    """A network that scores pieces. Shape of `ids` and `mask`: (rows, pieces); of the logits: (rows, pieces, labels)."""

    def logits(self, ids: Ints, mask: Ints) -> Floats: ...


class TorchNetwork:
    """A model that transformers builds from config.json, with the weights of model.safetensors or pytorch_model.bin.

    Loading cannot run code: a `.bin` is read with `weights_only`, and a folder with Python code is refused.
    """

    def __init__(self, folder: Path, labels: int, device: Device, threads: int, who: str) -> None:
        self._torch = torch = need("torch", "neural", who)
        transformers = need("transformers", "transformers", who)
        if device == "cuda" and not torch.cuda.is_available():
            raise ResourceError(f"{who}: device cuda: PyTorch finds no GPU; use auto or cpu")
        self._device = "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
        self._threads = threads
        self._model = _load(transformers, folder).to(self._device).eval()
        outputs = int(self._model.config.num_labels)
        if outputs != labels:
            raise ResourceError(f"{folder}: the head has {outputs} outputs, but config.json names {labels} labels")

    def logits(self, ids: Ints, mask: Ints) -> Floats:
        torch = self._torch
        with torch.inference_mode(), self._limited():
            logits = self._model(
                input_ids=torch.from_numpy(ids).to(self._device), attention_mask=torch.from_numpy(mask).to(self._device)
            ).logits
        scores: Floats = logits.float().cpu().numpy()
        return scores

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        """Set PyTorch's number of threads, which applies to the whole process, and restore it afterwards."""
        before = self._torch.get_num_threads()
        if not self._threads or before == self._threads:
            yield
            return
        self._torch.set_num_threads(self._threads)
        try:
            yield
        finally:
            self._torch.set_num_threads(before)


def _load(transformers: Any, folder: Path) -> Any:
    with _quiet():
        try:
            model, loading = transformers.AutoModelForTokenClassification.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False, output_loading_info=True, dtype="float32"
            )
        except Exception as error:  # the library raises many classes with long messages
            first = (str(error).strip().splitlines() or [""])[0]
            raise ResourceError(
                f"{folder}: transformers cannot load it: {type(error).__name__}: {first[:200]}"
            ) from None
    for key, fault in (
        ("missing_keys", "lacks weights"),
        ("mismatched_keys", "has weights whose shapes differ from config.json"),
    ):
        names = sorted(str(name[0] if isinstance(name, tuple) else name) for name in loading.get(key) or ())
        if names:
            raise ResourceError(
                f"{folder}: {fault} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}): "
                "expected a model trained for token classification"
            )
    return model


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the library's progress bars and reports on standard error."""
    library_log: Any = importlib.import_module("transformers.utils.logging")
    logger = logging.getLogger("transformers")
    level, bars = logger.level, library_log.is_progress_bar_enabled()
    logger.setLevel(logging.CRITICAL)
    library_log.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        if bars:
            library_log.enable_progress_bar()


class OnnxNetwork:
    """An exported graph, run by ONNX Runtime without PyTorch and transformers."""

    def __init__(self, path: Path, labels: int, device: Device, threads: int, who: str) -> None:
        self._session = session(path, device, threads, who, "onnx")
        inputs = {i.name: i.shape for i in self._session.get_inputs()}
        if any(name not in _INPUTS for name in inputs) or "input_ids" not in inputs:
            raise ResourceError(
                f"{path}: takes {', '.join(inputs)}: expected input_ids, attention_mask and optionally token_type_ids"
            )
        if isinstance(inputs["input_ids"][-1], int):
            raise ResourceError(
                f"{path}: takes sequences of {inputs['input_ids'][-1]} pieces only: export it with dynamic axes"
            )
        self._inputs = list(inputs)
        outputs = [o.name for o in self._session.get_outputs()]
        self._output = "logits" if "logits" in outputs else outputs[0]
        self._labels = labels
        self._path = path
        self.logits(np.full((1, 4), 0, dtype=np.int64), np.ones((1, 4), dtype=np.int64))

    def logits(self, ids: Ints, mask: Ints) -> Floats:
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1], dtype=np.int64), ids.shape).copy(),
        }
        logits = self._session.run([self._output], {name: inputs[name] for name in self._inputs})[0]
        if logits.ndim != 3 or logits.shape[-1] != self._labels:
            raise ResourceError(
                f"{self._path}: returns an array of shape {logits.shape}, but config.json names {self._labels} labels: "
                "expected (rows, pieces, labels) of a model for token classification"
            )
        scores: Floats = np.asarray(logits, dtype=np.float32)
        return scores


def session(path: Path, device: Device, threads: int, who: str, extra: str) -> Any:
    """Return an ONNX Runtime session for a graph file. Raises ResourceError for a missing library or GPU and a damaged file."""
    ort = need("onnxruntime", extra, who)
    gpu = "CUDAExecutionProvider"
    if device == "cuda" and gpu not in ort.get_available_providers():
        raise ResourceError(f"{who}: device cuda: this ONNX Runtime cannot use a GPU; use auto or cpu")
    use_gpu = device != "cpu" and gpu in ort.get_available_providers()
    options = ort.SessionOptions()
    options.log_severity_level = 3
    if threads:
        options.intra_op_num_threads = threads
    providers = [gpu, "CPUExecutionProvider"] if use_gpu else ["CPUExecutionProvider"]
    try:
        return ort.InferenceSession(str(path), options, providers=providers)
    except Exception:
        raise ResourceError(f"{path}: ONNX Runtime cannot load it: damaged, or for a later version") from None
