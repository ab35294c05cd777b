"""Convert labels of tokens (IOB, BILOU and similar schemes) to spans of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

Tags = Literal["auto", "IOB1", "IOB2", "BILOU", "IO"]

_PREFIXED = re.compile(r"([BILOUESM])-(.+)", re.DOTALL)
_ALIAS = {"E": "L", "S": "U", "M": "I"}
"""Prefixes of BIOES and BMES with the same meaning."""
_OUTSIDE = frozenset(["O", "_", ""])
_KNOWN = {"auto": "BILU", "IOB1": "BI", "IOB2": "BI", "BILOU": "BILU", "IO": "I"}


class LabelFault(Exception):
    """A label that the scheme does not allow. `index`: number of the token in its sentence. The message omits the token."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class Chunk(NamedTuple):
    """Tokens `first` to `last` (half-open) that one label covers."""

    first: int
    last: int
    label: str


def is_outside(label: str) -> bool:
    """Return whether a label marks a token outside all spans: `O`, `_` or an empty label."""
    return label in _OUTSIDE


def chunks(labels: Sequence[str], tags: Tags = "auto") -> Iterator[Chunk]:
    """Yield the chunks of one sentence.

    `auto` accepts IOB1, IOB2, BILOU, BIOES and IO with prefixes, in which each label has the same meaning: `I-X` continues an X
    before it, else it begins one. A named scheme is enforced strictly. Raises LabelFault.
    """
    open_label, first, ended = "", 0, True
    for i, label in enumerate(labels):
        prefix, name = _parts(i, label, tags)
        continues = bool(prefix) and prefix in "IL" and not ended and name == open_label
        fault = _fault(prefix, name, open_label, ended, tags)
        if fault:
            raise LabelFault(i, f"{label} after {labels[i - 1] if i else 'the beginning'} is not {tags}{fault}")
        if open_label and not continues:
            yield Chunk(first, i, open_label)
            open_label = ""
        if prefix and not continues:
            open_label, first = name, i
        ended = not prefix or prefix in "LU"
    if tags == "BILOU" and open_label and not ended:
        raise LabelFault(
            len(labels) - 1, f"{labels[-1]} at the end of a sentence is not BILOU: expected L-{open_label}"
        )
    if open_label:
        yield Chunk(first, len(labels), open_label)


def _parts(index: int, label: str, tags: Tags) -> tuple[str, str]:
    """Return prefix and name of a label; the prefix is empty outside spans. In `IO` the prefix is optional."""
    if label in _OUTSIDE:
        return "", ""
    match = _PREFIXED.fullmatch(label)
    if match is None or match[1] == "O":
        if tags == "IO":
            return "I", label
        raise LabelFault(index, "expected O or a label with a prefix like B- or I-; `tags: IO` takes labels without")
    prefix = _ALIAS.get(match[1], match[1]) if tags in ("auto", "BILOU") else match[1]
    if prefix not in _KNOWN[tags]:
        raise LabelFault(index, f"{label} is not {tags}")
    return prefix, match[2]


def _fault(prefix: str, name: str, open_label: str, ended: bool, tags: Tags) -> str:
    """Return which rule of a named scheme a label violates, to follow the scheme's name; empty for none."""
    same = bool(open_label) and not ended and name == open_label
    if tags == "IOB1" and prefix == "B" and not same:
        return f": B-{name} is allowed only after another {name}"
    if tags == "IOB2" and prefix == "I" and not same:
        return f": expected B-{name}"
    if tags == "BILOU":
        if prefix in ("I", "L") and not same:
            return f": expected B-{name} or U-{name}"
        if open_label and not ended and prefix not in ("I", "L"):
            return f": expected I-{open_label} or L-{open_label}"
    return ""
