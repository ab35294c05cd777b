"""A learned vote: a model decides which of the spans that several finders propose are right."""

from .stacking_trainer import StackingTrainer
from .strategy import Stacking

__all__ = ["Stacking", "StackingTrainer"]
