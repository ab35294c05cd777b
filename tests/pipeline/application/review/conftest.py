"""Small folders of XMI as a run would write them: texts of our own, candidates by hand, the real resolver and masker."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from review_corpus import Corpus, make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the three documents in `review_corpus.DOCUMENTS`."""
    return make_folder(tmp_path / "xmi")


@pytest.fixture
def corpus(folder: Path) -> Iterator[Corpus]:
    """The same with a session at work in it."""
    made = Corpus(folder)
    yield made
    made.close()
