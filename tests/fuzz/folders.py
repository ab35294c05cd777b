"""Make the helper modules of other test folders importable."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent

for _folder in (
    "fuzz",
    ".",
    "end_to_end",
    "pipeline/application/service",
    "annotators/neural",
    "annotators/neural/vectors",
):
    if str(TESTS / _folder) not in sys.path:
        sys.path.append(str(TESTS / _folder))
