"""Consumer that writes case reports back: what is masked changes, and nothing else."""

from __future__ import annotations

import datetime
import gzip
import re
import warnings
import zipfile
from pathlib import Path
from typing import Any, Literal

import pytest
from e2b_files import NAMES, NARRATIVE, r2, r2_report, r3, r3_report
from lxml import etree

from caspipe.consumers.records.e2b import E2bConsumer
from caspipe.consumers.records.record_ids import RecordIds
from caspipe.consumers.records.writeback import LongTextWarning, WithheldFileWarning
from caspipe.pipeline.errors import ComponentError, ConfigError, ConsumerError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.e2b import E2bReader
from caspipe.readers.e2b.reader import AttachmentWarning
from caspipe.typesystem import Cas, RecordField
from caspipe.typesystem import source_record as carrier

SHIFT = "DATE: {shift: {days: [20, 365], key: k, style: iso}}, AGE: {age: {threshold: 89}}, default: placeholder"
MONTH = "DATE: {shift: {days: [31, 31], key: k, style: original}}, AGE: {age: {threshold: 89}}, default: placeholder"
KEEP = "DATE: keep, AGE: keep, default: keep"
ENGINES = """
  - segmenter
  - known_phi
  - aggregate: {id: rules, engines: [dates, ages, identifiers]}
  - resolver: {priority: [known_phi, rules]}
"""


IDS_KEY = "a-key-of-the-tests"


def token(number: str) -> str:
    """What replaces the number of a case or a message."""
    return RecordIds(IDS_KEY.encode()).id(number)


def pipeline(masker: str = SHIFT) -> Pipeline:
    return Pipeline.parse(f"engines:{ENGINES}  - masker: {{{masker}}}\n")


def consumer(tmp_path: Path, **options: Any) -> E2bConsumer:
    made = E2bConsumer(folder=Path("e2b"), ids_key=IDS_KEY, **options)
    made.output = tmp_path / "out"
    made.open()
    return made


def release(
    tmp_path: Path,
    data: bytes,
    masker: str = SHIFT,
    name: str = "case.xml",
    transmission: Literal["null", "mask"] = "null",
    **options: Any,
) -> bytes:
    """What becomes of a file."""
    (tmp_path / "in").mkdir(exist_ok=True)
    (tmp_path / "in" / name).write_bytes(data)
    made, engines = consumer(tmp_path, **options), pipeline(masker)
    reader = E2bReader(folder=tmp_path / "in", transmission=transmission)
    for cas in reader:
        made.process(engines.process(cas))
    assert reader.failed == []
    made.close()
    (file,) = (tmp_path / "out" / "e2b").rglob("*.xml")
    return file.read_bytes()


def mended(data: bytes, *changes: tuple[str, str]) -> str:
    """The file with every change made, each exactly once or more."""
    text = data.decode()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


# -- R3 ---------------------------------------------------------------------------------------------------------------


def test_what_is_kept_stays_to_the_byte(tmp_path: Path) -> None:
    assert release(tmp_path, r3(), KEEP) == r3()


