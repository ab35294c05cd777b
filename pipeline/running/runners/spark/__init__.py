"""Spark: masking the texts of a DataFrame, and runs on a cluster."""

from .annotating import annotate
from .runner import SparkRunner

__all__ = ["SparkRunner", "annotate"]
