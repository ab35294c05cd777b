"""Lexicons: lists and terminologies, compiled for look-up in text."""

from .lexicon import Entry, Lexicon

__all__ = ["Entry", "Lexicon"]
