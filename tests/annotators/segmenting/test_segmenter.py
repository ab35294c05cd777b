"""Sentences: marked-up cases, properties for any text, limits, parameters."""

from __future__ import annotations

import pickle
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.component import Spans
from caspipe.typesystem import Cas, Sentence, Token, View

CASES = Path(__file__).parents[2] / "cases" / "sentences.txt"

_ESCAPE = re.compile(r"\\(?:([nrtf])|u([0-9a-f]{4}))")
_MODE = re.compile(r"\[(line|blank-line)\] ")

texts = st.one_of(
    st.text(
        st.sampled_from("aBc 12.?!,;:()'\"*-•…。\n\r\x0c\u2028\u2029\x85\x00\ud800\u200b\u0301😀患é\xa0"), max_size=80
    ),
    st.lists(
        st.sampled_from('Dr.|Smith|came.|He|left|1)|2.|e.g.|J.|\n|\n\n|PLAN|* |...|x.Y|?!|."'.split("|")),
        max_size=40,
    ).map(" ".join),
    st.text(max_size=60),
)
modes = st.sampled_from(("auto", "line", "blank-line"))


def segmented(text: str, segmenter: Segmenter | None = None) -> View:
    view = Cas(text).view()
    for spans in (segmenter or Segmenter()).annotate(view):
        assert isinstance(spans, Spans)
        view.add_spans(spans.type, spans.begins, spans.ends)
    return view


def sentences(text: str, segmenter: Segmenter | None = None) -> list[str]:
    return [s.covered_text for s in segmented(text, segmenter).select(Sentence)]


def unescape(line: str) -> str:
    named = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
    return _ESCAPE.sub(lambda m: named[m[1]] if m[1] else chr(int(m[2], 16)), line)


def cases() -> list[object]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return [pytest.param(x, id=f"line-{n}") for n, x in enumerate(lines, 1) if x.strip() and x[0] != "#"]


@pytest.mark.parametrize("line", cases())
def test_sentences_end_where_the_case_says(line: str) -> None:
    mode = _MODE.match(line)
    segmenter = Segmenter(newline_breaks=mode[1]) if mode else Segmenter()  # type: ignore[arg-type]
    marked = unescape(line[mode.end() if mode else 0 :])
    text = re.sub(r" \| ?|\|", lambda m: " " if m[0].startswith(" ") else "", marked)
    assert sentences(text, segmenter) == [part.strip() for part in marked.split("|")]


@given(texts, modes, st.integers(1, 30))
def test_sentences_are_trimmed_disjoint_and_contain_every_token(text: str, mode: str, limit: int) -> None:
    view = segmented(text, Segmenter(newline_breaks=mode, max_tokens=limit))  # type: ignore[arg-type]
    begins, ends = view.spans(Sentence)
    assert all(b < e and text[b:e] == text[b:e].strip() for b, e in zip(begins, ends, strict=True))
    assert all(e <= b for e, b in zip(ends, begins[1:], strict=False))
    tokens = list(zip(*view.spans(Token), strict=True))
    inside = [[t for t in tokens if b <= t[0] and t[1] <= e] for b, e in zip(begins, ends, strict=True)]
    assert [t for group in inside for t in group] == tokens
    assert all(0 < len(group) <= limit for group in inside)
    assert all(group[0][0] == b and group[-1][1] == e for group, b, e in zip(inside, begins, ends, strict=True))


@given(texts)
def test_a_strict_line_mode_breaks_wherever_a_laxer_one_does(text: str) -> None:
    lax, strict = (set(segmented(text, Segmenter(newline_breaks=m)).spans(Sentence)[0]) for m in ("blank-line", "line"))
    blank = re.compile(r"\n\s*\n")
    for gap in blank.finditer(text):
        after = re.compile(r"\S").search(text, gap.end())
        if after and text[: gap.start()].strip():
            assert after.start() in lax
            assert after.start() in strict


def test_line_mode_breaks_at_every_line_end() -> None:
    assert sentences("the pain went\non and on\r\nfor days", Segmenter(newline_breaks="line")) == [
        "the pain went",
        "on and on",
        "for days",
    ]


ODD = ('no. "' + " " * 40 + "x", "a。. B", "。.b", "J.。.", '. "', "no.(", "*", "1)", ")", ".", '!"')


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_misplaced_marks_do_no_harm(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_long_sentence_is_split_after_max_tokens() -> None:
    view = segmented("word " * 4500)
    assert view.count(Sentence) == 3
    assert [len(view.select(Token, covered_by=s)) for s in view.select(Sentence)] == [2000, 2000, 500]


def test_the_count_of_tokens_restarts_after_a_split() -> None:
    view = segmented("a b c d was. Fine days here. x", Segmenter(max_tokens=4))
    assert [s.covered_text for s in view.select(Sentence)] == ["a b c d", "was.", "Fine days here.", "x"]


def test_further_abbreviations_do_not_end_a_sentence() -> None:
    text = "Seen by Stv. Meier and OA. Huber. Then home."
    assert len(sentences(text)) > 2
    assert sentences(text, Segmenter(abbreviations=("Stv.", "oa"))) == [
        "Seen by Stv. Meier and OA. Huber.",
        "Then home.",
    ]


@pytest.mark.parametrize("limit", [0, -1])
def test_max_tokens_below_one_is_rejected(limit: int) -> None:
    with pytest.raises(ValueError, match=f"^max_tokens: expected a whole number of at least 1, got {limit}$"):
        Segmenter(max_tokens=limit)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x0c", "\u2029"], ids=range(5))
def test_a_text_of_white_space_has_no_sentence(text: str) -> None:
    assert sentences(text) == []


def test_it_can_be_pickled_before_and_after_work() -> None:
    segmenter = Segmenter(abbreviations=("Stv.",))
    before = pickle.loads(pickle.dumps(segmenter))
    expected = sentences("Stv. Meier came. He left.", segmenter)
    assert sentences("Stv. Meier came. He left.", before) == expected
    assert sentences("Stv. Meier came. He left.", pickle.loads(pickle.dumps(segmenter))) == expected


def test_it_gives_the_same_spans_again() -> None:
    text = "1) Dr. A came.\nPLAN\n* 6pm: rest " * 20
    segmenter = Segmenter()
    assert list(segmenter.annotate(Cas(text).view())) == list(segmenter.annotate(Cas(text).view()))


UNITS = (
    *("a. ", "A. ", ". ", "...", '."', "1.A", "a.B", "e.g. ", "? A", "\xa0.", "@.A", "。", "A", ")", "("),
    *("\n", "x\n", ".\n", " \n", "\r\n", "x:\n", "1) ", "1. ", "(1) ", "* ", "a" * 33 + ". B\xa0"),
)


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=range(len(UNITS)))
def test_time_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        view, best = Cas(unit * (size // len(unit))).view(), 1e9
        for _ in range(3):
            start = time.process_time()
            list(Segmenter().annotate(view))
            best = min(best, time.process_time() - start)
        return best

    seconds(1000)
    assert seconds(80_000) < 40 * seconds(5_000) + 0.05, "16 times the text took more than 40 times as long"
