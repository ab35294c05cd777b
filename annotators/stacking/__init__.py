"""Stacking: a model selects the correct spans among those that several finders propose."""

from .stacking_trainer import StackingTrainer
from .strategy import Stacking

__all__ = ["Stacking", "StackingTrainer"]
