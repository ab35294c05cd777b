"""Limits of time and memory for one document, and what is done about a document that breaks down."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import TimeLimitError


@dataclass(kw_only=True)
class Limits:
    """Limits for the processing of one document. A document that exceeds one is quarantined; the run continues.

    Times are checked between components (soft) and from outside: a worker that is stuck in a component is killed (hard).
    Without workers (`workers: 0`), there are only soft limits.
    """

    seconds: float | None = 120.0
    """Seconds for a document of up to a million characters. Longer documents get this time per million. null: no limit."""
    component_seconds: float | None = None
    """Seconds for one component on one document, scaled in the same way."""
    memory_mb: int | None = 4096
    """Megabytes that a worker may use in addition to its models. null: no limit."""

    def __post_init__(self) -> None:
        for name in ("seconds", "component_seconds", "memory_mb"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name}: expected more than 0, got {value}")

    def allowed(self, characters: int) -> float:
        """Return the seconds for a document with a number of characters."""
        return float("inf") if self.seconds is None else self.seconds * max(1.0, characters / 1e6)

    def late(self, characters: int, *, component: bool = False) -> TimeLimitError:
        """Return the error for a document, or one component on it, that took too long."""
        most = self.allowed_component(characters) if component else self.allowed(characters)
        return TimeLimitError(f"took longer than its limit of {most:.3g} s")

    def allowed_component(self, characters: int) -> float:
        """Return the seconds for one component on a document with a number of characters."""
        return float("inf") if self.component_seconds is None else self.component_seconds * max(1.0, characters / 1e6)
