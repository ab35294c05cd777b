"""Words and phrases of lists in texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.list_annotator import PERSON_TITLE, PERSON_TITLES, ListAnnotator
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.typesystem import Cas, Token, View
from caspipe.typesystem.tokenize import token_spans


def view_of(text: str) -> View:
    view = Cas(text).view()
    view.add_spans(Token, *token_spans(text))
    return view


def opened(**parameters: Any) -> ListAnnotator:
    annotator = ListAnnotator(**parameters)
    annotator.open()
    return annotator


def found(annotator: ListAnnotator, text: str) -> set[tuple[str, str]]:
    return {(hit.list, text[hit.begin : hit.end]) for hit in annotator.annotate(view_of(text))}


TITLES = opened(lists=[])


def test_the_default_lists_are_those_of_the_vigibase_features_and_names() -> None:
    text = "On Christmas Eve Dr. Smith of Boston, Massachusetts went to Sweden on a Monday in May."
    hits = found(opened(), text)
    assert {
        ("holidays", "Christmas Eve"),
        ("person_titles", "Dr"),
        (PERSON_TITLES, "Dr"),
        ("surnames", "Smith"),
        ("cities", "Boston"),
        ("us_states", "Massachusetts"),
        ("countries", "Sweden"),
        ("weekdays", "Monday"),
        ("months", "May"),
        ("stop_words", "of"),
    } <= hits
    assert ("holidays", "Christmas") not in hits


def test_everyday_words_need_the_capital_that_the_list_has() -> None:
    text = "He may march; May and March"
    assert found(opened(lists=["months"]), text) == {("months", "May"), ("months", "March")}
    every = {("months", "may"), ("months", "march"), ("months", "May"), ("months", "March")}
    assert found(opened(lists=["months"], case="any"), text) == every
    assert found(opened(lists=["cities"]), "boston Boston") == {("cities", "boston"), ("cities", "Boston")}
    assert found(opened(lists=["cities"], case="all"), "boston Boston") == {("cities", "Boston")}


def test_codes_of_states_match_in_capitals_only() -> None:
    assert found(opened(lists=["us_states"]), "in or IN, OR me") == {("us_states", "IN"), ("us_states", "OR")}


def test_lists_of_your_own_are_named_after_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "wards.txt").write_text("East Wing\nWard 7B\n", encoding="utf-8")
    annotator = opened(lists=[str(tmp_path / "wards.txt")], title_pattern=False)
    text = "Moved to ward 7B of the east wing by Dr. X"
    assert found(annotator, text) == {("wards", "ward 7B"), ("wards", "east wing")}
    assert [hit.entry for hit in annotator.annotate(view_of(text))] == ["Ward 7B", "East Wing"]


def test_a_hit_names_the_list_of_its_entry_in_a_combination() -> None:
    assert found(opened(lists=["names"]), "Anneliese Kowalski") == {
        ("given_names", "Anneliese"),
        ("surnames", "Kowalski"),
    }


def test_of_one_list_the_longest_entry_is_marked_and_lists_do_not_hide_one_another() -> None:
    one = Lexicon.of(TermSource("one", iter([Term("New York"), Term("York")])))
    two = Lexicon.of(TermSource("two", iter([Term("York")])))
    assert found(opened(lists=[one, two]), "New York, York") == {("one", "New York"), ("two", "York"), ("one", "York")}


PIECES = st.sampled_from(
    [
        "Dr",
        "Dr.",
        "Mr",
        "Mrs.",
        "Ms",
        "Sr",
        "Jr.",
        "Miss",
        "Phd",
        "mr",
        "DrX",
        "x",
        "-",
        ".",
        " ",
        "\n",
        "5",
        "’s",
        "é",
        "_",
        "/",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_titles_are_what_the_pattern_finds_in_the_text(text: str) -> None:
    hits = {(h.begin, h.end) for h in TITLES.annotate(view_of(text)) if h.list == PERSON_TITLES}
    assert hits == {m.span() for m in PERSON_TITLE.finditer(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith", ["Dr"]),
        ("Dr.Smith", ["Dr."]),
        ("DR. SMITH", []),
        ("Sammy Davis Jr", ["Jr"]),
        ("Mrs. Miller, Miss Hall and a Phd", ["Mrs", "Miss", "Phd"]),
        ("Mississippi and Drought", []),
    ],
)
def test_titles_by_example(text: str, expected: list[str]) -> None:
    hits = [h for h in TITLES.annotate(view_of(text)) if h.list == PERSON_TITLES]
    assert [text[h.begin : h.end] for h in hits] == expected
    assert [h.entry for h in hits] == [e.rstrip(".") for e in expected]
