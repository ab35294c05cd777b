"""Lexicons: lists and terminologies as data, compiled for look-up in text."""

from .lexicon import Entry, Lexicon

__all__ = ["Entry", "Lexicon"]
