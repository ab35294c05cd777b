"""Held-out documents: copies of a document are drawn together with it."""

from __future__ import annotations

import pytest

from caspipe.annotators.neural.examples import held_out_documents
from caspipe.annotators.sequence.training import source_document
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import Cas


def test_copies_are_held_out_with_their_document() -> None:
    sources = [f"note{i}" for i in range(20) for _ in range(4)]
    for seed in range(5):
        held = held_out_documents(sources, 0.2, seed, "test")
        names = {sources[i] for i in held}
        assert len(names) == 4 and held == {i for i, source in enumerate(sources) if source in names}


def test_documents_without_copies_are_drawn_one_by_one() -> None:
    assert held_out_documents([str(i) for i in range(10)], 0.3, 1, "test") == {1, 4, 6}
    assert held_out_documents(["a", "b"], 0.0, 1, "test") == set()


def test_copies_of_one_document_are_too_few() -> None:
    with pytest.raises(ConsumerError, match="test: held_out leaves no document for training: copies of 1 are too few"):
        held_out_documents(["a"] * 8, 0.1, 1, "test")


@pytest.mark.parametrize(
    ("name", "metadata", "source"),
    [
        ("note", {}, "note"),
        ("note~1", {}, "note"),
        ("note~1~12", {}, "note"),
        ("note~1", {"augmented_from": "other"}, "other"),
        ("x", {"augmented_from": "note~2"}, "note"),
        ("note~a", {}, "note~a"),
        ("~1", {}, "~1"),
    ],
)
def test_the_source_of_a_copy_is_its_document(name: str, metadata: dict[str, str], source: str) -> None:
    cas = Cas("A note.", id=name)
    cas.metadata.update(metadata)
    assert source_document(cas) == source
