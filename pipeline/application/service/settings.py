"""Limits of the service in size, time and number, and its access control."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """The pipeline of a worker as plain data, which can be sent to other processes."""

    config: str
    """Path of the YAML file, or of a pipeline package."""
    overrides: tuple[str, ...] = ()
    verify: str = ""
    """Public key with which a pipeline package must be signed."""
    trust: bool = False
    """Do not confine a package that is not signed by a trusted key."""
    plugins: tuple[str, ...] = ()
    max_characters: int = 1_000_000
    """Maximum number of code points of a document, in all its views together."""
    auto_accept: float | None = None
    """Minimum score of suggestions that INCEpTION accepts when a document is first opened; None: none are accepted."""
    max_types: int = 5_000
    """Number of classes created for types of clients after which a worker is replaced, since they are never freed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Limits and options of the service."""

    max_body: int = 10 * MEBIBYTE
    """Maximum bytes of a request for one document, and of a line of a batch."""
    max_batch: int = 32 * MEBIBYTE
    """Maximum bytes of a batch in memory at a time, and maximum size of a batch as one JSON array."""
    max_training: int = 256 * MEBIBYTE
    """Maximum bytes of a training request, which contains all documents of a project."""
    seconds: float = 30.0
    """Time limit for a document in a worker."""
    body_seconds: float = 30.0
    """Timeout for the next part of a request, and for a client that does not read its response."""
    training_seconds: float = 1800.0
    """Time limit for a training."""
    workers: int = 1
    """Number of worker processes. 0: the process of the service, in which a document that takes too long cannot be stopped."""
    queue: int = 32
    """Maximum number of requests that wait for a worker; others are rejected (429)."""
    state: Path | None = None
    """Folder for trained recommenders; None: they are deleted when the service ends."""
    max_models: int = 100
    """Maximum number of trained recommenders; the least recently used one is deleted first."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call the service (CORS); none by default."""
    api_key: str = field(default="", repr=False)
    """Key that every request must send; empty: none is required."""
    local: bool = False
    """True if the `Host` of requests must be this machine, as protection against DNS rebinding."""

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
        """Return the limits as plain data, for `/v1/config`, without secrets."""
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
