"""Context conditions: whole words, on the right side, within the distance."""

from __future__ import annotations

import pytest

from caspipe.annotators.patterns.rule import ContextCondition, Surroundings, words_of


def around(text: str, sentences: tuple[list[int], list[int]] | None = None) -> Surroundings:
    """Return the surroundings of `###`."""
    at = text.index("###")
    return Surroundings(text, at, at + 3, sentences)


def phrases(*words: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(words_of(w)) for w in words)


@pytest.mark.parametrize(
    ("text", "side", "within", "expected"),
    [
        ("lot ###", "before", 1, True),
        ("Lot: ###", "before", 1, True),
        ("lot number ###", "before", 1, False),
        ("lot number ###", "before", 2, True),
        ("ballot ###", "before", 5, False),
        ("lots ###", "before", 5, False),
        ("### lot", "before", 5, False),
        ("### lot", "after", 1, True),
        ("### lot", "near", 1, True),
        ("###-lot", "after", 1, True),
        ("lot a b c d e ###", "near", 5, False),
        ("drug lot\n###", "before", 3, True),
        ("lot\n###", "before", "line", False),
        ("lot a b c d e f g ### x", "before", "line", True),
        ("The lot is gone. It was ###", "before", "sentence", False),
        ("The lot is gone, it was ###", "before", "sentence", True),
        ("### here. The lot is gone", "after", "sentence", False),
        ("x" * 2000 + " lot ###", "before", 2, True),
        ("lot " + "x" * 500 + " ###", "before", 2, False),
    ],
)
def test_whole_words_within_reach_count(text: str, side: str, within: int | str, expected: bool) -> None:
    condition = ContextCondition(side, phrases("lot"), within)  # type: ignore[arg-type]
    assert around(text).holds(condition) is expected


def test_phrases_are_matched_in_order() -> None:
    condition = ContextCondition("before", phrases("social security", "ssn"), 4)
    assert around("Social Security: ###").holds(condition)
    assert not around("security social ###").holds(condition)
    assert around("his SSN ###").holds(condition)


def test_sentences_of_a_segmenter_are_used_if_there_are_any() -> None:
    text = "Lot one\nof two: ### here. Then lot three."
    condition = ContextCondition("near", phrases("lot"), "sentence")
    assert around(text, ([0, 26], [25, 41])).holds(condition)
    assert not around(text.replace("Lot", "Jot"), ([0, 26], [25, 41])).holds(condition)
    assert not around(text).holds(ContextCondition("before", phrases("lot"), "sentence"))  # the line break ends it


def test_words_are_lower_case_and_signs_are_separate() -> None:
    assert words_of("Driver’s S/N #5 @Home e-mail") == ["driver's", "s", "n", "#", "5", "@", "home", "e", "mail"]


def test_sentences_are_read_only_if_a_condition_needs_them() -> None:
    read: list[bool] = []

    def sentences() -> tuple[list[int], list[int]]:
        read.append(True)
        return [0, 13], [12, 31]

    text = "The lot is. The number is ### 4"
    words = Surroundings(text, text.index("###"), text.index("###") + 3, sentences)
    assert words.holds(ContextCondition("before", phrases("number"), within=3))
    assert not read
    assert not words.holds(ContextCondition("before", phrases("lot"), within="sentence"))
    assert read
