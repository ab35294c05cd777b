"""Limits of the service in size, time and number, and its access control."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """The pipeline of a worker as plain data, which can be sent to other processes."""

    config: str
    """Path of the YAML file."""
    overrides: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    max_characters: int = 1_000_000
    """Code points of one document, all its views together."""
    auto_accept: float | None = None
    """Suggestions with at least this score are accepted by INCEpTION when a document is opened first; None: none."""
    max_types: int = 5_000
    """Classes made for types of clients, which stay as long as the process, before a worker is replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Limits and options of the service as a whole."""

    max_body: int = 10 * MEBIBYTE
    """Bytes of one document's request, and of one line of a batch."""
    max_batch: int = 32 * MEBIBYTE
    """Bytes of a batch that are in memory at a time; a batch as one JSON array may have at most this."""
    max_training: int = 256 * MEBIBYTE
    """Bytes of a training request: it holds all documents of a project."""
    seconds: float = 30.0
    """Time a document may take once a worker has begun with it."""
    body_seconds: float = 30.0
    """How long the service waits for the next part of a request, or for a client that does not read its answer."""
    training_seconds: float = 1800.0
    """Time a training may take."""
    workers: int = 1
    """Processes with a pipeline each. 0: the service's own process, in which a document that takes too long cannot be stopped."""
    queue: int = 32
    """Requests that may wait for a worker; further ones are refused (429)."""
    state: Path | None = None
    """Folder where trained recommenders are kept; None: they are gone when the service ends."""
    max_models: int = 100
    """Trained recommenders kept; the one not used for longest goes first."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call the service (CORS); none by default."""
    api_key: str = field(default="", repr=False)
    """Secret that every request must bring; empty: none is asked for."""
    local: bool = False
    """True if requests must name this machine itself as their host: a page whose name was made to lead here does not."""

    def __post_init__(self) -> None:
        for name in (
            "max_body",
            "max_batch",
            "max_training",
            "seconds",
            "body_seconds",
            "training_seconds",
            "max_models",
        ):
            if not 0 < getattr(self, name) < float("inf"):
                raise ValueError(f"{name}: expected a number above 0, got {getattr(self, name):g}")
        for name in ("workers", "queue"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, got {getattr(self, name)}")
        if self.max_batch < self.max_body:
            raise ValueError(f"max_batch: expected at least max_body ({self.max_body}), got {self.max_batch}")

    def as_data(self) -> dict[str, float]:
        """Return the limits as plain data, for `/v1/config`; nothing secret."""
        return {
            "max_body_bytes": self.max_body,
            "max_batch_bytes": self.max_batch,
            "max_training_bytes": self.max_training,
            "document_seconds": self.seconds,
            "body_seconds": self.body_seconds,
            "training_seconds": self.training_seconds,
            "workers": self.workers,
            "queue": self.queue,
        }