def test_r3_is_written_with_null_flavours_and_moved_dates(tmp_path: Path) -> None:
    out = release(tmp_path, r3(), MONTH)
    assert out.decode() == mended(
        r3(),
        ('extension="BATCH-9"', f'extension="{token("BATCH-9")}"'),
        ('value="20260401101500-0500"', 'nullFlavor="MSK"'),
        ('extension="M-US-SYNLAB-1"', f'extension="{token("M-US-SYNLAB-1")}"'),
        ('extension="SYNLAB7"', 'nullFlavor="MSK"'),
        ('extension="AGENCY"', 'nullFlavor="MSK"'),
        ('extension="US-SYNLAB-1"', f'extension="{token("US-SYNLAB-1")}"'),
        ('extension="US-SYNLAB-1-W"', f'extension="{token("US-SYNLAB-1-W")}"'),
        (NARRATIVE, "Mrs. [PERSON] (DOB 12-Apr-1961, MRN [ID]) fell ill on 2026-04-04, seen by Dr. [PERSON]."),
        ('<low value="20260305"/>', '<low value="20260405"/>'),
        ('value="202603"', 'value="202604"'),
        ("<name>Edna Krabwell</name>", '<name nullFlavor="MSK"/>'),
        ('value="19610312"', 'value="19610412"'),
        ('extension="00417732"', 'nullFlavor="MSK"'),
        ("<given>Mona</given><family>Sandvik</family>", '<given nullFlavor="MSK"/><family nullFlavor="MSK"/>'),
        ('value="91" unit="a"', 'nullFlavor="MSK"'),
        ('value="20260210"', 'value="20260313"'),
        ("Krabwell recovered on 3/9/2026.", "[PERSON] recovered on 4/9/2026."),
        ("<streetAddressLine>1 Elm St</streetAddressLine>", '<streetAddressLine nullFlavor="MSK"/>'),
        ("<city>Dunmere</city>", '<city nullFlavor="MSK"/>'),
        ("<state>CT</state>", '<state nullFlavor="MSK"/>'),
        ("<postalCode>01099</postalCode>", '<postalCode nullFlavor="MSK"/>'),
        ('value="tel:617-555-0134"', 'nullFlavor="MSK"'),
        ('value="mailto:ofenn@example.org"', 'nullFlavor="MSK"'),
        ('value="fax:617-555-0135"', 'nullFlavor="MSK"'),
        ("<prefix>Dr.</prefix>", '<prefix nullFlavor="MSK"/>'),
        ("<given>Otto</given><given>Karl</given>", '<given nullFlavor="MSK"/><given nullFlavor="MSK"/>'),
        ("<family>Fenn</family>", '<family nullFlavor="MSK"/>'),
        (' code="US" codeSystem="1.0.3166.1.2.2" displayName="USA"', ' nullFlavor="MSK" codeSystem="1.0.3166.1.2.2"'),
        ("<name>Ward 7</name>", '<name nullFlavor="MSK"/>'),
        ("<name>Dunmere Clinic</name>", '<name nullFlavor="MSK"/>'),
        (' assigningAuthorityName="Synthetic Labs" extension="SL-77-1"', f' extension="{token("SL-77-1")}"'),
    )


def test_without_a_key_dates_are_null_and_nothing_says_when(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = release(tmp_path, r3(), "DATE: {shift: {days: [-365, 365]}}, default: placeholder").decode()
    assert '<low nullFlavor="MSK"/>' in out
    assert '<birthTime nullFlavor="MSK"/>' in out
    assert re.findall(r"\b(?:19|20)\d{2}[01]\d", out) == []


def test_a_year_is_written_as_a_year(tmp_path: Path) -> None:
    out = release(tmp_path, r3(), "DATE: year, default: placeholder").decode()
    assert '<availabilityTime value="2026"/>' in out
    assert '<birthTime value="1961"/>' in out
    assert "fell ill on 2026," in out


def test_values_that_a_policy_keeps_stay(tmp_path: Path) -> None:
    out = release(tmp_path, r3(), f"{SHIFT}, policy: hipaa-safe-harbor").decode()
    for kept in ("<state>CT</state>", 'code="US"', 'value="65" unit="a"', "<name>Dunmere Clinic</name>"):
        assert kept in out
    assert not [name for name in NAMES if name in out]


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("<effectiveTime value='20200304101112.123+0100'/>", '<effectiveTime value="20200404000000.000"/>'),
        ("<effectiveTime value='202003041530'/>", '<effectiveTime value="202004040000"/>'),
        ("<effectiveTime value = '20200304' />", '<effectiveTime value="20200404" />'),
        ("<effectiveTime value='2020'/>", "<effectiveTime value='2020'/>"),
        ("<effectiveTime value='20200230'/>", '<effectiveTime nullFlavor="MSK"/>'),
        ("<time value='4 March'/>", '<time nullFlavor="MSK"/>'),
        (
            "<observation><code code='3'/><value xsi:type='PQ' value='9' unit='10.a'/></observation>",
            "<observation><code code='3'/><value xsi:type='PQ' nullFlavor=\"MSK\"/></observation>",
        ),
        (
            "<observation><code code='3'/><value xsi:type='PQ' value='5' unit='mo'/></observation>",
            "<observation><code code='3'/><value xsi:type='PQ' value='5' unit='mo'/></observation>",
        ),
    ],
)
def test_how_dates_and_ages_of_r3_are_written(tmp_path: Path, xml: str, expected: str) -> None:
    xml, expected = (f"<subjectOf2>{x}</subjectOf2>" for x in (xml, expected))
    assert expected in release(tmp_path, r3(r3_report(more=xml)), MONTH).decode()


