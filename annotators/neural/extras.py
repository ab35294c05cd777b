"""Imports optional libraries on first use. If one is missing, the error names the extra that installs it."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from ...pipeline.errors import ResourceError

_NAMES = {
    "torch": "PyTorch",
    "onnxruntime": "ONNX Runtime",
    "transformers": "Hugging Face transformers",
    "tokenizers": "Hugging Face tokenizers",
}


def need(module: str, extra: str, who: str) -> Any:
    """Import and return a module. Raise ResourceError with the extra to install if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ResourceError(f"{who}: needs {_NAMES.get(package, package)}: pip install 'caspipe[{extra}]'") from None


def installed(module: str) -> bool:
    """Return whether a library is installed, without importing it."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def torch_module(name: str, who: str = "a network") -> Any:
    """Import and return a module of `_torch`. Raise ResourceError if PyTorch is missing."""
    need("torch", "neural", who)
    return importlib.import_module(f"{__package__}._torch.{name}")
