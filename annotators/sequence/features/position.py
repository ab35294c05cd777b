"""The position of a token in its sentence and document, from 0 to 1: as a real number, or as one of several equal intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, ValueFeature, Words
from .columns import Column


def _positions(n: int) -> list[float]:
    """Return the relative positions of n items: 0 for the first, 1 for the last."""
    return [i / (n - 1) for i in range(n)] if n > 1 else [0.0] * n


def _in_sentence(words: Words) -> list[float]:
    return [position for first, last in words.sentences for position in _positions(last - first)]


def _in_document(words: Words) -> list[float]:
    return _positions(len(words))


def _of_sentence(words: Words) -> list[float]:
    sentences = zip(words.sentences, _positions(len(words.sentences)), strict=True)
    return [position for (first, last), position in sentences for _ in range(first, last)]


@dataclass(kw_only=True, eq=False, repr=False)
class _Exact(ValueFeature):
    positions: ClassVar[Any]
    """Function that returns the position of each token."""
    window: tuple[int, int] | None = (0, 0)
    """First and last token, relative to the token itself. Default: the token alone."""

    def column(self, words: Words) -> list[float]:
        positions: list[float] = self.positions(words)
        return positions


@part("sentence_position")
class SentencePosition(_Exact):
    """Position of the token in its sentence: 0 for the first token, 1 for the last; 0 if it is the only token.

    Example: the second of three tokens gives `sentence_position` with value 0.5.

    Source: VigiBase de-identifier, §5.5.2, Table 8 and Fig. 16.
    """

    positions = staticmethod(_in_sentence)


@part("document_position")
class DocumentPosition(_Exact):
    """Position of the token in the document: 0 for the first token, 1 for the last.

    Example: the first token gives `document_position` with value 0.

    Source: VigiBase de-identifier, §5.5.2, Table 8 and Fig. 15; Aramaki et al. 2006 (i2b2), PHI is at the ends of documents.
    """

    positions = staticmethod(_in_document)


@part("sentence_in_document")
class SentenceInDocument(_Exact):
    """Position of the token's sentence in the document: 0 for the first sentence, 1 for the last.

    Example: every token of the second of five sentences gives `sentence_in_document` with value 0.25.

    Source: VigiBase de-identifier, Table 8 (sentence position in document).
    """

    positions = staticmethod(_of_sentence)


@dataclass(kw_only=True, eq=False, repr=False)
class _Binned(TokenFeature):
    in_label = ("bins",)
    argument: ClassVar[str] = "bins"
    positions: ClassVar[Any]
    """Function that returns the position of each token."""

    bins: int = 5
    """Number of equal intervals from 0 to 1."""
    window: tuple[int, int] | None = (0, 0)
    """First and last token, relative to the token itself. Default: the token alone."""

    def __post_init__(self) -> None:
        if not 2 <= self.bins <= 100:
            raise ValueError(f"bins: expected a whole number from 2 to 100, got {self.bins}")

    def column(self, words: Words) -> Column:
        bins = self.bins
        names = [str(i + 1) for i in range(bins)] + [str(bins)]
        return [names[int(position * bins)] for position in self.positions(words)]


@part("sentence_position_bin")
class SentencePositionBin(_Binned):
    """Interval of its sentence that contains the token, from 1.

    Example: the last token gives `sentence_position_bin=5`.

    Source: VigiBase de-identifier, Table 8, as categories.
    """

    positions = staticmethod(_in_sentence)


@part("document_position_bin")
class DocumentPositionBin(_Binned):
    """Interval of the document that contains the token, from 1.

    Example: the first token gives `document_position_bin=1`.

    Source: VigiBase de-identifier, Table 8, as categories.
    """

    positions = staticmethod(_in_document)


@part("sentence_in_document_bin")
class SentenceInDocumentBin(_Binned):
    """Interval of the document that contains the token's sentence, from 1.

    Example: every token of the last sentence gives `sentence_in_document_bin=5`.

    Source: VigiBase de-identifier, Table 8, as categories.
    """

    positions = staticmethod(_of_sentence)
