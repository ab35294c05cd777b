"""Identifiers of a person: phone, e-mail, record numbers, cards, devices, street addresses ..."""

from .annotator import IdentifierAnnotator

__all__ = ["IdentifierAnnotator"]
