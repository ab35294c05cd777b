"""The fixture that lends tests a UIMA."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from uima import Uima, why_not


@pytest.fixture(scope="session")
def java(tmp_path_factory: pytest.TempPathFactory) -> Uima:
    """Apache UIMA for Java; skips where it is absent."""
    if why_not():
        pytest.skip(why_not())
    return Uima(tmp_path_factory.mktemp("uima"))
