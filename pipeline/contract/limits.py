"""Limits of time and memory for one document, and what is done about a document that breaks down."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import TimeLimitError


@dataclass(kw_only=True)
class Limits:
    """Most that one document may take. A document beyond a limit is quarantined; the run goes on.

    Times are looked at between components (soft), and from outside: a worker that is stuck inside a component is killed
    (hard). Without workers (`workers: 0`) there are soft limits only.
    """

    seconds: float | None = 120.0
    """Seconds for a document of up to a million characters; longer ones have as much for each million. null: no limit."""
    component_seconds: float | None = None
    """Seconds for one component on one document, alike."""
    memory_mb: int | None = 4096
    """Megabytes that a worker may grow by beyond what its models take. null: no limit."""

    def __post_init__(self) -> None:
        for name in ("seconds", "component_seconds", "memory_mb"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name}: expected more than 0, got {value}")

    def allowed(self, characters: int) -> float:
        """Seconds for a document of that many characters."""
        return float("inf") if self.seconds is None else self.seconds * max(1.0, characters / 1e6)

    def late(self, characters: int, *, component: bool = False) -> TimeLimitError:
        """What is said of a document, or of one component on it, that took too long."""
        most = self.allowed_component(characters) if component else self.allowed(characters)
        return TimeLimitError(f"took longer than its limit of {most:.3g} s")

    def allowed_component(self, characters: int) -> float:
        """Seconds for one component on a document of that many characters."""
        return float("inf") if self.component_seconds is None else self.component_seconds * max(1.0, characters / 1e6)
