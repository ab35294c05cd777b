"""From scores of pieces to spans: pieces become words, words spans, spans whole tokens.

The strategies are those of the Hugging Face pipeline (`simple`, `first`, `average`, `max`). A word here is what the model's own
pre-tokenizer takes for one, cut further at the begins of our tokens: models differ in what they call a word, and a border of
PHI can be at any token.
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

Strategy = Literal["simple", "first", "average", "max"]


@dataclass(slots=True)
class Words:
    """Words as ranges of pieces (`firsts`, `lasts`, half-open) and of code points (`begins`, `ends`)."""

    firsts: list[int]
    lasts: list[int]
    begins: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.firsts)


def words_of(pieces: Pieces, token_ends: Sequence[int], apart: bool) -> Words:
    """Return the words of a text; `apart`: every piece its own. Pieces of white space go with what follows in their word."""
    found = Words([], [], [], [])
    waiting, key = -1, (-2, -1)
    for i, (begin, end, word) in enumerate(zip(pieces.begins, pieces.ends, pieces.words, strict=True)):
        if begin >= end:
            waiting = i if waiting < 0 or pieces.words[waiting] != word else waiting
            continue
        here = (word, bisect_right(token_ends, begin))
        first = waiting if waiting >= 0 and pieces.words[waiting] == word and not apart else i
        waiting = -1
        if here == key and not apart:
            found.lasts[-1] = i + 1
            found.ends[-1] = max(found.ends[-1], end)
            continue
        key = here
        found.firsts.append(first)
        found.lasts.append(i + 1)
        found.begins.append(begin)
        found.ends.append(end)
    return found


def softmax(scores: Floats) -> Floats:
    """Return probabilities of labels: rows sum to 1."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)


def of_words(words: Words, chances: Floats, chosen_by: Floats, strategy: Strategy) -> Floats:
    """Return one row of probabilities for each word, from `chances` of its pieces; shape (words, labels).

    `max` takes the piece that is surest of any label, judged by `chosen_by`, of the shape of `chances`.
    """
    if strategy in ("simple", "first"):
        return chances[words.firsts]
    rows = np.empty((len(words), chances.shape[1]), dtype=np.float32)
    surest = chosen_by.max(axis=1)
    for i, (first, last) in enumerate(zip(words.firsts, words.lasts, strict=True)):
        if last - first == 1:
            rows[i] = chances[first]
        elif strategy == "average":
            rows[i] = chances[first:last].mean(axis=0)
        else:
            rows[i] = chances[first + int(surest[first:last].argmax())]
    return rows


@dataclass(slots=True)
class Found:
    """A span in words (`first`, `last`) and in code points, with the label's type."""

    first: int
    last: int
    begin: int
    end: int
    type: str


def spans(words: Words, best: npt.NDArray[np.int64], labels: Labels, begins: list[int], ends: list[int]) -> list[Found]:
    """Spans of the best labels, each widened to the tokens it touches; those of one type that then overlap become one."""
    named = [labels.names[i] for i in best.tolist()]
    found: list[Found] = []
    latest: dict[str, Found] = {}
    for first, last, kind in decode(named, [(0, len(words))], labels.encoding):
        begin, end = widened(words.begins[first], max(words.ends[first:last]), begins, ends)
        before = latest.get(kind)
        if before is not None and begin < before.end:
            before.last, before.end = last, max(end, before.end)
            continue
        latest[kind] = span = Found(first, last, begin, end, kind)
        found.append(span)
    return found


def widened(begin: int, end: int, begins: Sequence[int], ends: Sequence[int]) -> tuple[int, int]:
    """The span with all of the tokens that it touches, so that a name loses no letter; tokens are sorted and disjoint."""
    first, last = bisect_right(ends, begin), bisect_left(begins, end)
    if first < last:
        return min(begin, begins[first]), max(end, ends[last - 1])
    return begin, end


def token_columns(view: View) -> tuple[list[int], list[int]]:
    """Begins and ends of tokens in code points, sorted and disjoint. So a pipeline without a segmenter finds the same spans."""
    begins, ends = view.tokens.begins, view.tokens.ends
    if begins and not any(map(gt, ends, begins[1:])):  # tokens that other tools wrote may overlap
        return begins, ends
    return token_spans(view.text)
