"""Sequence models over tokens: features, CRF and SVM, their training and their bundles."""

from . import crf, crf_trainer, features, filter, filter_trainer, svm, svm_trainer, tagger_trainer
from .bundle import ModelBundle
from .feature import Feature, FormFeature, TokenFeature, ValueFeature, Words

__all__ = [
    "Feature",
    "FormFeature",
    "ModelBundle",
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
