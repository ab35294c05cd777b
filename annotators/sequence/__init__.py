"""Sequence models over tokens: features, CRF and SVM, their training and their files."""

from . import features
from .feature import Feature, FormFeature, TokenFeature, ValueFeature, Words
from .linear_model import LinearModel

__all__ = [
    "Feature",
    "FormFeature",
    "LinearModel",
    "TokenFeature",
    "ValueFeature",
    "Words",
    "features",
]
