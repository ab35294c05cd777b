"""Makes the modules beside the fuzz tests, and those they share with tests of other folders, importable."""

from __future__ import annotations

import sys
from pathlib import Path

if str(Path(__file__).resolve().parent) not in sys.path:
    sys.path.append(str(Path(__file__).resolve().parent))

import folders

__all__ = ["folders"]
