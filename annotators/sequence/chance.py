"""The C library's random numbers, by which CRFsuite and LIBLINEAR order what they learn from, and which neither seeds."""

from __future__ import annotations

import ctypes
import sys


def steady(seed: int) -> None:
    """Seeds them: without this a second training in the same process makes another model."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    library.srand(seed)
