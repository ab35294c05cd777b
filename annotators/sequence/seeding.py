"""Seeding of the C library's random numbers, by which CRFsuite and LIBLINEAR order what they learn from."""

from __future__ import annotations

import ctypes
import sys


def seed_c_library(seed: int) -> None:
    """Seed `rand()`. Without this a second training in the same process makes another model."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    library.srand(seed)
