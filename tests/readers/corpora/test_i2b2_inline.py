"""Reader of i2b2-2006 XML with inline tags. All texts are our own."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi

NAME = "Featherstone"


def record(text: str, id: str = "641") -> str:
    return f'<RECORD ID="{id}">\n<TEXT>{text}</TEXT>\n</RECORD>\n'


def phi(label: str, covered: str) -> str:
    return f'<PHI TYPE="{label}">{covered}</PHI>'


def reader(tmp_path: Path, *records: str, encoding: str = "UTF-8", **options: Any) -> I2b2Reader:
    data = f'<?xml version="1.0" encoding="{encoding}"?>\n<ROOT>\n{"".join(records)}</ROOT>\n'.encode(encoding)
    (tmp_path / "train.xml").write_bytes(data)
    return I2b2Reader(folder=tmp_path, **options)


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def faults(r: I2b2Reader) -> list[tuple[str, str]]:
    assert NAME not in repr(r.failed)
    return [(id, str(error).removeprefix(f"{r.folder}/train.xml")) for id, error in r.failed]


def test_each_record_is_a_document_with_its_tags_as_gold(tmp_path: Path) -> None:
    one = f"\nseen by Dr. {phi('DOCTOR', NAME)} of {phi('HOSPITAL', 'St. Brigid')} &amp; home\n"
    two = f"{phi('PATIENT', 'Ivy')}, {phi('AGE', '91')}: {phi('DATE', '3/4')} {phi('ID', '7')} {phi('PHONE', '5-0134')}"
    three = f"in {phi('LOCATION', 'Lund')}"
    r = reader(tmp_path, record(one), record(two, "642"), record(three, "643"))
    first, second, third = r
    assert (first.id, second.id, first.metadata) == ("train/641", "train/642", {"scheme": "i2b2-2006"})
    assert first.text == f"\nseen by Dr. {NAME} of St. Brigid & home\n"
    assert gold(first) == [(NAME, "PERSON_DOCTOR"), ("St. Brigid", "LOCATION_HOSPITAL")]
    assert gold(second) == [("Ivy", "PERSON_PATIENT"), ("91", "AGE"), ("3/4", "DATE"), ("7", "ID"), ("5-0134", "PHONE")]
    assert gold(third) == [("Lund", "LOCATION")]
    assert r.failed == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_line_ends_stay_and_offsets_hold(tmp_path: Path, encoding: str) -> None:
    text = f"\r\n\r\nSeen:\r\n\rby {phi('DOCTOR', NAME)}\r\nin é {phi('LOCATION', 'Lund')}\r\n"
    (cas,) = reader(tmp_path, record(text), encoding=encoding)
    assert cas.text == f"\r\n\r\nSeen:\r\n\rby {NAME}\r\nin é Lund\r\n"
    assert gold(cas) == [(NAME, "PERSON_DOCTOR"), ("Lund", "LOCATION")]


def test_a_file_without_any_tag_is_not_annotated(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, record("Seen in Lund"))
    assert not cas.has_view(GOLD_VIEW)
    _, cas = reader(tmp_path, record(phi("ID", "7")), record("Seen in Lund", "2"))
    assert gold(cas) == []


def test_records_without_id_are_numbered_and_other_elements_left_out(tmp_path: Path) -> None:
    bare = "<RECORD><SMOKING STATUS='UNKNOWN'/><NOTE>no</NOTE><TEXT>Seen</TEXT></RECORD>"
    (cas,) = reader(tmp_path, bare)
    assert (cas.id, cas.text) == ("train/1", "Seen")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"<b>{NAME}</b>", "line 4: expected text and PHI in TEXT, found another element"),
        (phi("DOCTOR", f"Dr. {phi('DOCTOR', NAME)}"), "line 4: expected text alone in PHI, found another PHI"),
        (f"<PHI>{NAME}</PHI>", "line 4: expected PHI with a TYPE, found one without"),
        ("a</TEXT><TEXT>b", "line 5: expected one element TEXT in RECORD, found 2"),
        (phi("NURSE", NAME), "the PHI in line 4: no label called 'NURSE' in scheme i2b2-2006; did you mean PHONE?; "
         "`kinds` can translate or drop it"),
        (phi("DATE", ""), "the PHI in line 4: 0:0 is not a span of the text (0:0)"),
    ],
    ids="element nested no-type two-texts label empty".split(),
)  # fmt: skip
def test_a_faulty_record_fails_alone(tmp_path: Path, text: str, reason: str) -> None:
    r = reader(tmp_path, record(text), record(phi("ID", "7"), "642"))
    (cas,) = r
    assert (cas.id, gold(cas)) == ("train/642", [("7", "ID")])
    assert faults(r) == [("train/641", f", record 1: {reason}")]


def test_an_id_that_is_there_twice_fails_the_second_record(tmp_path: Path) -> None:
    r = reader(tmp_path, record(phi("ID", "7")), record("b"))
    (cas,) = r
    assert cas.text == "7"
    assert faults(r) == [("train/641", ", record 2: an earlier document has the same id")]


def test_one_record_with_broken_tags_does_not_cost_the_others(tmp_path: Path) -> None:
    broken = record(f"{phi('DOCTOR', NAME)}</PHI>", "642")
    r = reader(tmp_path, record(phi("ID", "7")), broken, record(f"é {phi('ID', '8')}", "643"), encoding="iso-8859-1")
    assert [(cas.id, cas.text) for cas in r] == [("train/641", "7"), ("train/643", "é 8")]
    assert faults(r) == [("train/2", ", record 2: 7:46: damaged XML: mismatched tag")]


def test_a_truncated_file_keeps_its_whole_records(tmp_path: Path) -> None:
    r = reader(tmp_path, record(phi("ID", "7")), record(f"by {NAME} {phi('ID', '8')}", "642"))
    path = tmp_path / "train.xml"
    path.write_bytes(path.read_bytes().partition(b"</TEXT>\n</RECORD>\n</ROOT>")[0])
    assert [cas.id for cas in r] == ["train/641"]
    assert faults(r) == [("train/2", ", record 2: 7:45: damaged XML: no element found")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<ROOT><RECORD", "1:7: damaged XML: unclosed token"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE ROOT [<!ENTITY a "b">]>\n<ROOT/>',
         "2:16: document type declarations and entities are not read; expected XML without <!DOCTYPE"),
        (b"<ROOT>\xff</ROOT>", "1:7: damaged XML: not well-formed (invalid token)"),
        (b"<records/>", " expected the root element deIdi2b2, MEDDOCAN or ROOT (i2b2-2006), or a `dialect`, found another"),
    ],
    ids="cut-off dtd bytes root".split(),
)  # fmt: skip
def test_a_file_that_is_no_such_xml_fails_alone(tmp_path: Path, data: bytes, reason: str) -> None:
    r = reader(tmp_path)
    (tmp_path / "train.xml").write_bytes(data)
    assert list(r) == []
    ((_, told),) = faults(r)
    assert told.rpartition("record 1: ")[2].removeprefix(":") == reason
    (tmp_path / "z.xml").write_bytes(f"<ROOT>{record(phi('ID', '7'))}</ROOT>".encode())
    assert [cas.id for cas in I2b2Reader(folder=tmp_path)] == ["z/641"]


def test_the_number_of_documents_is_not_known_beforehand(tmp_path: Path) -> None:
    r = reader(tmp_path, record("a"), record("b", "2"))
    for dialect in ("auto", "i2b2-2006"):
        r.dialect = dialect  # type: ignore[assignment]  # a literal
        with pytest.raises(TypeError, match="the number of documents"):
            len(r)


def test_deep_nesting_and_labels_that_are_dropped(tmp_path: Path) -> None:
    deep = "<b>" * 5000 + "</b>" * 5000
    r = reader(tmp_path, record(deep), record(f"{phi('NURSE', NAME)} {phi('ID', '7')}", "2"), kinds={"NURSE": None})
    assert [gold(cas) for cas in r] == [[("7", "ID")]]
    assert [id for id, _ in r.failed] == ["train/641"]


def test_an_archive_is_read_and_mismatches_can_be_warnings(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        archive.writestr("train.xml", f"<ROOT>{record(phi('ID', '') + phi('ID', '7'))}</ROOT>")
    r = I2b2Reader(folder=tmp_path / "corpus.zip", mismatch="warn")
    with pytest.warns(CaspipeWarning, match="the PHI in line 2: 0:0 is not a span"):
        (cas,) = r
    assert gold(cas) == [("7", "ID")]
