"""Verdicts on tokens from lists of safe and of unsafe words. All text is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.inverse import SafeLists
from caspipe.annotators.inverse.features import FEATURES, names_of
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.component import Spans
from caspipe.typesystem import Cas, Token, TokenVerdict, View


def view_of(text: str) -> View:
    view = Cas(text).view()
    for spans in Segmenter().annotate(view):
        assert isinstance(spans, Spans)
        view.add_spans(spans.type, spans.begins, spans.ends)
    return view


def opened(**parameters: Any) -> SafeLists:
    made = SafeLists(**parameters)
    made.open()
    return made


SOURCE = opened()
CASED = opened(case="ambiguous")


def said(lists: SafeLists, text: str) -> dict[str, tuple[str, set[str]]]:
    view = view_of(text)
    return {text[v.begin : v.end]: (v.verdict, set(v.evidence.split())) for v in lists.annotate(view)}


def verdicts(lists: SafeLists, text: str) -> dict[str, str]:
    return {form: verdict for form, (verdict, _) in said(lists, text).items()}


def test_the_fifteen_features_are_those_of_the_source() -> None:
    assert len(FEATURES) == 15
    assert names_of(0) == ""
    assert names_of(2**15 - 1).split() == list(FEATURES)


def test_words_of_everyday_language_and_of_medicine_are_safe() -> None:
    found = said(SOURCE, "the swelling improved with hydrochlorothiazide")
    assert {v for v, _ in found.values()} == {"safe"}
    assert "is-common-word" in found["swelling"][1]
    assert "is-medical-term" in found["hydrochlorothiazide"][1]
    assert "is-common-word" not in found["hydrochlorothiazide"][1]


def test_a_medical_dictionary_is_a_bag_of_words_in_any_order() -> None:
    bare = opened(stop_words=[], common=[], drugs=[], names=[], cities=[])
    found = said(bare, "myocardial restless zyqq")
    assert found["myocardial"] == ("safe", {"is-medical-term", "is-sentence-beginning"})
    assert found["restless"] == ("safe", {"is-medical-term"})
    assert found["zyqq"] == ("unknown", set())


def test_an_unsafe_list_beats_a_safe_one() -> None:
    found = said(SOURCE, "complains that Price rose")
    assert found["Price"][0] == "unsafe"
    assert {"is-common-word", "is-possibly-name"} <= found["Price"][1]


@pytest.mark.parametrize(
    ("text", "word", "feature"),
    [
        ("seen on a Tuesday", "Tuesday", "is-weekday"),
        ("seen on a tues", "tues", "is-weekday"),
        ("since september then", "september", "is-month"),
        ("it may be", "may", "is-month"),
        ("the drive home", "drive", "is-street"),
        ("pain at Christmas again", "Christmas", "is-holiday"),
        ("for seven weeks", "seven", "is-written-out-number"),
    ],
)
def test_weekdays_months_streets_holidays_and_numbers_are_never_safe(text: str, word: str, feature: str) -> None:
    verdict, features = said(SOURCE, text)[word]
    assert verdict == "never_safe"
    assert feature in features


def test_a_token_with_a_digit_is_unsafe() -> None:
    found = said(SOURCE, "took 400 of B12 and x")
    assert found["400"] == ("unsafe", {"is-digit", "contains-digit"})
    assert found["B12"][0] == "unsafe"
    assert {"contains-digit", "has-capital-beginning"} <= found["B12"][1]
    assert "is-digit" not in found["B12"][1]
    assert "is-single-letter" in found["x"][1]


def test_a_top_level_domain_counts_after_a_full_stop_only() -> None:
    found = said(SOURCE, "see example.org and the org itself")
    view = view_of("see example.org and the org itself")
    features = [v.evidence for v in SOURCE.annotate(view) if view.text[v.begin : v.end] == "org"]
    assert ["is-top-level-domain" in f for f in features] == [True, False]
    assert found["example"][0] == "safe"


def test_a_city_of_several_words_counts_in_its_order_only() -> None:
    lists = opened(names=[])
    there, turned = said(lists, "moved to Terre Haute then"), said(lists, "moved to haute terre then")
    assert there["Terre"][0] == there["Haute"][0] == "unsafe"
    assert "is-possibly-city" in there["Terre"][1] & there["Haute"][1]
    assert "is-possibly-city" not in turned["terre"][1] | turned["haute"][1]


def test_the_first_word_of_a_sentence_is_marked() -> None:
    found = said(SOURCE, "(Swelling began. Itching followed.")
    assert "is-sentence-beginning" in found["Swelling"][1]
    assert "is-sentence-beginning" in found["Itching"][1]
    assert "is-sentence-beginning" not in found["followed"][1]
    assert found["("] == ("safe", set())


def test_the_parts_of_a_compound_are_looked_up() -> None:
    found = said(CASED, "the follow-up of Smith-Zyqq and x-ray by O'Brien")
    assert found["follow-up"][0] == "safe"
    assert found["Smith-Zyqq"][0] == "unsafe"
    assert "is-possibly-name" in found["Smith-Zyqq"][1]
    assert found["x-ray"][0] == "safe", "the dictionary holds it whole: that `Ray` is a name does not matter"
    assert found["O'Brien"][0] == "unsafe"


def test_contractions_are_words_of_grammar() -> None:
    assert verdicts(CASED, "she didn't, he'll, patient's")["n't"] == "safe"
    assert {verdicts(CASED, "it didn't hurt and it’ll pass; patient's arm")[c] for c in ("n't", "’ll", "'s")} == {
        "safe"
    }


def test_punctuation_is_safe_but_private_and_unassigned_characters_are_not() -> None:
    assert set(verdicts(SOURCE, ", . -- \u2026 \U0001f600 \u20ac").values()) == {"safe"}
    assert set(verdicts(SOURCE, "\ue000 \ud800 \u0378").values()) == {"unknown"}


def test_with_case_everyday_words_in_small_letters_are_no_names() -> None:
    text = "Dr. May saw that it may improve; price of the march"
    assert verdicts(CASED, text)["may"] == "safe"
    assert verdicts(CASED, text)["May"] == "never_safe"
    assert verdicts(CASED, text)["price"] == "safe"
    assert verdicts(CASED, text)["march"] == "safe"
    assert verdicts(SOURCE, text)["price"] == "unsafe"


def test_in_a_text_without_capitals_case_says_nothing() -> None:
    assert verdicts(CASED, "dr may saw her in march")["may"] == "never_safe"
    assert verdicts(CASED, "Dr may saw her in march")["may"] == "safe"


def test_with_case_all_every_listed_name_needs_its_capital() -> None:
    assert verdicts(opened(case="all"), "Zyqq saw schmidt")["schmidt"] == "unknown"
    assert verdicts(CASED, "Zyqq saw schmidt")["schmidt"] == "unsafe"


def test_ones_own_lists_are_used(tmp_path: Path) -> None:
    (tmp_path / "safe.txt").write_text("blorbium forte\n", encoding="utf-8")
    (tmp_path / "wards.txt").write_text("Ward Nightingale\n", encoding="utf-8")
    lists = opened(
        drugs=[str(tmp_path / "safe.txt")],
        cities=[str(tmp_path / "wards.txt")],
        names=[],
        streets=["gasse"],
        numbers=[],
    )
    found = verdicts(lists, "took forte on Ward Nightingale in the gasse one drive")
    assert found["forte"] == "safe"
    assert found["Ward"] == found["Nightingale"] == "unsafe"
    assert found["gasse"] == "never_safe"
    assert found["one"] == found["drive"] == "safe"


def test_which_features_make_unsafe_and_never_safe_is_a_parameter() -> None:
    lists = opened(unsafe=["is-single-letter"], never_safe=["is-digit"])
    assert verdicts(lists, "Swelling x 12 may") == {
        "Swelling": "safe",
        "x": "unsafe",
        "12": "never_safe",
        "may": "safe",
    }


@given(st.text(max_size=60))
def test_every_token_has_exactly_one_verdict(text: str) -> None:
    view = view_of(text)
    tokens = [(t.begin, t.end) for t in view.select(Token)]
    made = list(SOURCE.annotate(view))
    assert [(v.begin, v.end) for v in made] == tokens
    assert all(isinstance(v, TokenVerdict) and v.verdict in ("safe", "unsafe", "never_safe", "unknown") for v in made)


@given(
    st.lists(st.sampled_from("the Boston may 12 swelling Zyqq drive , Smith x-ray".split()), min_size=1, max_size=12)
)
def test_what_an_unsafe_list_holds_is_never_safe_to_read(words: list[str]) -> None:
    for verdict, features in said(SOURCE, " ".join(words)).values():
        if verdict == "safe":
            assert not features & set(SOURCE.unsafe)
