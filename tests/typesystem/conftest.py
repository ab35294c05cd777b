"""Put the helpers that several test modules share on the import path."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / "interop"), str(HERE), str(HERE / "json_cas")]
