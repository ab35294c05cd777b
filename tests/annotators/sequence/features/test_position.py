"""Positions in sentences and documents."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.annotators.sequence.features.position import (
    DocumentPosition,
    DocumentPositionBin,
    SentenceInDocument,
    SentenceInDocumentBin,
    SentencePosition,
    SentencePositionBin,
)

TEXT = "a b c d e f"
SENTENCES = ("a b c", "d", "e f")


def test_positions_run_from_0_to_1(words: Any) -> None:
    made = words(TEXT, sentences=SENTENCES)
    assert SentencePosition().column(made) == [0.0, 0.5, 1.0, 0.0, 0.0, 1.0]
    assert DocumentPosition().column(made) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert SentenceInDocument().column(made) == [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]


def test_tokens_outside_sentences_have_positions(words: Any) -> None:
    made = words(TEXT, sentences=("c d",))
    assert SentencePosition().column(made) == [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    assert SentenceInDocument().column(made) == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]


def test_positions_of_one_token_and_of_none(words: Any) -> None:
    for feature in (SentencePosition(), DocumentPosition(), SentenceInDocument()):
        assert feature.column(words("a")) == [0.0]
        assert feature.column(words("")) == []


def test_binned_positions_are_numbered_from_1(words: Any) -> None:
    made = words(TEXT, sentences=SENTENCES)
    assert SentencePositionBin(bins=2).column(made) == ["1", "2", "2", "1", "1", "2"]
    assert DocumentPositionBin().column(made) == ["1", "2", "3", "4", "5", "5"]
    assert SentenceInDocumentBin(bins=10).column(made) == ["1", "1", "1", "6", "10", "10"]
    assert [DocumentPositionBin().label, DocumentPositionBin(bins=2).label] == [
        "document_position_bin",
        "document_position_bin:2",
    ]


def test_positions_are_looked_at_for_the_token_alone() -> None:
    assert SentencePosition().window == DocumentPositionBin().window == (0, 0)


@pytest.mark.parametrize("bins", [1, 0, 101])
def test_numbers_of_bins_out_of_range_are_refused(bins: int) -> None:
    with pytest.raises(ValueError) as told:
        DocumentPositionBin(bins=bins)
    assert str(told.value) == f"bins: expected a whole number from 2 to 100, got {bins}"
