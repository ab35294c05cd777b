"""Chunks: marked-up tagged cases, the guess for untagged text, laws, time."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.tagging.chunker import Chunker
from caspipe.pipeline.contract.component import Spans
from caspipe.typesystem import Cas, Chunk, Sentence, Token, View

TAGGED = (
    "(NP The/DT patient/NN) (VP was/VBD given/VBN) (NP 5/CD mg/NN) (PP of/IN) (NP aspirin/NN) ./.",
    "(NP severe/JJ left/JJ arm/NN pain/NN)",
    "(NP a/DT very/RB painful/JJ arm/NN)",
    "(NP Crohn/NNP 's/POS disease/NN)",
    "(NP his/PRP$ swollen/VBN joints/NNS)",
    "(NP COVID/NNP -/HYPH 19/CD vaccine/NN)",
    "(NP a/DT 65/CD -/HYPH year-old/JJ woman/NN)",
    "(NP She/PRP) (VP did/VBD n't/RB want/VB to/TO go/VB) (PP to/TO) (NP the/DT hospital/NN)",
    "(NP He/PRP) (VP could/MD not/RB sleep/VB)",
    "(NP patients/NNS) (VP treated/VBN) (PP with/IN) (NP heparin/NN)",
    "(NP pain/NN) (VP radiating/VBG) (PP into/IN) (NP the/DT back/NN)",
    "because/IN (PP of/IN) (NP it/PRP)",
    "(NP He/PRP) (VP says/VBZ) that/IN (NP it/PRP) (VP hurts/VBZ)",
    "(NP That/DT) (VP helped/VBD)",
    "(NP the/DT elderly/JJ)",
    "(NP nausea/NN) ,/, (NP vomiting/NN) and/CC (NP fever/NN)",
    "(NP all/PDT the/DT tests/NNS)",
    "(NP there/EX) (VP was/VBD) (NP $/$ 5/CD)",
    "severe/JJ and/CC quickly/RB",
)
UNTAGGED = (
    "(NP The patient) (VP was given) (NP 5 mg aspirin) (PP for) (NP Crohn's disease)",
    "(NP She) (VP could not sleep)",
    "(NP A 65-year-old man) (VP treated) (PP with) (NP high doses) (PP of) (NP the mRNA vaccine)",
    "(NP She) (VP feels) (NP pain) (PP in) (NP her left arm)",
)
_PART = re.compile(r"\((NP|VP|PP) ((?:[^()\s]+ )*[^()\s]+)\)|(\S+)")


def tagged(words: list[tuple[str, str]]) -> View:
    view, at = Cas(" ".join(w for w, _ in words)).view(), 0
    for word, tag in words:
        view.add(Token(at, at + len(word), pos=tag))
        at += len(word) + 1
    view.add(Sentence(0, at - 1))
    return view


def chunks(view: View, chunker: Chunker | None = None) -> list[tuple[str, str]]:
    return [(c.tag, view.text[c.begin : c.end]) for c in (chunker or Chunker()).annotate(view)]


@pytest.mark.parametrize("case", TAGGED, ids=range(len(TAGGED)))
def test_tags_give_the_phrases_of_the_case(case: str) -> None:
    parts = [(m[1], m[2] or m[3]) for m in _PART.finditer(case)]
    words = [(w.rpartition("/")[0], w.rpartition("/")[2]) for _, part in parts for w in part.split()]
    expected = [(tag, " ".join(w.rsplit("/", 1)[0] for w in part.split())) for tag, part in parts if tag]
    assert chunks(tagged(words)) == expected


@pytest.mark.parametrize("case", UNTAGGED, ids=range(len(UNTAGGED)))
def test_without_tags_the_words_are_guessed(case: str) -> None:
    parts = [(m[1], m[2] or m[3]) for m in _PART.finditer(case)]
    view = segmented(" ".join(part for _, part in parts) + ".")
    assert chunks(view) == [(tag, part) for tag, part in parts if tag]


def segmented(text: str) -> View:
    view = Cas(text).view()
    for spans in Segmenter().annotate(view):
        assert isinstance(spans, Spans)
        view.add_spans(spans.type, spans.begins, spans.ends)
    return view


def test_nothing_is_found_without_tags_where_guessing_is_off() -> None:
    assert chunks(segmented("The patient was given aspirin."), Chunker(untagged="nothing")) == []


def test_guessing_off_changes_nothing_where_there_are_tags() -> None:
    view = tagged([("The", "DT"), ("arm", "NN"), ("hurts", "VBZ")])
    assert chunks(view, Chunker(untagged="nothing")) == [("NP", "The arm"), ("VP", "hurts")]


def test_a_phrase_ends_with_its_sentence() -> None:
    view = segmented("CHEST PAIN\n\nARM PAIN")
    assert chunks(view) == [("NP", "CHEST PAIN"), ("NP", "ARM PAIN")]


def test_a_hanging_hyphen_joins_nothing() -> None:
    assert chunks(tagged([("arm", "NN"), ("-", "HYPH"), ("and", "CC"), ("leg", "NN")])) == [
        ("NP", "arm"),
        ("NP", "leg"),
    ]


@given(st.text(st.sampled_from("aAthe 12 -/.,'s wasing\n"), max_size=60))
def test_chunks_are_disjoint_in_order_and_within_a_sentence(text: str) -> None:
    view = segmented(text)
    found = list(Chunker().annotate(view))
    assert all(a.end <= b.begin for a, b in pairwise(found))
    view.add_all(found)
    begins, ends = map(set, view.spans(Token))
    for chunk in view.select(Chunk):
        assert chunk.begin in begins
        assert chunk.end in ends
        assert view.select(Sentence, covering=chunk)


@given(
    st.lists(
        st.sampled_from(
            ("NN", "JJ", "DT", "PRP$", "RB", "VBD", "VBG", "VBN", "IN", "TO", "HYPH", "POS", "MD", "", "??")
        )
    )
)
def test_any_sequence_of_tags_gives_phrases_with_a_head(tags: list[str]) -> None:
    view = tagged([("x", t) for t in tags]) if tags else segmented("")
    for chunk in Chunker(untagged="nothing").annotate(view):
        inside = tags[chunk.begin // 2 : chunk.end // 2 + 1]
        heads = {"NP": {"NN", "JJ", "DT"}, "VP": {"VBD", "VBG", "VBN", "MD"}, "PP": {"IN", "TO"}}[chunk.tag]
        assert heads & set(inside)


@pytest.mark.parametrize("tag", ["RB", "JJ", "DT", "HYPH", "POS", "IN", "MD", "TO"])
def test_a_sentence_of_one_tag_at_the_limit_takes_no_longer_than_a_breath(tag: str) -> None:
    view = tagged([("x", tag)] * 2000)
    start = time.perf_counter()
    list(Chunker().annotate(view))
    assert time.perf_counter() - start < 2
