"""CoNLL: chunks of tokens with their type, counted like in conlleval and seqeval.

Source: Tjong Kim Sang & Buchholz 2000, CoNLL (conlleval); Nakayama 2018, seqeval (MIT). Spans become labels of the document's
tokens: a token belongs to the first span that it shares a code point with. *chunk*: a system chunk is a hit if first token, last
token and type are those of a reference chunk. Macro is the mean over types, with 0 for an undefined figure, like in seqeval
(conlleval has none). *accuracy*: the share of tokens with the same label, and of those whose reference label is not O; spans are
labeled as IOB2.

`pair_of_labels` reads label sequences of a tagger; accuracy compares these labels then, and `I-X` at the beginning of a chunk
differs from `B-X`. The programs differ for labels that are not proper IOB2: conlleval starts a chunk at an `I-` that continues
nothing, strict reading (seqeval's `mode="strict"`) skips it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal

from ....pipeline.errors import ConsumerError
from ..counts import MICRO, Counts, Measure
from ..document import Mark, Pair

Mode = Literal["conlleval", "strict"]
Chunk = tuple[str, int, int]
"""Type, first token, token after the last."""


def chunks_of(tokens: tuple[list[int], list[int]], marks: Sequence[Mark]) -> list[Chunk]:
    """Return the chunks of some spans over tokens; a token that two spans share goes to the first, the longer of equal begins."""
    begins, ends = tokens
    result: list[Chunk] = []
    free = 0
    for m in sorted(marks, key=lambda m: (m.begin, -m.end, m.kind)):
        first, last = max(bisect_right(ends, m.begin), free), bisect_left(begins, m.end)
        if first < last:
            result.append((m.kind, first, last))
            free = last
    return result


def _chunk(pair: Pair) -> dict[str, Counts]:
    gold, system = set(chunks_of(pair.tokens, pair.gold)), set(chunks_of(pair.tokens, pair.system))
    result: dict[str, list[int]] = {}
    for position, chunks in enumerate((gold, gold & system, system, gold & system)):
        for kind, _, _ in chunks:
            result.setdefault(kind, [0, 0, 0, 0])[position] += 1
    return {kind: Counts(*result[kind]) for kind in sorted(result)}


def _labels(count: int, chunks: Sequence[Chunk]) -> list[str]:
    result = ["O"] * count
    for kind, first, last in chunks:
        result[first:last] = [f"B-{kind}", *[f"I-{kind}"] * (last - first - 1)]
    return result


def _accuracy(pair: Pair) -> dict[str, Counts]:
    size = len(pair.tokens[0])
    gold, system = pair.labels or (_labels(size, chunks_of(pair.tokens, marks)) for marks in (pair.gold, pair.system))
    if pair.optional and pair.labels is None:
        counted = [not pair.only_optional(*token) for token in zip(*pair.tokens, strict=True)]
        gold, system = ([label for label, yes in zip(side, counted, strict=True) if yes] for side in (gold, system))
        size = sum(counted)
    same = [g == s for g, s in zip(gold, system, strict=True)]
    inside = [ok for g, ok in zip(gold, same, strict=True) if g != "O"]
    return {MICRO: Counts(size, sum(same)), "not O": Counts(len(inside), sum(inside))}


MEASURES = (
    Measure("chunk", _chunk, macro="zero", zero_f1=True),
    Measure("accuracy", _accuracy, "score", totals=False, macro="none", always=(MICRO, "not O")),
)


def chunks_of_labels(labels: Sequence[str], mode: Mode = "conlleval") -> Iterator[Chunk]:
    """Yield the chunks in one sequence of labels: IOB1, IOB2 and IOBES under `conlleval`, only IOB2 under `strict`.

    Raises ConsumerError for a label that is neither `O` nor a letter, a hyphen and a type.
    """
    kind, first, before = "", 0, "O"
    for number, label in enumerate([*labels, "O"]):
        prefix, _, type_ = label.partition("-")
        if (
            prefix not in ("B", "I", "E", "S", "O")
            or (prefix == "O") != (label == "O")
            or (prefix != "O" and not type_)
        ):
            raise ConsumerError(f"label {number + 1}: expected O or one of B-, I-, E-, S- and a type")
        inner = prefix == "I" or (mode == "conlleval" and prefix == "E")
        follows = inner and type_ == kind and before not in ("E", "S")
        if kind and not follows:
            yield kind, first, number
            kind = ""
        if prefix != "O" and not kind and (prefix == "B" or mode == "conlleval"):
            kind, first = type_, number
        before = prefix


def pair_of_labels(
    document: str, gold: Sequence[Sequence[str]], system: Sequence[Sequence[str]], mode: Mode = "conlleval"
) -> Pair:
    """Return a document of label sequences, one for each sentence; its text is one character for each token.

    Raises ConsumerError if the numbers of sentences or labels differ.
    """
    if [len(s) for s in gold] != [len(s) for s in system]:
        raise ConsumerError(f"document {document}: gold and system have different numbers of sentences or labels")
    size = sum(map(len, gold))
    tokens = [2 * n for n in range(size)], [2 * n + 1 for n in range(size)]
    labels = [label for s in gold for label in s], [label for s in system for label in s]
    marks = _marks(gold, mode), _marks(system, mode)
    return Pair(document, "x " * size, *marks, tokens, sentences=len(gold), labels=labels)


def _marks(sequences: Sequence[Sequence[str]], mode: Mode) -> list[Mark]:
    """Return spans over a text of one character and one space for each token."""
    marks: list[Mark] = []
    offset = 0
    for labels in sequences:
        marks += [Mark(2 * (offset + a), 2 * (offset + b) - 1, kind) for kind, a, b in chunks_of_labels(labels, mode)]
        offset += len(labels)
    return marks