ATTACHED = (
    '<reference><document><code code="1"/><text mediaType="text/plain" representation="B64"><reference value="Krabwell.txt"/>'
    "S3JhYndlbGw=</text></document></reference>"
)


def test_attachments_are_left_out_unless_they_are_to_be_kept(tmp_path: Path) -> None:
    data = r3(r3_report(documents=ATTACHED))
    with pytest.warns(AttachmentWarning):
        out = release(tmp_path, data).decode()
    assert '<text mediaType="text/plain" representation="B64" nullFlavor="MSK"/>' in out
    with pytest.warns(AttachmentWarning):
        kept = release(tmp_path, data, attachments="keep").decode()
    assert "S3JhYndlbGw=" in kept and "Krabwell.txt" not in kept
    with pytest.warns(AttachmentWarning):
        assert ATTACHED not in release(tmp_path, data, KEEP).decode()


@pytest.mark.parametrize(
    ("comments", "left"),
    [
        ("check", ["<!-- D.1 -->"]),
        ("strip", []),
        ("keep", ["<!-- krabwell -->", "<!-- of 1 ELM st -->", "<!-- of nobody -->", "<!-- D.1 -->"]),
    ],
)
def test_comments_that_hold_what_the_report_knows_are_left_out(tmp_path: Path, comments: Any, left: list[str]) -> None:
    data = r3().replace(b"<subject1>", b"<!-- krabwell --><!-- of 1 ELM st --><!-- of nobody --><subject1>")
    assert re.findall("<!--.*?-->", release(tmp_path, data, comments=comments).decode()) == left


def test_initials_in_comments_count_as_words_in_their_own_case(tmp_path: Path) -> None:
    data = r3().replace(b"<name>Edna Krabwell</name>", b"<name>EK</name><!-- D.1 EK --><!-- D.1 SEEK ek -->")
    assert re.findall("<!--.*?-->", release(tmp_path, data).decode()) == ["<!-- D.1 SEEK ek -->", "<!-- D.1 -->"]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "utf-8-sig", "windows-1252", "us-ascii"])
def test_the_encoding_stays_and_what_it_lacks_becomes_a_reference(tmp_path: Path, encoding: str) -> None:
    mark = "é" if encoding != "us-ascii" else "e"
    data = (
        r3()
        .decode()
        .replace("fell ill", f"f{mark}ll ill")
        .replace("utf-8", encoding.removesuffix("-sig"))
        .encode(encoding)
    )
    masker = "DATE: keep, AGE: keep, default: {placeholder: {format: '☃{kind}'}}"
    out = release(tmp_path, data, masker)
    text = out.decode(encoding)
    snowman = "☃" if "utf" in encoding else "&#9731;"
    assert f"Mrs. {snowman}PERSON (DOB" in text
    assert f"f{mark}ll ill" in text
    assert out.startswith(data[:40])
    etree.fromstring(out)


def test_line_ends_references_and_markup_in_texts(tmp_path: Path) -> None:
    data = r3(r3_report("<text>By Fenn\r\n&amp; &lt;b&gt;&#13;<![CDATA[<Fenn> ]]]]>&gt;</text>"))
    out = release(tmp_path, data)
    assert b"<text>By [PERSON]\r\n&amp; &lt;b&gt;&#13;&lt;[PERSON]&gt; ]]&gt;</text>" in out
    assert b"<text>a\r &amp;" in release(tmp_path, r3(r3_report("<text>a\r <![CDATA[&]]> by Fenn</text>")))
    same = "<text>a\r\n<![CDATA[<b>]]></text>"
    assert same.encode() in release(tmp_path, r3(r3_report(same)))


def test_texts_that_were_not_read_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "case.xml").write_bytes(r3())
    made, engines = consumer(tmp_path), pipeline()
    for cas in E2bReader(folder=tmp_path, fields=["H.1"]):
        made.process(engines.process(cas))
    made.close()
    out = (tmp_path / "out/e2b/case.xml").read_text()
    assert '<value xsi:type="ED" nullFlavor="MSK"/>' in out
    assert "recovered" not in out


