"""Optional libraries, asked for when they are needed, with the extra that brings them in the message."""

from __future__ import annotations

import importlib
from typing import Any

from ...pipeline.errors import ResourceError

_NAMES = {
    "torch": "PyTorch",
    "onnxruntime": "ONNX Runtime",
    "transformers": "Hugging Face transformers",
    "tokenizers": "Hugging Face tokenizers",
}


def need(module: str, extra: str, who: str) -> Any:
    """The module, imported. Raises ResourceError where it is not installed: who needs it, and the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = _NAMES.get(module.partition(".")[0], module)
        raise ResourceError(f"{who}: needs {name}: pip install 'caspipe[{extra}]'") from None


def installed(module: str) -> bool:
    """Whether a library is there, without importing it."""
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
