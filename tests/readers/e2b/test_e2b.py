"""Reader of case reports: ICH E2B(R3) and E2B(R2)."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2b_files import NARRATIVE, OID, r2, r2_report, r3, r3_report

from caspipe.readers.e2b import E2bReader
from caspipe.readers.e2b.dates import age, iso, iso_of_r2, looks_like_date
from caspipe.readers.e2b.reader import AttachmentWarning
from caspipe.typesystem import Cas, DocumentAnnotation, RecordField
from caspipe.typesystem import source_record as carrier

SECRET = "Zyqqvandermeulen"


def read(tmp_path: Path, data: bytes, name: str = "case.xml", **options: Any) -> list[Cas]:
    (tmp_path / name).write_bytes(data)
    reader = E2bReader(folder=tmp_path, **options)
    documents = list(reader)
    assert reader.failed == []
    return documents


def failures(tmp_path: Path, data: bytes) -> list[str]:
    (tmp_path / "bad.xml").write_bytes(data)
    (tmp_path / "good.xml").write_bytes(r3())
    reader = E2bReader(folder=tmp_path)
    assert {c.metadata[carrier.FILE_ID] for c in reader} == {"good"}
    assert SECRET not in repr(reader.failed)
    assert [document for document, _ in reader.failed] == ["bad"]
    return [str(error).removeprefix(f"{tmp_path}/bad.xml: ") for _, error in reader.failed]


def fields(cas: Cas) -> list[tuple[str, str, str]]:
    """(kind, value, last step and form of the place)."""
    return [
        (
            f.kind.name,
            f.value,
            f.path.rpartition("/")[2]
            if "/@" not in f.path
            else f.path[f.path.rindex("/", 0, f.path.index("/@")) + 1 :],
        )
        for f in cas.select(RecordField)
    ]


def test_every_free_text_is_a_document(tmp_path: Path) -> None:
    one, two = read(tmp_path, r3())
    assert [(c.id, c.text) for c in (one, two)] == [
        ("case/1/H.1", NARRATIVE),
        ("case/1/H.2", "Krabwell recovered on 3/9/2026."),
    ]
    assert one.metadata == {
        "carrier_file": f"{tmp_path}/case.xml",
        "carrier_id": "case",
        "carrier_digest": carrier.digest(r3()),
        "e2b": "R3",
        "carrier_record": "1",
        "carrier_field": "H.1",
        "carrier_path": "/MCCI_IN200100UV01[1]/PORR_IN049016UV[1]/controlActProcess[1]/subject[1]"
        "/investigationEvent[1]/text[1]#r3",
        "carrier_most": "100000",
        "carrier_texts": "2",
        "patient_id": "US-SYNLAB-1-W",
    }
    assert two.metadata["carrier_most"] == "20000"


PATHS = {
    "H.4": "component1/observationEvent{10}/value",
    "D.7.2": "subjectOf2/organizer{1}/component/observation{18}/value",
    "D.7.1.r.5": "subjectOf2/organizer{1}/component/observation{10061122}/outboundRelationship2/observation{10}/value",
    "D.9.2.r.2": "observation{32}/value/originalText",
    "D.9.4.r.2": "observation{8}/value/originalText",
    "E.i.1.1a": "observation{29}/value/originalText",
    "E.i.1.2": "observation{30}/value",
    "F.r.2.1": "organizer{3}/component/observation/code/originalText",
    "F.r.3.4": "organizer{3}/component/observation{9}/value",
    "F.r.6": "organizer{3}/component/observation{9}/outboundRelationship2/observation{10}/value",
    "G.k.4.r.8": "substanceAdministration/outboundRelationship2/substanceAdministration/text",
    "G.k.4.r.9.1": "formCode/originalText",
    "G.k.4.r.10.1": "routeCode/originalText",
    "G.k.4.r.11.1": "observation{28}/value/originalText",
    "G.k.7.r.1": "inboundRelationship/observation{19}/value/originalText",
    "G.k.11": "substanceAdministration/outboundRelationship2/observation{2}/value",
    "G.k.9.i.2.r.1": "causalityAssessment/author/assignedEntity/code/originalText",
    "G.k.9.i.2.r.2": "causalityAssessment/methodCode/originalText",
    "G.k.9.i.2.r.3": "causalityAssessment/value",
    "C.1.11.2": "investigationCharacteristic{4}/value/originalText",
    "C.4.r.1": "document/bibliographicDesignationText",
    "C.1.6.1.r.1": "document/title",
    "C.5.2": "researchStudy/title",
    "unlisted.remark": "remark",
    "unlisted.value": "observation{999}/value",
}


def nested(path: str, text: str = "T") -> str:
    """Elements within each other; `observation{29}` has a code."""
    head, _, rest = path.partition("/")
    name, _, code = head.rstrip("}").partition("{")
    coded = f"<code code='{code}'/>" if code else ""
    by = "<author><assignedEntity><code code='1'/></assignedEntity></author>" if name == "observationEvent" else ""
    return f"<{name}>{coded}{nested(rest, text) if rest else text}{by}</{name}>"


TEXTS = {field: nested(path) for field, path in PATHS.items()}


@pytest.mark.parametrize("field", TEXTS)
def test_each_text_has_its_number_in_the_standard_and_what_no_table_knows_is_read_too(
    tmp_path: Path, field: str
) -> None:
    documents = read(tmp_path, r3(r3_report(more=TEXTS[field])))
    assert [c.metadata["carrier_field"] for c in documents if c.text == "T"] == [field]


def test_the_parent_has_texts_of_its_own(tmp_path: Path) -> None:
    parent = f"<player1><role>{TEXTS['D.7.2']}</role></player1>"
    documents = read(tmp_path, r3(r3_report(more=parent)))
    assert [c.metadata["carrier_field"] for c in documents if c.text == "T"] == ["D.10.7.2"]


def test_names_of_drugs_and_codes_are_no_texts(tmp_path: Path) -> None:
    drug = "<kindOfProduct><name>Zorbex</name></kindOfProduct><lotNumberText>AB1</lotNumberText><value value='true'/>"
    assert len(read(tmp_path, r3(r3_report(more=drug)))) == 2


def test_repeated_fields_are_numbered(tmp_path: Path) -> None:
    documents = read(tmp_path, r3(r3_report(more=TEXTS["F.r.6"] + nested(PATHS["F.r.6"], "U"))))
    assert [c.id for c in documents if len(c.text) == 1] == ["case/1/F.r.6", "case/1/F.r.6-2"]


def test_what_the_report_knows_goes_with_every_text(tmp_path: Path) -> None:
    one, two = read(tmp_path, r3())
    known = [(k.kind.name, k.value, k.role, k.provenance) for k in one.known_phi]
    assert known == [(k.kind.name, k.value, k.role, k.provenance) for k in two.known_phi]
    assert known == [
        ("PERSON_RELATIVE", "Mona Sandvik", "relative", "D.10.1"),
        ("PERSON_REPORTER", "Otto Karl Fenn", "reporter", "C.2.r.1.4"),
        ("ID_CASE", "M-US-SYNLAB-1", "case", "N.2.r.1"),
        ("ID", "SYNLAB7", "sender", "N.2.r.2"),
        ("ID_CASE", "US-SYNLAB-1", "case", "C.1.1"),
        ("ID_CASE", "US-SYNLAB-1-W", "case", "C.1.8.1"),
        ("PERSON_PATIENT", "Edna Krabwell", "patient", "D.1"),
        ("DATE_BIRTH", "1961-03-12", "patient", "D.2.1"),
        ("ID_MEDICAL_RECORD", "00417732", "patient", "D.1.1.3"),
        ("PERSON_RELATIVE", "Mona", "relative", "D.10.1"),
        ("PERSON_RELATIVE", "Sandvik", "relative", "D.10.1"),
        ("AGE", "91 years", "relative", "D.10.2.2"),
        ("AGE", "65 years", "patient", "D.2.2"),
        ("LOCATION_STREET", "1 Elm St", "reporter", "C.2.r.2.3"),
        ("LOCATION_CITY", "Dunmere", "reporter", "C.2.r.2.4"),
        ("LOCATION_STATE", "Connecticut", "reporter", "C.2.r.2.5"),
        ("LOCATION_ZIP", "01099", "reporter", "C.2.r.2.6"),
        ("PHONE", "617-555-0134", "reporter", "C.2.r.2.7"),
        ("EMAIL", "ofenn@example.org", "reporter", "C.2.r.2.7"),
        ("FAX", "617-555-0135", "reporter", "C.2.r.2.7"),
        ("PERSON_REPORTER", "Otto", "reporter", "C.2.r.1.2"),
        ("PERSON_REPORTER", "Karl", "reporter", "C.2.r.1.3"),
        ("PERSON_REPORTER", "Fenn", "reporter", "C.2.r.1.4"),
        ("LOCATION_DEPARTMENT", "Ward 7", "reporter", "C.2.r.2.2"),
        ("ORGANIZATION", "Dunmere Clinic", "reporter", "C.2.r.2.1"),
        ("ORGANIZATION", "Synthetic Labs", "case", "C.1.9.1.r.1"),
        ("ID_CASE", "SL-77-1", "case", "C.1.9.1.r.2"),
    ]


def test_structured_values_go_with_the_first_text_only(tmp_path: Path) -> None:
    one, two = read(tmp_path, r3(), transmission="mask")
    assert two.select(RecordField) == []
    found = fields(one)
    assert ("ID_CASE", "BATCH-9", "id[1]/@extension#r3") in found
    assert ("PERSON_REPORTER", "Dr.", "prefix[1]#r3") in found
    assert ("LOCATION_COUNTRY", "US", "code[1]/@code#r3") in found
    assert ("PHONE", "617-555-0134", "telecom[1]/@value#r3-scheme") in found
    assert ("AGE", "65 years", "value[1]/@value#r3-age") in found
    dates = [(kind, value, place) for kind, value, place in found if kind.startswith("DATE")]
    assert dates == [
        ("DATE", "2026-04-01", "creationTime[1]/@value#r3-date"),
        ("DATE", "2026-04-01", "creationTime[1]/@value#r3-date"),
        ("DATE", "2026-04-01", "effectiveTime[1]/@value#r3-date"),
        ("DATE", "2026-03-05", "low[1]/@value#r3-date"),
        ("DATE", "2026-03", "availabilityTime[1]/@value#r3-date"),
        ("DATE_BIRTH", "1961-03-12", "birthTime[1]/@value#r3-date"),
        ("DATE", "2026-02-10", "value[1]/@value#r3-date"),
    ]
    assert all(f.operator == "" and f.masked is None for f in one.select(RecordField))


@pytest.mark.parametrize(
    ("xml", "value"),
    [
        ("<effectiveTime xsi:type='IVL_TS'><high value='20200230'/></effectiveTime>", ""),
        ("<effectiveTime xsi:type='IVL_TS'><center value='2020'/></effectiveTime>", "2020"),
        (
            "<effectiveTime xsi:type='SXPR_TS'><comp xsi:type='IVL_TS'><low value='20200304'/></comp></effectiveTime>",
            "2020-03-04",
        ),
        ("<effectiveTime><comp><low value='202003041530'/></comp></effectiveTime>", "2020-03-04"),
        ("<value xsi:type='hl7:TS' value='20200304'/>", "2020-03-04"),
        ("<expirationTime value='20200304101112.123+0100'/>", "2020-03-04"),
        ("<time value='4 March 2020'/>", ""),
        ("<deceasedTime value='20200304'/>", "2020-03-04"),
        ("<somethingNew value='20200304'/>", "2020-03-04"),
        ("<somethingNew><low value='20200304101500'/></somethingNew>", "2020-03-04"),
    ],
)
def test_dates_are_found_by_their_type_their_name_or_their_looks(tmp_path: Path, xml: str, value: str) -> None:
    plain = fields(read(tmp_path, r3())[0])
    found = fields(read(tmp_path, r3(r3_report(more=xml)))[0])
    added = [f for f in found if f not in plain]
    assert [(kind[:4], v) for kind, v, _ in added] == [("DATE", value)]


@pytest.mark.parametrize(
    "xml",
    [
        "<doseQuantity value='20200304' unit='mg'/>",
        "<value xsi:type='IVL_PQ'><low value='20200304'/></value>",
        "<value xsi:type='INT' value='20200304'/>",
        "<period value='10' unit='d'/>",
        "<priorityNumber value='1'/>",
        "<code code='20200304'/>",
        "<effectiveTime nullFlavor='UNK'/>",
    ],
)
def test_numbers_are_no_dates(tmp_path: Path, xml: str) -> None:
    assert fields(read(tmp_path, r3())[0]) == fields(read(tmp_path, r3(r3_report(more=xml)))[0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020", "2020"),
        ("202003", "2020-03"),
        ("20200304", "2020-03-04"),
        ("2020030410", "2020-03-04"),
        ("20200304101500.5-0500", "2020-03-04"),
        (" 20200304 ", "2020-03-04"),
        ("202013", ""),
        ("20200231", ""),
        ("2020-03-04", ""),
        ("202", ""),
        ("", ""),
        ("x", ""),
    ],
)
def test_time_stamps_of_hl7(value: str, expected: str) -> None:
    assert iso(value) == expected
    assert not looks_like_date(value) or len(value.strip()) >= 8


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        ("20200304", "102", "2020-03-04"),
        ("202003", "610", "2020-03"),
        ("2020", "602", "2020"),
        ("202003041530", "203", "2020-03-04"),
        ("20200304153059", "204", "2020-03-04"),
        ("20200304", "", "2020-03-04"),
        ("20200304", "610", ""),
        ("04-MAR-2020", "102", ""),
        ("20200304+01", "102", ""),
    ],
)
def test_dates_of_r2(value: str, form: str, expected: str) -> None:
    assert iso_of_r2(value, form) == expected


@pytest.mark.parametrize(
    ("number", "unit", "expected"),
    [
        ("65", 1.0, "65 years"),
        ("65.0", 1.0, "65 years"),
        ("9", 10.0, "99 years"),
        ("5", 1 / 12, "5 months"),
        ("3", 1 / 52, "3 weeks"),
        ("12", 1 / 365, "12 days"),
        ("30", 1 / 8760, "1 days"),
        ("x", 1.0, ""),
        ("65", None, ""),
        ("nan", 1.0, ""),
        ("-3", 1.0, ""),
    ],
)
def test_ages_with_their_units(number: str, unit: float | None, expected: str) -> None:
    assert age(number, unit) == expected


def test_fields_that_say_nothing_about_anybody_are_not_known(tmp_path: Path) -> None:
    report = (
        r3_report()
        .replace("Edna Krabwell</name>", "UNKNOWN</name>")
        .replace("<given>Mona</given><family>Sandvik</family>", "")
    )
    one = read(tmp_path, r3(report))[0]
    assert not [k for k in one.known_phi if k.role == "relative" and k.kind.top.name == "PERSON"]
    assert "UNKNOWN" not in [k.value for k in one.known_phi]


def test_only_the_fields_named_are_read_and_the_others_become_values_to_be_masked(tmp_path: Path) -> None:
    (one,) = read(tmp_path, r3(r3_report(more=TEXTS["F.r.6"])), fields=["H.1"])
    others = [(f.kind.name, f.value) for f in one.select(RecordField) if f.kind.name == "OTHER"]
    assert (one.id, others) == ("case/1/H.1", [("OTHER", ""), ("OTHER", "")])
    assert [c.id for c in read(tmp_path, r3(), fields=["H"])] == ["case/1/H.1", "case/1/H.2"]


def test_a_field_that_is_not_in_the_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^fields: no text field called 'H.1a'; did you mean H.1\?$"):
        E2bReader(folder=tmp_path, fields=["H.1a"])


@pytest.mark.parametrize("narrative", [None, "<text nullFlavor='MSK'/>", "<text> \n </text>", "<text/>"])
def test_a_report_without_texts_is_a_document_without_text(tmp_path: Path, narrative: str | None) -> None:
    report = r3_report(narrative).replace("Krabwell recovered on 3/9/2026.", "")
    (one,) = read(tmp_path, r3(report))
    assert (one.id, one.text, one.metadata["carrier_path"], one.metadata["carrier_texts"]) == (
        "case/1/record",
        "",
        "",
        "1",
    )
    assert len(one.select(RecordField)) > 20


def test_several_reports_share_no_transmission_date(tmp_path: Path) -> None:
    documents = read(tmp_path, r3(r3_report(), r3_report(case="US-SYNLAB-2")))
    assert [c.id for c in documents] == ["case/1/H.1", "case/1/H.2", "case/2/H.1", "case/2/H.2"]
    assert {c.metadata["carrier_texts"] for c in documents} == {"4"}
    assert [c.metadata["patient_id"] for c in documents] == ["US-SYNLAB-1-W"] * 2 + ["US-SYNLAB-2-W"] * 2
    for cas in (documents[0], documents[2]):
        times = [value for kind, value, place in fields(cas) if place.startswith(("creationTime", "effectiveTime"))]
        assert times and set(times) == {""}
    heads = [("BATCH-9" in [f.value for f in c.select(RecordField)]) for c in documents]
    assert heads == [True, False, False, False]


def test_two_reports_of_one_case_are_two_reports_of_one_patient(tmp_path: Path) -> None:
    documents = read(tmp_path, r3(r3_report(), r3_report()))
    assert len({c.id for c in documents}) == 4
    assert len({c.metadata["patient_id"] for c in documents}) == 1


def test_attachments_are_counted_and_told_and_not_read(tmp_path: Path) -> None:
    base64 = (
        '<reference><document><text mediaType="text/plain" representation="B64"><reference value="Krabwell.txt"/>S3JhYndlbGw='
        "</text></document></reference>"
    )
    with pytest.warns(AttachmentWarning) as caught:
        one, two = read(tmp_path, r3(r3_report(documents=base64)))
    assert [str(w.message) for w in caught] == [
        f"e2b: {tmp_path}/case.xml: report 1 has an attachment in base64: not read, and removed if the report "
        "is written back"
    ]
    assert (one.metadata["attachments"], two.metadata.get("attachments")) == ("1", None)
    assert ("OTHER", "", "text[1]#r3-attachment") in fields(one)


def test_languages_are_those_of_the_texts(tmp_path: Path) -> None:
    summary = nested("component/observationEvent{36}/value").replace("<value>", "<value xsi:type='ED' language='{}'>")
    documents = read(tmp_path, r3(r3_report(documents=summary.format("eng") + summary.format("por"))))
    found = {c.id: (c.metadata.get("language"), [d.language for d in c.select(DocumentAnnotation)]) for c in documents}
    assert found["case/1/H.5.r.1a"] == ("en", ["en"])
    assert found["case/1/H.5.r.1a-2"] == ("pt", ["pt"])
    assert found["case/1/H.1"] == (None, [])


# -- R2 ---------------------------------------------------------------------------------------------------------------


def test_r2_is_reported_by_its_root(tmp_path: Path) -> None:
    one, two = read(tmp_path, r2())
    assert [(c.id, c.text, c.metadata["language"], c.metadata["patient_id"]) for c in (one, two)] == [
        ("case/1/B.2.i.0", "glimmer fever", "en", "US-SYNLAB-1"),
        ("case/1/B.5.1", NARRATIVE, "en", "US-SYNLAB-1"),
    ]
    assert [(k.kind.name, k.value, k.role) for k in two.known_phi] == [
        ("PERSON_REPORTER", "Otto Fenn", "reporter"),
        ("ID", "SYNLAB7", "sender"),
        ("ID_CASE", "US-SYNLAB-1", "case"),
        ("PERSON_REPORTER", "Otto", "reporter"),
        ("PERSON_REPORTER", "Fenn", "reporter"),
        ("ORGANIZATION", "Dunmere Clinic", "reporter"),
        ("LOCATION_ZIP", "01099", "reporter"),
        ("PERSON_PATIENT", "EK", "patient"),
        ("ID_MEDICAL_RECORD", "00417732", "patient"),
        ("DATE_BIRTH", "1961-03-12", "patient"),
        ("AGE", "65 years", "patient"),
    ]
    assert [(kind, value, place) for kind, value, place in fields(one) if kind[:4] in ("DATE", "AGE")] == [
        ("DATE", "", "messagedateformat[1]#r2-date"),
        ("DATE", "", "transmissiondateformat[1]#r2-date"),
        ("DATE_BIRTH", "1961-03-12", "patientbirthdateformat[1]#r2-date"),
        ("AGE", "65 years", "patientonsetageunit[1]#r2-age"),
        ("DATE", "2026-02", "lastmenstrualdateformat[1]#r2-date"),
        ("DATE", "2026-03-04", "reactionstartdateformat[1]#r2-date"),
        ("DATE", "2025", "drugstartdateformat[1]#r2-date"),
    ]


def test_a_summary_outside_the_patient_is_found(tmp_path: Path) -> None:
    moved = r2().replace(b"</summary></patient>", b"</summary>").replace(b"<summary>", b"</patient><summary>")
    assert [c.id for c in read(tmp_path, moved)] == ["case/1/B.2.i.0", "case/1/B.5.1"]


def test_codes_of_r2_stay_and_their_texts_are_read(tmp_path: Path) -> None:
    assert "B.1.7.1" not in [c.metadata["carrier_field"] for c in read(tmp_path, r2())]
    documents = read(tmp_path, r2().replace(b"10012345", b"gout since May"))
    assert [c.text for c in documents if c.metadata["carrier_field"] == "B.1.7.1"] == ["gout since May"]
    documents = read(tmp_path, r2(r2_report(more="<localfield>0417</localfield>")))
    assert [c.text for c in documents if c.metadata["carrier_field"] == "unlisted.localfield"] == ["0417"]


def test_transmission_dates_of_several_reports_of_r2_are_empty(tmp_path: Path) -> None:
    documents = read(tmp_path, r2(r2_report(), r2_report(case="US-SYNLAB-2")))
    shared = [v for c in documents for k, v, p in fields(c) if p.startswith(("messagedate", "transmissiondate"))]
    assert shared == ["", "", ""]


# -- bytes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [r3, r2], ids=["r3", "r2"])
@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16", "windows-1252", "utf-8-sig"])
def test_encodings(tmp_path: Path, make: Callable[..., bytes], encoding: str) -> None:
    data = make(encoding="utf-8").decode().replace("Edna Krabwell (", "Édna Krabwell (")
    data = data.replace('encoding="utf-8"', f'encoding="{encoding.removesuffix("-sig")}"')
    texts = [c.text for c in read(tmp_path, data.encode(encoding))]
    assert NARRATIVE.replace("Edna", "Édna") in texts


def test_line_ends_and_references_are_those_of_xml(tmp_path: Path) -> None:
    one = read(tmp_path, r3(r3_report("<text>a\r\nb&amp;c&#13;\n<![CDATA[<d>]]></text>")))[0]
    assert one.text == "a\nb&c\r\n<d>"


BOMB = b"""<!DOCTYPE ichicsr [<!ENTITY a "Zyqqvandermeulen"><!ENTITY b "&a;&a;&a;">]><ichicsr>&b;</ichicsr>"""


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (f"<ichicsr>\n <safetyreport>{SECRET}".encode(), "line 2, column 32: damaged XML: no element found"),
        (b"", "line 1, column 1: damaged XML: no element found"),
        (f"{SECRET}".encode(), "line 1, column 1: damaged XML: syntax error"),
        (BOMB, "line 1, column 19: found a document type with declarations of its own: none is read"),
        (b"<ichicsr><a>&nbsp;</a></ichicsr>", "line 1, column 13: damaged XML: undefined entity"),
        (
            b'<!DOCTYPE ichicsr SYSTEM "x"><ichicsr><a>&nbsp;</a></ichicsr>',
            "line 1, column 42: found an entity: none is read",
        ),
        (b'<!DOCTYPE ichicsr SYSTEM "x"><ichicsr a="&x;"/>', "line 1, column 30: found an entity: none is read"),
        (b"<a>" * 300, "line 1, column 601: found elements nested deeper than 200"),
        (f"<{SECRET}/>".encode(), "expected a case report: MCCI_IN200100UV01 or ichicsr, found another root element"),
        (
            b"<ichicsrack/>",
            "expected a case report: MCCI_IN200100UV01 or ichicsr, found an acknowledgement, which contains no report",
        ),
        (b"<ichicsr/>", "expected at least one report, found none"),
        (
            b'<?xml version="1.0" encoding="utf-8"?><ichicsr>M\xf6na</ichicsr>',
            "expected utf-8, as the file says, found a byte that is not at byte 48",
        ),
        (
            r2().replace(b"ISO-8859-1", b"x-unknown"),
            "expected an encoding that is known, like UTF-8, ISO-8859-1 or UTF-16 with its mark",
        ),
        (
            r2().replace(b"ISO-8859-1", b"utf-7"),
            "expected an encoding that is known, like UTF-8, ISO-8859-1 or UTF-16 with its mark",
        ),
        (r3().decode().encode("utf-16")[:-1], "expected utf-16-le, as the file says, found a byte that is not at byte"),
    ],
    ids=range(15),
)
def test_what_is_no_case_report_has_failed_and_the_rest_is_unharmed(tmp_path: Path, data: bytes, reason: str) -> None:
    (found,) = failures(tmp_path, data)
    assert found == reason or (found.startswith(reason) and reason.endswith("byte"))


def test_a_case_report_in_an_archive_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "cases.zip", "w") as packed:
        packed.writestr("may/case.xml", r3())
    documents = list(E2bReader(folder=tmp_path / "cases.zip"))
    assert [(c.id, c.metadata["carrier_file"]) for c in documents] == [
        ("may/case/1/H.1", f"{tmp_path}/cases.zip!/may/case.xml"),
        ("may/case/1/H.2", f"{tmp_path}/cases.zip!/may/case.xml"),
    ]


# -- files of others ---------------------------------------------------------------------------------------------------


def test_the_sample_instances_of_fda_are_read(shared: Path) -> None:
    reader = E2bReader(folder=shared / "formats" / "e2b_fda", transmission="mask")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AttachmentWarning)
        documents = list(reader)
    assert reader.failed == []
    files = {c.metadata[carrier.FILE_ID] for c in documents}
    assert len(files) == 10
    assert {c.metadata[carrier.FILE_ID] for c in documents if c.metadata["carrier_field"] == "H.1"} == files
    assert not [c.id for c in documents if "unlisted" in c.id]
    for cas in documents:
        roles = {k.role for k in cas.known_phi}
        assert {"patient", "reporter", "sender", "case"} <= roles, cas.id
        assert not [f.path for f in cas.select(RecordField) if f.kind.top.name == "DATE" and not f.value]
    mega = {c.metadata["carrier_field"] for c in documents if c.id.startswith("FAERS2022Scenario6/")}
    assert {"H.1", "H.2", "H.4", "H.5.r.1a", "D.7.2", "D.9.2.r.2", "E.i.1.1a", "F.r.6", "C.4.r.1", "G.k.11"} <= mega


def test_the_r2_file_of_others_is_read(shared: Path) -> None:
    (one, two, three) = E2bReader(folder=shared / "formats" / "terminologies" / "e2b")
    assert [c.metadata["carrier_field"] for c in (one, two, three)] == ["B.2.i.0", "B.5.1", "B.5.2"]
    assert OID not in one.metadata["carrier_path"]