def test_a_report_without_texts_is_written(tmp_path: Path) -> None:
    out = release(tmp_path, r3(r3_report(None).replace("Krabwell recovered on 3/9/2026.", "")))
    assert not [name for name in NAMES if name in out.decode()]


# -- R2 ---------------------------------------------------------------------------------------------------------------


def test_r2_is_written_with_privacy_and_empty_elements(tmp_path: Path) -> None:
    assert release(tmp_path, r2(), MONTH).decode() == mended(
        r2(),
        ("<messagenumb>SYN-1<", f"<messagenumb>{token('SYN-1')}<"),
        ("SYNLAB7", "PRIVACY"),
        ("AGENCY", "PRIVACY"),
        (
            "<messagedateformat>204</messagedateformat><messagedate>20260401101500<",
            "<messagedateformat></messagedateformat><messagedate><",
        ),
        ("US-SYNLAB-1", token("US-SYNLAB-1")),
        ("country>US<", "country><"),
        ("<transmissiondateformat>102<", "<transmissiondateformat><"),
        (">20260401<", "><"),
        (">Dr.<", ">PRIVACY<"),
        (">Otto<", ">PRIVACY<"),
        (">Fenn<", ">PRIVACY<"),
        (">Dunmere Clinic<", ">PRIVACY<"),
        (">01099<", ">PRIVACY<"),
        (">EK<", ">PRIVACY<"),
        (">00417732<", ">PRIVACY<"),
        (">19610312<", ">19610412<"),
        (">202602<", ">202603<"),
        (">202603041315<", ">202604040000<"),
        (
            NARRATIVE,
            "Mrs. Edna Krabwell (DOB 12-Apr-1961, MRN [ID]) fell ill on 2026-04-04, seen by Dr. [PERSON].",
        ),  # EK is known
    )


def test_an_age_over_the_threshold_is_emptied_with_its_unit(tmp_path: Path) -> None:
    out = release(tmp_path, r2(r2_report(age="92"))).decode()
    assert "<patientonsetage></patientonsetage><patientonsetageunit></patientonsetageunit>" in out
    assert "<patientonsetage>65</patientonsetage><patientonsetageunit>801<" in release(tmp_path, r2()).decode()


def test_a_date_of_r2_that_becomes_a_year_changes_its_format(tmp_path: Path) -> None:
    out = release(tmp_path, r2(), "DATE: year, default: placeholder").decode()
    assert "<patientbirthdateformat>602</patientbirthdateformat><patientbirthdate>1961</patientbirthdate>" in out
    assert "<drugstartdateformat>602</drugstartdateformat><drugstartdate>2025</drugstartdate>" in out


def test_a_date_of_r2_that_cannot_be_read_is_emptied_with_its_format(tmp_path: Path) -> None:
    out = release(tmp_path, r2().replace(b">19610312<", b">12-MAR-61<")).decode()
    assert "<patientbirthdateformat></patientbirthdateformat><patientbirthdate></patientbirthdate>" in out


def test_the_document_type_of_r2_stays(tmp_path: Path) -> None:
    assert release(tmp_path, r2(), KEEP) == r2()


# -- several reports, whole files ---------------------------------------------------------------------------------------


def test_each_case_has_its_own_offset_and_reports_of_one_case_have_one(tmp_path: Path) -> None:
    cases = ["A", "B", "A"]
    out = release(tmp_path, r3(*(r3_report(case=case) for case in cases)), SHIFT).decode()
    births = re.findall(r'birthTime value="(\d{8})"', out)
    assert births[0] == births[2] != births[1]
    assert re.findall("<creationTime[^>]*>", out) == ['<creationTime nullFlavor="MSK"/>'] * 4


def test_structured_dates_and_dates_in_texts_move_by_one_offset(tmp_path: Path) -> None:
    out = release(tmp_path, r3(), SHIFT, transmission="mask").decode()
    moved = {
        datetime.datetime.strptime(b[:8], "%Y%m%d") - datetime.datetime.strptime(a[:8], "%Y%m%d")
        for a, b in zip(*(re.findall(r'value="(\d{8,14})', t) for t in (r3().decode(), out)), strict=True)
    }
    told = re.search(r"ill on (\d{4}-\d{2}-\d{2})", out)
    assert told is not None
    assert {datetime.date.fromisoformat(told[1]) - datetime.date(2026, 3, 4)} == moved
    assert len(moved) == 1


