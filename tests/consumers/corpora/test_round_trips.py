"""What is written for annotation tools comes back: text, spans, kinds and what is said of them. All texts are ours."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_trips import KINDS, Spans, annotated, document, gold, read, said, written

from caspipe.consumers.corpora.brat import BratConsumer
from caspipe.consumers.corpora.conll import ConllConsumer
from caspipe.consumers.corpora.doccano import DoccanoConsumer
from caspipe.consumers.corpora.i2b2 import I2b2Consumer
from caspipe.consumers.corpora.label_studio import LabelStudioConsumer
from caspipe.consumers.corpora.prodigy import ProdigyConsumer
from caspipe.consumers.files.annotated import AnnotatedOptions
from caspipe.consumers.scoring import score
from caspipe.consumers.scoring.document import pair_of_two
from caspipe.pipeline.contract.component import CollectionReader
from caspipe.readers.corpora.brat import BratReader
from caspipe.readers.corpora.conll import ConllReader
from caspipe.readers.corpora.doccano import DoccanoReader
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.readers.corpora.label_studio import LabelStudioReader
from caspipe.readers.corpora.prodigy import ProdigyReader
from caspipe.typesystem import Cas, PhiKind

Pair = tuple[Callable[[], AnnotatedOptions], Callable[[Path], CollectionReader]]


def i2b2(dialect: Any) -> Pair:
    return lambda: I2b2Consumer(dialect=dialect), lambda out: I2b2Reader(
        folder=out / "restricted/i2b2", overlaps="keep"
    )


FORMATS: dict[str, Pair] = {
    "i2b2": i2b2("i2b2-2014"),
    "meddocan": i2b2("meddocan"),
    "label_studio": (
        LabelStudioConsumer,
        lambda out: LabelStudioReader(files=out / "restricted/label_studio/tasks.json", take="predictions", overlaps="keep"),
    ),
    "label_studio annotations": (
        lambda: LabelStudioConsumer(write=["annotations"], file=Path("a.json")),
        lambda out: LabelStudioReader(files=out / "a.json", overlaps="keep"),
    ),
    "doccano": (
        lambda: DoccanoConsumer(overlaps="keep"),
        lambda out: DoccanoReader(files=out / "restricted/doccano.jsonl", overlaps="keep"),
    ),
    "prodigy": (
        lambda: ProdigyConsumer(overlaps="keep"),
        lambda out: ProdigyReader(files=out / "restricted/prodigy.jsonl", overlaps="keep"),
    ),
    "brat": (BratConsumer, lambda out: BratReader(folder=out / "restricted/brat", overlaps="keep", fragments="split")),
}  # fmt: skip
SPECIAL = [k for k in KINDS if k.name != "ID"] + [PhiKind.of("LOCATION_STREET"), PhiKind.of("PHONE")]


def there_and_back(format: str, cas: Cas) -> Cas:
    consumer, reader = FORMATS[format]
    with tempfile.TemporaryDirectory() as folder:
        written(consumer(), Path(folder), [cas])
        (back,) = read(reader(Path(folder)))
    return back


def for_brat(text: str, spans: Spans) -> Spans:
    """Without line ends at the edges of spans, which brat cannot hold."""
    made = []
    for b, e, kind in spans:
        inside = re.search(r"[^\r\n](?:.*[^\r\n])?", text[b:e], re.DOTALL)
        if inside:
            made.append((b + inside.start(), b + inside.end(), kind))
    return sorted(set(made), key=lambda s: (s[0], s[1], s[2].name))


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=150)
@given(data=st.data())
def test_text_spans_and_kinds_come_back(format: str, data: st.DataObject) -> None:
    text, spans = data.draw(annotated(overlaps=True, kinds=SPECIAL))
    spans = for_brat(text, spans) if format == "brat" else spans
    cas = document(text, spans)
    back = there_and_back(format, cas)
    assert (back.text, gold(back)) == (text, gold(cas))
    assert back.id == "ward/note-1"


NAMES = {"brat": ("Negation", "normalization/Reference", "note/AnnotatorNotes"), "i2b2": ("comment",)}
VALUES = {
    "normalization/Reference": ["Wiki:1\tA title"],
    "note/AnnotatorNotes": ["who <is> it?"],
    "Negation": ["", "L1"],
}


@pytest.mark.slow
@pytest.mark.parametrize("format", ["i2b2", "brat", "label_studio", "prodigy"])
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_said_of_spans_comes_back(format: str, data: st.DataObject) -> None:
    text, spans = data.draw(annotated(overlaps=True, kinds=SPECIAL))
    spans = for_brat(text, spans) if format == "brat" else spans
    names = NAMES.get(format, ("certainty", "why"))
    attributes = set()
    for n in range(len(spans)):
        for name in data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True)):
            attributes.add((n, name, data.draw(st.sampled_from(VALUES.get(name, ["low", 'a "quoted" word'])))))
    cas = document(text, spans, sorted(attributes))
    back = there_and_back(format, cas)
    assert gold(back) == gold(cas)
    assert said(back) == said(cas)


@pytest.mark.slow
@settings(max_examples=150)
@given(annotated(overlaps=False), st.sampled_from(["IOB2", "BILOU"]))
def test_conll_keeps_words_and_labels(made: tuple[str, Spans], tags: Any) -> None:
    text, spans = made
    with tempfile.TemporaryDirectory() as folder:
        written(ConllConsumer(tags=tags), Path(folder), [document(text, spans)])
        found = list(ConllReader(files=Path(folder) / "restricted/documents.conll", tags=tags, spacing="plain"))
    visible = [("".join(text[b:e].split()), kind) for b, e, kind in spans if text[b:e].strip()]
    if "".join(text.split()) == "":
        assert found == []
        return
    (back,) = found
    assert back.id == "documents/ward/note-1"
    assert "".join(back.text.split()) == "".join(text.split())
    assert [("".join(back.text[b:e].split()), kind) for b, e, kind in gold(back)] == visible


@pytest.mark.parametrize("format", ["brat", "doccano", "prodigy", "label_studio"])
def test_carriage_returns_can_become_blanks(format: str, tmp_path: Path) -> None:
    text = "\r\n Seen\r\nby Ivy\r3 May"
    cas = document(text, [(9, 12, KINDS[0]), (13, 18, KINDS[1])])
    consumer, reader = FORMATS[format]
    made = consumer()
    made.carriage_returns = "blank"  # type: ignore[attr-defined]
    written(made, tmp_path, [cas])
    (back,) = read(reader(tmp_path))
    assert (back.text, gold(back)) == (text.replace("\r", " "), gold(cas))


# -- a corpus ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def meddocan(shared: Path) -> list[Cas]:
    found = read(I2b2Reader(folder=shared / "corpora/meddocan/dev"))
    assert len(found) == 250
    return found


@pytest.mark.slow
@pytest.mark.parametrize("format", ["meddocan", "brat", "label_studio", "doccano", "prodigy"])
def test_a_corpus_comes_back_and_scores_1(format: str, meddocan: list[Cas], tmp_path: Path) -> None:
    consumer, reader = FORMATS[format]
    written(consumer(), tmp_path, meddocan)
    back = {cas.id: cas for cas in read(reader(tmp_path))}
    assert len(back) == 250
    for cas in meddocan:
        assert (back[cas.id].text, gold(back[cas.id])) == (cas.text, gold(cas))
    pairs = [pair_of_two(cas, back[cas.id]) for cas in meddocan]
    assert score(pairs, scheme="meddocan").value("ner") == 1
    assert {score(pairs, scheme="i2b2-2014").value(c) for c in ("token", "strict", "relaxed", "hipaa-strict")} == {1}


@pytest.mark.slow
def test_a_corpus_in_the_labels_of_i2b2_scores_1(meddocan: list[Cas], tmp_path: Path) -> None:
    consumer, reader = FORMATS["i2b2"]
    written(consumer(), tmp_path, meddocan)
    back = {cas.id: cas for cas in read(reader(tmp_path))}
    for cas in meddocan:
        labels = [(b, e, kind.in_scheme("i2b2-2014-sub")) for b, e, kind in gold(cas)]
        assert [(b, e, k.in_scheme("i2b2-2014-sub")) for b, e, k in gold(back[cas.id])] == labels
    pairs = [pair_of_two(cas, back[cas.id]) for cas in meddocan]
    assert {score(pairs, scheme="i2b2-2014").value(c) for c in ("token", "strict", "relaxed", "hipaa-strict")} == {1}


@pytest.mark.slow
def test_a_corpus_in_columns_keeps_every_span(meddocan: list[Cas], tmp_path: Path) -> None:
    written(ConllConsumer(), tmp_path, meddocan)
    back = read(ConllReader(files=tmp_path / "restricted/documents.conll"))
    assert [cas.id for cas in back] == [f"documents/{cas.id}" for cas in meddocan]
    for one, other in zip(meddocan, back, strict=True):
        spans = [("".join(one.text[b:e].split()), kind) for b, e, kind in gold(one)]
        assert [("".join(other.text[b:e].split()), kind) for b, e, kind in gold(other)] == spans
    written(ConllConsumer(), tmp_path / "again", back)
    again = read(ConllReader(files=tmp_path / "again/restricted/documents.conll"))
    assert [(cas.text, gold(cas)) for cas in again] == [(cas.text, gold(cas)) for cas in back]
