"""The arrays that documents become before a network reads them."""

from __future__ import annotations

import numpy as np
import pytest

from caspipe.annotators.neural import inputs
from caspipe.annotators.neural.inputs import FIRST, Indexer, Vocabulary, gaps_of
from caspipe.annotators.neural.parts import CharCnn, CharLstm
from caspipe.annotators.sequence.extraction import DocumentFeatures, FeatureSet
from caspipe.annotators.sequence.feature import Words
from caspipe.pipeline import Pipeline


def columns(*forms: str) -> DocumentFeatures:
    return DocumentFeatures(list(forms), [], np.zeros((0, len(forms))), [(0, len(forms))], "document")


def indexer() -> Indexer:
    return Indexer(FeatureSet([], (0, 0)), Vocabulary(["ab"]), Vocabulary(list("abc")), Vocabulary([]))


def test_documents_keep_their_characters_when_the_cache_of_forms_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_CACHED_FORMS", 2)
    made = indexer()
    documents = [
        made.index(columns(*forms), None) for forms in (("ab", "c", "ab"), ("b", "ca", "bb"), ("c", "a", "ab"))
    ]
    for document, expected in zip(documents, ([[2, 3], [4, 0], [2, 3]], [[3, 0], [4, 2], [3, 3]]), strict=False):
        batch = made.batch([(document, (0, 3))])
        assert batch.characters[batch.forms[0]].tolist() == expected
    several = made.batch([(d, (0, 3)) for d in documents])
    found = several.characters[several.forms]
    assert found[2].tolist() == [[4, 0], [2, 0], [2, 3]] and len(several.characters) == 6
    assert several.sizes[several.forms[0]].tolist() == [2, 1, 2]


def characters_read(text: str, post_space: int, lower: bool = False) -> list[str]:
    """Return what the character network reads of each token of a text."""
    words = Words(PIPELINE.process(text).view())
    made = Indexer(
        FeatureSet([], (0, 0)),
        Vocabulary([]),
        Vocabulary(sorted({*text, *text.lower()})),
        Vocabulary([]),
        lower_characters=lower,
        post_space=post_space,
    )
    gaps = gaps_of(words, post_space) if post_space else None
    document = made.index(columns(*words.forms), gaps)
    spellings = [np.frombuffer(s, dtype=np.int64) for s in document.spellings]
    return ["".join(made.characters.entries[i - FIRST] for i in spelling) for spelling in spellings]


PIPELINE = Pipeline.parse("engines: [segmenter]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("03/04/21", ["03/", "/", "04/", "/", "21"]),
        ("Dr. Jones\n\nSeen", ["Dr. ", ". ", "Jones\n\n", "Seen"]),
        ("Smith,John (Ward)", ["Smith,", ",", "John (", "(", "Ward)", ")"]),
        ("a ... b", ["a ..", "... ", "b"]),
        ("MRN #: 7", ["MRN #:", "#: ", ": ", "7"]),
        ("well   \t done.", ["well   ", "done.", "."]),
    ],
)
def test_the_characters_after_a_token_reach_to_the_next_word(text: str, expected: list[str]) -> None:
    """S2, §4.3.4: up to three characters before the next token, "white spaces, newlines, or symbols"; its tokens are words."""
    assert characters_read(text, 3) == expected


def test_the_number_of_characters_after_a_token_is_a_parameter() -> None:
    assert characters_read("a ... b", 0) == ["a", "...", "b"]
    assert characters_read("a ... b", 1) == ["a ", "... ", "b"]
    assert characters_read("a ... b", 9) == ["a ... ", "... ", "b"]


def test_characters_in_lower_case_as_in_the_source() -> None:
    """S2, §4.3.4: "The patient has" is read as t, h, e, and so on."""
    assert characters_read("The Patient has", 3, lower=True) == ["the ", "patient ", "has"]
    assert characters_read("The Patient has", 0, lower=True) == ["the", "patient", "has"]


@pytest.mark.parametrize("encoder", [CharLstm, CharCnn])
def test_a_number_of_characters_that_is_wrong_is_told(encoder: type[CharLstm] | type[CharCnn]) -> None:
    with pytest.raises(ValueError, match=r"^post_space: expected a number of characters from 0 to 20, got -1$"):
        encoder(post_space=-1)
