"""Tokens: marked-up cases, laws for any text, agreement of the fast and the plain way, borders of gold spans."""

from __future__ import annotations

import json
import re
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem import tokenize
from caspipe.typesystem.tokenize import token_spans

CASES = Path(__file__).parent.parent / "cases" / "tokens.txt"

_ESCAPE = re.compile(r"\\(?:(n|r|t)|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_TRICKY = "abzXY 019.,,-–'’/:()\"!…*_#\n\r\t\x0c\x00\x1f\xa0"
_TRICKY += "\xad\u0301\u200b\u200d\ufe0f\ufeff😀👩🏽🇪🇸患のカéß²½Ⅳ\ud800\udfff\ue000"

texts = st.text(st.sampled_from(_TRICKY) | st.characters(), max_size=80) | st.text(
    st.sampled_from("aBc 12.,-'/\n"), max_size=40
)


def unescape(line: str) -> str:
    """The text of a case line."""
    named = {"n": "\n", "r": "\r", "t": "\t"}
    return _ESCAPE.sub(lambda m: named[m[1]] if m[1] else chr(int(m[2] or m[3], 16)), line)


def cases() -> list[object]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [pytest.param(x, id=f"line-{n}") for n, x in enumerate(lines, 1) if x.strip() and not x.startswith("# ")]


def tokens(text: str) -> list[str]:
    return [text[b:e] for b, e in zip(*token_spans(text), strict=True)]


def expected(marked: str) -> list[str]:
    return [token for run in marked.split() for token in run.split("|") if token]


@pytest.mark.parametrize("line", cases())
def test_tokens_are_cut_as_the_case_says(line: str) -> None:
    marked = unescape(line)
    assert tokens(marked.replace("|", "")) == expected(marked)


@pytest.mark.parametrize("line", cases())
def test_a_case_is_cut_alike_in_a_long_text(line: str) -> None:
    marked = unescape(line)
    times = 500 // len(line) + 2
    assert tokens((marked.replace("|", "") + " ") * times) == expected(marked) * times


@given(texts)
def test_every_character_but_white_space_lies_in_exactly_one_token(text: str) -> None:
    begins, ends = token_spans(text)
    assert all(b < e for b, e in zip(begins, ends, strict=True))
    assert all(e <= b for e, b in zip(ends, begins[1:], strict=False))
    covered = [i for b, e in zip(begins, ends, strict=True) for i in range(b, e)]
    assert covered == [i for i, c in enumerate(text) if not c.isspace()]


@given(texts)
def test_the_fast_way_agrees_with_the_plain_one(text: str) -> None:
    assert tokenize._long(text, 0) == tokenize._short(text)


@given(st.text(st.sampled_from("aB1.'- \n😀\u0301"), max_size=120), st.integers(1, 20))
def test_working_in_blocks_changes_nothing(text: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenize, "_SHORT", 0)
        whole = token_spans(text)
        patch.setattr(tokenize, "_BLOCK", block)
        assert tuple(map(list, token_spans(text))) == whole


@given(texts, texts)
def test_white_space_separates(left: str, right: str) -> None:
    assert tokens(left + " " + right) == tokens(left) + tokens(right)


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_case_makes_no_difference(text: str) -> None:
    assert token_spans(text.upper()) == token_spans(text.lower())


@given(st.text(st.sampled_from("abé\u0301\u20d7"), min_size=2, max_size=12))
def test_a_combining_mark_stays_with_its_letter(text: str) -> None:
    begins, _ = token_spans("x" + text)
    assert begins == [0]


def test_offsets_are_those_of_the_text_with_characters_beyond_the_basic_plane() -> None:
    text = "😀 5mg 👩‍👩‍👧 x"
    assert token_spans(text) == ([0, 2, 3, 6, 12], [1, 3, 5, 11, 13])


def test_an_empty_text_has_no_tokens() -> None:
    assert token_spans("") == ([], [])
    assert token_spans(" \n\t" * 1000) == ([], [])


UNITS = ("a", ".", "a.", "1.", "1,2", "'a", "a-", "😀", "1a", "\u0301", "\u200b", "a\u200b", " ", "¹")


@pytest.mark.parametrize("unit", UNITS, ids=range(len(UNITS)))
def test_time_is_linear_without_any_white_space(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        best = 1e9
        for _ in range(2):
            start = time.perf_counter()
            token_spans(text)
            best = min(best, time.perf_counter() - start)
        return best

    seconds(1000)
    assert seconds(80_000) < 40 * seconds(5_000) + 0.05, "16 times the text took more than 40 times as long"


def _gold(shared: Path, corpus: str) -> list[tuple[str, list[tuple[int, int]]]]:
    if corpus == "vaers_dev":
        lines = (shared / "corpora/vaers_dev/narratives.jsonl").read_text(encoding="utf-8").splitlines()
        return [(d["text"], [(s["begin"], s["end"]) for s in d["spans"]]) for d in map(json.loads, lines)]
    import gzip

    with gzip.open(shared / "corpora/presidio_synth/synth_dataset_v2.json.gz", "rt", encoding="utf-8") as file:
        found = json.load(file)
    return [(d["full_text"], [(s["start_position"], s["end_position"]) for s in d["spans"]]) for d in found]


@pytest.mark.parametrize("corpus", ["vaers_dev", "presidio_synth"])
def test_borders_of_gold_spans_are_borders_of_tokens(shared: Path, corpus: str) -> None:
    hit = count = 0
    for text, spans in _gold(shared, corpus):
        begins, ends = map(set, token_spans(text))
        count += 2 * len(spans)
        hit += sum((b in begins) + (e in ends) for b, e in spans)
    assert count > 200
    assert hit / count >= 0.999


def test_tokens_of_a_narrative_are_in_order_and_disjoint() -> None:
    text = "Seen on 3/4/20 by Dr. J. O'Brien-Smith (65yo): 2.5mg b.i.d., patient's BP 120/80. " * 40
    begins, ends = token_spans(text)
    assert all(b < e for b, e in zip(begins, ends, strict=True))
    assert all(first < second for first, second in pairwise(begins))


def test_long_texts_have_the_tokens_of_their_parts() -> None:
    part = "Dr. Ann Ruiz, 3/4/2020, follow-up.\n"
    begins, ends = token_spans(part)
    count = 300_000 // len(part)
    found = token_spans(part * count)
    expected = [[i * len(part) + n for i in range(count) for n in numbers] for numbers in (begins, ends)]
    assert [list(column) for column in found] == expected
    assert all(column.itemsize == 4 for column in found)  # type: ignore[attr-defined]  # arrays: long documents in little memory
