"""The leak gate: searches the masked text for what was masked, and marks it so that the document is not released."""

from .gate import LeakGate

__all__ = ["LeakGate"]
