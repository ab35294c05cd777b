"""Consumer of brat standoff. All texts are ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caspipe.consumers.corpora.brat import BratConsumer, Written, annotation_conf, annotation_lines, visual_conf
from caspipe.readers.corpora.brat import BratReader
from caspipe.typesystem import Cas, CasError, CaspipeWarning, PhiKind

from round_trips import document, gold, read, said, written  # isort: skip

NAME = "Featherstone"
TEXT = f"\U0001f600 {NAME}\nof Lund, 3 May"
Listing = Callable[[Path], list[str]]


def spans(*named: tuple[int, int, str]) -> list[tuple[int, int, PhiKind]]:
    return [(b, e, PhiKind.of(kind)) for b, e, kind in named]


def ann(tmp_path: Path, cas: Cas, **options: object) -> list[str]:
    written(BratConsumer(**options), tmp_path, [cas])  # type: ignore[arg-type]  # parameters of the test
    return (tmp_path / "restricted/brat/ward/note-1.ann").read_text(encoding="utf-8").splitlines()


def test_text_annotations_and_configuration_are_written(tmp_path: Path, listing: Listing) -> None:
    lines = ann(tmp_path, document(TEXT, spans((2, 14, "PERSON_PATIENT"), (18, 22, "LOCATION_CITY"), (24, 29, "DATE"))))
    assert lines == [f"T1\tPERSON_PATIENT 2 14\t{NAME}", "T2\tLOCATION_CITY 18 22\tLund", "T3\tDATE 24 29\t3 May"]
    folder = tmp_path / "restricted/brat"
    assert listing(folder) == ["annotation.conf", "visual.conf", "ward/note-1.ann", "ward/note-1.txt"]
    assert (folder / "ward/note-1.txt").read_bytes() == TEXT.encode()
    assert {p.stat().st_mode & 0o777 for p in folder.rglob("*") if p.is_file()} == {0o600}
    conf = (folder / "annotation.conf").read_text(encoding="utf-8").splitlines()
    assert conf[0] == "[entities]"
    assert [line for line in conf if "PERSON" in line][:2] == ["PERSON", "\tPERSON_PATIENT"]
    assert {"[relations]", "[events]", "[attributes]"} <= set(conf)
    listed = {line.strip() for line in conf[1 : conf.index("")]}
    assert listed == {kind.name for kind in PhiKind}
    assert "PERSON_PATIENT\tbgColor:#" in (folder / "visual.conf").read_text(encoding="utf-8")


def test_labels_of_a_scheme_are_listed_without_order_among_them(tmp_path: Path) -> None:
    (line,) = ann(tmp_path, document("3 May", spans((0, 5, "DATE"))), scheme="meddocan")
    assert line == "T1\tFECHAS 0 5\t3 May"
    conf = (tmp_path / "restricted/brat/annotation.conf").read_text(encoding="utf-8").splitlines()
    assert conf[1 : conf.index("")] == PhiKind.labels("meddocan")


def test_a_span_with_line_ends_is_written_in_fragments(tmp_path: Path) -> None:
    cas = document("by Ivy\r\n\nLee,\tMD", spans((3, 16, "PERSON")))
    assert ann(tmp_path, cas) == ["T1\tPERSON 3 6;9 16\tIvy Lee, MD"]
    (back,) = read(BratReader(folder=tmp_path / "restricted/brat"))
    assert (back.text, gold(back)) == (cas.text, gold(cas))


@pytest.mark.parametrize("marks", [1, 2])
def test_a_text_that_begins_with_a_byte_order_mark_comes_back(tmp_path: Path, marks: int) -> None:
    text = "\ufeff" * marks + "aa aa"  # equal words: only the mark tells which one is meant
    cas = document(text, spans((0, marks + 2, "PERSON"), (marks + 3, marks + 5, "DATE")))
    ann(tmp_path, cas)
    (back,) = read(BratReader(folder=tmp_path / "restricted/brat"))
    assert (back.text, gold(back)) == (cas.text, gold(cas))


def test_tied_spans_are_one_annotation_and_keep_its_id(tmp_path: Path) -> None:
    tied = [(0, "fragments", "T2"), (2, "fragments", "T2"), (0, "Seen", ""), (2, "Seen", "")]
    cas = document(TEXT, spans((2, 14, "PERSON"), (15, 17, "DATE"), (18, 22, "PERSON"), (24, 29, "DATE")), tied)
    assert ann(tmp_path, cas) == [
        f"T2\tPERSON 2 14;18 22\t{NAME} Lund",
        "A1\tSeen T2",
        "T1\tDATE 15 17\tof",
        "T3\tDATE 24 29\t3 May",
    ]
    (back,) = read(BratReader(folder=tmp_path / "restricted/brat", fragments="split"))
    assert gold(back) == gold(cas)
    ids = [(name, value) for _, _, _, name, value in said(back)]
    assert ids == [("Seen", ""), ("fragments", "T2"), ("fragments", "T2")]


def test_attributes_are_written_as_what_they_were_and_listed(tmp_path: Path) -> None:
    attributes = [
        (0, "Negation", ""),
        (0, "Certainty", "L2"),
        (1, "Certainty", "L1"),
        (0, "normalization/Reference", "Wiki:42\tA title"),
        (0, "note/AnnotatorNotes", "line\nend"),
        (1, "why, so?", "two words"),
    ]
    lines = ann(tmp_path, document(TEXT, spans((2, 14, "PERSON"), (18, 22, "LOCATION")), attributes))
    assert lines == [
        f"T1\tPERSON 2 14\t{NAME}",
        "A1\tNegation T1",
        "A2\tCertainty T1 L2",
        "N1\tReference T1 Wiki:42\tA title",
        "#1\tAnnotatorNotes T1\tline end",
        "T2\tLOCATION 18 22\tLund",
        "A3\tCertainty T2 L1",
        "#2\twhy__so_ T2\ttwo words",
    ]
    conf = (tmp_path / "restricted/brat/annotation.conf").read_text(encoding="utf-8").splitlines()
    assert conf[conf.index("[attributes]") + 1 :] == ["Certainty\tArg:<ENTITY>, Value:L1|L2", "Negation\tArg:<ENTITY>"]


def test_carriage_returns_are_warned_of(tmp_path: Path) -> None:
    consumer = BratConsumer()
    consumer.output = tmp_path
    with pytest.warns(
        CaspipeWarning, match="brat: texts contain carriage returns, which brat counts differently; `carriage_returns"
    ):
        consumer.process(document("a\r\nb", []))
    BratConsumer(carriage_returns="blank", folder=tmp_path / "x").process(document("a\r\nb", []))
    assert (tmp_path / "x/ward/note-1.txt").read_bytes() == b"a \nb"


def test_spans_of_nothing_but_line_ends_are_counted(tmp_path: Path) -> None:
    consumer = BratConsumer()
    consumer.output = tmp_path
    consumer.process(document("a\n\nb", spans((1, 3, "ID"))))
    with pytest.warns(CaspipeWarning, match="brat: 1 spans that consist of line ends were left out"):
        consumer.close()


def test_a_label_that_brat_cannot_take_is_refused() -> None:
    ((span,),) = (BratConsumer().annotated(document("7", spans((0, 1, "ID")))).spans,)
    assert list(annotation_lines("7", [span], Written())) == ["T1\tID 0 1\t7"]
    with pytest.raises(CasError, match=r"^a label that brat does not allow: expected letters, digits, - and _$"):
        list(annotation_lines("7", [span._replace(label="Name é")], Written()))
    assert "Name" not in annotation_conf(["ID", "Name é"], {}, "own") + visual_conf(["ID", "Name é"], "own")


def test_a_rolled_back_document_leaves_neither_file(tmp_path: Path, listing: Listing) -> None:
    consumer = BratConsumer()
    consumer.output = tmp_path
    consumer.open()
    for name in ("a.b", "c"):
        consumer.process(document("x", [], id=name))
    consumer.rollback("c")
    consumer.rollback("c")
    consumer.close()
    assert listing(tmp_path / "restricted/brat") == ["a.b.ann", "a.b.txt", "annotation.conf", "visual.conf"]
    assert [cas.id for cas in read(BratReader(folder=tmp_path / "restricted/brat"))] == ["a.b"]
