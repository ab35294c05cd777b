"""Spark: documents of a DataFrame as rows of another one, and runs whose work is done by a cluster."""

from .annotating import annotate
from .runner import Spark

__all__ = ["Spark", "annotate"]
