"""A run over three letters: `a` and `c` are released, nothing is found of some names in them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from releasing import KEY, make_run


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEASE_KEY", KEY)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path)
