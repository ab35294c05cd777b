"""Tests of networks: helpers of this folder become importable; tests skip with a reason where PyTorch is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
