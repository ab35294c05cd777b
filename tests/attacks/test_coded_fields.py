"""Coded clinical fields of case reports: what finders of names see in them stays, and what identifies a person goes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from e2b_files import r2, r2_report, r3, r3_report

from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract import registry

KEY = "a-secret-of-sixteen"
EAGER = '''
import re
from caspipe.pipeline import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind

@component("eager", outputs=[PhiCandidate])
class Eager(Annotator):
    """Takes each word for a name: in turn an organization, a person, a place, an id."""
    def annotate(self, view):
        kinds = [PhiKind.ORGANIZATION, PhiKind.PERSON, PhiKind.LOCATION, PhiKind.ID]
        for n, word in enumerate(re.finditer(r"[^\\W\\d_][\\w-]+", view.text)):
            yield PhiCandidate(*word.span(), kind=kinds[n % 4], confidence=0.99)
'''
ENGINES: list[Any] = [
    "segmenter",
    "known_phi",
    {"aggregate": {"id": "rules", "engines": ["dates", "ages", "identifiers", "names", "eager"]}},
    {"resolver": {"priority": ["known_phi", "rules"]}},
    {"masker": {"DATE": {"shift": {"key": KEY}}, "AGE": {"age": {}}}},
]


def back(tmp_path: Path, data: bytes, **options: Any) -> str:
    """The released file."""
    plugin = tmp_path / "eager.py"
    plugin.write_text(EAGER)
    registry.load_file(str(plugin))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "case.xml").write_bytes(data)
    steps = {
        "reader": {"e2b": {"folder": str(tmp_path / "in")}},
        "engines": ENGINES,
        "consumers": [{"e2b": {"ids_key": KEY, **options}}],
        "run": {"output": str(tmp_path / "out")},
    }
    report = Pipeline.parse(json.dumps(steps)).run()
    assert report.exit_code == 0, report.failures
    (written,) = (tmp_path / "out/release/e2b").iterdir()
    return written.read_text(encoding="utf-8")


R2_TERMS = {
    "primarysourcereaction": "Fièvre Méditerranéenne Familiale",
    "patientepisodename": "Morbus Crohn mit Fisteln",
    "drugindication": "COVID-19 Pneumonie",
    "testname": "Anticorps Anti-Coxiella Burnetii",
    "testunit": "Bethesda-Einheiten",
    "testresult": "Escherichia Coli",
    "patientdeathreport": "Herzstillstand",
    "senderdiagnosis": "Síndrome de Stevens-Johnson",
    "drugdosageform": "Filmtablette",
}
R3_TERMS = {
    "E.i.1.1a": '<observation><code code="29"/><value><originalText language="deu">{}</originalText></value></observation>',
    "E.i.1.2": '<observation><code code="30"/><value xsi:type="ED">{}</value></observation>',
    "D.9.2.r.2": '<observation><code code="32"/><value><originalText>{}</originalText></value></observation>',
    "F.r.2.1": '<organizer><code code="3"/><component><observation><code><originalText>{}</originalText></code></observation>'
    "</component></organizer>",
    "G.k.7.r.1": '<inboundRelationship><observation><code code="19"/><value><originalText>{}</originalText></value></observation>'
    "</inboundRelationship>",
}


@pytest.mark.attack("coded-fields")
def test_terms_of_r2_stay_whatever_finders_take_them_for(tmp_path: Path) -> None:
    more = "".join(f"<{name}>{term}</{name}>" for name, term in R2_TERMS.items())
    out = back(tmp_path, r2(r2_report(more=more), encoding="utf-8"))
    for name, term in R2_TERMS.items():
        assert f"<{name}>{term}</{name}>" in out
    assert "<medicinalproduct>ZORBEX<" in out and "<reactionmeddrallt>10099000<" in out


@pytest.mark.attack("coded-fields")
def test_terms_of_r3_stay_whatever_finders_take_them_for(tmp_path: Path) -> None:
    more = "".join(element.format(f"Maladie de Crohn Aiguë {n}") for n, element in enumerate(R3_TERMS.values()))
    out = back(tmp_path, r3(r3_report(more=more)))
    for n in range(len(R3_TERMS)):
        assert f">Maladie de Crohn Aiguë {n}</" in out


@pytest.mark.attack("coded-fields")
@pytest.mark.parametrize(
    ("written", "gone"),
    [
        ("Fièvre de Krabwell", "Krabwell"),
        ("Fieber seit 4.3.2026", "4.3.2026"),
        ("rash, MRN 00417732", "00417732"),
        ("rash, call 617-555-0134", "617-555-0134"),
        ("rash, write to ofenn@example.org", "ofenn@example.org"),
        ("rash as told by Dr. Vlofyxghe", "Vlofyxghe"),
        ("after a long illness of more than twelve months the patient was seen in the ward of Vlofyxghe with a rash all over",
         "Vlofyxghe"),
    ],
)  # fmt: skip
def test_what_identifies_a_person_goes_from_terms_too(written: str, gone: str, tmp_path: Path) -> None:
    name = "<patientmedicalcomment>Edna Krabwell</patientmedicalcomment>"
    full = r2_report(more=f"<senderdiagnosis>{written}</senderdiagnosis>{name}").replace(">EK<", ">Edna Krabwell<")
    out = back(tmp_path, r2(full, encoding="utf-8"))
    assert gone not in out and "<senderdiagnosis>" in out


@pytest.mark.attack("coded-fields")
@pytest.mark.parametrize(
    "product", ["ZORBEX (Krabwell)", "ZORBEX 617-555-0134", "ZORBEX a@example.org", "ZORBEX 4.3.2026"]
)
def test_what_identifies_a_person_goes_from_names_of_drugs(product: str, tmp_path: Path) -> None:
    given = r2_report().replace(">EK<", ">Edna Krabwell<").replace("ZORBEX<", f"{product}<")
    out = back(tmp_path, r2(given, encoding="utf-8"))
    assert re.search(r"Krabwell|617-555|@example|4\.3\.2026", out) is None
    assert "<medicinalproduct>ZORBEX" in out


UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
HOSPITAL = "1.2.840.114350.1.13.99998"
LINKED = f"""<subjectOf2><organizer><component><observation><code code="98"/><id root="{UUID}"/></observation></component>
<component><causalityAssessment><subject1><adverseEffectReference><id root="{UUID}"/></adverseEffectReference></subject1>
<id extension="X9917" root="{HOSPITAL}.7"/><code code="4" codeSystem="2.16.840.1.113883.6.163"/></causalityAssessment></component>
</organizer></subjectOf2>"""


@pytest.mark.attack("record-ids")
def test_numbers_of_cases_and_links_are_replaced_and_agree(tmp_path: Path) -> None:
    linked = r3_report(case="US-SYNLAB-2").replace("</controlActEvent></subjectOf1>", "</controlActEvent></subjectOf1>"
        '<outboundRelationship><relatedInvestigation><subjectOf2><controlActEvent><id extension="US-SYNLAB-1-W" root="R.3.2"/>'
        "</controlActEvent></subjectOf2></relatedInvestigation></outboundRelationship>")  # fmt: skip
    out = back(tmp_path, r3(r3_report(more=LINKED), linked))
    for old in ("SYNLAB", "BATCH", "AGENCY", "SL-77", UUID, HOSPITAL, "X9917"):
        assert old not in out
    new = re.findall(r'<id root="([0-9a-f-]{36})"/>', out)
    assert len(new) == 2 and new[0] == new[1] != UUID
    assert re.search(r'<id nullFlavor="MSK" root="2\.25\.[1-9]\d{20,38}"/>', out)
    assert 'codeSystem="2.16.840.1.113883.6.163"' in out
    worldwide = re.findall(r'<id extension="([a-z2-7]{26})" root="2\.16\.840\.1\.113883\.3\.989\.2\.1\.3\.2"/>', out)
    assert len(worldwide) == 3 and worldwide[0] == worldwide[2] != worldwide[1]


@pytest.mark.attack("record-ids")
def test_numbers_of_r2_are_replaced_and_agree(tmp_path: Path) -> None:
    link = "<linkedreport><linkreportnumb>US-SYNLAB-1</linkreportnumb></linkedreport>"
    other = r2_report(case="US-SYNLAB-2").replace("<primarysource>", f"{link}<primarysource>")
    out = back(tmp_path, r2(r2_report(), other, encoding="utf-8"))
    assert re.search("SYNLAB|SYN-1|AGENCY", out) is None
    ids = re.findall(r"<safetyreportid>([a-z2-7]{26})</", out)
    assert len(set(ids)) == 2 and re.findall("<companynumb>(.*?)</", out) == ids
    assert re.findall("<linkreportnumb>(.*?)</", out) == ids[:1]
    assert "<messagereceiveridentifier>PRIVACY</" in out


@pytest.mark.attack("record-ids")
def test_with_ids_kept_numbers_are_the_maskers_task_and_links_stay(tmp_path: Path) -> None:
    out = back(tmp_path, r3(r3_report(more=LINKED)), ids="keep")
    assert out.count(UUID) == 2 and "SYNLAB" not in out and "BATCH" not in out
