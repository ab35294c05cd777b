"""Parts of speech and pairs of neighbours."""

from __future__ import annotations

from typing import Any

from caspipe.annotators.sequence.feature import Words
from caspipe.annotators.sequence.features.grammar import PartOfSpeech, PosBigram
from caspipe.annotators.sequence.features.neighbor import Neighbors
from caspipe.typesystem import Cas, Sentence, Token


def tagged(*sentences: str) -> Words:
    view = Cas(" ".join(w.partition("/")[0] for s in sentences for w in s.split())).view()
    begin = 0
    for sentence in sentences:
        start = begin
        for word in sentence.split():
            form, _, tag = word.partition("/")
            token = Token(begin, begin + len(form), pos=tag)
            view.add(token)
            begin += len(form) + 1
        view.add(Sentence(start, begin - 1))
    return Words(view)


def test_tags_are_values_and_no_tag_is_none() -> None:
    assert PartOfSpeech().column(tagged("Dr/NNP Smith/NNP left/VBD now")) == ["NNP", "NNP", "VBD", None]
    assert PartOfSpeech.sets == PosBigram.sets == ("Token:pos",)


def test_pairs_of_tags_end_with_the_sentence() -> None:
    made = tagged("Dr/NNP Smith/NNP left/VBD", "He/PRP slept/VBD")
    assert PosBigram().column(made) == ["NNP|NNP", "NNP|VBD", None, "PRP|VBD", None]
    assert PosBigram().column(tagged("no tags")) == [None, None]


def test_pairs_of_words_end_with_the_sentence(words: Any) -> None:
    made = words("Dr Smith left He slept", sentences=("Dr Smith left", "He slept"))
    assert Neighbors().column(made) == ["dr|smith", "smith|left", None, "he|slept", None]
    assert Neighbors(lower=False).column(made)[:2] == ["Dr|Smith", "Smith|left"]
    assert [Neighbors().label, Neighbors(lower=False).label] == ["neighbours", "neighbours:case"]
    assert Neighbors().window == PosBigram().window == (-1, 0)


def test_pairs_of_long_words_are_cut(words: Any) -> None:
    assert Neighbors().column(words("a" * 99 + " " + "b" * 99)) == ["a" * 31 + "|" + "b" * 31, None]


def test_documents_without_neighbours_have_no_pairs(words: Any) -> None:
    assert Neighbors().column(words("")) == []
    assert Neighbors().column(words("alone")) == [None]
