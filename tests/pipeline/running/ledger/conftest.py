"""No test of this folder is about power cuts: the disk need not be waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import running
from resuming import NAMES


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return running.notes(tmp_path / "notes", running.texts_of(NAMES))
