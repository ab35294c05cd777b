"""Consumer of marked text: gold and found spans, optional marks, metadata, and round trips. All texts are our own."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_trips import KINDS, PIECES, document, gold, read, said, written

from caspipe.consumers.corpora.marked import MarkedConsumer
from caspipe.pipeline.storage.shipped_corpora import corpora
from caspipe.readers.corpora.marked import MarkedReader
from caspipe.typesystem import DEIDENTIFIED_VIEW, OPTIONAL, Cas, CasError, CaspipeWarning, MaskedSpan, Phi, PhiKind

MARKUP = ("[[", "]]", "[", "]", "|", "\n=====\n", "\n===== \r\n", "[[DATE|", "#id: x", "\ufeff", "\x00", "U+005B]]")


def text_of(tmp_path: Path, *cases: Cas, **options: Any) -> str:
    consumer = MarkedConsumer(**options)
    written(consumer, tmp_path, cases)
    return (tmp_path / consumer.file).read_bytes().decode()


def back(tmp_path: Path) -> list[Cas]:
    return read(MarkedReader(files=tmp_path / "restricted/documents.txt"))


def test_the_reference_is_written_with_its_metadata(tmp_path: Path) -> None:
    cas = document("By Ivy on Tue.", [(3, 6, KINDS[0]), (10, 13, PhiKind.of("DATE_WEEKDAY"))], [(1, OPTIONAL, "")])
    cas.metadata.update(genre="ED note", encoding="utf-8", file="part01")
    assert text_of(tmp_path, cas) == (
        "=====\n#id: ward/note-1  #genre: ED note\nBy [[PERSON_PATIENT|Ivy]] on [[?DATE_WEEKDAY|Tue]].\n"
    )
    (found,) = back(tmp_path)
    assert (found.id, gold(found), said(found)) == (cas.id, gold(cas), said(cas))


def test_found_spans_are_written_if_asked_for(tmp_path: Path) -> None:
    cas = document("By Ivy on Tue.", [(3, 6, KINDS[0])])
    cas.add(Phi(10, 13, kind=PhiKind.DATE))
    assert text_of(tmp_path, cas, annotations="found").endswith("By Ivy on [[DATE|Tue]].\n")


def test_labels_follow_a_scheme(tmp_path: Path) -> None:
    cas = document("By Ivy.", [(3, 6, KINDS[0])])
    assert text_of(tmp_path, cas, scheme="i2b2-2014-sub").endswith("By [[PATIENT|Ivy]].\n")


def test_masked_text_has_no_metadata_that_tell_whose_it_is(tmp_path: Path) -> None:
    cas = Cas("By Ivy.", id="a")
    cas.metadata.update(patient="Ivy", genre="letter")
    cas.create_view(DEIDENTIFIED_VIEW, "By [PERSON].").add(
        MaskedSpan(3, 11, kind=PhiKind.PERSON, operator="placeholder", original_begin=3, original_end=6)
    )
    assert text_of(tmp_path, cas, annotations="masked") == (
        "=====\n#id: a  #genre: letter\nBy [[PERSON|[[U+005B]]PERSON[[U+005D]]]].\n"
    )


def test_overlaps_fail_the_document_or_leave_the_longest(tmp_path: Path) -> None:
    cas = document("By Ivy Fern.", [(3, 6, KINDS[0]), (3, 11, KINDS[0])])
    with pytest.raises(CasError, match="spans 3:6 and 3:11 overlap; `overlaps` can say which to keep"):
        text_of(tmp_path, cas)
    assert text_of(tmp_path, cas, overlaps="longest").endswith("By [[PERSON_PATIENT|Ivy Fern]].\n")


def test_attributes_without_a_place_are_counted(tmp_path: Path) -> None:
    consumer = MarkedConsumer()
    consumer.output = tmp_path
    consumer.open()
    consumer.process(document("By Ivy.", [(3, 6, KINDS[0])], [(0, "Negation", ""), (0, OPTIONAL, "")]))
    with pytest.warns(CaspipeWarning, match="1 attributes of spans were left out: the format cannot store them"):
        consumer.close()


@pytest.mark.slow
@settings(max_examples=150)
@given(data=st.data())
def test_every_text_comes_back_with_spans_and_metadata(data: st.DataObject) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(PIECES + MARKUP), max_size=20)))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [(b, e, data.draw(st.sampled_from(KINDS))) for b, e in zip(cuts[::2], cuts[1::2], strict=False)]
    flagged = [(n, OPTIONAL, "") for n in range(len(spans)) if data.draw(st.booleans())]
    cas = document(text, spans, flagged)
    cas.metadata.update({"a b": data.draw(st.sampled_from(MARKUP)), "genre": "x"})
    with tempfile.TemporaryDirectory() as folder:
        written(MarkedConsumer(), Path(folder), [cas, document("x", [], id="b")])
        found, _ = back(Path(folder))
    assert (found.text, gold(found), said(found), found.id) == (text, gold(cas), said(cas), cas.id)
    assert {k: v for k, v in found.metadata.items() if k not in ("file", "encoding")} == cas.metadata


@pytest.mark.slow
def test_the_shipped_corpus_comes_back_byte_by_byte(tmp_path: Path) -> None:
    for path in sorted(corpora()["phi-notes-dev"].glob("*.txt")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = text_of(tmp_path, *read(MarkedReader(files=path)))
        assert made == path.read_bytes().decode()
