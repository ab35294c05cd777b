"""Number of processed documents over time, in bounded memory."""

from __future__ import annotations

SLICES = 120
FIRST = 0.25


class Pace:
    """Documents in each slice of time. If there would be more than `slices`, pairs of slices are merged.

    `counts[i]` documents were processed from second `i * seconds` of the run to `(i + 1) * seconds`.
    """

    __slots__ = ("counts", "seconds", "slices")

    def __init__(self, slices: int = SLICES, seconds: float = FIRST) -> None:
        if slices < 2 or seconds <= 0:
            raise ValueError(f"expected 2 slices or more of more than 0 seconds, got {slices} of {seconds:g}")
        self.slices = slices
        self.seconds = seconds
        self.counts: list[int] = []

    def add(self, at: float, documents: int = 1) -> None:
        """Count documents that were processed `at` seconds after the start of the run."""
        slot = int(at / self.seconds) if at > 0 else 0
        if slot >= len(self.counts):
            while slot >= self.slices:
                self._join()
                slot = int(at / self.seconds)
            self.counts.extend([0] * (slot + 1 - len(self.counts)))
        self.counts[slot] += documents

    def _join(self) -> None:
        self.seconds *= 2
        counts = self.counts
        self.counts = [sum(counts[i : i + 2]) for i in range(0, len(counts), 2)]
