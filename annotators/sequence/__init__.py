"""Sequence models over tokens: features, CRF and SVM, their training and their files."""

from . import crf, crf_trainer, features, filter, filter_trainer, svm, svm_trainer, tagger_trainer
from .feature import Feature, FormFeature, TokenFeature, ValueFeature, Words
from .linear_model import LinearModel

__all__ = [
    "Feature",
    "FormFeature",
    "LinearModel",
    "TokenFeature",
    "ValueFeature",
    "Words",
    "crf",
    "crf_trainer",
    "features",
    "filter",
    "filter_trainer",
    "svm",
    "svm_trainer",
    "tagger_trainer",
]
