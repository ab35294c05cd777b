"""Parts of speech: the tag that an earlier tagger gave the token."""

from __future__ import annotations

from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, Words
from ..tidy import tidy
from .columns import Column
from .neighbor import pairs


@part("pos")
class PartOfSpeech(TokenFeature):
    """The part-of-speech tag that a tagger gave the token.

    Example: `Smith` gives `pos=NNP`.

    Source: VigiBase de-identifier, Table 8 (POS tag).
    """

    sets: ClassVar[tuple[str, ...]] = ("Token:pos",)

    def column(self, words: Words) -> Column:
        tags = words.pos
        values = {tag: tidy(tag) or None for tag in dict.fromkeys(tags)}
        return [values[tag] for tag in tags]


@part("pos_bigram")
class PosBigram(TokenFeature):
    """The tags of the token and the one after it, within a sentence. The window looks at the pair with the token before, too.

    Example: `Dr Smith` gives `pos_bigram=NNP|NNP` at `Dr`.

    Source: Sha and Pereira 2003 (NAACL), Shallow parsing with conditional random fields.
    """

    sets: ClassVar[tuple[str, ...]] = ("Token:pos",)
    varied: ClassVar[bool] = True

    window: tuple[int, int] | None = (-1, 0)
    """First and last pair looked at, by its first token. Left as it is: the pairs that the token is part of."""

    def column(self, words: Words) -> Column:
        tags = words.pos
        return pairs(tags, words) if any(tags) else [None] * len(words)
