"""Reader of brat standoff. All texts are our own."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.brat import BratReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi, PhiKind, SpanAttribute

NAME = "Featherstone"
TEXT = f"Mr. {NAME} of Lund,\nborn 3 May.\n"


def reader(tmp_path: Path, ann: str | None, text: str = TEXT, **options: Any) -> BratReader:
    (tmp_path / "note.txt").write_bytes(text.encode())
    if ann is not None:
        (tmp_path / "note.ann").write_bytes(ann.encode())
    return BratReader(folder=tmp_path, **options)


def bound(label: str, covered: str, text: str = TEXT, id: str = "T1") -> str:
    begin = text.index(covered)
    return f"{id}\t{label} {begin} {begin + len(covered)}\t{covered}\n"


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def only(reader: BratReader) -> str:
    assert list(reader) == []
    ((document, error),) = reader.failed
    assert document == "note"
    assert NAME not in repr(reader.failed)
    return str(error).removeprefix(f"{reader.folder}/note.txt: ")


def said(cas: Cas) -> list[tuple[str, str, str]]:
    """Return the attributes of the spans: covered text, name, value."""
    found = []
    for a in cas.view(GOLD_VIEW).select(SpanAttribute):
        assert isinstance(a.of, Phi)
        found.append((a.of.covered_text, a.name, a.value))
    return found


def test_text_bound_annotations_become_gold(tmp_path: Path) -> None:
    ann = bound("PERSON", NAME) + bound("DATE_BIRTH", "3 May", id="T2").replace("\n", "\r\n") + "\n"
    r = reader(tmp_path, ann)
    (cas,) = r
    assert (cas.id, cas.text, cas.metadata, len(r)) == ("note", TEXT, {"encoding": "utf-8"}, 1)
    assert gold(cas) == [(NAME, "PERSON"), ("3 May", "DATE_BIRTH")]
    assert said(cas) == []


def test_attributes_normalisations_and_notes_are_kept(tmp_path: Path) -> None:
    ann = (
        bound("PERSON", NAME) + "A1\tNegation T1\nM2\tCertainty T1 L1\n#1\tAnnotatorNotes T1\twho is it?\r\n"
        "N1\tReference T2 Places:42\tLund, Scania\n" + bound("LOCATION", "Lund", id="T2")
    )
    (cas,) = reader(tmp_path, ann)
    assert said(cas) == [
        (NAME, "Negation", ""),
        (NAME, "Certainty", "L1"),
        (NAME, "note/AnnotatorNotes", "who is it?"),
        ("Lund", "normalization/Reference", "Places:42\tLund, Scania"),
    ]


def test_what_is_said_of_a_dropped_span_goes_with_it(tmp_path: Path) -> None:
    ann = bound("X", "Lund") + "A1\tNegation T1\n" + bound("PERSON", NAME, id="T2") + bound("PERSON", NAME, id="T3")
    (cas,) = reader(tmp_path, ann + "A2\tSeen T2\nA3\tSeen T3\nA4\tOften T3\n", kinds={"X": None})
    assert gold(cas) == [(NAME, "PERSON")]
    assert said(cas) == [(NAME, "Seen", ""), (NAME, "Often", "")]


def test_relations_and_events_are_counted_not_lost_without_a_word(tmp_path: Path) -> None:
    ann = (
        bound("PERSON", NAME)
        + "R1\tX Arg1:T1 Arg2:T1\nR2\tX Arg1:T1 Arg2:T1\nE1\tPERSON:T1\n*\tEquiv T1 T2\nA1\tDone E1\n"
    )
    with pytest.warns(CaspipeWarning) as told:
        (cas,) = reader(tmp_path, ann)
    assert [str(w.message) for w in told] == [
        "document note: left out: 2 relations, 1 events, 1 equivalences, 1 attributes and notes of these"
    ]
    assert gold(cas) == [(NAME, "PERSON")]


def test_labels_of_a_scheme_are_known(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, bound("FECHAS", "3 May"), scheme="meddocan")
    assert gold(cas) == [("3 May", "DATE")]
    with pytest.raises(ValueError, match="scheme: no scheme called 'i2b2'; expected one of i2b2-2014"):
        BratReader(folder=tmp_path, scheme="i2b2")


def test_fragments_with_blanks_between_are_one_span(tmp_path: Path) -> None:
    begin = TEXT.index("Lund")
    ann = f"T1\tLOCATION {begin} {begin + 5};{begin + 6} {begin + 10}\tLund, born\n"
    (cas,) = reader(tmp_path, ann)
    assert gold(cas) == [("Lund,\nborn", "LOCATION")]


def test_discontinuous_annotations_are_refused_or_covered(tmp_path: Path) -> None:
    ann = "T1\tPERSON 20 24;0 3\tMr. Lund\n"
    assert only(reader(tmp_path, ann)) == (
        "T1 (line 1 of the .ann file): a discontinuous annotation; `fragments: cover` makes it one span, `split` several"
    )
    (cas,) = reader(tmp_path, ann, fragments="cover")
    assert gold(cas) == [(TEXT[:24], "PERSON")]


def test_fragments_can_be_spans_of_their_own(tmp_path: Path) -> None:
    ann = "T7\tPERSON 20 21;22 24;0 3\tMr. L nd\nA1\tSeen T7\nT8\tDATE 31 36\t3 May\n"
    text = TEXT.replace("Lund", "L nd")
    (cas,) = reader(tmp_path, ann, text=text, fragments="split")
    assert gold(cas) == [("Mr.", "PERSON"), ("L nd", "PERSON"), ("3 May", "DATE")]
    assert said(cas) == [("Mr.", "fragments", "T7"), ("L nd", "fragments", "T7"), ("Mr.", "Seen", "")]


@pytest.mark.parametrize("counted", ["as they are", "as one", "with a mark"])
def test_offsets_may_count_otherwise(tmp_path: Path, counted: str) -> None:
    text = TEXT.replace("\n", "\r\n")
    other = {"as they are": text, "as one": TEXT, "with a mark": "\ufeff" + text}[counted]
    ann = bound("LOCATION", "Lund", other) + bound("DATE", "3 May", other, "T2")
    (cas,) = reader(tmp_path, ann, text=("\ufeff" if counted == "with a mark" else "") + text)
    assert (cas.text, gold(cas)) == (text, [("Lund", "LOCATION"), ("3 May", "DATE")])


@pytest.mark.parametrize(
    ("ann", "reason"),
    [
        (None, "expected note.ann beside it, found none"),
        ("T1\tDATE 5\tx\n",
         "T1 (line 1 of the .ann file): expected a label, a begin and an end, like `T1<tab>DATE 5 9<tab>text`"),
        (f"T{NAME}s {NAME}\n", "line 1 of the .ann file: expected a label, a begin and an end, like `T1<tab>DATE 5 9<tab>text`"),
        ("T1\tDATE 5 99\tx\n", "T1 (line 1 of the .ann file): 5:99 is not a span of the text (0:38)"),
        ("T1\tDATE 5 9\tx\n", "T1 (line 1 of the .ann file): 5:9 does not cover the text that the tag names"),
        ("T1\tDAT 0 2\tMr\n", "T1 (line 1 of the .ann file): no PHI kind called 'DAT'; did you mean DATE?; "
         "`kinds` can translate or drop it"),
        ("T1\tDATE 0 2\nT1\tDATE 5 9\n", "T1 (line 2 of the .ann file): line 1 has the same id"),
        ("A1\tNegation T1\n", "A1 (line 1 of the .ann file): its text-bound annotation does not exist"),
        ("A1\tNegation\n", "A1 (line 1 of the .ann file): expected a name and an id, like `A1<tab>Negation T1`"),
        ("N1\tReference\tx\n",
         "N1 (line 1 of the .ann file): expected a name and an id, like `N1<tab>Reference T1 Name:id<tab>title`"),
        (f"{NAME}\n", "line 1 of the .ann file: expected a line that begins with T, A, M, N, R, E, # or *"),
        ("T1\tDATE 0 2\nT2\tAGE 1 3\n", "T1 (line 1 of the .ann file) and T2 (line 2 of the .ann file) overlap; "
         "`overlaps` can say which to keep"),
    ],
    ids="absent no-end no-id outside another-text label twice of-nothing no-target no-reference junk overlap".split(),
)  # fmt: skip
def test_faulty_annotations_fail_their_document(tmp_path: Path, ann: str | None, reason: str) -> None:
    assert only(reader(tmp_path, ann)) == reason


def test_faults_can_be_relaxed(tmp_path: Path) -> None:
    ann = (
        "T1\tDATE 5 99\tx\n"
        + bound("PERSON", NAME, id="T2")
        + bound("X", "Lund", id="T3")
        + bound("Y", "of Lund", id="T4")
    )
    kinds = {"X": PhiKind.LOCATION_CITY, "Y": None}
    with pytest.warns(CaspipeWarning, match=r"document note: T1 \(line 1 of the \.ann file\): 5:99 is not a span"):
        (cas,) = reader(tmp_path, ann, mismatch="warn", kinds=kinds)
    assert gold(cas) == [(NAME, "PERSON"), ("Lund", "LOCATION_CITY")]


def test_gzip_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "a.ann.gz").write_bytes(gzip.compress(bound("PERSON", NAME).encode()))
    (cas,) = BratReader(folder=tmp_path)
    assert (cas.id, gold(cas)) == ("a", [(NAME, "PERSON")])


def test_an_archive_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("ward/a.txt", TEXT)
        archive.writestr("ward/a.ann", bound("PERSON", NAME))
        archive.writestr("ward/b.txt", TEXT)
    r = BratReader(folder=tmp_path / "corpus.zip")
    assert [(cas.id, gold(cas)) for cas in r] == [("ward/a", [(NAME, "PERSON")])]
    assert [(id, str(error).rpartition("!/")[2]) for id, error in r.failed] == [
        ("ward/b", "ward/b.txt: expected b.ann beside it, found none")
    ]


def test_an_ann_file_in_another_encoding_fails(tmp_path: Path) -> None:
    r = reader(tmp_path, None)
    (tmp_path / "note.ann").write_bytes(b"T1\tDATE 0 2\t\xe9\n")
    assert only(r) == "expected utf-8, found a byte that is not at byte 12"


def test_an_annotation_file_stands_for_the_text_it_lies_beside(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("Ivy ran.", encoding="utf-8")
        (tmp_path / f"{name}.ann").write_text("T1\tPERSON 0 3\tIvy\n", encoding="utf-8")
    (tmp_path / "c.ann").write_text("T1\tPERSON 0 3\tIvy\n", encoding="utf-8")
    reader = BratReader(files=[tmp_path / "a.ann", tmp_path / "b.ann", tmp_path / "b.txt", tmp_path / "c.ann"])
    assert [(cas.id, cas.text) for cas in reader] == [("a", "Ivy ran."), ("b", "Ivy ran.")]
    ((document, error),) = reader.failed
    assert (document, str(error)) == ("c", f"{tmp_path}/c.txt: cannot read: No such file or directory")


def test_an_annotation_file_that_is_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("T1\tPERSON 0 3\tIvy\n", encoding="utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("Ivy ran.", encoding="utf-8")
    (tmp_path / "in/a.ann").symlink_to(tmp_path / "outside")
    reader = BratReader(folder=tmp_path / "in")
    assert list(reader) == []
    assert str(reader.failed[0][1]).endswith("a.txt: a.ann: a symbolic link that leaves the folder is not followed")
    assert len(list(BratReader(files=tmp_path / "in/a.txt"))) == 1


def test_brat_counts_a_byte_order_mark_and_may_have_put_it_into_the_first_span(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffBerg Lund".encode())
    (tmp_path / "a.ann").write_text("T1\tPERSON 0 5\t\ufeffBerg\nT2\tLOCATION 6 10\tLund\n", encoding="utf-8")
    (cas,) = BratReader(folder=tmp_path)
    assert cas.text == "Berg Lund"
    assert [(p.begin, p.end) for p in cas.view("gold").select(Phi)] == [(0, 4), (5, 9)]
