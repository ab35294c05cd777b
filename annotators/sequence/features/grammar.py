"""Parts of speech: the tags of an earlier tagger."""

from __future__ import annotations

from typing import ClassVar

from ....pipeline.contract.component import part
from ..feature import TokenFeature, Words, normalize
from .columns import Column
from .neighbor import pairs


@part("pos")
class PartOfSpeech(TokenFeature):
    """The part-of-speech tag of the token, set by an earlier tagger.

    Example: `Smith` gives `pos=NNP`.

    Source: VigiBase de-identifier, Table 8 (POS tag).
    """

    sets: ClassVar[tuple[str, ...]] = ("Token:pos",)

    def column(self, words: Words) -> Column:
        tags = words.pos
        values = {tag: normalize(tag) or None for tag in dict.fromkeys(tags)}
        return [values[tag] for tag in tags]


@part("pos_bigram")
class PosBigram(TokenFeature):
    """The tags of the token and of the next token of the sentence. The default window includes the pair with the previous token.

    Example: `Dr Smith` gives `pos_bigram=NNP|NNP` at `Dr`.

    Source: Sha and Pereira 2003 (NAACL), Shallow parsing with conditional random fields.
    """

    sets: ClassVar[tuple[str, ...]] = ("Token:pos",)
    varied: ClassVar[bool] = True

    window: tuple[int, int] | None = (-1, 0)
    """First and last pair, by its first token. Default: the two pairs that contain the token."""

    def column(self, words: Words) -> Column:
        tags = words.pos
        return pairs(tags, words) if any(tags) else [None] * len(words)
