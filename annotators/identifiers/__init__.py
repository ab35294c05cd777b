"""Numbers, codes and addresses that point to a person: phone, e-mail, record numbers, cards, devices, streets ..."""

from .annotator import IdentifierAnnotator

__all__ = ["IdentifierAnnotator"]
