"""Review in INCEpTION: the bundle that its importers take at first try, and their checks, made again here."""

from .consumer import InceptionConsumer

__all__ = ["InceptionConsumer"]
