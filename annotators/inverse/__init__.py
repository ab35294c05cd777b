"""The inverse approach: every word is masked unless word lists, a network or both classify it as safe."""

from .adaptive_threshold import AdaptiveThreshold
from .safe_lists import SafeLists

__all__ = ["AdaptiveThreshold", "SafeLists"]
