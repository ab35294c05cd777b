"""What the scanner looks for: numbers in groups, words, and the forms that a masked text shows on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.running.release_scan.tokens import (
    LONGEST,
    LONGEST_NUMBER,
    SHORTEST_NUMBER,
    TOKEN,
    FormTable,
    Hasher,
    Tokens,
    folded,
    forms_array,
    words_of,
)
from caspipe.pipeline.running.release_scan.values import ALL, ValueCollector
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, Leak

TEXTS = st.text(st.sampled_from("0123456789٣²½ -/._()\n\u00a0aZéß\u0301\u200b#"), max_size=60)
WORDS = ("anna", "smith", "zoë", "#5551234", "12", "3", "sept")


def every_number(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the numbers of up to eight groups by looking at all groups of a text."""
    groups = [m.span() for m in re.finditer(r"\d+", text)]
    for first, (begin, _) in enumerate(groups):
        digits, last = "", begin
        for start, end in groups[first : first + 8]:
            if start - last > 3 or re.search(r"[^\W\d_]", text[last:start]):
                break
            digits, last = digits + folded(text[start:end]), end
            if len(digits) > LONGEST_NUMBER:
                break
            if len(digits) >= SHORTEST_NUMBER:
                yield digits, begin, end


@given(TEXTS)
def test_numbers_are_found_in_groups_with_up_to_three_characters_between_them(text: str) -> None:
    assert Tokens(text, Hasher(b"k")).numbers == list(every_number(text))


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("555-123-4567", "5551234567"),
        ("(555) 123.4567", "5551234567"),
        ("12a345", ""),
        ("12    345", ""),
        ("12²345", ""),
        ("1234 x 567", "1234"),
        ("123", ""),
    ],
)
def test_a_number_ends_with_a_letter_or_a_wider_gap(text: str, longest: str) -> None:
    assert max((digits for digits, *_ in Tokens(text, Hasher(b"k")).numbers), key=len, default="") == longest


@given(TEXTS)
def test_words_are_folded_tokens(text: str) -> None:
    assert words_of(text) == [folded(word) for word in TOKEN.findall(text)]


@given(
    st.lists(
        st.one_of(st.sampled_from(["#1234", "#5551234567"]), st.lists(st.sampled_from(WORDS), min_size=1)), max_size=6
    ),
    st.lists(
        st.sampled_from(["Anna", "SMITH", "Zoë", "zoe", "555-1234", "555 123 4567", "12", "3", "Sept.", "Zoë-Anna"])
    ),
)
def test_forms_of_the_masked_text_are_those_that_a_search_for_all_forms_finds(
    forms: list[str | list[str]], shown: list[str]
) -> None:
    cas = Cas()
    cas.create_view(DEIDENTIFIED_VIEW, " ".join(shown))
    collector = ValueCollector(b"k", [SimpleNamespace(outputs=(Leak,))])
    hasher, wanted = Hasher(b"k"), {}
    for form in forms:
        words = (form,) if isinstance(form, str) else tuple(w for w in form if not w.startswith("#")) or ("anna",)
        number = words[0].startswith("#")
        size = len(words[0]) - 1 | 0x80 if number else len(words[:LONGEST])
        digest = hasher.number(words[0][1:]) if number else hasher.words(words[:LONGEST])
        wanted[digest, size] = digest, size, 0, ALL, words
    table = FormTable(forms_array(row[:4] for row in wanted.values()))
    found = {(p.digest, p.size) for p in Tokens(" ".join(shown), hasher).find(table)}
    assert collector._standing(cas, wanted) == found
