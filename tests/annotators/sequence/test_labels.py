"""Spans become labels of tokens and come back; what cannot be said is counted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.labels import (
    Encoding,
    EncodingErrors,
    Span,
    decode,
    encode,
    follows,
    labeled_ranges,
    parts,
)
from caspipe.typesystem.tokenize import token_spans

TEXT = "Dr. Ann Lee-May met Bo. Then Cy left."
BEGINS, ENDS = token_spans(TEXT)
FORMS = [TEXT[b:e] for b, e in zip(BEGINS, ENDS, strict=True)]
SENTENCES = [(0, FORMS.index("Then")), (FORMS.index("Then"), len(FORMS))]


def at(words: str, kind: str = "PERSON") -> Span:
    begin = TEXT.index(words)
    return begin, begin + len(words), kind


def labelled(*spans: Span, encoding: Encoding = "iob2") -> tuple[dict[str, str], dict[str, int]]:
    labels, misfits = encode(BEGINS, ENDS, SENTENCES, spans, encoding)
    told = {n: i for n, i in misfits.as_dict().items() if i}
    return {f: label for f, label in zip(FORMS, labels, strict=True) if label != "O"}, told


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("iob2", {"Ann": "B-PERSON", "Lee": "I-PERSON", "-": "I-PERSON", "May": "I-PERSON", "Bo": "B-PERSON"}),
        ("bilou", {"Ann": "B-PERSON", "Lee": "I-PERSON", "-": "I-PERSON", "May": "L-PERSON", "Bo": "U-PERSON"}),
        ("io", {"Ann": "PERSON", "Lee": "PERSON", "-": "PERSON", "May": "PERSON", "Bo": "PERSON"}),
    ],
)
def test_spans_become_labels(encoding: Encoding, expected: dict[str, str]) -> None:
    if "Lee" not in FORMS:  # the tokenizer keeps hyphenated words whole
        expected = {k: v for k, v in expected.items() if k in ("Ann", "Bo")} | {
            "Lee-May": {"iob2": "I-PERSON", "bilou": "L-PERSON", "io": "PERSON"}[encoding]
        }
    assert labelled(at("Ann Lee-May"), at("Bo"), encoding=encoding) == (expected, {})


def test_a_token_that_a_span_covers_in_part_belongs_to_it_whole_and_is_counted() -> None:
    assert labelled((TEXT.index("Ann") + 1, TEXT.index("Ann") + 2, "PERSON")) == (
        {"Ann": "B-PERSON"},
        {"widened": 1},
    )


def test_a_span_over_a_sentence_end_becomes_two() -> None:
    assert labelled(at("Bo. Then")) == ({"Bo": "B-PERSON", ".": "I-PERSON", "Then": "B-PERSON"}, {"split": 1})


def test_two_spans_in_one_token_share_it_and_the_later_one_is_shorter_or_lost() -> None:
    begin = TEXT.index("Ann")
    assert labelled((begin, begin + 1, "PERSON"), (begin + 1, begin + 2, "AGE")) == (
        {"Ann": "B-PERSON"},
        {"widened": 2, "lost": 1},
    )
    labels, told = labelled((begin, begin + 1, "PERSON"), (begin + 1, TEXT.index("met"), "AGE"))
    assert labels["Ann"] == "B-PERSON" and "B-AGE" in labels.values()
    assert told == {"widened": 2, "shared": 1}


def test_spans_without_a_token_are_lost() -> None:
    space = TEXT.index(" ")
    assert labelled((space, space + 1, "PERSON"), (7, 7, "AGE")) == ({}, {"lost": 2})


def test_io_merges_neighbours_of_one_kind_and_says_so() -> None:
    assert labelled(at("Dr"), at("Ann"), encoding="io")[1] == {}
    assert labelled(at("met"), at("Bo"), encoding="io") == ({"met": "PERSON", "Bo": "PERSON"}, {"merged": 1})
    assert labelled(at("met"), at("Bo", "AGE"), encoding="io")[1] == {}
    assert labelled(at("met"), at("Bo"), encoding="iob2")[1] == {}
    assert labelled(at("."), at("Then"), encoding="io")[1] == {}


def test_misfits_add_up() -> None:
    one, other = EncodingErrors(widened=1, lost=2), EncodingErrors(lost=3, merged=1)
    one.add(other)
    assert one == EncodingErrors(widened=1, lost=5, merged=1)
    assert one and not EncodingErrors()


@pytest.mark.parametrize(
    ("encoding", "labels", "spans"),
    [
        ("iob2", "O I-A I-A O", [(1, 3, "A")]),
        ("iob2", "B-A B-A I-B", [(0, 1, "A"), (1, 2, "A"), (2, 3, "B")]),
        ("iob2", "B-A I-A", [(0, 2, "A")]),
        ("bilou", "B-A I-A L-A L-A U-A", [(0, 3, "A"), (3, 4, "A"), (4, 5, "A")]),
        ("bilou", "B-A O U-B I-B", [(0, 1, "A"), (2, 3, "B"), (3, 4, "B")]),
        ("io", "A A B O B", [(0, 2, "A"), (2, 3, "B"), (4, 5, "B")]),
    ],
)
def test_labels_that_no_encoder_writes_are_read_in_favour_of_the_span(
    encoding: Encoding, labels: str, spans: list[Span]
) -> None:
    named = labels.split()
    assert list(decode(named, [(0, len(named))], encoding)) == spans


def test_no_span_crosses_the_end_of_a_sentence() -> None:
    assert list(decode(["B-A", "I-A", "I-A"], [(0, 2), (2, 3)])) == [(0, 2, "A"), (2, 3, "A")]


@given(st.data(), st.sampled_from(["iob2", "bilou", "io"]))
def test_spans_on_tokens_come_back_as_they_were(data: st.DataObject, encoding: Encoding) -> None:
    n = data.draw(st.integers(0, 12))
    begins, ends = [2 * i for i in range(n)], [2 * i + 1 for i in range(n)]
    cuts = sorted(data.draw(st.sets(st.integers(0, n))) | {0, n}) if n else [0]
    sentences = [(a, b) for a, b in pairwise(cuts) if a < b]
    spans, before = [], ("", -1)
    for first, last in sentences:
        i = first
        while i < last:
            length = data.draw(st.integers(1, last - i))
            kind = data.draw(st.sampled_from(["", "A", "B"]))
            if kind and not (encoding == "io" and before == (kind, i) and i != first):
                spans.append((begins[i], ends[i + length - 1], kind))
                before = (kind, i + length)
            i += length
    labels, misfits = encode(begins, ends, sentences, spans, encoding)
    assert not misfits
    assert [(begins[a], ends[b - 1], k) for a, b, k in decode(labels, sentences, encoding)] == spans
    for first, last in sentences:
        assert all(follows(a, b, encoding) for a, b in pairwise(labels[first:last]))


def test_parts_of_labels() -> None:
    assert [parts(x) for x in ("O", "B-ID_SSN", "X-Y", "ID")] == [("O", ""), ("B", "ID_SSN"), ("I", "X-Y"), ("I", "ID")]
    assert parts("B-PERSON", "io") == ("I", "B-PERSON")


@given(
    path=st.lists(st.integers(0, 4), max_size=20),
    cuts=st.lists(st.integers(0, 20), max_size=4),
    encoding=st.sampled_from(["iob2", "bilou", "io"]),
)
def test_decoding_needs_to_see_marked_stretches_only(path: list[int], cuts: list[int], encoding: Encoding) -> None:
    names = {
        "iob2": ["B-A", "O", "I-A", "B-B", "I-B"],
        "bilou": ["B-A", "O", "I-A", "L-A", "U-B"],
        "io": ["A", "O", "B", "C", "D"],
    }[encoding]
    sentences = list(pairwise(sorted({0, len(path), *[c for c in cuts if c < len(path)]})))
    labels = [names[i] for i in path]
    busy = labeled_ranges(path, names.index("O"), sentences)
    assert list(decode(labels, busy, encoding)) == list(decode(labels, sentences, encoding))
    assert sum(b - a for a, b in busy) == len(path) - labels.count("O")
