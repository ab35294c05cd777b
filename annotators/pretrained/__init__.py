"""Pretrained models from folders on disk: Hugging Face token classification, and GLiNER. Nothing is ever downloaded."""

from .gliner import GlinerAnnotator
from .transformer import TransformerAnnotator

__all__ = ["GlinerAnnotator", "TransformerAnnotator"]
