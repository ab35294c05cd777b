"""Stacking: a small model learns which of several finders to believe, span by span."""

from .stacking_trainer import StackingTrainer
from .strategy import Stacking

__all__ = ["Stacking", "StackingTrainer"]
