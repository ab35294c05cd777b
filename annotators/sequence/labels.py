"""From spans to labels of tokens and back: IOB2, BILOU and IO.

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
    """Gold spans that labels of tokens cannot say exactly: how many, by what was done with them."""

    widened: int = 0
    """Span begins or ends inside a token: the whole token was taken."""
    split: int = 0
    """Span runs over a sentence's end: one span in each sentence."""
    shared: int = 0
    """Two spans in one token: the earlier one has it, the later one is shorter or lost."""
    merged: int = 0
    """Span right after another of its kind, which IO cannot tell apart: both become one."""
    lost: int = 0
    """Span without any token of its own: nothing is left of it."""

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
    """Return the labels of all tokens, and what they cannot express exactly.

    `begins` and `ends` are code points of tokens, `sentences` ranges of token indexes. Spans are sorted first; a token
    that a span covers in part belongs to it whole, since a name must not lose a letter.
    """
    labels, misfits = [OUTSIDE] * len(begins), EncodingErrors()
    limits = {last for _, last in sentences}
    done, before = 0, ""
    for begin, end, kind in sorted(spans):
        first, last = bisect_left(ends, begin + 1), bisect_left(begins, end)
        if begin >= end:
            last = first
        if first < last and (begins[first] < begin or ends[last - 1] > end):
            misfits.widened += 1
        if first < done < last:
            misfits.shared += 1
        first = max(first, done)
        if first >= last:
            misfits.lost += 1
            continue
        cuts = [i for i in range(first + 1, last) if i in limits]
        misfits.split += bool(cuts)
        misfits.merged += encoding == "io" and first == done and kind == before and done not in limits
        for a, b in zip([first, *cuts], [*cuts, last], strict=True):
            labels[a:b] = _of(kind, b - a, encoding)
        done, before = last, kind
    return labels, misfits


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

    Labels that no encoder would write are read in favor of the span: an `I-` after nothing begins one, a `B-` in a span
    ends it and begins another; no span crosses a sentence's end.
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
    """The ranges of tokens in a row whose label is not number `outside`, cut where sentences begin: all `decode` must see."""
    marked = [i for i, label in enumerate(path) if label != outside]
    if not marked:
        return []
    begins = {first for first, _ in sentences}
    found, first, last = [], marked[0], marked[0] + 1
    for i in marked[1:]:
        if i != last or i in begins:
            found.append((first, last))
            first = i
        last = i + 1
    return [*found, (first, last)]


def parts(label: str, encoding: Encoding = "iob2") -> tuple[str, str]:
    """Prefix and kind of a label: `("B", "PERSON")`; `("O", "")` outside, and prefix `I` throughout in IO."""
    if label == OUTSIDE:
        return "O", ""
    if encoding == "io":
        return "I", label
    prefix, dash, kind = label.partition("-")
    return (prefix, kind) if dash and prefix in ("B", "I", "L", "U") else ("I", label)


def follows(first: str, second: str, encoding: Encoding = "iob2") -> bool:
    """Return whether an encoder can write the second label right after the first, within a sentence."""
    a, before = parts(first, encoding)
    b, kind = parts(second, encoding)
    if encoding == "io":
        return True
    going_on = b in ("I", "L")
    if encoding == "bilou":
        return going_on == (a in ("B", "I")) and (not going_on or kind == before)
    return not going_on or (a in ("B", "I") and kind == before)
