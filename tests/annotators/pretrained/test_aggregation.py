"""From scores of pieces to spans of whole tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.pretrained.aggregation import (
    group_pieces,
    label_spans,
    softmax,
    widen_to_tokens,
    word_probabilities,
)
from caspipe.annotators.pretrained.label_names import read_labels
from caspipe.annotators.pretrained.pieces import Pieces
from caspipe.typesystem.tokenize import token_spans

LABELS = read_labels(["O", "B-PER", "I-PER"])


def pieces(*cut: tuple[int, int, int]) -> Pieces:
    return Pieces(list(range(len(cut))), *(list(column) for column in zip(*cut, strict=True)))


def test_pieces_of_one_word_belong_together_as_far_as_one_token_reaches() -> None:
    # "Dr.Smith saw": one word for a tokenizer that cuts at blanks, three tokens for ours
    found = group_pieces(pieces((0, 2, 0), (2, 3, 0), (3, 6, 0), (6, 8, 0), (9, 12, 1)), [2, 3, 8, 12], separate=False)
    assert list(zip(found.begins, found.ends, strict=True)) == [(0, 2), (2, 3), (3, 8), (9, 12)]
    assert list(zip(found.firsts, found.lasts, strict=True)) == [(0, 1), (1, 2), (2, 4), (4, 5)]


def test_a_piece_of_nothing_but_blank_speaks_for_the_word_it_begins() -> None:
    cut = pieces((0, 0, 0), (0, 1, 0), (1, 1, 0), (2, 3, 1))
    assert group_pieces(cut, [1, 3], separate=False).firsts == [0, 3]
    assert group_pieces(cut, [1, 3], separate=True).firsts == [1, 3]


@pytest.mark.parametrize(
    ("strategy", "row"), [("first", [0.9, 0.1, 0]), ("average", [0.5, 0.2, 0.3]), ("max", [0, 0.05, 0.95])]
)
def test_strategies_are_those_of_the_hugging_face_pipeline(strategy: str, row: list[float]) -> None:
    chances = np.array([[0.9, 0.1, 0], [0.6, 0.45, -0.05], [0, 0.05, 0.95]], dtype=np.float32)
    word = group_pieces(pieces((0, 2, 0), (2, 4, 0), (4, 6, 0)), [6], separate=False)
    assert word_probabilities(word, chances, chances, strategy)[0].tolist() == pytest.approx(row)  # type: ignore[arg-type]


def test_spans_are_widened_to_the_tokens_they_touch_and_joined_there() -> None:
    # tokens 0:5 and 6:12; the model marks letters 1:3 and 4:5 of the first and 7:9 of the second
    words = group_pieces(pieces((1, 3, 0), (3, 4, 1), (4, 5, 2), (7, 9, 3)), [5, 12], separate=True)
    found = label_spans(words, np.array([1, 0, 1, 1]), LABELS, [0, 6], [5, 12])
    assert [(f.begin, f.end, f.first, f.last) for f in found] == [(0, 5, 0, 3), (6, 12, 3, 4)]


def test_other_kinds_in_a_token_keep_their_own_span() -> None:
    labels = read_labels(["O", "PER", "LOC"])
    words = group_pieces(pieces((0, 3, 0), (3, 6, 1)), [6], separate=True)
    found = label_spans(words, np.array([1, 2]), labels, [0], [6])
    assert [(f.begin, f.end, f.type) for f in found] == [(0, 6, "PER"), (0, 6, "LOC")]


def test_labels_no_encoder_would_write_are_read_in_favour_of_the_span() -> None:
    words = group_pieces(pieces((0, 1, 0), (2, 3, 1), (4, 5, 2)), [1, 3, 5], separate=False)
    found = label_spans(words, np.array([2, 2, 1]), LABELS, [0, 2, 4], [1, 3, 5])
    assert [(f.begin, f.end) for f in found] == [(0, 3), (4, 5)]


@given(st.text(alphabet="ab -.'é\u0301\U0001f600\n", max_size=40), st.integers(0, 40), st.integers(1, 10))
def test_widening_loses_nothing_and_ends_at_borders_of_tokens(text: str, begin: int, length: int) -> None:
    end = min(begin + length, len(text))
    if begin >= end:
        return
    begins, ends = token_spans(text)
    low, high = widen_to_tokens(begin, end, begins, ends)
    assert low <= begin
    assert high >= end
    assert not any(b < low < e or b < high < e for b, e in zip(begins, ends, strict=True))


def test_probabilities_survive_large_scores() -> None:
    assert softmax(np.array([[1000.0, 0.0], [-1000.0, -1000.0]], dtype=np.float32)).tolist() == [[1, 0], [0.5, 0.5]]
