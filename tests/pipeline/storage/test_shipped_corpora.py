"""Names of the corpora that ship with caspipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.pipeline.errors import ResourceError
from caspipe.pipeline.storage.shipped_corpora import corpora, corpus_folder, is_shipped


def test_each_corpus_and_each_part_of_it_has_a_name() -> None:
    assert list(corpora()) == ["phi-notes", "phi-notes-dev", "phi-notes-train"]
    assert all(path.is_dir() for path in corpora().values())


def test_a_name_is_a_folder() -> None:
    assert corpus_folder("shipped:phi-notes-dev") == corpora()["phi-notes-dev"]
    assert corpus_folder(Path("shipped:phi-notes")) == corpora()["phi-notes"]
    assert is_shipped("shipped:x")
    assert not is_shipped("phi-notes")


def test_a_wrong_name_is_told_with_the_nearest_or_all() -> None:
    with pytest.raises(ResourceError, match="no shipped corpus 'phi-notes-test'; did you mean phi-notes"):
        corpus_folder("shipped:phi-notes-test")
    with pytest.raises(
        ResourceError, match="no shipped corpus 'x'; shipped ones: phi-notes, phi-notes-dev, phi-notes-"
    ):
        corpus_folder("shipped:x")