@pytest.mark.parametrize("arrives", ["no text", "half of its texts"])
def test_a_file_of_which_not_every_text_arrived_is_held_back(tmp_path: Path, arrives: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.xml").write_bytes(r3())
    (tmp_path / "in/b.xml").write_bytes(r2())
    made, engines = consumer(tmp_path), pipeline()
    for cas in E2bReader(folder=tmp_path / "in"):
        if cas.metadata[carrier.FILE_ID] == "b" or (arrives != "no text" and cas.id == "a/1/H.2"):
            made.process(engines.process(cas))
    if arrives == "no text":
        made.close()  # of a file whose texts all failed nothing is known here; the run report has them
    else:
        with pytest.warns(
            WithheldFileWarning, match=r"^e2b: 1 file was not written back, because not every text of it was released$"
        ):
            made.close()
    assert [p.name for p in (tmp_path / "out/e2b").iterdir()] == ["b.xml"]


def test_a_document_that_another_consumer_refuses_takes_its_file_back(tmp_path: Path) -> None:
    (tmp_path / "case.xml").write_bytes(r3())
    made, engines = consumer(tmp_path), pipeline()
    first, last = (engines.process(cas) for cas in E2bReader(folder=tmp_path))
    made.process(first)
    made.process(last)
    assert [p.name for p in (tmp_path / "out/e2b").iterdir()] == ["case.xml"]
    made.rollback(last.id)
    assert list((tmp_path / "out/e2b").iterdir()) == []
    made.process(last)
    assert list((tmp_path / "out/e2b").iterdir()) == []
    with pytest.warns(WithheldFileWarning):
        made.close()
    made.open()
    made.rollback(first.id)  # never seen: nothing happens
    made.process(first)
    made.process(last)
    made.close()
    assert [p.name for p in (tmp_path / "out/e2b").iterdir()] == ["case.xml"]


def test_a_file_that_changed_since_it_was_read_is_held_back(tmp_path: Path) -> None:
    path = tmp_path / "case.xml"
    path.write_bytes(r3())
    made, engines = consumer(tmp_path), pipeline()
    first, last = (engines.process(cas) for cas in E2bReader(folder=tmp_path))
    made.process(first)
    path.write_bytes(r3().replace(b"Dunmere", b"Elsmere"))
    with pytest.raises(ConsumerError) as caught:
        made.process(last)
    assert str(caught.value) == f"e2b: {path} has changed since it was read: it is withheld"
    with pytest.warns(WithheldFileWarning):
        made.close()
    assert list((tmp_path / "out/e2b").iterdir()) == []


def test_a_file_that_is_gone_is_held_back(tmp_path: Path) -> None:
    path = tmp_path / "case.xml"
    path.write_bytes(r3())
    made, engines = consumer(tmp_path), pipeline()
    first, last = (engines.process(cas) for cas in E2bReader(folder=tmp_path))
    made.process(first)
    path.unlink()
    with pytest.raises(ConsumerError, match=r"case\.xml: cannot read it again: No such file or directory$"):
        made.process(last)
    with pytest.warns(WithheldFileWarning):
        made.close()


def test_without_a_fingerprint_another_text_at_the_place_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "case.xml"
    path.write_bytes(r3())
    made, engines = consumer(tmp_path), pipeline()
    documents = [engines.process(cas) for cas in E2bReader(folder=tmp_path)]
    for cas in documents:
        del cas.metadata[carrier.DIGEST]
    path.write_bytes(r3().replace(b"fell ill", b"fell"))
    made.process(documents[0])
    with pytest.raises(ConsumerError, match=r"^expected the text that was read in the file, found another one$"):
        made.process(documents[1])
    with pytest.warns(WithheldFileWarning):
        made.close()


def test_values_that_nobody_decided_about_are_not_released(tmp_path: Path) -> None:
    (tmp_path / "case.xml").write_bytes(r3())
    made, engines = consumer(tmp_path), pipeline()
    first, _ = E2bReader(folder=tmp_path)
    engines.process(first)
    first.add(RecordField(kind=first.select(RecordField)[0].kind, path="/a[1]#r3", value="x"))
    with pytest.raises(ConsumerError, match=r"^e2b: 1 structured values were never masked: the file is withheld$"):
        made.process(first)
    with pytest.warns(WithheldFileWarning):
        made.close()


def test_documents_without_masked_view_and_of_other_readers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "case.xml").write_bytes(r3())
    made = consumer(tmp_path)
    first, _ = E2bReader(folder=tmp_path)
    with pytest.raises(ComponentError, match=r"expected a view deidentified, found none"):
        made.process(first)
    with pytest.raises(ConsumerError, match=r"^e2b: expected a document of the reader e2b, found another one$"):
        made.process(pipeline().process(Cas("x", id="x")))
    made.close()


