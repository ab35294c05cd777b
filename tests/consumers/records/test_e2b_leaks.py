"""Planted values, which no list knows, where E2B has no room for them: none may be left in what is written."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from e2b_files import r2, r2_report, r3, r3_report

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.report import RunReport

PLANTED = "Zramexvlo"
B64 = base64.b64encode(PLANTED.encode() * 40).decode()
ENGINES = [
    "segmenter",
    "known_phi",
    {"aggregate": {"id": "rules", "engines": ["dates", "ages", "identifiers", "names"]}},
    {"resolver": {"priority": ["known_phi", "rules"]}},
    {"masker": {"DATE": {"shift": {"key": "a-secret-of-sixteen"}}, "AGE": {"age": {}}}},
]


def run(tmp_path: Path, data: bytes) -> RunReport:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "case.xml").write_bytes(data)
    steps = {
        "reader": {"e2b": {"folder": str(tmp_path / "in")}},
        "engines": ENGINES,
        "consumers": ["e2b"],
        "run": {"output": str(tmp_path / "out"), "names": "id"},
    }
    return Pipeline.parse(json.dumps(steps)).run()


def back(tmp_path: Path, data: bytes, encoding: str = "utf-8") -> str:
    report = run(tmp_path, data)
    assert report.exit_code == 0, report.failures
    return (tmp_path / "out/release/e2b/case.xml").read_bytes().decode(encoding)


def observation(content: str) -> str:
    return f'<subjectOf2><observation><code code="99"/>{content}</observation></subjectOf2>'


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        observation(f'<value xsi:type="ST" value="{PLANTED}"/>'),
        observation(f'<foo bar="{PLANTED}">x</foo>'),
        observation(f'<note value="{PLANTED} K"/>'),
        observation(f'<value xsi:type="ED">fine <b title="{PLANTED}">and well</b></value>'),
        observation(f'<value xsi:type="ED"><reference value="http://x.example/{PLANTED}"/></value>'),
        observation(f'<value xsi:type="ED">{B64}</value>'),
        observation(f'<id extension="{PLANTED}" assigningAuthorityName="{PLANTED}" root="1.2"/>'),
        f"<contactParty><contactPerson><name>{PLANTED}</name></contactPerson><addr>{PLANTED}</addr></contactParty>",
        f"<asOther><representedOrganization><name>{PLANTED}</name></representedOrganization></asOther>",
        f"<personName>{PLANTED}</personName><telephone>{PLANTED}</telephone>",
        f"<?note {PLANTED}?><!-- {PLANTED} seen --><!-- D.1 born 1961 -->",
    ],
)
def test_what_is_planted_does_not_come_out_of_r3(more: str, tmp_path: Path) -> None:
    out = back(tmp_path, r3(r3_report(more=more)))
    assert PLANTED not in out and B64[:40] not in out and "1961" not in out


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        f"<patientname>{PLANTED}</patientname>",
        f"<patientbirthplace>{PLANTED}</patientbirthplace>",
        f'<weird note="{PLANTED}">x</weird>',
        f"<weird>{B64}</weird>",
        f"<?note {PLANTED}?><!-- {PLANTED} seen -->",
    ],
)
def test_what_is_planted_does_not_come_out_of_r2(more: str, tmp_path: Path) -> None:
    out = back(tmp_path, r2(r2_report(more=more)), "iso-8859-1")
    assert PLANTED not in out and B64[:40] not in out


@pytest.mark.slow
def test_what_is_known_goes_from_names_of_codes_and_codes_stay(tmp_path: Path) -> None:
    code = '<code code="4" codeSystem="1.2.3" displayName="{}" codeSystemName="own"/>'
    out = back(tmp_path, r3(r3_report(more=code.format("List of Krabwell") + code.format("List of fevers"))))
    assert '<code code="4" codeSystem="1.2.3" codeSystemName="own"/>' in out
    assert code.format("List of fevers") in out


@pytest.mark.slow
def test_a_style_sheet_is_named_still(tmp_path: Path) -> None:
    style = b'<?xml-stylesheet type="text/xsl" href="icsr.xsl"?>'
    assert style.decode() in back(tmp_path, r3().replace(b"<MCCI", style + b"<MCCI", 1))


@pytest.mark.slow
def test_r2_in_capitals_is_refused_and_not_taken_for_text(tmp_path: Path) -> None:
    report = run(tmp_path, r2(r2_report(more=f"<PatientInitial>{PLANTED}</PatientInitial>")))
    assert "expected elements in lower case, found others" in report.failures[0].message
    assert report.documents.released == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        (' xmlns="urn:hl7-org:v3"', ""),
        ("xmlns:xsi", "xmlns:q"),
        ("<text>", "<text><!-- Krabwell --><![CDATA[Krabwell ]]>"),
    ],
    ids=["no namespace", "another prefix", "cdata and comment"],
)
def test_variants_of_writing_xml_make_no_difference(change: tuple[str, str], tmp_path: Path) -> None:
    text = r3().decode().replace(*change)
    text = text.replace(" xsi:", " q:") if change[1] == "xmlns:q" else text
    out = back(tmp_path, text.encode())
    for name in ("Krabwell", "Edna", "Fenn", "00417732", "19610312", "ofenn"):
        assert name not in out
