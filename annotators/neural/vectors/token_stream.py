"""The tokens of a corpus as numbers, on disk once they are many, so that memory does not grow with the text."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....typesystem import FormTable
from .reading import zeroed

Ints32 = npt.NDArray[np.int32]

UNKNOWN, BREAK = -1, -2
"""Instead of a number: a form that is not counted; the end of a sentence or document, which no window crosses."""

MOST_FORMS = 4_000_000
"""Different forms that are told apart; what turns up first after these is rare."""

_SPOOL = 64 << 20
_BLOCK = 1 << 20


@dataclass(slots=True)
class Vocabulary:
    """The words that get vectors, most frequent first, and how often each occurs."""

    words: list[str]
    counts: npt.NDArray[np.int64]
    tokens: int
    """All tokens, those of no word too."""
    renumbered: Ints32
    """The place of each form among the words, UNKNOWN for the others."""


class TokenStream:
    """Takes in documents as lists of forms and gives them back as numbers, block by block.

    The document taken in last can be taken back. Forms are put into lower case (`lower`) and have their digits replaced by 0
    (`digits`) first.
    """

    def __init__(self, lower: bool = True, digits: bool = True) -> None:
        self.lower = lower
        self.digits = digits
        self.documents = 0
        self.overflow = False
        """Whether there were more forms than are told apart."""
        self._numbers: dict[str, int] = {}
        self._known: FormTable[int] = FormTable(self._number)
        self._file: Any = tempfile.SpooledTemporaryFile(max_size=_SPOOL)  # noqa: SIM115 - closed by close()
        self._latest: Ints32 | None = None

    def add(self, segments: Iterable[list[str]]) -> None:
        """Takes a document in: the forms of its sentences."""
        self._settle()
        numbers: list[int] = []
        known = self._known.__getitem__
        for forms in segments:
            numbers += map(known, forms)
            numbers.append(BREAK)
        self._latest = np.array(numbers, dtype=np.int32)

    def rollback(self) -> None:
        """Takes back the document taken in last."""
        self._latest = None

    def close(self) -> None:
        """Lets go of everything."""
        self._latest = None
        self._numbers, self._known = {}, FormTable(self._number)
        self._file.close()

    def blocks(self) -> Iterator[Ints32]:
        """All numbers, in order."""
        self._settle()
        self._file.seek(0)
        while data := self._file.read(4 * _BLOCK):
            yield np.frombuffer(data, dtype=np.int32)
        self._file.seek(0, 2)

    def vocabulary(self, min_count: int, most: int) -> Vocabulary:
        """The forms that occur `min_count` times or more, `most` of them at most; equally frequent ones by code points."""
        counts = np.zeros(len(self._numbers), dtype=np.int64)
        tokens = 0
        for block in self.blocks():
            counts += np.bincount(block[block >= 0], minlength=len(counts))
            tokens += int(np.count_nonzero(block != BREAK))
        often = counts.tolist()
        chosen = sorted(
            ((-often[i], form, i) for form, i in self._numbers.items() if often[i] >= min_count and often[i] > 0)
        )[:most]
        renumbered = np.full(len(counts) + 1, UNKNOWN, dtype=np.int32)
        for place, (_, _, i) in enumerate(chosen):
            renumbered[i] = place
        ordered = np.array([-n for n, _, _ in chosen], dtype=np.int64)
        return Vocabulary([form for _, form, _ in chosen], ordered, tokens, renumbered)

    def words(self, vocabulary: Vocabulary) -> Iterator[Ints32]:
        """All numbers as those of words, in order."""
        table = np.concatenate((vocabulary.renumbered[:-1], np.array([BREAK, UNKNOWN], dtype=np.int32)))
        for block in self.blocks():
            yield table[block]  # -2 and -1 are the last two places

    def _settle(self) -> None:
        if self._latest is not None:
            self._file.write(self._latest.tobytes())
            self.documents += 1
            self._latest = None

    def _number(self, form: str) -> int:
        if self.lower:
            form = form.lower()
        if self.digits:
            form = zeroed(form)
        found = self._numbers.get(form)
        if found is None:
            if len(self._numbers) >= MOST_FORMS:
                self.overflow = True
                return UNKNOWN
            try:
                form.encode()
            except UnicodeEncodeError:  # half a surrogate pair: no file could carry it
                return UNKNOWN
            found = self._numbers[form] = len(self._numbers)
        return found
