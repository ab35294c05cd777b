"""The state of a training on disk after each epoch, so that a training that was killed can resume."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...pipeline.storage.files import make_folder, write_atomic


class Checkpoint:
    """A file beside the model, valid for one training only: same data, same parameters.

    It is written atomically, and deleted when the training ends.
    """

    def __init__(self, model: Path, fingerprint: str, enabled: bool = True) -> None:
        self.path = model.with_name(f".{model.name}.checkpoint")
        self.fingerprint = fingerprint
        self.enabled = enabled

    def save(self, state: dict[str, Any]) -> None:
        import torch

        if not self.enabled:
            return
        into = io.BytesIO()
        torch.save({"fingerprint": self.fingerprint, **state}, into)
        make_folder(self.path.parent)
        write_atomic(self.path, into.getvalue(), durable=False)

    def load(self) -> dict[str, Any] | None:
        """Return the state after the last epoch; None if there is none of this training."""
        import torch

        if not self.enabled or not self.path.is_file():
            return None
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception:  # a damaged file is ignored, regardless of its fault
            return None
        return state if isinstance(state, dict) and state.get("fingerprint") == self.fingerprint else None

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)


def fingerprint(settings: dict[str, Any], labels: Iterable[Iterable[str]], arrays: Iterable[Any]) -> str:
    """Return a checksum of everything that a training depends on."""
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode("utf-8"))
    for document in labels:
        digest.update("\n".join(document).encode("utf-8") + b"\0")
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()
