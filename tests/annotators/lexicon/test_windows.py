"""Windows of the look-up: sentences and phrases within which a term must lie."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.annotators.lexicon.term_annotator import TermAnnotator
from caspipe.annotators.lexicon.windows import chunk_windows, sentence_windows
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Chunk, Sentence, Token, View
from caspipe.typesystem.tokenize import token_spans

PART = re.compile(r"\((NP|VP|PP) ([^()]*)\)|([^()]+)")
TERMS = ("chest pain", "pain", "shortness of breath", "breath", "bleeding", "left arm", "nausea and vomiting", "nausea")


def chunked(marked: str) -> View:
    """Return a view of `(NP the pain) (PP of) ...` with its tokens and chunks; `|` ends a sentence."""
    text, chunks, ends = "", [], [0]
    for part in PART.finditer(marked):
        words = part[2] or part[3]
        if part[1]:
            chunks.append(Chunk(len(text), len(text) + len(words), tag=part[1]))
        ends += [len(text) + m.start() for m in re.finditer(r"\|", words)]
        text += words
    text = text.replace("|", ".")
    view = Cas(text).view()
    view.add_spans(Token, *token_spans(text))
    view.add_all(chunks)
    for begin, end in zip(ends, [*ends[1:], len(text)], strict=True):
        if end > begin:
            view.add(Sentence(begin + (begin > 0), end))
    return view


def found(marked: str, **parameters: Any) -> list[str]:
    terms = (Term(form, "DISEASE_DISORDER", form) for form in TERMS)
    annotator = TermAnnotator(lexicon=Lexicon.of(TermSource("own", terms, {})), known=[], **parameters)
    annotator.open()
    view = chunked(marked)
    return [view.text[t.begin : t.end] for t in annotator.annotate(view)]


def windows(marked: str, tags: tuple[str, ...] = ("NP", "VP")) -> list[str]:
    view = chunked(marked)
    tokens = view.tokens
    return [view.text[tokens.begins[a] : tokens.ends[b - 1]] for a, b in chunk_windows(view, tags)]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("(NP She) (VP has) (NP chest pain)", ["She", "has", "chest pain"]),
        ("(NP shortness) (PP of) (NP breath)", ["shortness of breath"]),
        ("(NP pain) (PP in) (NP the joints) (PP of) (NP the hand)", ["pain in the joints of the hand"]),
        ("(NP chest) (NP pain)", ["chest pain"]),
        ("(NP nausea) and (NP vomiting)", ["nausea", "vomiting"]),
        ("(NP pain) , (NP fever)", ["pain", "fever"]),
        ("(PP of) (NP breath)", ["breath"]),
        ("(NP pain) (PP in)", ["pain"]),
        ("(NP pain) (VP bleeding) (PP of) (NP breath)", ["pain", "bleeding", "breath"]),
        ("(NP pain)|(NP breath)", ["pain", "breath"]),
        ("nothing here", []),
    ],
)
def test_phrases_make_the_windows_of_ctakes(marked: str, expected: list[str]) -> None:
    assert windows(marked) == expected


def test_the_tags_decide_which_phrases_are_windows() -> None:
    assert windows("(NP She) (VP bleeding)", ("NP",)) == ["She"]
    assert windows("(NP shortness) (PP of) (NP breath)", ("VP",)) == []


def test_phrases_of_other_chunkers_that_overlap_make_one_window() -> None:
    view = chunked("(NP severe chest pain) today")
    view.add(Chunk(7, 23, tag="NP"))
    assert chunk_windows(view, ("NP",)) == [(0, 4)]


def test_a_term_lies_within_one_window() -> None:
    text = "(NP chest) (VP bleeding) (NP pain) (PP of) (NP breath), (NP left) (VP arm)"
    assert found(text, window="chunk") == ["bleeding", "pain", "breath"]
    assert found("(NP nausea) and (NP vomiting)") == ["nausea and vomiting"]
    assert found("(NP nausea) and (NP vomiting)", window="chunk") == ["nausea"]
    assert found("(NP shortness) (PP of) (NP breath)", window="chunk") == ["shortness of breath"]
    assert found("(NP She) (VP bleeding)", window="chunk", chunks=["NP"]) == []


def test_a_sentence_limits_a_term_too() -> None:
    text = "(NP chest)|(NP pain) in left| arm"
    assert found(text) == ["pain"]  # the full stop is a token
    view = Cas("chest\npain").view()
    view.add_spans(Token, *token_spans(view.text))
    view.add_spans(Sentence, [0, 6], [5, 10])
    assert sentence_windows(view) == [(0, 1), (1, 2)]


def test_gaps_do_not_leave_the_window() -> None:
    text = "(NP shortness) (VP was) (PP of) (NP breath)"
    assert found(text, skip=True) == ["shortness was of breath"]
    assert found(text, skip=True, window="chunk") == ["breath"]
    assert found(text, skip=True, window="sentence") == ["shortness was of breath"]


def test_the_pipeline_says_that_a_window_needs_its_maker() -> None:
    need = "terms: needs Chunk (window: chunk), which no earlier component creates; "
    with pytest.raises(ConfigError) as told:
        Pipeline.parse("engines: [segmenter, {terms: {window: chunk}}]")
    assert need + "chunker would create it" in str(told.value)
    with pytest.raises(ConfigError) as told:
        Pipeline.parse("engines: [segmenter, {terms: {window: chunk}}, chunker]")
    assert need + "chunker creates it, but comes later" in str(told.value)
    Pipeline.parse("engines: [segmenter, chunker, {terms: {window: chunk}}]")
    Pipeline.parse("engines: [segmenter, {terms: {window: sentence}}]")


def test_no_tags_are_refused() -> None:
    with pytest.raises(ValueError, match="chunks: expected at least one tag"):
        TermAnnotator(chunks=[])


WORDS = st.lists(st.sampled_from("chest pain shortness of breath nausea and vomiting left arm".split()), max_size=20)
CUTS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5), st.sampled_from(["NP", "VP", "PP"])), max_size=6)


@given(WORDS, CUTS)
def test_every_term_lies_in_a_window_and_every_term_of_a_window_alone_is_found(
    words: list[str], cuts: list[tuple[int, int, str]]
) -> None:
    view = Cas(" ".join(words)).view()
    view.add_spans(Token, *token_spans(view.text))
    begins, ends = view.tokens.begins, view.tokens.ends
    for first, length, tag in cuts:
        if first < len(words):
            view.add(Chunk(begins[first], ends[min(first + length, len(words)) - 1], tag=tag))
    terms = [Term(form, "DISEASE_DISORDER", form) for form in TERMS]
    lexicon = Lexicon.of(TermSource("own", iter(terms), {}))
    annotator = TermAnnotator(lexicon=lexicon, known=[], window="chunk")
    annotator.open()
    found = {(t.begin, t.end) for t in annotator.annotate(view)}
    expected = set()
    for first, last in chunk_windows(view, ("NP", "VP")):
        low, high = begins[first], ends[last - 1]
        alone = Cas(view.text[low:high]).view()
        alone.add_spans(Token, *token_spans(alone.text))
        whole = TermAnnotator(lexicon=lexicon, known=[])
        whole.open()
        expected |= {(low + t.begin, low + t.end) for t in whole.annotate(alone)}
    assert found == expected
