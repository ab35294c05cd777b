"""Aggregates scores of pieces to words, words to spans, and widens spans to whole tokens.

The strategies are those of the Hugging Face pipeline (`simple`, `first`, `average`, `max`). A word is a word of the model's
pre-tokenizer, divided further at token boundaries: pre-tokenizers define words differently, and PHI can begin at any token.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import gt
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...typesystem import View
from ...typesystem.tokenize import token_spans
from ..sequence.labels import decode
from .label_names import Labels
from .pieces import Pieces
from .windows import Floats

Aggregation = Literal["simple", "first", "average", "max"]


@dataclass(slots=True)
class Words:
    """Words as ranges of pieces (`firsts`, `lasts`, half-open) and of code points (`begins`, `ends`)."""

    firsts: list[int]
    lasts: list[int]
    begins: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.firsts)


def group_pieces(pieces: Pieces, token_ends: Sequence[int], separate: bool) -> Words:
    """Return the words of a text; with `separate`, each piece is a word. White space belongs to the next piece of its word."""
    words = Words([], [], [], [])
    blank, previous = -1, (-2, -1)
    for i, (begin, end, word) in enumerate(zip(pieces.begins, pieces.ends, pieces.words, strict=True)):
        if begin >= end:
            blank = i if blank < 0 or pieces.words[blank] != word else blank
            continue
        key = (word, bisect_right(token_ends, begin))
        first = blank if blank >= 0 and pieces.words[blank] == word and not separate else i
        blank = -1
        if key == previous and not separate:
            words.lasts[-1] = i + 1
            words.ends[-1] = max(words.ends[-1], end)
            continue
        previous = key
        words.firsts.append(first)
        words.lasts.append(i + 1)
        words.begins.append(begin)
        words.ends.append(end)
    return words


def softmax(scores: Floats) -> Floats:
    """Return the probabilities of labels; each row sums to 1."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)


def word_probabilities(words: Words, probabilities: Floats, biased: Floats, aggregation: Aggregation) -> Floats:
    """Return the probabilities of each word from those of its pieces. Shape: (words, labels).

    `max` uses the piece whose best label has the highest probability in `biased`, an array of the same shape.
    """
    if aggregation in ("simple", "first"):
        return probabilities[words.firsts]
    rows = np.empty((len(words), probabilities.shape[1]), dtype=np.float32)
    highest = biased.max(axis=1)
    for i, (first, last) in enumerate(zip(words.firsts, words.lasts, strict=True)):
        if last - first == 1:
            rows[i] = probabilities[first]
        elif aggregation == "average":
            rows[i] = probabilities[first:last].mean(axis=0)
        else:
            rows[i] = probabilities[first + int(highest[first:last].argmax())]
    return rows


@dataclass(slots=True)
class LabelSpan:
    """A span in words (`first`, `last`, half-open) and in code points, with the type of its label."""

    first: int
    last: int
    begin: int
    end: int
    type: str


def label_spans(
    words: Words, best: npt.NDArray[np.int64], labels: Labels, begins: list[int], ends: list[int]
) -> list[LabelSpan]:
    """Return the spans of the best labels, widened to whole tokens. Spans of one type that then overlap are joined."""
    names = [labels.names[i] for i in best.tolist()]
    spans: list[LabelSpan] = []
    latest: dict[str, LabelSpan] = {}
    for first, last, type_ in decode(names, [(0, len(words))], labels.encoding):
        begin, end = widen_to_tokens(words.begins[first], max(words.ends[first:last]), begins, ends)
        previous = latest.get(type_)
        if previous is not None and begin < previous.end:
            previous.last, previous.end = last, max(end, previous.end)
            continue
        latest[type_] = span = LabelSpan(first, last, begin, end, type_)
        spans.append(span)
    return spans


def widen_to_tokens(begin: int, end: int, begins: Sequence[int], ends: Sequence[int]) -> tuple[int, int]:
    """Return the span extended over all tokens that it touches. Tokens are sorted and disjoint."""
    first, last = bisect_right(ends, begin), bisect_left(begins, end)
    if first < last:
        return min(begin, begins[first]), max(end, ends[last - 1])
    return begin, end


def token_offsets(view: View) -> tuple[list[int], list[int]]:
    """Return the begins and ends of tokens in code points, sorted and disjoint.

    Without tokens in the view, the text is tokenized, so the spans do not depend on a segmenter.
    """
    begins, ends = view.tokens.begins, view.tokens.ends
    if begins and not any(map(gt, ends, begins[1:])):  # tokens from other tools may overlap
        return begins, ends
    return token_spans(view.text)
