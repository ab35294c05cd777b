"""The test components are registered before any test of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import parts as _parts


@pytest.fixture
def parts() -> object:
    """The module of test components."""
    return _parts