def test_a_text_that_grows_beyond_its_field_is_told_and_written(tmp_path: Path) -> None:
    text = "Fenn. " * 80
    data = r2(r2_report().replace("<reportercomment/>", f"<reportercomment>{text}</reportercomment>"))
    with pytest.warns(LongTextWarning) as caught:
        out = release(tmp_path, data)
    assert [str(w.message) for w in caught] == [
        "e2b: B.5.2: a masked text is longer than the 500 characters that the standard allows; it is written completely"
    ]
    assert out.count(b"[PERSON]. ") == 80


@pytest.mark.parametrize("name", ["case.xml.gz", "cases.zip", "cases.tar"])
def test_compressed_files_and_members_of_archives_are_written_back(tmp_path: Path, name: str) -> None:
    import io
    import tarfile

    if name.endswith(".gz"):
        (tmp_path / name).write_bytes(gzip.compress(r3()))
        source: Path = tmp_path
    else:
        source = tmp_path / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(source, "w") as packed:
                packed.writestr("./case.xml", r3())
        else:
            with tarfile.open(source, "w") as tar:
                info = tarfile.TarInfo("./case.xml")
                info.size = len(r3())
                tar.addfile(info, io.BytesIO(r3()))
    made, engines = consumer(tmp_path), pipeline(KEEP)
    for cas in E2bReader(folder=source):
        made.process(engines.process(cas))
    made.close()
    assert (tmp_path / "out/e2b/case.xml").read_bytes() == r3()


@pytest.mark.slow
def test_a_run_with_a_failing_text_holds_the_file_back_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.xml").write_bytes(r3())
    (tmp_path / "in/b.xml").write_bytes(r3())
    (tmp_path / "fail.py").write_text(
        "from caspipe.pipeline.contract.component import AnalysisEngine, component\n"
        "@component('fail_on_comments_of_a')\n"
        "class Failing(AnalysisEngine):\n"
        "    '''Fails.'''\n"
        "    def process(self, cas):\n"
        "        if cas.id == 'a/1/H.2':\n"
        "            raise ValueError\n"
    )
    from caspipe.pipeline.contract import registry

    try:
        registry.load_file(str(tmp_path / "fail.py"))
    except ConfigError:
        pytest.skip("the plug-in was loaded before")
    made = Pipeline.parse(
        f"reader: {{e2b: {{folder: {tmp_path}/in}}}}\nengines:{ENGINES}  - masker: {{{SHIFT}}}\n  - fail_on_comments_of_a\n"
        f"consumers: [e2b]\nrun: {{output: {tmp_path}/out, names: id}}\n"
    )
    report = made.run()
    assert (report.documents.released, report.documents.quarantined) == (3, 1)
    assert "e2b: 1 file was not written back, because not every text of it was released" in report.warnings
    assert [p.name for p in (tmp_path / "out/release/e2b").iterdir()] == ["b.xml"]


