"""The inverse approach: every word is masked unless lists, a network or both show that it is safe."""

from .adaptive_threshold import AdaptiveThreshold
from .safe_lists import SafeLists

__all__ = ["AdaptiveThreshold", "SafeLists"]
