"""The leak gate: reads the masked text once more and marks what still tells what was masked, so that nobody gives it away."""

from .gate import LeakGate

__all__ = ["LeakGate"]