# -- the sample instances of FDA -----------------------------------------------------------------------------------------


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def equal_elsewhere(before: bytes, after: bytes, places: set[str]) -> bool:
    """Whether both are the same canonical XML once the values at the places (`path` or `path/@name`) are a mark in both, and each
    UUID is its number in order of first use: equal ones stay equal, different ones different."""
    made = []
    for data in (before, after):
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
        for place in sorted(places):
            if any(place.startswith(f"{above}/") for above in places):
                continue  # what is in an attachment goes with it
            path, _, name = place.partition("/@")
            steps = "/".join(f"*[local-name()='{n}'][{i}]" for n, i in re.findall(r"/([^/\[]+)\[(\d+)\]", path))
            (element,) = root.xpath(f"/{steps}")
            if name:
                for other in (name, "nullFlavor", "unit", "displayName"):
                    element.attrib.pop(other, None)
                element.set(name, "*")
            else:
                for child in list(element):
                    element.remove(child)
                element.text = "*"
                element.attrib.pop("nullFlavor", None)
        numbers = dict[str, int]()
        canonical = etree.canonicalize(etree.tostring(root, encoding="unicode"))
        made.append(_UUID.sub(lambda m: f"uuid {numbers.setdefault(m[0].lower(), len(numbers))}", canonical))  # noqa: B023
    return made[0] == made[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "masker", [SHIFT, "default: placeholder", "DATE: year, default: placeholder"], ids=["shift", "null", "year"]
)
def test_the_sample_instances_of_fda_are_masked_and_the_same_elsewhere(
    shared: Path, tmp_path: Path, masker: str
) -> None:
    folder = shared / "formats" / "e2b_fda"
    made, engines = consumer(tmp_path), pipeline(masker)
    places: dict[str, set[str]] = {}
    texts: dict[str, list[tuple[str, str]]] = {}
    names: dict[str, set[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AttachmentWarning)
        for cas in E2bReader(folder=folder, transmission="mask"):
            engines.process(cas)
            file = cas.metadata[carrier.FILE_ID]
            here = {cas.metadata[carrier.PATH], *(f.path for f in cas.select(RecordField))}
            places.setdefault(file, set()).update(p.rpartition("#")[0] for p in here)
            texts.setdefault(file, []).append((cas.text, cas.deidentified))
            names.setdefault(file, set()).update(
                k.value for k in cas.known_phi if k.kind.direct and k.kind.name != "ID_STUDY" and len(k.value) > 2
            )
            made.process(cas)
    made.close()
    assert len(places) == 10
    for file, here in sorted(places.items()):
        before = (folder / f"{file}.xml").read_bytes()
        after = (tmp_path / f"out/e2b/{file}.xml").read_bytes()
        assert equal_elsewhere(before, after, here), file
        assert not [
            n for n in names[file] if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", after.decode(), re.IGNORECASE)
        ], file
        check_dates(before, after, masker)
        text = "".join(etree.fromstring(after).itertext())
        for _, masked in texts[file]:
            assert masked in text, file


def check_dates(before: bytes, after: bytes, masker: str) -> None:
    """Every time stamp of a day is gone or moved, all by one offset; found here by looks alone."""
    full = re.compile(rb'(?<!codeSystemVersion)="((?:19|20)\d{2}[01]\d[0-3]\d)(\d{6}(?:[+-]\d{4})?)?"')
    old, new = ([m.groups() for m in full.finditer(d)] for d in (before, after))
    assert old
    if masker != SHIFT:
        assert new == []
        return
    assert len(old) == len(new)
    moved = {
        datetime.date.fromisoformat(b[0].decode()) - datetime.date.fromisoformat(a[0].decode())
        for a, b in zip(old, new, strict=True)
    }
    assert len(moved) == 1
    assert moved != {datetime.timedelta()}
    assert {b[1] for b in new} <= {None, b"000000"}


def test_the_r2_file_of_others_is_masked_and_the_same_elsewhere(shared: Path, tmp_path: Path) -> None:
    path = shared / "formats" / "terminologies" / "e2b" / "synthetic_r2.xml"
    out = release(tmp_path, path.read_bytes())
    places: set[str] = set()
    for cas in E2bReader(files=path):
        here = [cas.metadata[carrier.PATH], *(f.path for f in cas.select(RecordField))]
        places.update(p for place in here for p in place.rpartition("#")[0].split(" "))
    assert equal_elsewhere(path.read_bytes(), out, places)
    assert not [
        name
        for name in (b"Fenn", b"Otto", b"617-555-0134", b"00417732", b"SYNLAB", b"19610312", b"20260304")
        if name in out
    ]
