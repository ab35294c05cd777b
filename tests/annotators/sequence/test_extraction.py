"""From documents to attributes: windows, ends of sequences, real values, and what third-party features may do wrong."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from caspipe.annotators.sequence.extraction import FeatureSet
from caspipe.annotators.sequence.feature import Feature, FormFeature, TokenFeature, ValueFeature, Words, attribute
from caspipe.typesystem import CasError, PhiCandidate, PhiKind, Token

from .small_models import document, features


class Twice(FormFeature):
    """Gives one value twice, and one that becomes the same."""

    name: ClassVar[str] = "twice"

    def of(self, form: str) -> list[str]:
        return [form, form, "\x01", "\x02"]


class Column(TokenFeature):
    """Gives what it was made with."""

    name: ClassVar[str] = "column"

    def __init__(self, values: Sequence[Any]) -> None:
        self.values, self.window = values, None

    def column(self, words: Words) -> Sequence[Any]:
        return self.values


class Number(ValueFeature):
    """Gives what it was made with."""

    name: ClassVar[str] = "number"

    def __init__(self, values: Sequence[float]) -> None:
        self.values, self.window = values, None

    def column(self, words: Words) -> Sequence[float]:
        return self.values


def attributes(of: FeatureSet, text: str, sentences: Any = None) -> list[Any]:
    words = Words(document(text, sentences=sentences).view())
    return list(of.attributes(of.columns(words)))


def test_attributes_say_from_where_a_feature_is_seen() -> None:
    of = FeatureSet(features("lower"), (-1, 1))
    assert attributes(of, "Dr Smith") == [
        ["-1:bos", "0:lower=dr", "1:lower=smith"],
        ["-1:lower=dr", "0:lower=smith", "1:eos"],
    ]
    assert attribute(-1, "lower", "dr.") == "-1:lower=dr."
    assert attribute(0, "hyphen", "") == "0:hyphen"


def test_a_feature_may_have_its_own_window() -> None:
    of = FeatureSet(features("lower", {"suffix2": {"window": [1, 2]}}), (0, 0))
    assert list(of.offsets) == [0, 1, 2]
    assert attributes(of, "ab cd")[0] == ["0:lower=ab", "1:suffix2=cd", "2:eos"]


def test_the_window_ends_with_the_sentence_or_with_the_document() -> None:
    text, sentences = "ab cd", [(0, 2), (3, 5)]
    of = FeatureSet(features("lower"), (0, 1))
    assert attributes(of, text, sentences) == [["0:lower=ab", "1:eos"], ["0:lower=cd", "1:eos"]]
    of = FeatureSet(features("lower"), (0, 1), "document")
    assert attributes(of, text, sentences) == [["0:lower=ab", "1:lower=cd"], ["0:lower=cd", "1:eos"]]


def test_tokens_outside_sentences_form_sequences_of_their_own() -> None:
    words = Words(document("a b c d e", sentences=[(2, 3), (6, 7)]).view())
    assert words.sentences == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert Words(document("", sentences=[]).view()).sentences == []


def test_overlapping_sentences_give_every_token_one_place() -> None:
    words = Words(document("a b c d", sentences=[(0, 5), (2, 7)]).view())
    assert words.sentences == [(0, 3), (3, 4)]


def test_real_values_are_carried_and_zeros_left_out() -> None:
    of = FeatureSet([*features("lower"), Number([0.0, 0.5])], (0, 1))
    assert attributes(of, "a b") == [
        {"0:lower=a": 1.0, "1:lower=b": 1.0, "1:number": 0.5},
        {"0:lower=b": 1.0, "1:eos": 1.0, "0:number": 0.5},
    ]


def test_a_value_given_twice_counts_once() -> None:
    of = FeatureSet([Twice()], (0, 0))
    assert attributes(of, "a") == [["0:twice=a", "0:twice=\N{REPLACEMENT CHARACTER}"]]
    of = FeatureSet([Column([("x", "x")])], (0, 0))
    assert attributes(of, "a") == [["0:column=x"]]


def test_an_empty_document_has_no_attributes() -> None:
    of = FeatureSet(features("lower", "sentence_position", "list"))
    assert attributes(of, "") == []


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_number_is_told(value: float) -> None:
    with pytest.raises(CasError, match=r"^feature number gave a value that is not finite$"):
        attributes(FeatureSet([Number([0.0, value])]), "a b")


def test_a_column_of_another_length_than_the_document_is_told() -> None:
    for feature in (Column(["x"]), Number([1.0])):
        with pytest.raises(CasError, match=rf"^feature {feature.name} gave 1 values for 2 tokens$"):
            attributes(FeatureSet([feature]), "a b")


def test_two_features_with_equal_labels_are_told() -> None:
    with pytest.raises(ValueError, match=r"^feature lower is declared twice$"):
        FeatureSet(features("lower", "token", "lower"))
    FeatureSet(features({"suffix": {"length": 3}}, {"suffix": {"length": 4}}))


def test_labels_that_would_be_read_as_something_else_are_told() -> None:
    for name in ("a=b", "bos", "", "a\nb"):
        feature = type("Odd", (Column,), {"name": name})([])
        with pytest.raises(ValueError, match="expected a label of printable characters without '='"):
            FeatureSet([feature])


def test_what_features_need_is_told_once() -> None:
    of = FeatureSet(features("list:countries", {"list": {"names": "cities"}}, "pos"))
    assert [n if isinstance(n, str) else n.__name__ for n in of.needs()] == ["ListHit", "Token:pos"]


def test_features_without_a_method_of_their_own_say_so() -> None:
    for cls, call in ((FormFeature, "of"), (TokenFeature, "column"), (ValueFeature, "column")):
        made: Feature = type("Bare", (cls,), {})()
        with pytest.raises(TypeError, match=f"Bare must define {call}"):
            getattr(made, call)(None)


def test_tokens_under_a_span() -> None:
    words = Words(document("ab cd ef").view())
    assert [list(words.under(*s)) for s in ((0, 2), (1, 4), (2, 3), (4, 8), (3, 3))] == [[0], [0, 1], [], [1, 2], []]
    assert len(words) == 3 and words.pos == ["", "", ""] and words.view.select(Token)


def test_a_document_is_looked_at_anew_once_a_feature_sees_something_else() -> None:
    of = FeatureSet(features("lower", "candidate", "sentence_position"))
    cas = document("Dr Smith came")
    first = of.columns(Words(cas.view()))
    assert of.columns(Words(cas.view())) is first
    cas.add(PhiCandidate(3, 8, kind=PhiKind.PERSON))
    second = of.columns(Words(cas.view()))
    assert second is not first
    assert (first.values, second.values) == ([[(), (), ()]], [[(), ("candidate=B-PERSON",), ()]])
    same_text = of.columns(Words(document("Dr Smith came").view()))
    assert same_text is not second and same_text.values == first.values


def test_what_a_feature_changes_afterwards_does_not_reach_what_was_seen() -> None:
    feature = Column(["a", "b"])
    of, words = FeatureSet([feature]), Words(document("x y").view())
    first = of.columns(words)
    feature.values[0] = "c"  # type: ignore[index]
    assert of.columns(words).values == [[("column=c",), ("column=b",)]] and first.values == [
        [("column=a",), ("column=b",)]
    ]


def test_a_pickled_set_of_features_holds_nothing_of_documents() -> None:
    of = FeatureSet(features("lower", "list"))
    empty = len(pickle.dumps(of))
    of.places(of.columns(Words(document("Dr Smith came from Uppsala").view())))
    data = pickle.dumps(of)
    assert len(data) == empty and b"Smith" not in data
    assert attributes(pickle.loads(data), "a") == attributes(of, "a")
