"""Reader of i2b2-2014 XML and MEDDOCAN's dialect. All texts are our own."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi, PhiKind, SpanAttribute

NAME = "Featherstone"
TEXT = f"\n\nMr. {NAME} of Lund, 71, came on 3 May.\n"


def xml(*tags: str, text: str = TEXT, root: str = "deIdi2b2", cdata: bool = True) -> bytes:
    body = f"<![CDATA[{text}]]>" if cdata else text
    inside = f"<TEXT>{body}</TEXT>\n<TAGS>\n{''.join(tags)}</TAGS>"
    return f'<?xml version="1.0" encoding="UTF-8" ?>\n<{root}>\n{inside}\n</{root}>\n'.encode()


def tag(element: str, label: str, covered: str, *, at: int | None = None, text: str = TEXT, id: str = "P0") -> str:
    begin = text.index(covered) if at is None else at
    return f'<{element} id="{id}" start="{begin}" end="{begin + len(covered)}" text="{covered}" TYPE="{label}" comment="" />\n'


def reader(tmp_path: Path, data: bytes, **options: Any) -> I2b2Reader:
    (tmp_path / "110-01.xml").write_bytes(data)
    return I2b2Reader(folder=tmp_path, **options)


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def only(reader: I2b2Reader) -> str:
    """The one reason, with nothing read and no text in it."""
    assert list(reader) == []
    ((document, error),) = reader.failed
    assert document == "110-01"
    assert NAME not in repr(reader.failed)
    return str(error).removeprefix(f"{reader.folder}/110-01.xml").lstrip(": ")


def test_tags_become_reference_annotations(tmp_path: Path) -> None:
    tags = [
        tag("NAME", "PATIENT", NAME),
        tag("LOCATION", "CITY", "Lund"),
        tag("AGE", "AGE", "71"),
        tag("DATE", "DATE", "3 May"),
    ]
    (cas,) = reader(tmp_path, xml(*tags))
    assert (cas.id, cas.text, cas.metadata) == ("110-01", TEXT, {"scheme": "i2b2-2014"})
    assert gold(cas) == [(NAME, "PERSON_PATIENT"), ("Lund", "LOCATION_CITY"), ("71", "AGE"), ("3 May", "DATE")]
    assert cas.select(Phi) == []


def test_every_subcategory_is_kept(tmp_path: Path) -> None:
    labels = PhiKind.labels("i2b2-2014-sub")
    text = " ".join(f"w{n:02}" for n in range(len(labels)))
    tags = [tag("ANY", label, f"w{n:02}", text=text) for n, label in enumerate(labels)]
    (cas,) = reader(tmp_path, xml(*tags, text=text))
    assert [p.kind.schemes["i2b2-2014-sub"] for p in cas.view(GOLD_VIEW).select(Phi)] == labels


def test_every_label_of_meddocan_is_kept(tmp_path: Path) -> None:
    labels = PhiKind.labels("meddocan")
    text = " ".join(f"w{n:02}" for n in range(len(labels)))
    tags = [tag("ANY", label, f"w{n:02}", text=text) for n, label in enumerate(labels)]
    (cas,) = reader(tmp_path, xml(*tags, text=text, root="MEDDOCAN"))
    assert [p.kind.schemes["meddocan"] for p in cas.view(GOLD_VIEW).select(Phi)] == labels
    assert cas.metadata == {"scheme": "meddocan"}


def test_a_tag_without_type_has_the_label_of_its_element(tmp_path: Path) -> None:
    tags = ['<AGE start="20" end="22"/>', '<LOCATION TYPE="OTHER" start="0" end="4"/>']
    (cas,) = reader(tmp_path, xml(*tags, text="Lund, where he, now 71"))
    assert gold(cas) == [("Lund", "LOCATION"), ("71", "AGE")]


def test_the_dialect_can_be_forced(tmp_path: Path) -> None:
    data = xml(tag("DATE", "FECHAS", "3 May"), root="Annotation")
    (cas,) = reader(tmp_path, data, dialect="meddocan")
    assert gold(cas) == [("3 May", "DATE")]
    assert (
        only(reader(tmp_path, data))
        == "expected the root element deIdi2b2, MEDDOCAN or ROOT (i2b2-2006), or a `dialect`, found another"
    )


@pytest.mark.parametrize("cdata", [True, False])
@pytest.mark.parametrize("as_xml", [True, False])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_line_ends_stay_and_offsets_hold(tmp_path: Path, cdata: bool, as_xml: bool, encoding: str) -> None:
    text = f"\r\n\r\nSeen:\r\n\rby {NAME}\r\nin Lund\n3 May\r\n"
    counted = text.replace("\r\n", "\n") if as_xml else text
    tags = [
        tag("NAME", "DOCTOR", NAME, text=counted),
        tag("LOCATION", "CITY", "Lund", text=counted),
        tag("DATE", "DATE", "3 May", text=counted),
    ]
    data = xml(*tags, text=text, cdata=cdata).decode().replace('"UTF-8"', f'"{encoding}"').encode(encoding)
    (cas,) = reader(tmp_path, data)
    assert cas.text == text
    assert gold(cas) == [(NAME, "PERSON_DOCTOR"), ("Lund", "LOCATION_CITY"), ("3 May", "DATE")]


def test_offsets_of_xml_are_taken_where_tags_name_no_text(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, xml('<DATE TYPE="DATE" start="2" end="7"/>', text="a\r\n3 May, 3 May"))
    assert gold(cas) == [("3 May", "DATE")]


@pytest.mark.parametrize("text", ["\n\nSeen 3 May in Lund", "\r\n\r\nSeen 3 May in Lund"])
@pytest.mark.parametrize("dropped", [1, 2])
def test_offsets_may_count_from_behind_leading_line_ends(tmp_path: Path, text: str, dropped: int) -> None:
    counted = text.replace("\r\n", "\n")[dropped:]
    tags = [tag("DATE", "DATE", "3 May", text=counted), tag("LOCATION", "CITY", "Lund", text=counted)]
    (cas,) = reader(tmp_path, xml(*tags, text=text))
    assert (cas.text, gold(cas)) == (text, [("3 May", "DATE"), ("Lund", "LOCATION_CITY")])


def test_a_tag_may_span_lines_whose_ends_xml_makes_blanks(tmp_path: Path) -> None:
    text = f"by Ann\n{NAME}."
    (cas,) = reader(
        tmp_path, xml(f'<NAME TYPE="DOCTOR" start="3" end="{len(text) - 1}" text="Ann {NAME}"/>', text=text)
    )
    assert gold(cas) == [(f"Ann\n{NAME}", "PERSON_DOCTOR")]


def test_markup_in_the_text_is_text(tmp_path: Path) -> None:
    wanted = "\U0001f600 <b>3 & 4</b> ]]> Lund\r"
    written = "\U0001f600 &lt;b&gt;3 &amp; 4&lt;/b&gt; ]]&gt; Lund&#13;"
    place = tag("LOCATION", "CITY", "Lund", text=wanted)
    (cas,) = reader(tmp_path, xml(place, text=written, cdata=False))
    assert (cas.text, gold(cas)) == (wanted, [("Lund", "LOCATION_CITY")])
    (cas,) = reader(tmp_path, xml(text="a]]]]><![CDATA[>b"))
    assert cas.text == "a]]>b"


def test_other_elements_are_left_out_and_gzip_is_read(tmp_path: Path) -> None:
    data = b"<deIdi2b2><META><TEXT>no</TEXT></META><TEXT>3 May</TEXT></deIdi2b2>"
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(data))
    r = I2b2Reader(folder=tmp_path)
    assert len(r) == 1
    (cas,) = r
    assert (cas.id, cas.text, cas.has_view(GOLD_VIEW)) == ("a", "3 May", False)


def test_a_document_without_tags_has_an_empty_gold_view(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, xml())
    assert gold(cas) == []


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ([tag("NAME", "PATIENT", NAME, at=40)], "tag P0 (line 8): 40:52 is not a span of the text (0:47)"),
        ([tag("NAME", "PATIENT", NAME, at=7)], "tag P0 (line 8): 7:19 does not cover the text that the tag names"),
        (['<DATE TYPE="DATE" start="3" end="3" text=""/>'], "the tag in line 8: 3:3 is not a span of the text (0:47)"),
        ([f'<DATE id="{NAME}" TYPE="DATE" start="3" end="two"/>'], "the tag in line 8: expected integers as start and end"),
        (['<DATE id="T1" TYPE="DATE" start="-1" end="2"/>'], "tag T1 (line 8): expected integers as start and end"),
        (['<DATE id="T1" TYPE="DATE" end="2"/>'], "tag T1 (line 8): expected integers as start and end"),
        (
            [tag("NAME", "PATIENTS", NAME)],
            "tag P0 (line 8): no label called 'PATIENTS' in scheme i2b2-2014-sub; did you mean PATIENT?; "
            "`kinds` can translate or drop it",
        ),
        (
            [tag("NAME", "PATIENT", NAME), tag("NAME", "DOCTOR", f"Mr. {NAME}", id="P1")],
            "tag P0 (line 8) and tag P1 (line 9) overlap; `overlaps` can say which to keep",
        ),
        (
            [tag("NAME", "PATIENT", NAME), tag("NAME", "DOCTOR", NAME, id="P1")],
            "tag P0 (line 8) and tag P1 (line 9) overlap; `overlaps` can say which to keep",
        ),
        (
            [tag("NAME", "PATIENT", NAME, at=99, id=f"P{n}") for n in range(5)],
            "; ".join(f"tag P{n} (line {8 + n}): 99:111 is not a span of the text (0:47)" for n in range(3))
            + "; and 2 tags more",
        ),
    ],
)  # fmt: skip
def test_faulty_tags_fail_their_document(tmp_path: Path, tags: list[str], reason: str) -> None:
    assert only(reader(tmp_path, xml(*tags))) == reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "1:1: damaged XML: no element found"),
        (xml().partition(b"]]>")[0], "6:1: damaged XML: unclosed CDATA section"),
        (xml().replace(b"UTF-8", b"klingon"), "1:1: XML in an encoding that cannot be read"),
        (xml(text="caf\xe9").replace(b"\xc3\xa9", b"\xe9"), "3:19: damaged XML: not well-formed (invalid token)"),
        (xml().replace(b"TEXT", b"BODY"), "expected one element TEXT below the root, found none"),
        (b"<deIdi2b2><TEXT>a</TEXT><TEXT>b</TEXT></deIdi2b2>", "expected one element TEXT below the root, found 2"),
        (xml(text=f"a <PHI>{NAME}</PHI>", cdata=False), "line 3: expected text alone in TEXT, found an element"),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE deIdi2b2 [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<deIdi2b2/>',
            "2:20: document type declarations and entities are not read; expected XML without <!DOCTYPE",
        ),
        (xml(text="&a;", cdata=False), "3:7: damaged XML: undefined entity"),
    ],
    ids="empty cut-off encoding bytes no-text two-texts elements dtd entity".split(),
)
def test_a_file_that_is_no_such_xml_fails_alone(tmp_path: Path, data: bytes, reason: str) -> None:
    assert only(reader(tmp_path, data)) == reason
    (tmp_path / "z.xml").write_bytes(xml())
    assert [cas.id for cas in I2b2Reader(folder=tmp_path)] == ["z"]


def test_mismatches_can_be_warnings(tmp_path: Path) -> None:
    tags = [tag("NAME", "PATIENT", NAME, at=7), tag("DATE", "DATE", "3 May", at=90), tag("AGE", "AGE", "71")]
    r = reader(tmp_path, xml(*tags), mismatch="warn")
    with pytest.warns(CaspipeWarning, match=r"document 110-01: tag P0 \(line 8\): 7:19 does not cover") as told:
        (cas,) = r
    assert gold(cas) == [(TEXT[7:19], "PERSON_PATIENT"), ("71", "AGE")]
    assert len(told) == 1
    assert r.failed == []


def test_overlaps_can_be_settled(tmp_path: Path) -> None:
    data = xml(
        tag("NAME", "PATIENT", NAME), tag("NAME", "DOCTOR", f"Mr. {NAME} of Lund"), tag("LOCATION", "CITY", "Lund")
    )
    (cas,) = reader(tmp_path, data, overlaps="longest")
    assert gold(cas) == [(f"Mr. {NAME} of Lund", "PERSON_DOCTOR")]
    (cas,) = reader(tmp_path, data, overlaps="first")
    assert gold(cas) == [(NAME, "PERSON_PATIENT"), ("Lund", "LOCATION_CITY")]


def test_a_tag_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, xml(tag("AGE", "AGE", "71"), tag("AGE", "AGE", "71", id="P1")))
    assert gold(cas) == [("71", "AGE")]


def test_labels_can_be_translated_or_dropped(tmp_path: Path) -> None:
    data = xml(tag("NAME", "PATIENT", NAME), tag("X", "WARD", "of"), tag("AGE", "AGE", "71", at=0))
    kinds = {"PATIENT": PhiKind.PERSON, "WARD": PhiKind.LOCATION_DEPARTMENT, "AGE": None}
    (cas,) = reader(tmp_path, data, kinds=kinds)
    assert gold(cas) == [(NAME, "PERSON"), ("of", "LOCATION_DEPARTMENT")]


def test_a_comment_is_kept_as_an_attribute(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, xml(tag("AGE", "AGE", "71").replace('comment=""', 'comment="over 70"')))
    (attribute,) = cas.view(GOLD_VIEW).select(SpanAttribute)
    assert (attribute.name, attribute.value) == ("comment", "over 70")
    assert attribute.of is cas.view(GOLD_VIEW).select(Phi)[0]


def test_a_reader_can_be_pickled_before_it_is_opened(tmp_path: Path) -> None:
    r = pickle.loads(pickle.dumps(reader(tmp_path, xml(tag("AGE", "AGE", "71")))))
    assert [gold(cas) for cas in r] == [[("71", "AGE")]]


@pytest.mark.slow
def test_all_of_meddocan_is_read_and_every_span_fits(shared: Path) -> None:
    r = I2b2Reader(folder=shared / "corpora/meddocan")
    spans = [len(cas.view(GOLD_VIEW).select(Phi)) for cas in r]  # the reader compares each with the tag's own text
    assert (len(spans), sum(spans), r.failed) == (750, 17134, [])
