"""The cleaned text: what is replaced, and that every span of it leads back to the characters it was made from."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caspipe.annotators.cleaning.cleaner import Cleaner
from caspipe.pipeline.contract.conformance import check_component
from caspipe.typesystem import Cas, DocumentAnnotation, KnownPhi, Phi, PhiKind, View

WORDS = {"&": "and", "<": "less than", ">": "greater than"}
PIECES = (
    " ",
    "  ",
    "\t",
    "\r\n",
    "\n",
    "\u00a0",
    "\f",
    "\u2028",
    "&",
    "<",
    ">",
    "a",
    "Bc",
    "7",
    ".",
    "-",
    "\U0001f600",
    "é",
)


def cleaned(text: str, **parameters: Any) -> View:
    cas = Cas(text)
    Cleaner(**parameters).process(cas)
    return cas.view("cleaned")


def origin(view: View, part: str, nth: int = 0) -> tuple[int, int]:
    """Return the span of the original text that a part of the cleaned text was made from."""
    begin = -1
    for _ in range(nth + 1):
        begin = view.text.index(part, begin + 1)
    assert view.offset_map is not None
    return view.offset_map.to_old(begin, begin + len(part))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John  Smith", "John Smith"),
        ("13\r\n\tAugust \u00a0 2005", "13 August 2005"),
        ("a\nb\n\nc\fd\u2003e\u2029f", "a b c d e f"),
        (" \t ", " "),
        ("\n", " "),
        (" ", " "),
        ("", ""),
        ("pain & fever", "pain and fever"),
        ("R&D", "R and D"),
        ("AT & T", "AT and T"),
        ("<5 mg", "less than 5 mg"),
        ("age >  90", "age greater than 90"),
        ("a<<b", "a less than less than b"),
        ("&", "and"),
        ("x >\n< y", "x greater than less than y"),
        ("p &lt; 0.05 &amp; q", "p less than 0.05 and q"),
        ("R&amp;D", "R and D"),
        ("O&#39;Neil &quot;Joe&quot;", 'O\'Neil "Joe"'),
        ("John&nbsp; Smith&#160;&#10;Jr", "John Smith Jr"),
        ("&unknown; &#x; &#999999999;", "and unknown; and #x; and #999999999;"),
        ("\U0001f600  \U0001f600&\U0001f600", "\U0001f600 \U0001f600 and \U0001f600"),
    ],
)
def test_white_space_is_collapsed_and_characters_become_words(text: str, expected: str) -> None:
    assert cleaned(text).text == expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("space", "one two three four five six"),
        ("paragraph", "one two three\n\nfour\n\nfive six"),
        ("line", "one two\nthree\n\nfour\n\nfive\nsix"),
    ],
)
def test_line_breaks_and_paragraphs_stay_if_asked(mode: Any, expected: str) -> None:
    assert cleaned("one  two \r\n three\n \t\nfour\ffive\u2028six", line_breaks=mode).text == expected


def test_the_words_are_a_parameter() -> None:
    assert cleaned("a&b > c", words={}).text == "a&b > c"
    own = cleaned("a >= b > c", words={">": "over", ">=": "from"})
    assert own.text == "a from b over c"
    assert origin(own, "from") == (2, 4)


RESERVED = "view: expected a name other than _InitialView, gold, deidentified"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"words": {"": "x"}}, "words: expected characters other than white space on the left"),
        ({"words": {"a b": "x"}}, "words: expected characters other than white space on the left"),
        ({"words": {"&": " "}}, "words: expected a word without space around it for '&'"),
        ({"view": "_InitialView"}, f"{RESERVED}, got _InitialView"),
        ({"view": "gold"}, f"{RESERVED}, got gold"),
        ({"view": "deidentified"}, f"{RESERVED}, got deidentified"),
    ],
)
def test_wrong_parameters_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Cleaner(**given)


def test_parts_lead_back_to_what_they_were_made_from() -> None:
    text = "Dr. John \r\n  Smith, R&D, <90  y"
    view = cleaned(text)
    assert view.text == "Dr. John Smith, R and D, less than 90 y"
    assert text[slice(*origin(view, "John Smith"))] == "John \r\n  Smith"
    assert text[slice(*origin(view, "R"))] == "R"
    assert text[slice(*origin(view, "and"))] == "&"
    assert text[slice(*origin(view, "D,"))] == "D,"
    assert text[slice(*origin(view, "R and D"))] == "R&D"
    assert text[slice(*origin(view, "less"))] == text[slice(*origin(view, "than"))] == "<"
    assert text[slice(*origin(view, "less than 90"))] == "<90"
    assert text[slice(*origin(view, "90 y"))] == "90  y"


def naive(text: str) -> list[tuple[str, int, int]]:
    """Clean a text one character after the other: each character of the result with begin and end of what it was made from."""
    made: list[tuple[str, int, int]] = []
    i = 0
    while i < len(text):
        j = i + 1
        if text[i].isspace():
            while j < len(text) and text[j].isspace():
                j += 1
            new = " "
        elif text[i] in WORDS:
            new = WORDS[text[i]]
            if made and not made[-1][0].isspace():
                new = f" {new}"
            if j < len(text) and not text[j].isspace() and text[j] not in WORDS:
                new += " "
        else:
            new = text[i]
        made += [(c, i, j) for c in new]
        i = j
    return made


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("a<<  b")
@example("&\r\n")
def test_every_span_leads_to_exactly_the_characters_it_came_from(text: str) -> None:
    view = cleaned(text)
    made = naive(text)
    assert view.text == "".join(c for c, _, _ in made)
    offsets = view.offset_map
    assert offsets is not None
    for begin in range(len(made)):
        for end in range(begin + 1, len(made) + 1):
            assert offsets.to_old(begin, end) == (made[begin][1], made[end - 1][2])


@given(st.text(max_size=60))
def test_any_text_is_covered_without_gaps(text: str) -> None:
    view = cleaned(text)
    offsets = view.offset_map
    assert offsets is not None
    assert offsets.to_old(0, len(view.text)) == (0, len(text))
    pieces = list(dict.fromkeys(offsets.to_old(begin, begin + 1) for begin in range(len(view.text))))
    assert [low for low, _ in pieces] == [0, *(high for _, high in pieces[:-1])][: len(pieces)]
    assert all(low < high for low, high in pieces)


@given(st.lists(st.text(alphabet="abc.,é\U0001f600", min_size=1, max_size=5), max_size=9).map(" ".join))
def test_a_text_with_nothing_to_clean_stays_as_it_is(text: str) -> None:
    view = cleaned(text)
    assert view.text == text
    assert view.offset_map is not None
    assert view.offset_map.segments() == []


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.sampled_from(["space", "paragraph", "line"]))
def test_a_cleaned_text_is_clean(text: str, mode: Any) -> None:
    once = cleaned(text, line_breaks=mode).text
    assert cleaned(once, line_breaks=mode).text == once


def test_the_view_knows_the_record_and_the_language_and_nothing_else() -> None:
    cas = Cas("Anna  B.")
    known = KnownPhi(kind=PhiKind.PERSON, value="Anna B.", role="patient")
    cas.add(known)
    cas.add(Phi(0, 4, kind=PhiKind.PERSON))
    cas.add(DocumentAnnotation(0, 8, language="en"))
    for _ in range(2):
        Cleaner().process(cas)
        view = cas.view("cleaned")
        assert view.select(KnownPhi) == [known]
        assert [(d.language, d.begin, d.end) for d in view.select(DocumentAnnotation)] == [("en", 0, 7)]
        assert view.count(Phi) == 0
    assert cas.view().select(KnownPhi) == [known]


def test_the_component_obeys_the_contract() -> None:
    assert [f for f in check_component(Cleaner) if f.fault] == []


def test_time_is_proportional_to_the_length() -> None:
    seconds = []
    for count in (20_000, 80_000):
        text = "a & b <  \n" * count + "&" * count + " " * count
        start = time.perf_counter()
        cleaned(text)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 12 * seconds[0]
