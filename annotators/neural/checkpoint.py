"""Checkpoints: the state of a training after each epoch, on disk, so that an interrupted training can resume."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...pipeline.storage.files import make_folder, write_atomic


class Checkpoint:
    """A file next to the model, valid only for the same data and parameters.

    It is written atomically and deleted when the training ends.
    """

    def __init__(self, model: Path, fingerprint: str, enabled: bool = True) -> None:
        self.path = model.with_name(f".{model.name}.checkpoint")
        self.fingerprint = fingerprint
        self.enabled = enabled

    def save(self, state: dict[str, Any]) -> None:
        import torch

        if not self.enabled:
            return
        buffer = io.BytesIO()
        torch.save({"fingerprint": self.fingerprint, **state}, buffer)
        make_folder(self.path.parent)
        write_atomic(self.path, buffer.getvalue(), durable=False)

    def load(self) -> dict[str, Any] | None:
        """Return the state after the last epoch; None without a valid checkpoint of this training."""
        import torch

        if not self.enabled or not self.path.is_file():
            return None
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception:  # damaged files are ignored
            return None
        return state if isinstance(state, dict) and state.get("fingerprint") == self.fingerprint else None

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)


def fingerprint(settings: dict[str, Any], labels: Iterable[Iterable[str]], inputs: Iterable[bytes]) -> str:
    """Return a checksum of the parameters and data of a training."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode("utf-8"))
    for document in labels:
        digest.update("\n".join(document).encode("utf-8") + b"\0")
    for some in inputs:
        digest.update(some)
    return digest.hexdigest()
