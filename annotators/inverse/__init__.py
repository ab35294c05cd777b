"""The inverse approach: every word is masked until lists, a network or both have shown it to be safe."""

from .adaptive_threshold import AdaptiveThreshold
from .safe_lists import SafeLists

__all__ = ["AdaptiveThreshold", "SafeLists"]
