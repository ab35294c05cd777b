"""Review in INCEpTION: a project of files that its import accepts, and the checks of that import."""

from .consumer import InceptionConsumer

__all__ = ["InceptionConsumer"]
