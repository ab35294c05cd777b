"""Conversion of spans to labels of tokens and back: IOB2, BILOU and IO.

IOB2 is the encoding of the VigiBase de-identifier (its Table 3); BILOU after Ratinov and Roth 2009, "Design Challenges and
Misconceptions in Named Entity Recognition".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Encoding = Literal["iob2", "bilou", "io"]
OUTSIDE = "O"

Span = tuple[int, int, str]
"""Begin and end in code points, and a kind."""


@dataclass(slots=True)
class EncodingErrors:
    """Number of gold spans that labels of tokens cannot represent exactly, by treatment."""

    widened: int = 0
    """Begin or end inside a token: the span is extended to the whole token."""
    split: int = 0
    """Span over a sentence boundary: one span in each sentence."""
    shared: int = 0
    """Two spans in one token: the token belongs to the earlier span."""
    merged: int = 0
    """Adjacent spans of the same kind, which IO cannot distinguish: merged to one span."""
    lost: int = 0
    """Span without a token of its own: not represented."""

    def add(self, other: EncodingErrors) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_dict(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __bool__(self) -> bool:
        return any(self.as_dict().values())


def encode(
    begins: Sequence[int],
    ends: Sequence[int],
    sentences: Iterable[tuple[int, int]],
    spans: Iterable[Span],
    encoding: Encoding = "iob2",
) -> tuple[list[str], EncodingErrors]:
    """Return the labels of all tokens, and the counts of spans that they do not represent exactly.

    `begins` and `ends` are offsets of tokens in code points, `sentences` ranges of token indexes. Spans need not be sorted.
    A span is extended to whole tokens, so that no part of a name is left outside.
    """
    labels, errors = [OUTSIDE] * len(begins), EncodingErrors()
    limits = {last for _, last in sentences}
    done, before = 0, ""
    for begin, end, kind in sorted(spans):
        first, last = bisect_left(ends, begin + 1), bisect_left(begins, end)
        if begin >= end:
            last = first
        if first < last and (begins[first] < begin or ends[last - 1] > end):
            errors.widened += 1
        if first < done < last:
            errors.shared += 1
        first = max(first, done)
        if first >= last:
            errors.lost += 1
            continue
        cuts = [i for i in range(first + 1, last) if i in limits]
        errors.split += bool(cuts)
        errors.merged += encoding == "io" and first == done and kind == before and done not in limits
        for a, b in zip([first, *cuts], [*cuts, last], strict=True):
            labels[a:b] = _of(kind, b - a, encoding)
        done, before = last, kind
    return labels, errors


def _of(kind: str, length: int, encoding: Encoding) -> list[str]:
    if encoding == "io":
        return [kind] * length
    if encoding == "iob2":
        return [f"B-{kind}", *[f"I-{kind}"] * (length - 1)]
    if length == 1:
        return [f"U-{kind}"]
    return [f"B-{kind}", *[f"I-{kind}"] * (length - 2), f"L-{kind}"]


def decode(
    labels: Sequence[str], sentences: Iterable[tuple[int, int]], encoding: Encoding = "iob2"
) -> Iterator[tuple[int, int, str]]:
    """Yield spans as (first token, last token + 1, kind), in order.

    Invalid sequences of labels are accepted: an `I-` outside of a span begins one, a `B-` inside a span ends it and begins
    another. No span crosses a sentence boundary.
    """
    for first, last in sentences:
        start, kind = first, ""
        for i in range(first, last):
            prefix, inside = parts(labels[i], encoding)
            if kind and (inside != kind or prefix in "BU"):
                yield start, i, kind
                kind = ""
            if inside and not kind:
                start, kind = i, inside
            if kind and prefix in "LU":
                yield start, i + 1, kind
                kind = ""
        if kind:
            yield start, last, kind


def labeled_ranges(path: Sequence[int], outside: int, sentences: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges of adjacent tokens of a sentence whose label is not number `outside`, as input of `decode`."""
    labeled = [i for i, label in enumerate(path) if label != outside]
    if not labeled:
        return []
    begins = {first for first, _ in sentences}
    ranges, first, last = [], labeled[0], labeled[0] + 1
    for i in labeled[1:]:
        if i != last or i in begins:
            ranges.append((first, last))
            first = i
        last = i + 1
    return [*ranges, (first, last)]


def parts(label: str, encoding: Encoding = "iob2") -> tuple[str, str]:
    """Return prefix and kind of a label: `("B", "PERSON")`; `("O", "")` outside of spans. In IO, the prefix is always `I`."""
    if label == OUTSIDE:
        return "O", ""
    if encoding == "io":
        return "I", label
    prefix, dash, kind = label.partition("-")
    return (prefix, kind) if dash and prefix in ("B", "I", "L", "U") else ("I", label)


def follows(first: str, second: str, encoding: Encoding = "iob2") -> bool:
    """Return whether the second label is valid directly after the first within a sentence."""
    a, before = parts(first, encoding)
    b, kind = parts(second, encoding)
    if encoding == "io":
        return True
    continues = b in ("I", "L")
    if encoding == "bilou":
        return continues == (a in ("B", "I")) and (not continues or kind == before)
    return not continues or (a in ("B", "I") and kind == before)
