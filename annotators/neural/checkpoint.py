"""The state of a training between epochs, on disk: what a training that was killed goes on from."""

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

    It is written whole or not at all, and gone when the training ends.
    """

    def __init__(self, model: Path, fingerprint: str, wanted: bool = True) -> None:
        self.path = model.with_name(f".{model.name}.checkpoint")
        self.fingerprint = fingerprint
        self.wanted = wanted

    def save(self, state: dict[str, Any]) -> None:
        import torch

        if not self.wanted:
            return
        into = io.BytesIO()
        torch.save({"fingerprint": self.fingerprint, **state}, into)
        make_folder(self.path.parent)
        write_atomic(self.path, into.getvalue(), durable=False)

    def load(self) -> dict[str, Any] | None:
        """What the last epoch left; None where there is nothing, or nothing of this training."""
        import torch

        if not self.wanted or not self.path.is_file():
            return None
        try:
            found = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception:  # a damaged file is no checkpoint, whatever is wrong with it
            return None
        return found if isinstance(found, dict) and found.get("fingerprint") == self.fingerprint else None

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)


def fingerprint(settings: dict[str, Any], labels: Iterable[Iterable[str]], arrays: Iterable[Any]) -> str:
    """Of everything that a training depends on."""
    made = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode("utf-8"))
    for document in labels:
        made.update("\n".join(document).encode("utf-8") + b"\0")
    for array in arrays:
        made.update(array.tobytes())
    return made.hexdigest()
