"""Label schemes: what each label means, what each scheme forbids, and that all of them come back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.readers.corpora.columns import Chunk, LabelFault, Tags, chunks


@pytest.mark.parametrize(
    ("labels", "tags", "found"),
    [
        ("O I-PER I-PER O", "IOB1", ["1-3 PER"]),
        ("I-PER B-PER I-LOC", "IOB1", ["0-1 PER", "1-2 PER", "2-3 LOC"]),
        ("B-PER I-PER B-PER O", "IOB2", ["0-2 PER", "2-3 PER"]),
        ("B-PER I-PER L-PER U-LOC O", "BILOU", ["0-3 PER", "3-4 LOC"]),
        ("B-PER M-PER E-PER S-LOC O", "BILOU", ["0-3 PER", "3-4 LOC"]),
        ("PER PER O LOC", "IO", ["0-2 PER", "3-4 LOC"]),
        ("I-PER I-PER I-LOC", "IO", ["0-2 PER", "2-3 LOC"]),
        ("B-creative-work I-creative-work", "IOB2", ["0-2 creative-work"]),
        ("I-PER I-PER B-PER O U-LOC L-LOC I-LOC", "auto", ["0-2 PER", "2-3 PER", "4-5 LOC", "5-6 LOC", "6-7 LOC"]),
        ("_ I-PER _", "auto", ["1-2 PER"]),
        ("", "auto", []),
    ],
)
def test_labels_become_chunks(labels: str, tags: Tags, found: list[str]) -> None:
    assert [f"{c.first}-{c.last} {c.label}" for c in chunks(labels.split(), tags)] == found


@pytest.mark.parametrize(
    ("labels", "tags", "index", "what"),
    [
        ("O B-PER", "IOB1", 1, "B-PER after O is not IOB1: B-PER is allowed only after another PER"),
        ("I-PER", "IOB2", 0, "I-PER after the beginning is not IOB2: expected B-PER"),
        ("B-PER I-LOC", "IOB2", 1, "I-LOC after B-PER is not IOB2: expected B-LOC"),
        ("O L-PER", "IOB2", 1, "L-PER is not IOB2"),
        ("B-PER O", "BILOU", 1, "O after B-PER is not BILOU: expected I-PER or L-PER"),
        ("B-PER U-PER", "BILOU", 1, "U-PER after B-PER is not BILOU: expected I-PER or L-PER"),
        ("U-PER L-PER", "BILOU", 1, "L-PER after U-PER is not BILOU: expected B-PER or U-PER"),
        ("B-PER I-PER", "BILOU", 1, "I-PER at the end of a sentence is not BILOU: expected L-PER"),
        ("B-PER", "IO", 0, "B-PER is not IO"),
        ("O Zyq", "auto", 1, "expected O or a label with a prefix like B- or I-; `tags: IO` takes labels without"),
        ("O O-PER", "auto", 1, "expected O or a label with a prefix like B- or I-; `tags: IO` takes labels without"),
    ],
)
def test_a_named_scheme_is_kept_to_the_letter(labels: str, tags: Tags, index: int, what: str) -> None:
    with pytest.raises(LabelFault) as told:
        list(chunks(labels.split(), tags))
    assert (told.value.index, str(told.value)) == (index, what)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[int, list[Chunk]]:
    """A length, and disjoint chunks within it."""
    cuts = sorted(draw(st.sets(st.integers(0, 12), min_size=2)))
    spans = draw(st.lists(st.sampled_from(list(pairwise(cuts))), unique=True))
    return 12, [Chunk(a, b, draw(st.sampled_from(["PER", "LOC"]))) for a, b in sorted(spans)]


def written(size: int, found: list[Chunk], tags: str) -> list[str]:
    labels = ["O"] * size
    for n, c in enumerate(found):
        touches = n and found[n - 1].last == c.first and found[n - 1].label == c.label
        labels[c.first : c.last] = [f"I-{c.label}"] * (c.last - c.first)
        if tags in ("IOB2", "BILOU") or (tags == "IOB1" and touches):
            labels[c.first] = f"B-{c.label}"
        if tags == "BILOU":
            labels[c.last - 1] = f"L-{c.label}" if c.last - c.first > 1 else f"U-{c.label}"
    return labels


@given(sentences(), st.sampled_from(["IOB1", "IOB2", "BILOU"]))
def test_what_was_written_is_read_by_name_and_without(sentence: tuple[int, list[Chunk]], tags: Tags) -> None:
    labels = written(*sentence, tags)
    assert list(chunks(labels, tags)) == sentence[1]
    assert list(chunks(labels)) == sentence[1]
