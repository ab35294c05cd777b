"""Helpers that the tests of files share with those against UIMA for Java lie in tests/interop."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "interop"))
sys.path.append(str(Path(__file__).parent))
