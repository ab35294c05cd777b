"""Training data of networks: copies of a document are held out and counted together with it."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from caspipe.annotators.neural.examples import held_out_documents, unknown_shares, word_counts
from caspipe.annotators.neural.inputs import FIRST, Vocabulary
from caspipe.annotators.neural.parts import RandomEmbedding
from caspipe.annotators.sequence.training import Example, source_document
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


def example(words: str, source: str = "") -> Example:
    return Example(cast("Any", SimpleNamespace(forms=words.split())), [], cast("Any", None), Counter(), source=source)


def test_copies_of_a_document_do_not_make_words_frequent() -> None:
    original, copy, other = example("Ann ate ate", "a"), example("Bo ate", "a"), example("Ann slept", "b")
    assert word_counts([original, copy, other], lower=False) == Counter(ate=2, Ann=2, Bo=1, slept=1)
    assert word_counts([copy, original, other], lower=True) == Counter(ate=2, ann=2, bo=1, slept=1)


def test_documents_without_a_source_count_on_their_own() -> None:
    assert word_counts([example("a b"), example("a")], lower=False) == Counter(a=2, b=1)


def test_rare_words_are_hidden_more_often() -> None:
    documents = [example("once"), *(example("often") for _ in range(9))]
    indexer = cast("Any", SimpleNamespace(words=Vocabulary(["often", "once"]), lower=False))
    shares = unknown_shares(documents, indexer, RandomEmbedding(unknown=0.5, rare=9))
    assert shares.tolist() == [0.0] * FIRST + [0.1, 0.5]
    assert unknown_shares(documents, indexer, RandomEmbedding(unknown=0.8)).tolist()[FIRST + 1] == pytest.approx(0.8)
    assert not unknown_shares(documents, indexer, RandomEmbedding(unknown=0)).any()
    assert not unknown_shares(documents, indexer, None).any()
    assert unknown_shares(documents, indexer, RandomEmbedding(unknown=0.5)).tolist() == [0.0] * FIRST + [0.0, 0.5]
